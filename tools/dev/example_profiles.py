#!/usr/bin/env python3
"""Writes examples/profiles from the figures printed in E. Konstantinidis' PhD thesis (2017), kept in tests/golden/data.

Run without arguments from anywhere; the result is deterministic. Counters of the stencils and of SGEMM are printed;
those of the Rodinia kernels are recomputed here from the printed kernel parameters, by equations (4.1)-(4.8) backwards.
"""
import csv
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "golden" / "data"
OUT = ROOT / "examples" / "profiles"
THESIS = "E. Konstantinidis, PhD thesis, University of Athens, 2017"
GPU = "GeForce GTX 480"

COUNTERS = {  # nvprof's name: ours
    "flop_count_sp_fma": "thread_inst_fp32_fma",
    "flop_count_dp_fma": "thread_inst_fp64_fma",
    "inst_compute_ld_st": "thread_inst_load_store",
    "inst_executed": "warp_inst",
    "inst_fp_32": "thread_inst_fp32",
    "inst_fp_64": "thread_inst_fp64",
    "inst_integer": "thread_inst_integer",
    "dram_read_transactions": "dram_read_sector",
    "dram_write_transactions": "dram_write_sector",
}


def write(name, counters, tables, kernels, notes):
    profile = {
        "schema": "gpuproj.profile",
        "version": 1,
        "gpu": GPU,
        "provenance": {"counters": counters, "collector": "paper", "source": f"{THESIS}, {tables}"},
        "kernels": kernels,
        "partial": False,
        "notes": notes,
    }
    (OUT / f"{name}.json").write_text(json.dumps(profile, indent=2) + "\n")


def measured_kernel(name, row, **more):
    """A kernel whose counters are printed per invocation; times are of all invocations."""
    launches = row["invocations"]
    duration = {"count": launches, "sum_s": round(row["measured_ms"]["GTX480"] * 1e-3, 6)}
    metrics = {ours: launches * row["metrics_gtx480"][theirs] for theirs, ours in COUNTERS.items()}
    return {"kernel": name, **more, "device": 0, "launches": launches, "duration": duration, "metrics": metrics}


def derived_kernel(row):
    """Equations (4.1)-(4.8) backwards; percentages are printed with two decimals, so counters are as exact as those."""
    operations = int(row["w_comp_ops"])
    is_integer = row["k_type"] == "int"
    e_mix = float(row["e_mix_pct"]) / 100
    instructions = operations if is_integer else round(operations / (2 * e_mix))
    slots = instructions / (float(row["d_ops_pct"]) / 100)
    metrics = {"thread_inst_load_store": round(float(row["d_ldst_pct"]) / 100 * slots), "warp_inst": round(slots / 32)}
    if is_integer:
        metrics |= {"thread_inst_fp32": 0, "thread_inst_fp64": 0, "thread_inst_integer": instructions}
    else:
        metrics |= {f"thread_inst_{row['k_type']}": instructions}
        metrics |= {f"thread_inst_{row['k_type']}_fma": operations - instructions}
    if row["k_type"] == "fp32":
        metrics |= {"thread_inst_fp64": 0}
    metrics |= {"dram_read_sector": int(row["w_traf_bytes"]) // 32, "dram_write_sector": 0}
    assert 32 * metrics["dram_read_sector"] == int(row["w_traf_bytes"])
    note = f"Rodinia, {row['benchmark']}: {row['function']}"
    return {"kernel": row["kernel"], "device": 0, "launches": 1, "metrics": metrics, "notes": [note]}


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    kernels = json.loads((DATA / "konstantinidis_2017.json").read_text())["kernels"]
    per_invocation = "Counters are printed per invocation, the mean of 4; here they are times 4, as the time is."
    no_launch = "Grid and block are not printed."
    write("redblack_sor", "measured", "tables 4.4 and 5.9",
          [measured_kernel("redblack_sor", kernels["redblack_sor"])],
          ["Red/black SOR in double precision on 8192 x 8192, the red elements of 4 iterations.", per_invocation, no_launch])
    write("lmsor", "measured", "tables 5.10 and 5.12", [measured_kernel("lmsor", kernels["lmsor"])],
          ["Local modified SOR in double precision on 3842 x 3842, the red elements of 4 iterations.", per_invocation,
           no_launch])
    write("sgemm_32x32", "measured", "tables 4.9 and 5.14",
          [measured_kernel("sgemm_32x32", kernels["sgemm_32x32"], grid=[20, 40, 1], block=[32, 32, 1])],
          ["C = A x B in single precision, A 1280 x 640, B 640 x 640, tiles of 32 x 32 in shared memory.",
           "The grid follows from the size of C and of the tile."])
    with open(DATA / "rodinia_kernel_parameters.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    write("rodinia", "derived", "table 5.16", [derived_kernel(row) for row in rows],
          ["Counters are recomputed from the printed kernel parameters, whose percentages have two decimals.",
           "DRAM traffic is printed as a total: all of it is given as reads.",
           "Launches, grid, block and times are not printed: each kernel stands as one launch."])


main()
