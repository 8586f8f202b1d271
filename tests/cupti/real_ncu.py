#!/usr/bin/env python3
"""The installed ncu, which needs no GPU for it, knows the metrics that gpuproj asks for on each chip that it supports."""
import csv
import io
import shutil
import subprocess
import sys

# Asked of CUPTI's Host API too (passes_test.cpp); ncu's own names begin with launch__ and device__.
gpuproj = sys.argv[1]
ncu = shutil.which("ncu")
if ncu is None:
    print("SKIPPED: no ncu is installed")
    sys.exit(77)
supported = subprocess.run([ncu, "--list-chips"], capture_output=True, text=True, check=True).stdout
supported = {chip.strip().upper() for chip in supported.split(",")}
wanted = {}
for metrics in ("thesis", "default", "full"):
    plan = subprocess.run([gpuproj, "profile", "--dry-run", "--metrics", metrics], capture_output=True, text=True,
                          check=True).stdout
    for row in csv.DictReader(io.StringIO(plan)):
        wanted.setdefault(row["chip"], set()).update(name.split(".")[0] for name in row["names"].split())
chips = sorted(supported & wanted.keys())
assert chips, supported
unknown = []
for chip in chips:
    listed = subprocess.run([ncu, "--query-metrics", "--chips", chip.lower()], capture_output=True, text=True,
                            check=True).stdout
    known = {line.split()[0] for line in listed.splitlines() if line.strip()}
    unknown += [f"{chip}: {name}" for name in sorted(wanted[chip] - known)]
print(f"{len(chips)} chips ({', '.join(chips)}), {sum(len(wanted[chip]) for chip in chips)} names")
assert not unknown, "\n".join(unknown)
