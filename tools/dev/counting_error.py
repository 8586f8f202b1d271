#!/usr/bin/env python3
"""How far counters are from those of all blocks of all launches where some of it was not counted.

    tools/dev/counting_error.py [--gpuproj PROGRAM] [--ref GPU] [--sample N|auto] [--only] -- "COMMAND" ["COMMAND" ...]

Runs each command twice, with --count-every-launch and without, or with --sample-blocks (--sample) and --sample-only
(--only), and prints a Markdown table of the kernels that differ in how they were counted, with all their grids: the
error of operations, loads and stores, instructions per warp, sectors of L2 and DRAM bytes, and the time saved.
"""
import argparse
import collections
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def profile(options, command, extra):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "p.json"
        begin = time.monotonic()
        done = subprocess.run([options.gpuproj, "profile", "-q", "--ref", options.ref, *extra, "-o", str(file), "--",
                               *shlex.split(command)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if not file.exists():
            raise SystemExit(f"counting_error.py: {command}: {done.stderr.strip()}")
        return json.loads(file.read_text()), time.monotonic() - begin


def quantities(metrics):
    get = lambda name: metrics.get(name) or 0
    kinds = ("thread_inst_fp32", "thread_inst_fp64")
    operations = sum(get(kind) + get(kind + "_fma") for kind in kinds) or get("thread_inst_integer")
    return {"operations": operations, "loads and stores": get("thread_inst_load_store"),
            "instructions per warp": get("warp_inst"),
            "L2": get("l2_read_sector") + get("l2_write_sector"),
            "DRAM bytes": 32 * (get("dram_read_sector") + get("dram_write_sector"))}


def how_counted(record, sampled):
    notes = " ".join(record.get("notes", []))
    if sampled:
        share = record.get("sampled_fraction", 1)
        blocks = [] if share == 1 else [f"{100 * share:.2g} % of the blocks"]
        launches = ["some launches"] if "were not executed, and count as the last" in notes else []
        return ", ".join(blocks + launches) or None
    if "their traffic is that of" in notes or "have the traffic of" in notes:
        return "some launches"
    if "repeat an earlier one" in notes:
        return "repetitions once"
    if "for a sample of the lines" in notes:
        return "some lines"
    return "in parts" if "simulated in parts" in notes else None


def by_kernel(records, of_each):
    kernels = collections.defaultdict(list)
    for record in records:
        kernels[record["kernel"]].append(of_each(record))
    return kernels


def total(records):
    return {key: sum(quantities[key] for quantities in records) for key in records[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpuproj", default=str(ROOT / "build" / "gpuproj"))
    parser.add_argument("--ref", default="GTX480")
    parser.add_argument("--sample")
    parser.add_argument("--only", action="store_true")
    parser.add_argument("commands", nargs="+")
    options = parser.parse_args()
    less = (["--sample-blocks", options.sample] if options.sample else []) + ["--sample-only"] * options.only
    print("| kernel | counted | operations | loads and stores | instructions per warp | L2 | DRAM bytes | time |")
    print("|---|---|---|---|---|---|---|---|")
    for command in options.commands:
        full, full_time = profile(options, command, ["--count-every-launch"])
        some, some_time = profile(options, command, less)
        truth = by_kernel(full["kernels"], lambda record: quantities(record["metrics"]))
        counted = by_kernel(some["kernels"], lambda record: how_counted(record, options.sample or options.only))
        for kernel, records in by_kernel(some["kernels"], lambda record: quantities(record["metrics"])).items():
            if not any(counted[kernel]):
                continue
            theirs, ours = total(truth[kernel]), total(records)
            how = "; ".join(sorted({each for each in counted[kernel] if each}))
            errors = [f"{100 * (ours[key] / theirs[key] - 1):+.1f} %" if theirs[key] else "-" for key in theirs]
            name = kernel.split("(")[0].split(" ")[-1]
            print(f"| {name} | {how} | " + " | ".join(errors) + f" | {full_time:.1f} to {some_time:.1f} s |",
                  flush=True)


if __name__ == "__main__":
    sys.exit(main())
