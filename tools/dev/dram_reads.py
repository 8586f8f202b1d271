#!/usr/bin/env python3
"""DRAM reads of products of matrices that outgrow L2, as the engine counts them, against the counters of four GPUs.

    tools/dev/dram_reads.py AMARIS --nvcc11 NVCC [--gpuproj PROGRAM] [-o docs/dram_reads.md]

AMARIS is the src/ of marcosamaris/gpuperfpredict. Its three products are built with nvcc 11.8 and counted on those of
Amaris' GPUs (2016, $GPUPROJ_DATA) that have no ECC, whose traffic the counters of the others hold.
"""
import argparse
import concurrent.futures
import csv
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import end_to_end

GPUS = ["GTX-680", "Titan", "GTX-980", "TitanX"]
KERNELS = {end_to_end.SHARED: (768, 1024, 1280, 1536), end_to_end.COALESCED: (768, 1024, 1280),
           end_to_end.NAIVE: (768, 1024, 1280)}
TILES = (8, 16, 32)
SEEN = (768, 1024)  # the sizes that the lag of younger blocks was chosen by


def measured():
    """(kernel, tile, size, GPU) to the DRAM bytes that were read."""
    table = {}
    with open(end_to_end.DATA / "amaris_kepler_maxwell.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["dram_read_bytes"]:
                tile = int(row["block"].split("x")[0])
                table[row["kernel"], tile, int(row["input1"] or 0), row["gpu"]] = float(row["dram_read_bytes"])
    return table


def count(options, app, size, gpu, directory):
    file = directory / f"{app.name}_{size}_{gpu}.json"
    subprocess.run([options.gpuproj, "profile", "--ref", end_to_end.AMARIS[gpu], "-f", "-o", str(file), "--", str(app),
                    str(size), "0"], check=True, capture_output=True)
    kernel = json.loads(file.read_text())["kernels"][0]
    return kernel["metrics"]["dram_read_sector"] * 32


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("amaris", type=pathlib.Path)
    parser.add_argument("--nvcc11", required=True)
    parser.add_argument("--gpuproj", default=str(end_to_end.ROOT / "build" / "gpuproj"))
    parser.add_argument("-o", type=pathlib.Path, default=end_to_end.ROOT / "docs" / "dram_reads.md")
    options = parser.parse_args()
    known, off, lines = measured(), {}, []
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(2) as pool:
        directory = pathlib.Path(temporary)
        for source, sizes in KERNELS.items():
            for tile in TILES:
                kernel = pathlib.Path(source).stem
                app = directory / f"{kernel}_{tile}"
                subprocess.run([options.nvcc11, "-w", "-O2", "-arch=sm_35", f"-DTile_Width={tile}",
                                str(options.amaris / source), "-o", str(app)], check=True)
                for size in sizes:
                    counted = pool.map(lambda gpu: count(options, app, size, gpu, directory), GPUS)
                    cells = []
                    for gpu, ours in zip(GPUS, counted):
                        theirs = known.get((kernel, tile, size, gpu))
                        if theirs is None:
                            cells.append("")
                            continue
                        off.setdefault((gpu, size in SEEN), []).append(math.log(ours / theirs))
                        cells.append(f"{ours / 1e6:.1f} / {theirs / 1e6:.1f} ({ours / theirs - 1:+.0%})")
                    lines.append(f"| {kernel} | {tile} | {size} | {' | '.join(cells)} |")
                    print(lines[-1], file=sys.stderr)
    head = f"| kernel | tile | size | {' | '.join(end_to_end.AMARIS[gpu] for gpu in GPUS)} |\n{'|---' * (3 + len(GPUS))}|\n"
    mean = [f"| {name} | | | " + " | ".join(
        f"{statistics.mean(map(abs, off[gpu, seen])):.2f} (bias {statistics.mean(off[gpu, seen]):+.2f})" for gpu in GPUS) + " |"
        for name, seen in (("mean \\|ln\\|, sizes of 768 and 1024", True), ("mean \\|ln\\|, the others", False))]
    options.o.write_text(PAGE + head + "\n".join(lines + mean) + "\n")
    return 0


PAGE = """# DRAM reads where matrices outgrow L2

Written by `tools/dev/dram_reads.py`; do not edit.

Three products of square matrices (Amaris et al. 2016: through shared memory, naively with rows along the lanes, and with
columns along them), counted by the engine / by the GPU, in MB. The GPUs have 0.5, 1.5, 2 and 3 MiB of L2, a matrix has 2.4 MB
(768) to 9.4 MB (1536). What is read how often depends on what L2 replaces and on how far the blocks that share a column are
apart ([decision 47](decisions/0047-order-of-use.md)). Its one constant was chosen by the sizes of 768 and 1024.

"""

if __name__ == "__main__":
    sys.exit(main())
