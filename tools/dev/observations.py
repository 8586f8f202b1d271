#!/usr/bin/env python3
"""Brings published measurements into the form of `gpuproj validate` (one row per kernel, input, launch and GPU).

    tools/dev/observations.py [--as-dcgm] FILE.csv > observations.csv

FILE is recognised by its columns:
  KTT           a tuning space: configurations, counters of the first GPU, a column time_us_<gpu> per GPU
  gpuFLOPBench  kernels of HeCBench: time, floating-point and integer operations, DRAM bytes
  HKBU          kernels at several core and memory clocks: columns core_mhz and mem_mhz are kept
  Amaris        is in that form already: written as it is
--as-dcgm keeps of the counters what DCGM's samples of a GPU would tell: instructions of the floating-point pipes, DRAM
traffic in one, occupancy.
Times keep their unit (microseconds), absent cells stay absent. Rows that cannot be used (no time, no block) are counted
on stderr.
"""
import argparse
import csv
import sys

COLUMNS = """kernel app args config gpu grid block regs smem time_us
thread_inst_fp16 thread_inst_fp32 thread_inst_fp64 thread_inst_int thread_inst_ldst thread_inst_control thread_inst_misc
thread_inst_conversion thread_inst_total warp_inst_executed flop_sp flop_sp_fma flop_sp_special flop_dp flop_dp_fma
dram_read_bytes dram_write_bytes shared_load_trans shared_store_trans global_load_trans global_store_trans
warp_inst_texture l2_read_trans l2_write_trans achieved_occupancy core_mhz mem_mhz""".split()

SAMPLED = {"thread_inst_fp16", "thread_inst_fp32", "thread_inst_fp64", "dram_read_bytes", "achieved_occupancy"}
NO_COUNTERS = set("suite kernel app args config gpu cc input1 input2 grid block time_us core_mhz mem_mhz".split())

KTT_TIME = "time_us_"
KTT_NAMES = {"smem_bytes": "smem", "l2_read_sectors": "l2_read_trans", "l2_write_sectors": "l2_write_trans",
             "shared_ld_wavefronts": "shared_load_trans", "shared_st_wavefronts": "shared_store_trans",
             "grid_x_y_z": "grid"}
HKBU_NAMES = {"gld_transactions": "global_load_trans", "gst_transactions": "global_store_trans",
              "shared_load_transactions": "shared_load_trans", "shared_store_transactions": "shared_store_trans",
              "l2_read_transactions": "l2_read_trans", "l2_write_transactions": "l2_write_trans",
              "thread_inst_total_est": "thread_inst_total"}


def renamed(row, names):
    out = {names.get(key, key): value for key, value in row.items()}
    return {key: value for key, value in out.items() if key in COLUMNS}


def ktt(row):
    """The counters are those of the GPU of the first time column; the others have a time only."""
    common = renamed(row, KTT_NAMES)
    if row.get("warps_active_pct"):
        common["achieved_occupancy"] = repr(float(row["warps_active_pct"]) / 100)
    launch = {key: common.get(key, "") for key in ("kernel", "config", "grid", "block", "regs", "smem")}
    gpus = [key[len(KTT_TIME):] for key in row if key.startswith(KTT_TIME)]
    for i, gpu in enumerate(gpus):
        yield {**(common if i == 0 else launch), "gpu": gpu, "time_us": row[KTT_TIME + gpu]}


def gpuflopbench(row):
    """DRAM bytes are not told apart into reads and writes: all are given as reads."""
    out = renamed(row, {"target": "app"})
    out["dram_read_bytes"] = row["dram_bytes"]
    yield out


def hkbu(row):
    """Texture fetches: 8 transactions of 4 lanes each. Where there are global loads the same counter holds theirs, and
    fetches cannot be told apart."""
    out = renamed(row, HKBU_NAMES)
    if row["gld_transactions"] == "0" and row["tex_cache_transactions"]:
        out["warp_inst_texture"] = repr(float(row["tex_cache_transactions"]) / 8)
    out["time_us"] = repr(1000 * float(row["time_ms"]))
    yield out


def as_dcgm(row):
    """What identifies a row, and the few counters."""
    out = {key: value for key, value in row.items() if key in SAMPLED | NO_COUNTERS}
    if row.get("dram_read_bytes") and row.get("dram_write_bytes"):
        out["dram_read_bytes"] = repr(float(row["dram_read_bytes"]) + float(row["dram_write_bytes"]))
    return out


def recognise(header):
    if any(key.startswith(KTT_TIME) and key not in ("time_us_min", "time_us_max") for key in header):
        return ktt
    if {"target", "dram_bytes", "time_us"} <= set(header):
        return gpuflopbench
    if {"core_mhz", "mem_mhz", "time_ms"} <= set(header):
        return hkbu
    if {"kernel", "gpu", "grid", "block", "time_us"} <= set(header):
        return lambda row: [row]
    sys.exit("observations.py: columns of none of the known data sets; see --help")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--as-dcgm", action="store_true")
    parser.add_argument("file")
    options = parser.parse_args()
    with open(options.file, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        sys.exit(f"observations.py: {options.file} has no rows")
    convert = recognise(rows[0].keys())
    converted = [new for row in rows for new in convert(row)]
    used = [row for row in converted if row.get("time_us") and row.get("block") and row.get("grid")]
    columns = list(rows[0]) if used and used[0] is rows[0] else [c for c in COLUMNS if any(r.get(c) for r in used)]
    if options.as_dcgm:
        used = [as_dcgm(row) for row in used]
        columns = [c for c in columns if c in used[0]]
    writer = csv.DictWriter(sys.stdout, columns, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(used)
    if len(used) < len(converted):
        print(f"observations.py: {len(converted) - len(used)} of {len(converted)} rows left out: no time, grid or block",
              file=sys.stderr)


if __name__ == "__main__":
    main()
