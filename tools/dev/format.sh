#!/usr/bin/env bash
# tools/dev/format.sh [--check]: formats every C++ and CUDA source of the repository, or only says which need it.
set -euo pipefail
source "$(dirname "$0")/common.sh"
mapfile -t files < <(find collector model reports targets tools tests examples \
    -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.c')
if [[ ${1:-} == --check ]]; then
    unformatted=$(clang-format-16 --dry-run "${files[@]}" 2>&1 | sed -n 's/:[0-9:]* warning: .*//p' | sort -u)
    if [[ -n $unformatted ]]; then
        printf '%s\n' "$unformatted"
        die "these files need tools/dev/format.sh"
    fi
else
    clang-format-16 -i "${files[@]}"
fi
