#!/usr/bin/env python3
"""Times the program as its users start it, from start to end, output discarded: wall time, and the processor time of
the program and its children, which other work on the machine disturbs less.

    tests/bench/program.py             prints a Markdown table
    tests/bench/program.py --write     puts it into docs/performance.md, between its marks
"""
import json
import os
import pathlib
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/gpuproj"
THESIS = "GTX480,M2050,GTX660,K20c,GTX960,GTX1060,R9Nano"


def seconds(words, runs):
    """Wall and processor times of the runs, after one that is not counted."""
    times = []
    for run in range(runs + 1):
        begin, used = time.perf_counter(), processor()
        subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=True)
        if run > 0:
            times.append((time.perf_counter() - begin, processor() - used))
    return tuple(zip(*times))


def processor():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def shown(value):
    return f"{value * 1e3:.1f} ms" if value < 1 else f"{value:.2f} s"


def ten_kernels(folder):
    profile = json.loads((ROOT / "examples/profiles/rodinia.json").read_text())
    profile["kernels"] = profile["kernels"][:10]
    file = pathlib.Path(folder) / "ten_kernels.json"
    file.write_text(json.dumps(profile))
    return str(file)


def rows():
    with tempfile.TemporaryDirectory() as folder:
        ten = ten_kernels(folder)
        cases = [
            ("start", ["--version"], 50),
            ("10 kernels on the thesis' 7 GPUs", ["predict", ten, "--target", THESIS], 50),
            ("28 kernels on all stored GPUs, JSON", ["predict", "examples/profiles/rodinia.json", "--target", "all", "--json"], 20),
        ]
        for name, options in [("vector_add", []), ("matrix_multiply", []), ("red_black_sor", [])]:
            if (ROOT / "build/examples" / name).exists():
                cases.append((f"simulate {name}", ["run", f"build/examples/{name}", *options, "--ref", "GTX480", "--target", "K20c"], 3))
        for name, words, runs in cases:
            wall, cpu = seconds([str(PROGRAM), *words], runs)
            command = "build/gpuproj " + " ".join(w.replace(folder + "/", "") for w in words)
            yield (name, f"`{command}`", shown(statistics.median(wall)), shown(min(wall)), shown(statistics.median(cpu)), str(runs))


def machine():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return f"{os.cpu_count()} cores of {cpu[1] if cpu else platform.machine()}"


def main():
    table = [("what", "command", "wall, median", "wall, shortest", "processor, median", "runs"), ("---",) * 6, *rows()]
    text = f"On {machine()}:\n\n" + "".join("| " + " | ".join(row) + " |\n" for row in table)
    if sys.argv[1:] != ["--write"]:
        print(text, end="")
        return
    page = ROOT / "docs/performance.md"
    marked = re.compile(r"(<!-- program.py -->\n).*?(<!-- end -->)", re.DOTALL)
    page.write_text(marked.sub(lambda m: m[1] + text + m[2], page.read_text()))


main()
