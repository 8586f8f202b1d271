#!/usr/bin/env python3
"""The engine and Oclgrind on the same two algorithms, one after the other on the same machine: thread instructions,
multiply-adds (sgemm) and points (sor) per second of processor time, which other work on the machine disturbs less than
the clock on the wall; and by that clock, what all cores bring. Needs build/benchmarks, build/opencl_twins and oclgrind.

    tests/bench/oclgrind.py             prints a Markdown table
    tests/bench/oclgrind.py --write     puts it into docs/performance.md, between its marks
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPETITIONS = 5


def best_of_engine():
    """By (algorithm, threads): thread instructions and work per second of processor time, and work per second by the
    clock, each in the best repetition, because other work on the machine only slows."""
    words = [str(ROOT / "build/benchmarks"), "--benchmark_filter=^(sgemm|sor)/", "--benchmark_format=json",
             f"--benchmark_repetitions={REPETITIONS}"]
    rates = {}
    for run in json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["benchmarks"]:
        if run.get("run_type") == "aggregate":
            continue
        if run.get("error_occurred"):
            sys.exit(f"{run['name']}: {run['error_message']}")
        name, threads = run["name"].split("/")[:2]
        busy = run["cpu_time"] / run["real_time"]
        rate = (run["items_per_second"] / busy, run["work"] / busy, run["work"])
        rates[name, threads] = tuple(map(max, rates.get((name, threads), rate), rate))
    return rates


def best_of_oclgrind():
    work = {}
    for _ in range(REPETITIONS):
        out = subprocess.run(["oclgrind", str(ROOT / "build/opencl_twins"), str(ROOT / "tests/bench/twins.cl")], check=True,
                             capture_output=True, text=True).stdout
        for name, amount, seconds in re.findall(r"^(\w+) (\S+) (\S+)$", out, re.MULTILINE):
            work[name] = max(work.get(name, 0), float(amount) / float(seconds))
    return work


def main():
    engine, oclgrind = best_of_engine(), best_of_oclgrind()
    lines = ["| algorithm | thread instructions/s | work/s | work/s, Oclgrind | gpuproj / Oclgrind | all cores / one, by the clock |",
             "| --- " * 6 + "|"]
    load = float(pathlib.Path("/proc/loadavg").read_text().split()[0])
    for name in ("sgemm", "sor"):
        instructions, work, by_clock = engine[name, "1"]
        # The engine alone keeps all cores busy; more than that is somebody else.
        cores = f"{engine[name, '0'][2] / by_clock:.2f}" if load < 1.5 * os.cpu_count() else "not measured: machine busy"
        lines.append(f"| {name} | {instructions / 1e6:.0f} M | {work / 1e6:.1f} M | {oclgrind[name] / 1e6:.2f} M | "
                     f"{work / oclgrind[name]:.0f} | {cores} |")
    text = "".join(line + "\n" for line in lines)
    if sys.argv[1:] != ["--write"]:
        print(text, end="")
        return
    page = ROOT / "docs/performance.md"
    marked = re.compile(r"(<!-- oclgrind.py -->\n).*?(<!-- end -->)", re.DOTALL)
    page.write_text(marked.sub(lambda m: m[1] + text + m[2], page.read_text()))


main()
