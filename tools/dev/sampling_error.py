#!/usr/bin/env python3
"""How far counters of a sample of the blocks are from those of all.

    tools/dev/sampling_error.py [--gpuproj PROGRAM] [--ref GPU] [--sample N|auto] -- "COMMAND" ["COMMAND" ...]

Runs each command twice, with and without --sample-blocks, and prints a Markdown table of the kernels of which not every
block was counted: the error of operations, loads and stores, instructions per warp and DRAM bytes, and the time saved.
"""
import argparse
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
            raise SystemExit(f"sampling_error.py: {command}: {done.stderr.strip()}")
        return json.loads(file.read_text()), time.monotonic() - begin


def quantities(metrics):
    get = lambda name: metrics.get(name) or 0
    kinds = ("thread_inst_fp32", "thread_inst_fp64")
    operations = sum(get(kind) + get(kind + "_fma") for kind in kinds) or get("thread_inst_integer")
    return {"operations": operations, "loads and stores": get("thread_inst_load_store"),
            "instructions per warp": get("warp_inst"),
            "DRAM bytes": 32 * (get("dram_read_sector") + get("dram_write_sector"))}


def identity(record):
    return record["kernel"], tuple(record["grid"]), tuple(record["block"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpuproj", default=str(ROOT / "build" / "gpuproj"))
    parser.add_argument("--ref", default="GTX480")
    parser.add_argument("--sample", default="auto")
    parser.add_argument("commands", nargs="+")
    options = parser.parse_args()
    print("| kernel | blocks counted | operations | loads and stores | instructions per warp | DRAM bytes | time |")
    print("|---|---|---|---|---|---|---|")
    for command in options.commands:
        full, full_time = profile(options, command, [])
        some, some_time = profile(options, command, ["--sample-blocks", options.sample])
        truth = {identity(record): record for record in full["kernels"]}
        for record in some["kernels"]:
            share = record.get("sampled_fraction", 1)
            if share == 1:
                continue
            theirs = quantities(truth[identity(record)]["metrics"])
            ours = quantities(record["metrics"])
            errors = [f"{100 * (ours[key] / theirs[key] - 1):+.1f} %" if theirs[key] else "-" for key in theirs]
            name = record["kernel"].split("(")[0].split(" ")[-1]
            print(f"| {name} | {100 * share:.1f} % | " + " | ".join(errors) + f" | {full_time:.1f} to {some_time:.1f} s |",
                  flush=True)


if __name__ == "__main__":
    sys.exit(main())
