#!/usr/bin/env python3
"""The whole way without a GPU, against measured times: public programs counted by the engine, their kernels predicted.

    tools/dev/end_to_end.py run RODINIA SAMPLES DATA PROFILES --nvcc11 NVCC [--ktt KTT] [--amaris AMARIS]
                                [--gpuproj PROGRAM] [--only NAMES]
    tools/dev/end_to_end.py table PROFILES [--gpuproj PROGRAM] [-o docs/end_to_end.md]

RODINIA is a folder of Rodinia 3.1 that has cuda/, SAMPLES NVIDIA's cuda-samples, KTT HiPerCoRe's KTT, AMARIS the src/ of
marcosamaris/gpuperfpredict, DATA Rodinia's inputs (tools/dev/rodinia_inputs.py). `run` builds the programs, the samples and KTT's kernel with nvcc 13 and the others,
which that does not take, with nvcc 11.8, and writes PROFILES/<name>.json. `table` predicts them for the GPUs on which
others measured the same kernels with the same launch configuration ($GPUPROJ_DATA: Amaris et al. 2016; Wang and Chu's
GTX 1080 Ti; KTT's tuning space), from the counters alone, and writes the page.
"""
import argparse
import csv
import dataclasses
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import rodinia

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("GPUPROJ_DATA", ROOT / "../shared/datasets"))

KEPLER, PASCAL, TURING, AMPERE = "Tesla K20c", "GeForce GTX 1080 Ti", "GeForce RTX 2080 Ti", "GeForce RTX 3090"
# Of KTT's point-in-polygon kernel: block, tile, and how it compares; the first is the fastest on the RTX 2080 Ti, the last
# twelve are drawn by chance, one of each way to compare.
PNPOLY = [(128, 20, 0, 2), (256, 8, 0, 2), (256, 8, 1, 1), (384, 20, 0, 0), (928, 10, 0, 1), (480, 1, 0, 2), (128, 8, 1, 0),
          (608, 4, 1, 1), (160, 12, 1, 2), (96, 8, 2, 0), (32, 20, 2, 1), (480, 18, 2, 2), (224, 1, 3, 0), (736, 12, 3, 1),
          (32, 6, 3, 2)]


# Of Amaris' kernels, two of each drawn by chance from what all of his GPUs took 100 us and more for, a few seconds here at
# most: source, size, side of a block (dotProd's blocks have its square of threads), the kernel's name in it.
NAIVE, COALESCED, SHARED = "matMul/matMul_gpu_uncoalesced.cu", "matMul/matMul_gpu.cu", "matMul/matMul_gpu_sharedmem.cu"
DRAWN = [("dotProd/dotProd.cu", 50331648, 32, "dotProd"), ("dotProd/dotProd.cu", 37748736, 16, "dotProd"),
         (COALESCED, 1280, 16, "matMul"), (COALESCED, 1536, 32, "matMul"), (SHARED, 1024, 16, "matMul"),
         (SHARED, 768, 8, "matMul"), (NAIVE, 256, 16, "matMul"), (NAIVE, 1280, 32, "matMul"),
         ("matSum/matrix_sum_normal.cu", 1280, 8, "matSum"), ("matSum/matrix_sum_normal.cu", 5888, 32, "matSum"),
         ("subSeqMax/subSeqMax.cu", 20971520, 16, "subSeqMax"), ("subSeqMax/subSeqMax.cu", 79691776, 16, "subSeqMax")]


@dataclasses.dataclass
class Program:
    folder: str
    build: str  # what nvcc is given
    arguments: str
    gpu: str  # the reference
    changes: dict = dataclasses.field(default_factory=dict)  # where the measured size is none of its arguments: old to new text
    prepare: str = ""  # shell, in the program's folder
    options: list = dataclasses.field(default_factory=list)  # of gpuproj
    binary: str = ""  # in its folder, instead of building it


def of_rodinia(name, arguments, gpu, **more):
    folder, sources, _ = rodinia.PROGRAMS[name]
    return Program("{rodinia}/cuda/" + folder, sources, arguments, gpu, options=rodinia.OPTIONS.get(name, []), **more)


def of_samples(folder, sources, arguments="", **more):
    return Program("{samples}/Samples/" + folder, "-I{samples}/Common " + sources, arguments, PASCAL, **more)


