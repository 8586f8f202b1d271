#!/usr/bin/env python3
"""A million kernel records in memory on 50 GPUs by `calibrated`, against the same equations in Python.

    tests/bench/many_kernels.py [RECORDS TARGETS]    prints a Markdown table; fails if both do not agree
    tests/bench/many_kernels.py --write              puts it into docs/performance.md, between its marks
"""
import argparse
import json
import pathlib
import re
import subprocess
import tempfile
import time

import calibrated_equations as equations

ROOT = pathlib.Path(__file__).resolve().parents[2]


def in_python(sample):
    """Predictions per second, and whether all came out as in `sample`."""
    reference, constants = sample["reference"], sample["constants"]
    kernels = sample["profile"]["kernels"]
    begin, predicted = time.perf_counter(), []
    for gpu in sample["targets"]:
        for kernel in kernels:
            work = equations.work_of(kernel, reference)
            if work is None or (any(work["tensor"].values()) and gpu["tensor"] == 0):
                predicted.append(None)
            else:
                predicted.append(equations.duration_of(work, reference, gpu, constants) * kernel.get("launches", 1))
    seconds = time.perf_counter() - begin
    differing = [(p, d) for p, d in zip(predicted, sample["duration_s"])
                 if (p is None) != (d is None) or (p is not None and abs(p / d - 1) > 1e-9)]
    if differing:
        raise SystemExit(f"{len(differing)} of {len(predicted)} durations differ, the first: {differing[0]}")
    return len(predicted) / seconds


def rows(records, targets, build):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "sample.json"
        words = [str(build / "many_kernels"), str(records), str(targets), str(file)]
        run = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)
        python = in_python(json.loads(file.read_text()))
    ours = records * targets / run["wall_s"]
    return [
        ("kernel records x GPUs", f"{records:,} x {targets}"),
        ("totals, wall time", f"{run['wall_s']:.2f} s on {run['threads']} threads"),
        ("totals, processor time", f"{run['processor_s']:.2f} s"),
        ("peak memory of the process", f"{run['peak_memory_byte'] / 2**20:.0f} MiB"),
        ("size of a record without its name", f"{run['record_byte']} bytes"),
        ("predictions per second", f"{ours / 1e6:.2f} million"),
        ("the same equations in Python, one thread", f"{python:,.0f} per second; the durations agree to 1e-9"),
        ("ratio", f"{ours / python:,.0f} x"),
        (f"reading {run['file_records']:,} records from a file of {run['file_byte'] / 2**20:.0f} MiB", f"{run['file_read_s']:.2f} s"),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="?", type=int, default=1_000_000)
    parser.add_argument("targets", nargs="?", type=int, default=50)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    measured = rows(options.records, options.targets, options.build)
    text = "".join("| " + " | ".join(row) + " |\n" for row in [("what", "measured"), ("---", "---"), *measured])
    if not options.write:
        print(text, end="")
        return
    page = ROOT / "docs/performance.md"
    marked = re.compile(r"(<!-- many_kernels.py -->\n).*?(<!-- end -->)", re.DOTALL)
    page.write_text(marked.sub(lambda m: m[1] + text + m[2], page.read_text()))


main()
