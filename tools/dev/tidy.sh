#!/usr/bin/env bash
# tools/dev/tidy.sh [--all | FILE...]: clang-tidy with the rules of .clang-tidy, on what build/ compiles.
# Without arguments: the sources that differ from origin/main, or from the commit before where HEAD is on it. No file is
# begun after 8 minutes ($GPUPROJ_TIDY_MINUTES) or gone on with for more than 6 (at one limit of its steps and not at
# others the analyzer may hang); what is left is said. A source that is compiled several times is looked at in its last
# form only (of the engine's handlers, which take a quarter of an hour each otherwise, that for AVX2), and the analyzer
# follows a function for 60,000 steps, not 225,000. --all and FILE... leave nothing out.
set -euo pipefail
source "$(dirname "$0")/common.sh"
[[ -f build/compile_commands.json ]] || die "no build/compile_commands.json: run cmake --preset release first"

sources='^(collector|model|reports|targets|tools)/.*\.cpp$'
changed() {
    local base
    base=$(git merge-base HEAD origin/main 2>/dev/null || true)
    if [[ -z $base || $base == $(git rev-parse HEAD) ]]; then base=$(git rev-parse -q --verify HEAD~1 || true); fi
    if [[ -n $base ]]; then git diff --name-only --diff-filter=d "$base"; fi
    git ls-files --others --exclude-standard
}
minutes=0
database=build
arguments=()
case ${1:-} in
    --all) mapfile -t files < <(git ls-files | grep -E "$sources" || true) ;;
    '') mapfile -t files < <(changed | grep -E "$sources" | sort -u || true)
        minutes=${GPUPROJ_TIDY_MINUTES:-8} ;;
    *) files=("$@") ;;
esac
# Only what this configuration compiles: parts left out have no compile command.
compiled=()
for file in "${files[@]}"; do
    if grep -qF "\"file\": \"$root/$file\"" build/compile_commands.json; then compiled+=("$file"); fi
done
echo "clang-tidy: ${#compiled[@]} files"
if ((${#compiled[@]} == 0)); then exit 0; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
left=$scratch/left
if ((minutes > 0)); then
    database=$scratch
    python3 -c 'import json, sys; json.dump(list({e["file"]: e for e in json.load(sys.stdin)}.values()), sys.stdout)' \
        <build/compile_commands.json >"$database/compile_commands.json"
    for word in -analyzer-config max-nodes=60000; do arguments+=(--extra-arg=-Xclang "--extra-arg=$word"); done
fi
deadline=$((minutes > 0 ? $(date +%s) + 60 * minutes : 0))
one() {
    if ((deadline > 0 && $(date +%s) >= deadline)); then
        echo "${@: -1}" >>"$left"
    else
        local limit=() outcome=0
        if ((deadline > 0)); then limit=(timeout 360); fi
        "${limit[@]}" clang-tidy-16 -p "$database" --quiet "$@" \
            2> >(grep -vE '^[0-9]+ warnings? (generated|treated)' >&2) || outcome=$?
        if ((outcome == 124)); then
            echo "${@: -1}" >>"$left"
        else
            return "$outcome"
        fi
    fi
}
export -f one
export left deadline database
status=0
printf '%s\0' "${compiled[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'one "$@"' one "${arguments[@]}" || status=1
if [[ -s $left ]]; then
    echo "clang-tidy: $(wc -l <"$left") of them not done within $minutes minutes; tools/dev/tidy.sh --all takes them all"
fi
exit "$status"
