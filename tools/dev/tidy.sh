#!/usr/bin/env bash
# tools/dev/tidy.sh [--all | FILE...]: clang-tidy with the rules of .clang-tidy, on what build/ compiles.
# Without arguments: the sources that differ from origin/main, or from the commit before where HEAD is on it; no file is
# begun after 8 minutes ($GPUPROJ_TIDY_MINUTES), and what is left is said. --all and FILE... take as long as they take.
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
left=$(mktemp)
trap 'rm -f "$left"' EXIT
deadline=$((minutes > 0 ? $(date +%s) + 60 * minutes : 0))
one() {
    if ((deadline > 0 && $(date +%s) >= deadline)); then
        echo "$1" >>"$left"
    else
        clang-tidy-16 -p build --quiet "$1" 2> >(grep -vE '^[0-9]+ warnings? (generated|treated)' >&2)
    fi
}
export -f one
export left deadline
status=0
printf '%s\0' "${compiled[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'one "$0"' || status=1
if [[ -s $left ]]; then
    echo "clang-tidy: $(wc -l <"$left") of them not begun within $minutes minutes; tools/dev/tidy.sh --all takes them all"
fi
exit "$status"
