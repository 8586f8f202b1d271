#!/usr/bin/env bash
# tools/check.sh [--full]: installs what is missing, builds with warnings as errors, checks the sources and runs every
# test. --full adds clang-tidy on all files, the tests under sanitizers, coverage and longer fuzzing.
# The last line counts tests and the other checks together; the exit code is 0 only if none failed.
set -euo pipefail
source "$(dirname "$0")/dev/common.sh"

full=false
case ${1:-} in
    '') ;;
    --full) full=true ;;
    *) die "unknown option $1 (only --full is known)" ;;
esac

passed=0 failed=0 skipped=0
bad=()
started=$SECONDS

# check NAME COMMAND...: one check that is no ctest test.
check() {
    local name=$1 begin=$SECONDS
    shift
    say "$name"
    if "$@"; then
        passed=$((passed + 1))
        echo "ok, $((SECONDS - begin)) s"
    else
        failed=$((failed + 1))
        bad+=("$name")
        echo "FAILED: $name, $((SECONDS - begin)) s"
    fi
}

build() { configure "$@" && cmake --build "$build_dir" --parallel "$(jobs)" -- --quiet; }

# run_tests NAME [ctest options]: all tests of $build_dir, counted from ctest's own results.
run_tests() {
    local name=$1 results=$build_dir/test_results.xml begin=$SECONDS
    shift
    say "$name"
    rm -f "$results"
    local status=0
    ctest --test-dir "$build_dir" -j "$(nproc)" --output-on-failure --no-tests=error --timeout 900 \
        --output-junit "$root/$results" "$@" >"$build_dir/ctest.log" 2>&1 || status=$?
    if [[ ! -f $results ]]; then
        tail -n 20 "$build_dir/ctest.log"
        failed=$((failed + 1))
        bad+=("$name: ctest did not run")
        return
    fi
    local total failures not_run
    total=$(count tests) failures=$(count failures) not_run=$(($(count skipped) + $(count disabled)))
    if ((failures > 0)); then sed -n '/^\s*[0-9]*\/.*\*\*\*/,/^\s*Start/p' "$build_dir/ctest.log" | grep -v '\*\*\*Skipped' || true; fi
    sed -n '/^The following tests/,$p' "$build_dir/ctest.log" | grep -v '^Errors while running' || true
    grep -h 'SKIPPED: ' "$build_dir/Testing/Temporary/LastTest.log" | sort | uniq -c | sort -rn || true
    if ((status != 0 && failures == 0)); then
        failures=1
        bad+=("$name: ctest failed with $status")
    fi
    while read -r test; do bad+=("$test"); done < <(failed_tests)
    passed=$((passed + total - failures - not_run)) failed=$((failed + failures)) skipped=$((skipped + not_run))
    echo "$((total - failures - not_run)) passed, $failures failed, $not_run skipped, $((SECONDS - begin)) s"
}
count() { sed -n "s/^\s*$1=\"\([0-9]*\)\".*/\1/p" "$build_dir/test_results.xml" | head -n 1; }
failed_tests() { sed -n 's/.*<testcase name="\([^"]*\)".*status="fail".*/\1/p' "$build_dir/test_results.xml"; }

packages=(build check)
if $full; then packages+=(full); fi
install_packages "${packages[@]}"
install_web_packages

build_dir=build
check "Building (build/)" build release -DGPUPROJ_TESTS=ON
if ((failed == 0)); then run_tests "Tests"; fi
check "Formatting" tools/dev/format.sh --check
check "Shell scripts" shellcheck -x -S warning -P SCRIPTDIR tools/*.sh tools/dev/*.sh .ci/run
if $full; then check "clang-tidy, all files" tools/dev/tidy.sh --all; else check "clang-tidy, changed files" tools/dev/tidy.sh; fi

if $full; then
    build_dir=build-asan
    check "Building with address and undefined-behaviour checks (build-asan/)" build asan
    if [[ -d build-asan ]]; then run_tests "Tests with address and undefined-behaviour checks" -LE bench; fi
    build_dir=build-tsan
    check "Building with thread checks (build-tsan/)" build tsan
    if [[ -d build-tsan ]]; then run_tests "Tests with thread checks" -L 'unit|golden'; fi
    check "Coverage" tools/dev/coverage.sh
    check "Fuzzing" tools/dev/fuzz.sh 60
fi

printf '\n'
if ((failed > 0)); then printf 'failed: %s\n' "${bad[@]}"; fi
echo "took $((SECONDS - started)) s"
echo "$passed passed, $failed failed, $skipped skipped"
exit $((failed > 0))
