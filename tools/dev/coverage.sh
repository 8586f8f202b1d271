#!/usr/bin/env bash
# Line and branch coverage of the unit, golden and cli tests: a summary here, the lines in build-coverage/html.
set -euo pipefail
source "$(dirname "$0")/common.sh"
configure coverage
cmake --build build-coverage --parallel "$(jobs)"
find build-coverage -name '*.gcda' -delete
ctest --test-dir build-coverage -j "$(nproc)" -L 'unit|golden|cli' --timeout 1200 --output-on-failure >build-coverage/ctest.log ||
    { tail -n 40 build-coverage/ctest.log; exit 1; }
mkdir -p build-coverage/html
gcovr --root . --object-directory build-coverage -j "$(nproc)" --exclude-throw-branches \
    --filter 'collector/' --filter 'model/' --filter 'reports/' --filter 'targets/' --filter 'tools/' \
    --html-details build-coverage/html/index.html --print-summary
