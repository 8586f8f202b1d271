#!/usr/bin/env bash
# tools/dev/tidy.sh [--all | FILE...]: clang-tidy with the rules of .clang-tidy, on what build/ compiles.
# Without arguments: the sources that differ from origin/main, or from the commit before where HEAD is on it.
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
case ${1:-} in
    --all) mapfile -t files < <(git ls-files | grep -E "$sources" || true) ;;
    '') mapfile -t files < <(changed | grep -E "$sources" | sort -u || true) ;;
    *) files=("$@") ;;
esac
# Only what this configuration compiles: parts left out have no compile command.
compiled=()
for file in "${files[@]}"; do
    if grep -qF "\"file\": \"$root/$file\"" build/compile_commands.json; then compiled+=("$file"); fi
done
echo "clang-tidy: ${#compiled[@]} files"
if ((${#compiled[@]} == 0)); then exit 0; fi
printf '%s\0' "${compiled[@]}" |
    xargs -0 -n 1 -P "$(nproc)" clang-tidy-16 -p build --quiet 2> >(grep -vE '^[0-9]+ warnings? (generated|treated)' >&2)