def of_ktt(block, tile, between, use):
    """Of its 20 million points a sample: all would take half an hour."""
    return Program("{root}/tools/dev", f"""-DKERNEL_FILE="{{ktt}}/Examples/KernelTunerPnpoly/KernelTunerPnpoly.cu"
                   -DVERTICES=600 -DBLOCK_SIZE_X={block} -DTILE_SIZE={tile} -DBETWEEN_METHOD={between} -DUSE_METHOD={use}
                   pnpoly.cu""", "", TURING, options=["--sample-blocks", "256", "--sample-only"])


def of_amaris(source, size, side, kernel):
    """With blocks of 16 x 16 as it was published, built by CUDA 8 for Kepler. dotProd's and matSum's programs were not."""
    folder, file = source.split("/")
    sequence = kernel == "subSeqMax"  # writes far behind its array
    program = Program("{amaris}/" + folder, f"-O2 -DTile_Width={side} {file}", f"{size} {'1 ' if sequence else ''}0", KEPLER,
                      options=["--out-of-bounds", "ignore"] if sequence else [])
    if side == 16 and kernel in ("matMul", "subSeqMax"):
        program.binary = file.removesuffix(".cu")
    return program


# {data} is DATA, {out} a scratch file
PROGRAMS = {
    "vector_add": Program("{root}/examples", "vector_add.cu", "--size 16777216", KEPLER),
    "sgemm": Program("{root}/examples", "matrix_multiply.cu", "", "GeForce GTX 480"),
    "backprop": of_rodinia("backprop", "65536", KEPLER),
    "hotspot": of_rodinia("hotspot", "1024 2 20 {data}/hotspot/temp_1024 {data}/hotspot/power_1024 {out}", KEPLER),
    "backprop_large": of_rodinia("backprop", "524288", PASCAL),
    "srad": of_rodinia("srad_v2", "8192 4096 0 127 0 127 0.5 1", PASCAL),
    "matrix_multiply": of_samples("0_Introduction/matrixMul", "matrixMul.cu", "-wA=2048 -hA=2048 -wB=2048 -hB=2048"),
    "convolution": of_samples(
        "2_Concepts_and_Techniques/convolutionTexture", "main.cpp convolutionTexture.cu convolutionTexture_gold.cpp", changes={
            "imageW     = 3072": "imageW = 10240", "imageH     = 3072 / 2": "imageH = 10240", "iterations = 10": "iterations = 1"}),
    "transpose": of_samples("6_Performance/transpose", "transpose.cu", "-dimX=8192 -dimY=8192", changes={
        "#define TILE_DIM   32": "#define TILE_DIM 16", "#define NUM_REPS 100": "#define NUM_REPS 1"}),
    "quasirandom": of_samples(
        "5_Domain_Specific/quasirandomGenerator",
        "quasirandomGenerator.cpp quasirandomGenerator_gold.cpp quasirandomGenerator_kernel.cu",
        changes={"N = 1048576": "N = 33554432", "numIterations = 20": "numIterations = 1"}),
    "scalar_product": of_samples("2_Concepts_and_Techniques/scalarProd", "scalarProd.cu scalarProd_cpu.cpp", changes={
        "VECTOR_N = 256": "VECTOR_N = 65536"}),
    "scan": of_samples("2_Concepts_and_Techniques/scan", "main.cpp scan.cu scan_gold.cpp", changes={
        "13 * 1048576 / 2": "64 * 1048576", "iCycles = 100": "iCycles = 1"}),
    "eigenvalues": of_samples(
        "2_Concepts_and_Techniques/eigenvalues",
        "main.cu bisect_large.cu bisect_small.cu bisect_util.cu gerschgorin.cpp matlab.cpp", "-matrix-size=512 -iters-timing=1"),
    "gaussian": Program("{rodinia}/cuda/gaussian", "gaussian.cu", "-q -s 8192", PASCAL, changes={"t<(Size-1)": "t<4"}),
    "hotspot_small": of_rodinia("hotspot", "512 4 4 {data}/hotspot/temp_512 {data}/hotspot/power_512 {out}", PASCAL),
    "nn": of_rodinia("nn", "list -r 5 -lat 30 -lng 90", PASCAL,
                     prepare="cat {data}/nn/cane4_*.db > four && for i in $(seq 197); do cat four; done | head -c 411041792 > all.db"
                             " && echo all.db > list"),
    **{f"pnpoly_{i}": of_ktt(*parameters) for i, parameters in enumerate(PNPOLY)},
    **{f"amaris_{i}": of_amaris(*parameters) for i, parameters in enumerate(DRAWN)},
}

