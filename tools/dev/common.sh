# Sourced by quickstart.sh, check.sh and the scripts here. Everything runs in the repository root, without stdin.
# shellcheck shell=bash
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root" || exit 1
exec </dev/null

say() { printf '\n== %s\n' "$*"; }
die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Compilers at work at once: one per core, and about 1 GB of free memory each.
jobs() {
    local cores free_gb
    cores=$(nproc)
    free_gb=$(awk '/^MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
    echo $((free_gb < 1 ? 1 : free_gb < cores ? free_gb : cores))
}

# missing_packages GROUP...: those of tools/packages.txt that are not installed.
missing_packages() {
    local group package command
    while read -r group package command; do
        [[ " $* " == *" $group "* ]] || continue
        if [[ -n $command ]] && command -v "$command" >/dev/null; then continue; fi
        if [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]]; then continue; fi
        echo "$package"
    done <tools/packages.txt
}

# install_packages GROUP...: installs what is missing with apt-get, through sudo (and says so) unless run by root.
install_packages() {
    command -v dpkg-query >/dev/null ||
        { say "No dpkg here: install the equivalents of tools/packages.txt yourself"; return 0; }
    local packages
    mapfile -t packages < <(missing_packages "$@")
    if ((${#packages[@]} == 0)); then return 0; fi
    local as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null || die "not root, and there is no sudo. As root: apt-get install ${packages[*]}"
        as_root=(sudo)
        [[ -t 1 && -z ${CI:-} ]] || as_root=(sudo -n)
        say "Installing with sudo: ${packages[*]}"
    else
        say "Installing: ${packages[*]}"
    fi
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0)
    local log
    log=$(mktemp)
    if ! { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${packages[@]}"; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        die "apt-get failed (whole log: $log). Packages wanted: ${packages[*]}"
    fi
    rm -f "$log"
}

# configure PRESET [cmake options]: quiet unless it fails; what was left out, and how to get it, is always shown.
configure() {
    local preset=$1 log
    shift
    local options=("$@")
    if command -v ccache >/dev/null; then options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
    log=$(mktemp)
    if ! cmake --preset "$preset" "${options[@]}" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        return 1
    fi
    sed -nE 's/^-- (left out:|CUDA 11.8 from)/\1/p' "$log"
    rm -f "$log"
}

# What the HTML report embeds, from npm into build/npm at the locked version. Without it only that report is left out.
install_web_packages() {
    local lock=tools/dev/npm/package-lock.json log=build/npm/install.log
    if cmp -s "$lock" build/npm/installed.json; then return 0; fi
    if ! command -v npm >/dev/null; then
        echo "left out: HTML reports: no npm"
        return 0
    fi
    mkdir -p build/npm
    cp tools/dev/npm/package.json "$lock" build/npm/
    if npm ci --prefix build/npm --ignore-scripts --no-audit --no-fund --loglevel=error >"$log" 2>&1; then
        cp "$lock" build/npm/installed.json
    else
        echo "left out: HTML reports: npm ci failed, see $log"
    fi
}
