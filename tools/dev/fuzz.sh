#!/usr/bin/env bash
# tools/dev/fuzz.sh [SECONDS [TARGET...]]: libFuzzer with address and undefined-behaviour checks, SECONDS (60) a target.
# New inputs stay in build-fuzz/corpus; a crash is written there too: fix it and commit it to tests/fuzz/corpus.
set -euo pipefail
source "$(dirname "$0")/common.sh"
seconds=${1:-60}
shift || true
configure fuzz
cmake --build build-fuzz --parallel "$(jobs)" --target fuzzers
targets=("$@")
if ((${#targets[@]} == 0)); then mapfile -t targets < <(find tests/fuzz -name '*_fuzz.cpp' -printf '%f\n' | sed 's/_fuzz.cpp//' | sort); fi
for target in "${targets[@]}"; do
    mkdir -p "build-fuzz/corpus/$target"
    log=build-fuzz/$target.log
    if "build-fuzz/${target}_fuzz" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -verbosity=0 \
        -print_final_stats=1 -artifact_prefix="build-fuzz/corpus/$target-" \
        "build-fuzz/corpus/$target" "tests/fuzz/corpus/$target" >"$log" 2>&1; then
        echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $seconds s"
    else
        cat "$log"
        die "$target failed"
    fi
done
