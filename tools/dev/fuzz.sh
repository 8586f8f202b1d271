#!/usr/bin/env bash
# tools/dev/fuzz.sh [SECONDS | NUMBERx] [TARGET...]: libFuzzer with address and undefined-behaviour checks, one target
# after the other: SECONDS (60) each, or until NUMBER inputs were run, those of earlier calls included (10000000x).
# build-fuzz/TARGET.runs has a line per run: date, inputs, seconds. New inputs stay in build-fuzz/corpus; a crash is
# written there too: fix it and commit it to tests/fuzz/corpus. --table prints what was run, and ends.
set -euo pipefail
source "$(dirname "$0")/common.sh"

# Inputs are short, so that many of them are run: nothing in these formats needs more than a few lines. Where no seed is
# that short, none is cut.
longest() {
    local sizes
    mapfile -t sizes < <(find "tests/fuzz/corpus/$1" -type f -printf '%s\n' | sort -n)
    echo $((sizes[0] > 640 ? sizes[-1] : 640))
}

runs_done() { awk '{n += $2} END {printf "%d\n", n}' "build-fuzz/$1.runs" 2>/dev/null || echo 0; }

table() {
    echo '| target | inputs | inputs/s | last run |'
    echo '| --- | --- | --- | --- |'
    for target in "$@"; do
        awk -v target="$target" '{n += $2; s += $3; date = $1}
            END {printf "| %s | %d | %.0f | %s |\n", target, n, (s > 0 ? n / s : 0), date}' "build-fuzz/$target.runs" \
            2>/dev/null || echo "| $target | 0 | | |"
    done
}

# run_target NAME LIMIT: libFuzzer once; LIMIT is its option that ends it. Runs that are interrupted count too.
run_target() {
    local target=$1 limit=$2 log=build-fuzz/$1.log start rc=0 inputs
    mkdir -p "build-fuzz/corpus/$target"
    start=$SECONDS
    # One frame of where memory came from, little of it held back and none filled, no fake stacks (use of a local after its
    # function's return is not seen), no schedule by entropy: several times as fast. A crash is replayed with the defaults.
    local checks=malloc_context_size=1:quarantine_size_mb=1:thread_local_quarantine_size_kb=64:max_malloc_fill_size=0
    ASAN_OPTIONS=$checks:detect_stack_use_after_return=0:detect_leaks=0 \
        "build-fuzz/${target}_fuzz" "$limit" -max_len="$(longest "$target")" -timeout=20 -rss_limit_mb=2048 \
        -entropic=0 -reload=0 -print_final_stats=1 -artifact_prefix="build-fuzz/corpus/$target-" \
        "build-fuzz/corpus/$target" "tests/fuzz/corpus/$target" >"$log" 2>&1 || rc=$?
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
    [[ -n $inputs ]] || inputs=$(sed -n 's/^#\([0-9]*\).*/\1/p' "$log" | tail -1)
    echo "$(date -u +%F) ${inputs:-0} $((SECONDS - start))" >>"build-fuzz/$target.runs"
    if ((rc == 72)); then die "$target: interrupted after ${inputs:-0} inputs, $(runs_done "$target") in all"; fi
    if ((rc != 0)); then
        tail -n 60 "$log"
        die "$target failed"
    fi
    echo "$target: ${inputs:-0} inputs in $((SECONDS - start)) s, $(runs_done "$target") in all"
}

only_table=
if [[ ${1:-} == --table ]]; then
    only_table=1
    shift
fi
amount=60
if [[ ${1:-} =~ ^[0-9]+x?$ ]]; then
    amount=$1
    shift
fi
targets=("$@")
if ((${#targets[@]} == 0)); then mapfile -t targets < <(find tests/fuzz -name '*_fuzz.cpp' -printf '%f\n' | sed 's/_fuzz.cpp//' | sort); fi
if [[ -n $only_table ]]; then
    table "${targets[@]}"
    exit
fi
configure fuzz
cmake --build build-fuzz --parallel "$(jobs)" --target "${targets[@]/%/_fuzz}"
for target in "${targets[@]}"; do
    if [[ $amount == *x ]]; then
        left=$((${amount%x} - $(runs_done "$target")))
        if ((left > 0)); then run_target "$target" "-runs=$left"; fi
    else
        run_target "$target" "-max_total_time=$amount"
    fi
done
