#!/usr/bin/env python3
"""Counters and times of an H200 against those of the same programs simulated.

    tools/dev/hardware_counts.py SIMULATED [--hardware FOLDER] [--gpuproj PROGRAM] [-o docs/hardware_counts.md]

FOLDER (tests/fixtures/gpu/h200) holds profiles that --collector cupti made on an H200, SIMULATED those of the same binaries
and words under `gpuproj profile --collector simulate --ref "H200 SXM 141GB"`, by the same names. Where the programs come
from: tests/fixtures/gpu/README.md.
"""
import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys

from rodinia import change

ROOT = pathlib.Path(__file__).resolve().parents[2]
GPU = "H200 SXM 141GB"
COUNTERS = ["warp_inst", "thread_inst", "thread_inst_fp32", "thread_inst_fp64", "thread_inst_integer", "thread_inst_load_store",
            "thread_inst_control", "warp_inst_special", "shared_wavefront", "global_load_sector", "global_store_sector",
            "l1_hit_sector", "l2_read_sector", "l2_write_sector", "dram_read_sector", "dram_write_sector", "achieved_occupancy"]
LEAST = 1000  # of a counter over all launches: fewer says little
WITHIN = (0.001, 0.05, 0.2)


def averaged(name):
    return name.endswith("_occupancy")


def kernels(profile):
    """Kernel -> launches, seconds, and counters summed over launch configurations."""
    found = {}
    for record in profile["kernels"]:
        kernel = found.setdefault(record["kernel"], {"launches": 0, "seconds": 0.0, "metrics": {}})
        kernel["launches"] += record["launches"]
        kernel["seconds"] += record.get("duration", {}).get("sum_s", 0.0)
        for name, value in record["metrics"].items():
            weight = record["launches"] if averaged(name) else 1
            kernel["metrics"][name] = kernel["metrics"].get(name, 0) + weight * value
    for kernel in found.values():
        for name in filter(averaged, kernel["metrics"]):
            kernel["metrics"][name] /= kernel["launches"]
    return found


def predicted(options, file):
    """Kernel -> seconds by `calibrated`, from the simulated counters alone."""
    done = subprocess.run([options.gpuproj, "predict", file, "--target", GPU, "--json"], check=True, capture_output=True, text=True)
    seconds = {}
    for row in json.loads(done.stdout)["predictions"]:
        if row["model"] == "calibrated" and row.get("duration_s") is not None:
            seconds[row["kernel"]] = seconds.get(row["kernel"], 0.0) + row["duration_s"]
    return seconds


def short(kernel):
    return re.sub(r"^void ", "", re.sub(r"\(.*", "", kernel))


