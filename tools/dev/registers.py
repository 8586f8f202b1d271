#!/usr/bin/env python3
"""Registers per thread that ptxas gives kernels for one GPU and for another, and how far model/registers.cpp (by its
twin in tests/bench) is off that makes the second of the first. Mean |ln|, as they are and by the rule, over the kernels
that spill nothing on either.

    tools/dev/registers.py FILES.ptx --toolkit BIN [--newer BIN] [--above N] [--tool gpuproj_static_costs]
        [--threads N [--blocks N]] [--most N]

BIN: the folder of a CUDA 11.8's ptxas; --newer: of one for 9.0 and later (11.8's for 9.0 without). --above: only kernels
with more than N registers on the first. --threads, --blocks, --most: these bounds (__launch_bounds__, -maxrregcount) are
given to all kernels of the files in which none has its own. PTX files for compute capability 7.5 or less can be
assembled for all. The last row is of what the engine takes a kernel to want from its PTX alone (build/gpuproj_static_costs registers).
"""
import argparse
import collections
import concurrent.futures
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/bench"))
from calibrated_equations import register_aim, registers_on  # noqa: E402

WISH = {"registers_for": (64, True, 255)}  # model/registers.hpp
CAPABILITIES = (35, 52, 61, 70, 75, 80, 86, 90)
MAX_WARPS = {75: 32, 86: 48}
KERNEL = re.compile(r"Compiling entry function '(\S+)' for '\S+'(.*?)(?=Compiling entry|\Z)", re.DOTALL)


def rules(capability):
    return {"major": capability // 10, "registers": 65536, "max_warps": MAX_WARPS.get(capability, 64)}


def bounded(text, bounds):
    """PTX whose kernels say `bounds`; empty where one says something itself."""
    if re.search(r"\.(maxntid|reqntid|minnctapersm|maxnreg)\b", text):
        return ""
    names = ("maxntid", "minnctapersm", "maxnreg")
    lines = "".join(f"\n.{name} {number}" for name, number in zip(names, bounds) if number)
    return re.sub(r"(\.entry[^{]*)\{", lambda m: m[1].rstrip() + lines + "\n{", text)


def assembled(file, capability, ptxas, bounds):
    """Registers of the kernels of a file that spill nothing."""
    text = re.sub(r"(?m)^\.target .*$", f".target sm_{capability}", file.read_text(errors="replace"), count=1)
    if any(bounds):
        text = bounded(text, bounds)
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as copy:
        copy.write(text)
        copy.flush()
        log = subprocess.run([ptxas, "-v", f"-arch=sm_{capability}", copy.name, "-o", os.devnull], capture_output=True,
                             text=True).stderr
    found = {}
    for name, said in KERNEL.findall(log):
        used = re.search(r"Used (\d+) registers", said)
        if used and re.search(r"\b0 bytes spill stores", said):
            found[name] = int(used[1])
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("files", nargs="+", type=pathlib.Path)
    arguments.add_argument("--toolkit", required=True, type=pathlib.Path)
    arguments.add_argument("--newer", type=pathlib.Path)
    arguments.add_argument("--above", type=int, default=0)
    arguments.add_argument("--tool", type=pathlib.Path, default=ROOT / "build/gpuproj_static_costs")
    arguments.add_argument("--threads", type=int, default=0)
    arguments.add_argument("--blocks", type=int, default=0)
    arguments.add_argument("--most", type=int, default=0)
    options = arguments.parse_args()
    said = (options.threads, options.blocks, options.most)
    bounds = {name: number for name, number in zip(("threads_per_block", "blocks_per_sm", "registers_per_thread"), said)
              if number}

    def one(job):
        file, capability = job
        folder = options.newer if options.newer and capability >= 90 else options.toolkit
        return capability, file, assembled(file, capability, folder / "ptxas", said)

    kernels = collections.defaultdict(dict)
    jobs = [(file, capability) for file in options.files for capability in CAPABILITIES]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for capability, file, found in pool.map(one, jobs):
            for name, registers in found.items():
                kernels[file, name][capability] = registers

    print("| code for | " + " | ".join(f"on {c // 10}.{c % 10}" for c in CAPABILITIES) + " |")
    print("|---" * (len(CAPABILITIES) + 1) + "|")
    for there in CAPABILITIES:
        cells = []
        for here in CAPABILITIES:
            both = [(k[there], k[here]) for k in kernels.values() if there in k and here in k and k[there] > options.above]
            by_rule = [registers_on({"registers": a, "registers_for": register_aim(rules(there), bounds),
                                     "register_bounds": bounds}, rules(here))
                       for a, _ in both]
            off = [statistics.mean(abs(math.log(b / x)) for x, (_, b) in zip(guess, both))
                   for guess in ([a for a, _ in both], by_rule)]
            cells.append("" if here == there else f"{off[0]:.2f}, {off[1]:.2f}")
        print(f"| {there // 10}.{there % 10} | " + " | ".join(cells) + " |")
    wanted = subprocess.run([options.tool, "registers", *options.files], capture_output=True, text=True).stdout
    cells = []
    for here in CAPABILITIES:
        off = []
        for line in wanted.splitlines():
            file, name, registers = line.split("\t")
            if int(registers) > options.above and here in kernels[pathlib.Path(file), name]:
                guess = registers_on({"registers": int(registers), "register_bounds": bounds, **WISH}, rules(here))
                off.append(abs(math.log(kernels[pathlib.Path(file), name][here] / guess)))
        cells.append(f"{statistics.mean(off):.2f}" if off else "")
    print("| PTX | " + " | ".join(cells) + " |")
    print(f"\n{len(kernels)} kernels of {len(options.files)} files", file=sys.stderr)


main()