AMARIS = {"GTX-680": "GeForce GTX 680", "Tesla-K20": KEPLER, "Tesla-K40": "Tesla K40c", "Titan": "GeForce GTX TITAN",
          "GTX-980": "GeForce GTX 980", "TitanX": "GeForce GTX TITAN X (Maxwell)"}
THESIS = {"GTX480": "GeForce GTX 480", "GTX660": "GeForce GTX 660", "GTX960": "GeForce GTX 960",
          "GTX1060": "GeForce GTX 1060 6GB", "M2050": "Tesla M2050", "K20c": "Tesla K20c"}
THESIS_COUNTERS = {"flop_count_sp_fma": "thread_inst_fp32", "inst_fp_64": "thread_inst_fp64",
                   "inst_integer": "thread_inst_int", "inst_executed": "warp_inst_executed"}
KTT_COUNTERS = {"grid_x_y_z": "grid", "l2_read_sectors": "l2_read_trans", "l2_write_sectors": "l2_write_trans",
                "shared_ld_wavefronts": "shared_load_trans", "shared_st_wavefronts": "shared_store_trans"}
# (program, its kernel, data set, the rows)
KERNELS = [
    ("vector_add", "vector_add", "amaris", {"kernel": "vectorAdd", "input1": "16777216", "block": "256x1x1"}),
    ("sgemm", "matrix_multiply", "thesis", {"kernel": "sgemm_32x32"}),
    ("backprop", "bpnn_layerforward_CUDA", "amaris", {"kernel": "bpnn_layerforward_CUDA", "input1": "65536"}),
    ("hotspot", "calculate_temp", "amaris", {"kernel": "calculate_temp", "input1": "1024", "input2": "1024"}),
    ("backprop_large", "bpnn_adjust_weights_cuda", "hkbu", {"kernel": "bpnn_adjust_weights_cuda"}),
    ("srad", "srad_cuda_1", "hkbu", {"kernel": "srad_cuda_1"}),
    ("matrix_multiply", "MatrixMulCUDA", "hkbu", {"kernel": "matrixMulCUDA"}),
    ("convolution", "convolutionRowsKernel", "hkbu", {"kernel": "convolutionRowsKernel"}),
    ("transpose", "transposeCoalesced", "hkbu", {"kernel": "transposeCoalesced"}),
    ("quasirandom", "quasirandomGeneratorKernel", "hkbu", {"kernel": "quasirandomGeneratorKernel"}),
    ("scalar_product", "scalarProdGPU", "hkbu", {"kernel": "scalarProdGPU"}),
    ("scan", "uniformUpdate", "hkbu", {"kernel": "uniformUpdate"}),
    ("eigenvalues", "bisectKernel", "hkbu", {"kernel": "bisectKernel"}),
    ("gaussian", "Fan2", "hkbu", {"kernel": "Fan2"}),
    ("hotspot_small", "calculate_temp", "hkbu", {"kernel": "calculate_temp"}),
    ("nn", "euclid", "hkbu", {"kernel": "euclid"}),
    *((f"pnpoly_{i}", "Pnpoly", "ktt", {"config": f"BETWEEN_METHOD={between};BLOCK_SIZE_X={block};TILE_SIZE={tile};"
                                                  f"USE_METHOD={use};VERTICES=600"})
      for i, (block, tile, between, use) in enumerate(PNPOLY)),
    *((f"amaris_{i}", kernel, "amaris", {
        "kernel": source.split("/")[1].removesuffix(".cu"), "input1": str(size),
        "block": {"dotProd": f"{side * side}x1x1", "subSeqMax": "128x1x1"}.get(kernel, f"{side}x{side}x1")})
      for i, (source, size, side, kernel) in enumerate(DRAWN)),
]
OPTIONAL = ("ktt", "amaris")
CLOCKS = {"core_mhz": "1600", "mem_mhz": "5500"}  # of the measured ones the nearest to the card's own


