#!/usr/bin/env python3
"""Does `calibrated` name the unit that was measured to be the busiest? Rodinia's kernels, counted on a GTX 480, predicted
on the GPUs on which Konstantinidis (2017, table 5.17) measured the utilizations of their units.

    tools/dev/limiter_agreement.py [TABLE]     prints Markdown tables
    tools/dev/limiter_agreement.py --write     puts them into docs/calibrated.md, between its marks

TABLE is rodinia_top_utilization.csv: per kernel and GPU the busiest unit and nvprof's level of it, 0 to 10; by default
that of ../shared/facts.
"""
import argparse
import csv
import json
import pathlib
import re
import subprocess
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parents[2]
FACTS = ROOT / "../shared/facts/rodinia_top_utilization.csv"
GPUS = ["GTX480", "GTX660", "GTX960", "GTX1060", "M2050", "K20c"]
BUSY = 7  # nvprof's level: above 70 % of the peak
# nvprof's units and calibrated's limiters, as far as both tell them apart.
GROUP_OF_UNIT = {"alu_fu": "instructions", "single_precision_fu": "instructions", "double_precision_fu": "instructions",
                 "ldst_fu": "load/store, L1, shared", "tex": "load/store, L1, shared", "tex_fu": "load/store, L1, shared",
                 "shared": "load/store, L1, shared", "l1_shared": "load/store, L1, shared", "l2": "L2", "dram": "DRAM"}
GROUP_OF_LIMITER = {"ldst": "load/store, L1, shared", "l1": "load/store, L1, shared", "shared": "load/store, L1, shared",
                    "l2": "L2", "atomic": "L2", "dram": "DRAM", "latency": "latency", "launch": "latency"}


def predictions(gpus):
    words = [str(ROOT / "build/gpuproj"), "predict", "examples/profiles/rodinia.json", "--target", ",".join(gpus), "--json"]
    text = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    by_gpu = {}
    for p in json.loads(text)["predictions"]:
        if p["model"] == "calibrated":
            by_gpu.setdefault(p["gpu"], {})[p["kernel"]] = p
    return list(by_gpu.values())


def group(limiter):
    return GROUP_OF_LIMITER.get(limiter, "instructions")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="?", type=pathlib.Path, default=FACTS)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = list(csv.DictReader(options.table.open()))
    seen = Counter()
    agree = {gpu: Counter() for gpu in GPUS}
    for gpu, predicted in zip(GPUS, predictions(GPUS)):
        for row in rows:
            unit, level = re.fullmatch(r"(\w+) \((\d+)\)", row[gpu]).groups()
            p = predicted[row["kernel"]]
            if p["duration_s"] is None:
                continue
            # Where no unit is busy the kernel waits: latency is right, whatever unit comes first.
            busy, ours = int(level) >= BUSY, group(p["limiter"])
            measured = GROUP_OF_UNIT[unit]
            among = [group(b["limiter"]) for b in p["bounds"] if b["limiter"] not in ("latency", "launch")]
            count = agree[gpu]
            count["kernels"] += 1
            count["busy"] += busy
            count["right"] += busy and ours == measured
            count["second"] += busy and measured in list(dict.fromkeys(among))[:2]
            count["idle"] += not busy
            count["waits"] += not busy and ours in (measured, "latency")
            if busy:
                seen[measured, ours] += 1
    total = sum(agree.values(), Counter())
    lines = ["| GPU | a unit at 70 % or more | named | among the first two | no unit at 70 % | named it or latency |",
             "|---|---|---|---|---|---|"]
    for gpu, c in [*agree.items(), ("all", total)]:
        lines.append(f"| {gpu} | {c['busy']} | {c['right']} | {c['second']} | {c['idle']} | {c['waits']} |")
    lines += ["", "| measured, at 70 % or more | limited by, as predicted | kernels |", "|---|---|---|"]
    lines += [f"| {measured} | {ours} | {n} |" for (measured, ours), n in sorted(seen.items(), key=lambda x: -x[1])]
    text = "\n".join(lines) + "\n"
    if not options.write:
        print(text, end="")
        return
    page = ROOT / "docs/calibrated.md"
    marked = re.compile(r"(<!-- limiter_agreement.py -->\n).*?(<!-- end -->)", re.DOTALL)
    page.write_text(marked.sub(lambda m: m[1] + text + m[2], page.read_text()))


main()
