#!/usr/bin/env bash
# Writes docs/model_comparison.md: every model on all measured data that can be brought into an observation table. Needs
# the data ($GPUPROJ_DATA, default ../shared/datasets) and a build with the target gpuproj_compare_models.
set -euo pipefail
cd "$(dirname "$0")/../.."
data=${GPUPROJ_DATA:-../shared/datasets}
tables=$(mktemp -d)
trap 'rm -rf "$tables"' EXIT
convert() { python3 tools/dev/observations.py "$data/$2" > "$tables/$1.csv"; }
convert amaris amaris_kepler_maxwell.csv
convert ktt ktt_pnpoly_2080ti_3090.csv
convert hkbu hkbu_clocks_part.csv
convert gpuflopbench gpuflopbench_rtx3080.csv
build/gpuproj_compare_models docs/model_comparison.md "Amaris=$tables/amaris.csv" "KTT=$tables/ktt.csv" \
    "HKBU clocks=$tables/hkbu.csv" "gpuFLOPBench=$tables/gpuflopbench.csv"
