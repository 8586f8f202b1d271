#!/usr/bin/env python3
"""How near the instructions that the engine takes a kernel for come to ptxas' code of it, without running either.

    tools/dev/static_costs.py ARCHITECTURE FILE.ptx... [--toolkit BIN_FOLDER] [--ptxas PTXAS] [--tool gpuproj_static_costs] [--all]

Each kernel's text is counted once, whatever would be executed: the engine's (build/gpuproj_static_costs) and ptxas' up
to its subroutines (the slow ways of divisions). ptxas unrolls loops, so kernels with a branch backwards are left out
but with --all. The PTX files of public programs are made by tools/dev/ptx_files.py. Prints by class the sums, the median
ratio over kernels and their mean |ln|, and the kernels that differ most.
"""
import argparse
import collections
import math
import pathlib
import re
import statistics
import subprocess
import tempfile

import expansions

ROOT = pathlib.Path(__file__).resolve().parents[2]
# As gpuproj_static_costs prints them.
ORDER = [class_ for class_ in expansions.CLASSES if class_ not in ("special_unit", "branch", "barrier")]


def machine_code(toolkit, architecture, file, folder, ptxas):
    """Kernel to its instructions, without the slow ways, and whether it has a loop."""
    try:
        listing = expansions.assemble(toolkit, architecture, file, folder, ptxas)
    except subprocess.CalledProcessError:  # ptxas has said why: often that the file is for later GPUs
        return {}
    functions, name = {}, None
    for line in listing:
        if found := re.match(r"//-+ \.text\.(\S+)", line):
            name, subroutine = found[1], False
            functions[name] = [([], [])]  # blocks: labels and instructions
        elif name and (found := re.match(r"([.$\w]+):", line)):
            subroutine |= "__internal" in found[1] or found[1].startswith("$")
            functions[name].append(([found[1]], []))
        elif name and not subroutine and (code := expansions.parse(line)):
            functions[name][-1][1].append(code)
            if code.opcode.split(".")[0] in ("BRA", "EXIT", "SYNC", "BRK"):
                functions[name].append(([], []))
    return {name: without_slow_ways(blocks) for name, blocks in functions.items()}


def without_slow_ways(blocks):
    """The instructions of the blocks that call nothing, and whether there is a loop."""
    code, labels, loop = [], set(), False
    for of_block, instructions in blocks:
        labels.update(of_block)
        roots = [instruction.opcode.split(".")[0] for instruction in instructions]
        if any(root in ("CALL", "CAL", "JCAL") for root in roots):
            continue
        if roots == ["BRA"] and of_block and of_block[0] in instructions[0].operands:
            continue  # behind the end, never reached
        for root, instruction in zip(roots, instructions):
            target = root == "BRA" and re.search(r"`\((.+?)\)", instruction.operands)
            loop |= bool(target) and target[1] in labels
            if root != "NOP":
                code.append(instruction)
    return code, loop


def count(code):
    counts = collections.Counter()
    for instruction in code:
        counts["total"] += 1
        # Barriers, textures and matrices are of none: counted in total alone.
        counts.update(expansions.classify(instruction) or [])
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("architecture", type=int)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--toolkit", type=pathlib.Path)
    parser.add_argument("--ptxas", type=pathlib.Path, help="another one than the toolkit's, whose nvdisasm is used all the same")
    parser.add_argument("--tool", default=str(ROOT / "build" / "gpuproj_static_costs"))
    parser.add_argument("--all", action="store_true", help="kernels with loops, too")
    parser.add_argument("--worst", type=int, default=10, help="kernels to name (default: %(default)s)")
    parser.add_argument("--by", default="total", choices=ORDER, help="the class in which they differ (default: %(default)s)")
    options = parser.parse_args()
    toolkit = expansions.find_toolkit(options.toolkit)
    ours = {}
    lines = subprocess.run([options.tool, str(options.architecture), *map(str, options.files)], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    for line in lines:
        file, kernel, *counts = line.split("\t")
        ours[file, kernel] = dict(zip(ORDER, map(float, counts)))
    theirs, skipped, seen = {}, 0, set()
    with tempfile.TemporaryDirectory() as folder:
        for file in options.files:
            for kernel, (code, loop) in machine_code(toolkit, options.architecture, file, pathlib.Path(folder), options.ptxas).items():
                if (str(file), kernel) not in ours:
                    continue
                if loop and not options.all:
                    skipped += 1
                    continue
                counts = count(code)
                # A file that several others include is not looked at twice.
                same = (kernel, *ours[str(file), kernel].values(), *counts.items())
                if same not in seen:
                    seen.add(same)
                    theirs[str(file), kernel] = counts
    print(f"sm_{options.architecture}: {len(theirs)} kernels; {skipped} with loops left out\n")
    print("| class | engine | ptxas | ratio | median of kernels | mean abs ln |\n|---|---|---|---|---|---|")
    for class_ in ORDER:
        pairs = [(ours[key][class_], theirs[key][class_]) for key in theirs]
        mine, his = sum(a for a, _ in pairs), sum(b for _, b in pairs)
        ratios = [a / b for a, b in pairs if b]
        if ratios:
            apart = [abs(math.log(ratio)) for ratio in ratios if ratio]
            print(f"| {class_} | {mine:.0f} | {his:.0f} | {mine / his:.2f} | {statistics.median(ratios):.2f} | "
                  f"{statistics.fmean(apart) if apart else math.inf:.3f} |")
    worst = sorted(theirs, key=lambda key: -abs(ours[key][options.by] - theirs[key][options.by]) / theirs[key]["total"])
    for key in worst[:options.worst]:
        print(f"{ours[key][options.by]:6.0f} {theirs[key][options.by]:6.0f} of {theirs[key]['total']:6.0f}  "
              f"{pathlib.Path(key[0]).name} {key[1]}")


if __name__ == "__main__":
    main()
