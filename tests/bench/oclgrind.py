#!/usr/bin/env python3
"""The engine and Oclgrind on the same two algorithms, one after the other on the same machine: thread instructions,
multiply-adds (sgemm) and points (sor) per second of processor time, which other work on the machine disturbs less than
the clock on the wall; and by that clock, what all cores bring to one launch, and to as many processes of one thread each,
which is what the machine has to give. Needs build/benchmarks, build/opencl_twins and oclgrind.

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
REPETITIONS = 7


def engine(name, threads, processes=1):
    """Of processes at the same time, added up: thread instructions and work per second of processor time, and work per
    second by the clock."""
    words = [str(ROOT / "build/benchmarks"), f"--benchmark_filter=^{name}/{threads}/", "--benchmark_format=json"]
    started = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
               for _ in range(processes)]
    total = [0.0, 0.0, 0.0]
    for out in [process.communicate()[0] for process in started]:
        [run] = json.loads(out)["benchmarks"]
        if run.get("error_occurred"):
            sys.exit(f"{run['name']}: {run['error_message']}")
        busy = run["cpu_time"] / run["real_time"]
        for i, rate in enumerate((run["items_per_second"] / busy, run["work"] / busy, run["work"])):
            total[i] += rate
    return total


def best_of_engine(name):
    """One thread, a thread for each core, and as many processes of one thread: each in the best of some turns, because
    other work on the machine only slows."""
    cases = {"one": ("1", 1), "all": ("0", 1), "processes": ("1", os.cpu_count())}
    best = {case: [0.0, 0.0, 0.0] for case in cases}
    for _ in range(REPETITIONS):
        for case, (threads, processes) in cases.items():
            best[case] = list(map(max, best[case], engine(name, threads, processes)))
    return best


def best_of_oclgrind():
    work = {}
    for _ in range(REPETITIONS):
        out = subprocess.run(["oclgrind", str(ROOT / "build/opencl_twins"), str(ROOT / "tests/bench/twins.cl")], check=True,
                             capture_output=True, text=True).stdout
        for name, amount, seconds in re.findall(r"^(\w+) (\S+) (\S+)$", out, re.MULTILINE):
            work[name] = max(work.get(name, 0), float(amount) / float(seconds))
    return work


def main():
    oclgrind = best_of_oclgrind()
    lines = ["| algorithm | thread instructions/s | work/s | work/s, Oclgrind | gpuproj / Oclgrind "
             "| all cores / one, by the clock | processes of one thread / one |", "| --- " * 7 + "|"]
    for name in ("sgemm", "sor"):
        best = best_of_engine(name)
        instructions, work, by_clock = best["one"]
        lines.append(f"| {name} | {instructions / 1e6:.0f} M | {work / 1e6:.1f} M | {oclgrind[name] / 1e6:.2f} M | "
                     f"{work / oclgrind[name]:.0f} | {best['all'][2] / by_clock:.2f} | "
                     f"{best['processes'][2] / by_clock:.2f} |")
    text = "".join(line + "\n" for line in lines)
    if sys.argv[1:] != ["--write"]:
        print(text, end="")
        return
    page = ROOT / "docs/performance.md"
    marked = re.compile(r"(<!-- oclgrind.py -->\n).*?(<!-- end -->)", re.DOTALL)
    page.write_text(marked.sub(lambda m: m[1] + text + m[2], page.read_text()))


main()