def change_text(directory, changes):
    """Replaces each old text by the new in the sources that have it; one that no source has is an error."""
    missing = dict(changes)
    for source in (file for file in directory.rglob("*") if file.suffix in (".cu", ".cpp", ".cuh", ".h")):
        text = source.read_text(errors="surrogateescape")
        for old in [old for old in changes if old in text]:
            missing.pop(old, None)
            text = text.replace(old, changes[old])
        source.write_text(text, errors="surrogateescape")
    if missing:
        raise ValueError(f"no source has '{next(iter(missing))}'")


def build(program, options, directory, compiler=None):
    """Where it was built, by `compiler`, nvcc and its architecture, or else by those of the program's GPU."""
    places = {"root": ROOT, "rodinia": options.rodinia.resolve(), "samples": options.samples.resolve(),
              **{name: folder.resolve() for name in OPTIONAL if (folder := getattr(options, name))}}
    shutil.copytree(program.folder.format(**places), directory)
    if program.binary:
        shutil.copy(directory / program.binary, directory / "app")
        (directory / "app").chmod(0o755)
        return directory / "app"
    change_text(directory, program.changes)
    old = "{samples}" not in program.folder and program.gpu != TURING
    nvcc, architecture = compiler or ((options.nvcc11, "sm_61" if program.gpu == PASCAL else "sm_35") if old else (options.nvcc13, "sm_75"))
    subprocess.run([nvcc, "-w", "-Wno-deprecated-gpu-targets", f"-arch={architecture}", *program.build.format(**places).split(), "-o", "app"], cwd=directory, check=True)
    if program.prepare:
        subprocess.run(["sh", "-c", program.prepare.format(data=options.data.resolve())], cwd=directory, check=True)
    return directory / "app"