CAUSES = """
What is known of the differences:

- `warp_inst`, `thread_inst_integer`: what ptxas takes out of loops and calculates in other ways (backprop's remainders by powers of two, dwt2d),
  and the moves of texture coordinates and handles (convolution, kmeans). Loads of parameters and constants (LDC, ULDC) and unrolled loops are counted as
  ptxas 13.0 makes them (decisions [52](decisions/0052-constants-are-loaded.md) and [53](decisions/0053-loops-are-unrolled.md)).
- `shared_wavefront`: the hardware's has one or two passes of each warp that have nothing to do with shared memory, and arbitration; the
  counters without them (loads, stores and atomics apart) cost a pass more on GH100 and others. ncu's count by instrumented code, of the same
  product of matrices on an H100 (memory_l1_wavefronts_shared), is the engine's: 25 600 000.
- `dram_write_sector`: of what the host has copied to the GPU, up to 29 MB are still in L2, dirty, when the next kernel begins, and are
  written out while it runs (reduction, scalar product, hotspot, pathfinder); the engine leaves that to the copies. What a kernel has left
  dirty in L2 the hardware charges to whoever evicts it, the engine to the kernel ([decision 50](decisions/0050-l2-between-launches.md)).
- `dram_read_sector` of dwt2d's first kernel: its memory was filled with zeros before the picture was copied there. The engine finds both in
  L2, and the H200 neither; zeros alone (huffman's pack2) it does find.
- The time of Fan2, whose four million blocks of 16 threads began at 0.85 per clock of the GPU, is that of their beginning, for which
  `calibrated` has 0.84 from another GPU ([decision 51](decisions/0051-blocks-begin.md)).
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("simulated", type=pathlib.Path)
    parser.add_argument("--hardware", type=pathlib.Path, default=ROOT / "tests/fixtures/gpu/h200")
    parser.add_argument("--gpuproj", default=str(ROOT / "build/gpuproj"))
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    pairs = []
    for file in sorted(options.hardware.glob("*.json")):
        simulated = options.simulated / file.name
        if not simulated.exists():
            sys.exit(f"{simulated}: is not there; simulate the program first")
        hardware, ours = kernels(json.loads(file.read_text())), kernels(json.loads(simulated.read_text()))
        times = predicted(options, simulated)
        for kernel, record in hardware.items():
            if kernel not in ours or ours[kernel]["launches"] != record["launches"]:
                sys.exit(f"{simulated}: has not the {record['launches']} launches of {kernel}")
            pairs.append((file.stem, kernel, record, ours[kernel], times.get(kernel)))

    lines = ["# Counters of an H200 against simulated ones", "",
             f"{len(pairs)} kernels of {len(list(options.hardware.glob('*.json')))} programs of Rodinia, NVIDIA's samples and KTT, each the same binary on an "
             "H200 under `--collector cupti` and in the engine. Made by `tools/dev/hardware_counts.py SIMULATED -o docs/hardware_counts.md`. Nothing was fitted to "
             "these figures.", "", "## By counter", "",
             "Kernels in which the counter is at least 1000 on the hardware. Occupancy: all.", "",
             "| counter | kernels | within 0.1 % | 5 % | 20 % | median error |", "|---|---|---|---|---|---|"]
    for name in COUNTERS:
        errors = []
        for _, _, theirs, ours, _ in pairs:
            reference, value = theirs["metrics"].get(name), ours["metrics"].get(name)
            if reference is None or value is None or not (averaged(name) or reference >= LEAST):
                continue
            errors.append(abs(value / reference - 1))
        if errors:
            shares = [sum(error <= limit for error in errors) for limit in WITHIN]
            lines.append(f"| {name} | {len(errors)} | " + " | ".join(map(str, shares)) + f" | {100 * statistics.median(errors):.1f} % |")
    lines += ["", "## By kernel", "",
              "Error of the simulated counters, and of the time that `calibrated` predicts from them alone, measured time per launch beside it. What `dram` is off "
              "in kernels whose data stay in the L2 is little in bytes.", "",
              "| program | kernel | launches | instructions | loads and stores | DRAM read | DRAM written | us per launch | predicted |",
              "|---|---|---|---|---|---|---|---|---|"]
    logarithms = []
    for program, kernel, theirs, ours, seconds in pairs:
        cells = [change(ours["metrics"].get(name, 0), theirs["metrics"].get(name, 0))
                 for name in ("warp_inst", "thread_inst_load_store", "dram_read_sector", "dram_write_sector")]
        if seconds and theirs["seconds"]:
            logarithms.append((theirs["seconds"] / theirs["launches"], math.log(seconds / theirs["seconds"])))
        lines.append(f"| {program} | `{short(kernel)}` | {theirs['launches']} | " + " | ".join(cells) +
                     f" | {1e6 * theirs['seconds'] / theirs['launches']:.1f} | {change(seconds, theirs['seconds']) if seconds else '-'} |")
    long = [error for each, error in logarithms if each >= 100e-6]
    lines += ["", f"Times: mean |ln(predicted/measured)| {statistics.mean(abs(error) for _, error in logarithms):.3f} over all {len(logarithms)} kernels, "
              f"{statistics.mean(map(abs, long)):.3f} over the {len(long)} whose launches take 100 us and more; bias {statistics.mean(error for _, error in logarithms):+.3f} and "
              f"{statistics.mean(long):+.3f}."]
    text = "\n".join(lines) + "\n" + CAUSES
    if options.output:
        options.output.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