def run(options):
    options.profiles.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in options.only.split(",") if options.only else PROGRAMS:
        program = PROGRAMS[name]
        absent = [one for one in OPTIONAL if not getattr(options, one) and f"{{{one}}}" in program.folder + program.build]
        if absent:
            print(f"end_to_end.py: {name}: left out, without --{absent[0]}", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as temporary:
            work = pathlib.Path(temporary)
            try:
                app = build(program, options, work / name)
                words = program.arguments.format(data=options.data.resolve(), out=work / "out").split()
                subprocess.run([options.gpuproj, "profile", "--ref", program.gpu, "-f", "-o",
                                str(options.profiles.resolve() / f"{name}.json"), *program.options, "--", str(app),
                                *words], cwd=app.parent, check=True, stdout=subprocess.DEVNULL)
            except (subprocess.CalledProcessError, ValueError) as problem:
                failed += 1
                print(f"end_to_end.py: {name}: {problem}", file=sys.stderr)
    return 1 if failed else 0


# ---- the table


def measured(data, wanted):
    """GPU name to the median time of a launch in ms, and that row's counters."""
    if data == "thesis":
        printed = json.loads((ROOT / "tests/golden/data/konstantinidis_2017.json").read_text())["kernels"][wanted["kernel"]]
        counters = printed["metrics_gtx480"]
        row = {THESIS_COUNTERS.get(key, key): value for key, value in counters.items()}
        row["dram_read_bytes"] = 32 * counters["dram_read_transactions"]
        return {THESIS[gpu]: (time, {**row, "grid": "20x40x1"}) for gpu, time in printed["measured_ms"].items()}
    if data == "ktt":
        with open(DATA / "ktt_pnpoly_2080ti_3090.csv", newline="") as file:
            row = next(row for row in csv.DictReader(file) if row["config"] == wanted["config"])
        row = {KTT_COUNTERS.get(key, key): value for key, value in row.items()}
        return {TURING: (float(row["time_us_rtx2080ti"]) / 1e3, row), AMPERE: (float(row["time_us_rtx3090"]) / 1e3, row)}
    name = "amaris_kepler_maxwell.csv" if data == "amaris" else "hkbu_clocks_part.csv"
    if data == "hkbu":
        wanted = {**wanted, **CLOCKS}
    rows = {}
    with open(DATA / name, newline="") as file:
        for row in csv.DictReader(file):
            if all(row[key] == value for key, value in wanted.items()):
                gpu = AMARIS[row["gpu"]] if data == "amaris" else PASCAL
                rows.setdefault(gpu, []).append(row)
    times = {}
    for gpu, found in rows.items():
        time = [float(row["time_us"]) / 1e3 if data == "amaris" else float(row["time_ms"]) for row in found]
        times[gpu] = (statistics.median(time), found[0])
    return times


def name_of(kernel):
    return kernel.split("(")[0].split("<")[0].split()[-1]


def predicted(options, program, kernel, gpus, data, grid):
    """Of one launch: GPU to (ms, low, high), and its counters."""
    file = options.profiles / f"{program}.json"
    command = [options.gpuproj, "predict", str(file), "--target", ",".join(gpus), "--json", "-k", kernel]
    if data == "hkbu":
        command += ["--core-clock", CLOCKS["core_mhz"], "--mem-clock", CLOCKS["mem_mhz"]]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["predictions"]

    def same(record):
        return name_of(record["kernel"]) == kernel and "x".join(map(str, record["grid"])) == grid

    # At other clocks a GPU has them behind its name.
    times = {max((gpu for gpu in gpus if one["gpu"].startswith(gpu)), key=len): tuple(one[key] * 1e3 / one["launches"] for key in ("duration_s", "low_s", "high_s"))
             for one in found if one["model"] == "calibrated" and same(one)}
    record = next((one for one in json.loads(file.read_text())["kernels"] if same(one)), None)
    if record is None:
        raise SystemExit(f"end_to_end.py: {file} has no {kernel} with a grid of {grid}")
    return times, {key: value / record["launches"] for key, value in record["metrics"].items()
                   if isinstance(value, (int, float))}


COUNTERS = {  # heading: of the profile, of the data
    "fp32": (["thread_inst_fp32"], ["thread_inst_fp32"]),
    "integer": (["thread_inst_integer"], ["thread_inst_int"]),
    "instructions": (["warp_inst"], ["warp_inst_executed"]),
    "fp64": (["thread_inst_fp64"], ["thread_inst_fp64"]),
    "shared passes": (["shared_wavefront"], ["shared_load_trans", "shared_store_trans", "shared_load_transactions",
                                             "shared_store_transactions"]),
    "L2 reads": (["l2_read_sector"], ["l2_read_trans", "l2_read_transactions"]),
    "L2 writes": (["l2_write_sector"], ["l2_write_trans", "l2_write_transactions"]),
    "DRAM reads": (["dram_read_sector"], ["dram_read_bytes"]),
}


def change(ours, theirs):
    return rodinia.change(ours, theirs) if ours or theirs else "none"


def table(options):
    rows, counted, errors, inside = [], [], {}, 0
    for program, kernel, data, wanted in KERNELS:
        if not (options.profiles / f"{program}.json").exists():
            print(f"end_to_end.py: {program}: no profile", file=sys.stderr)
            continue
        times = measured(data, wanted)
        grid = next(iter(times.values()))[1]["grid"]
        ours, metrics = predicted(options, program, kernel, times, data, grid)
        name = wanted.get("kernel", kernel)  # its programs call three kernels matMul
        for gpu, (time, row) in times.items():
            ms, low, high = ours[gpu]
            errors.setdefault(name, []).append(math.log(ms / time))
            inside += low <= time <= high
            rows.append([name, gpu, f"{time:.4g}", f"{ms:.4g}", f"{low:.4g} to {high:.4g}", change(ms, time)])
            if gpu == PROGRAMS[program].gpu:
                cells = [name, gpu]
                for mine, his in COUNTERS.values():
                    mine = sum(metrics.get(key) or 0 for key in mine) * (32 if "dram" in mine[0] else 1)
                    known = [float(row[key]) for key in his if row.get(key) not in (None, "")]
                    cells.append(change(mine, sum(known)) if known else "")
                counted.append(cells)
    macro = statistics.mean(statistics.mean(map(abs, of_kernel)) for of_kernel in errors.values())
    bias = statistics.mean(statistics.mean(of_kernel) for of_kernel in errors.values())
    text = PAGE.format(macro=macro, bias=bias, inside=inside, pairs=len(rows), kernels=len(errors))
    for head, body in ((["kernel", "GPU", "measured, ms", "predicted, ms", "80 % interval, ms", "off"], rows),
                       (["kernel", "GPU", *COUNTERS], counted)):
        text += "\n| " + " | ".join(head) + " |\n|" + "---|" * len(head) + "\n"
        text += "".join("| " + " | ".join(row) + " |\n" for row in body)
        if body is rows:
            text += COUNTED
    text += "\n## Programs\n\n| program | arguments | changed | counted for |\n|---|---|---|---|\n"
    for name, program in PROGRAMS.items():
        arguments = program.arguments.format(data="data", out="output.txt")
        macros = " ".join(word for word in program.build.split() if word.startswith("-D") and "{" not in word)
        changes = ", ".join(f"`{new}`" for new in program.changes.values())
        text += f"| {name} | `{arguments or macros}` | {'as published, built' if program.binary else changes} | {program.gpu} |\n"
    options.o.write_text(text)
    print(f"end_to_end.py: macro mean |ln| {macro:.3f} over {len(errors)} kernels, {inside} of {len(rows)} in their interval")


PAGE = """# Without a GPU, against measured times

Written by `tools/dev/end_to_end.py run` and `tools/dev/end_to_end.py table`; do not edit.

The whole way that `gpuproj run --ref X --target Y` goes on a machine without a GPU: public programs are executed and
counted by the engine, and `calibrated` predicts their kernels from these counters alone. Beside it the times that others
measured of the same kernel with the same launch configuration: Konstantinidis (2017, table 5.14) of the tiled matrix
multiplication, which examples/ has after its description; Amaris et al. (2016) on Kepler and Maxwell, six of their kernels in two
sizes each, drawn by chance; Wang and Chu on a GTX 1080 Ti at 1600 and 5500 MHz; KTT's tuning of a point-in-polygon kernel (Pnpoly), fifteen of its 3815 configurations, twelve of them drawn by chance. The
programs are as they are published, but for sizes that are constants in them and were others where they were measured.
Compilers were older than ours there, but where the programs were published with their machine code's PTX (CUDA 8, Amaris with blocks of
16 x 16), and inputs may have been others: bisectKernel did twice the work.

`calibrated` was fitted on the counters and times of Amaris' data, so that its kernels are no new ones to the model; that
they were counted here, and not there, is what is tried. The others were not fitted on.

Over {kernels} kernels, mean |ln(predicted / measured)| **{macro:.3f}** (macro: the mean over kernels of the mean over their
GPUs), bias {bias:+.3f}; {inside} of {pairs} measured times lie in the 80 % interval.

Behind the largest misses, as far as it is known (`gpuproj validate` on Wang and Chu's table predicts these kernels from the
hardware's own counters, at other clocks of the same GPU): bisectKernel, which did twice the work there, comes out 1 % too fast.
Fan2's columns are 32 KiB apart, and the GPU's L2 holds fewer of them than ours ([decision 47](decisions/0047-order-of-use.md)).
bpnn_layerforward_CUDA executed 267 instructions a warp on Maxwell where it was measured, and 208 as our compiler makes it;
what else it waits for there was not found.
"""

COUNTED = """
## What the engine counted, against the hardware's counters

Of one launch, on the reference GPU. Tesla K20: with ECC on, whose traffic DRAM reads of the hardware hold.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    runner = verbs.add_parser("run")
    for folder in ("rodinia", "samples", "data", "profiles"):
        runner.add_argument(folder, type=pathlib.Path)
    for folder in OPTIONAL:
        runner.add_argument(f"--{folder}", type=pathlib.Path)
    runner.add_argument("--nvcc11", required=True)
    runner.add_argument("--nvcc13", default="nvcc")
    runner.add_argument("--only", help="programs, with commas between them")
    writer = verbs.add_parser("table")
    writer.add_argument("profiles", type=pathlib.Path)
    writer.add_argument("-o", type=pathlib.Path, default=ROOT / "docs" / "end_to_end.md")
    for verb in (runner, writer):
        verb.add_argument("--gpuproj", default=str(ROOT / "build" / "gpuproj"))
    options = parser.parse_args()
    return run(options) if options.verb == "run" else table(options)


if __name__ == "__main__":
    sys.exit(main())
