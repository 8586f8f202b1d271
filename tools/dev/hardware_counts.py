#!/usr/bin/env python3
"""Counters and times of an H200 against those of the same programs simulated.

    tools/dev/hardware_counts.py run RODINIA SAMPLES DATA SIMULATED --nvcc11 NVCC [--ktt KTT] [--gpuproj PROGRAM] [--only NAMES]
    tools/dev/hardware_counts.py table SIMULATED [--hardware FOLDER] [--gpuproj PROGRAM] [-o docs/hardware_counts.md]

RODINIA is a folder of Rodinia 3.1 that has cuda/, SAMPLES NVIDIA's cuda-samples, KTT HiPerCoRe's KTT, DATA Rodinia's inputs
(tools/dev/rodinia_inputs.py). `run` builds the programs that were counted (tests/fixtures/gpu/README.md) as they were then,
simulates each as an H200 with the words that it had, and writes SIMULATED/<name>.json; what is there already it leaves as it is.
`table` holds these profiles against those of FOLDER (tests/fixtures/gpu/h200), which --collector cupti made, and writes the page.
"""
import argparse
import dataclasses
import json
import math
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import end_to_end
import rodinia
from rodinia import change

ROOT = pathlib.Path(__file__).resolve().parents[2]
GPU = "H200 SXM 141GB"
COUNTERS = ["warp_inst", "thread_inst", "thread_inst_fp32", "thread_inst_fp64", "thread_inst_integer", "thread_inst_load_store",
            "thread_inst_control", "warp_inst_special", "shared_wavefront", "global_load_sector", "global_store_sector",
            "l1_hit_sector", "l2_read_sector", "l2_write_sector", "dram_read_sector", "dram_write_sector", "achieved_occupancy"]
LEAST = 1000  # of a counter over all launches: fewer says little
WITHIN = (0.001, 0.05, 0.2)
ARCHITECTURE = "sm_90"


def of_end_to_end(name, arguments=None, **more):
    program = end_to_end.PROGRAMS[name]
    return dataclasses.replace(program, gpu=GPU, arguments=program.arguments if arguments is None else arguments, **more)


def of_samples(folder, sources, arguments="", **more):
    return dataclasses.replace(end_to_end.of_samples(folder, sources, arguments, **more), gpu=GPU)


def example(name, arguments=""):
    return end_to_end.Program("{root}/examples", f"{name}.cu", arguments, GPU)


# By nvcc 11.8
OLDER = {
    "e2e_convolution": of_end_to_end("convolution", changes={"imageW     = 3072": "imageW = 4096", "imageH     = 3072 / 2": "imageH = 4096",
                                                             "iterations = 10": "iterations = 1"}),
    "e2e_gaussian": of_end_to_end("gaussian"),
    "e2e_matrix_multiply": of_end_to_end("matrix_multiply", changes={"nIter = 300": "nIter = 9"}),
    "e2e_pnpoly_0": of_end_to_end("pnpoly_0"),
    "e2e_sgemm": of_end_to_end("sgemm"),
}
# By nvcc 13; those of e2e_* were by 11.8, which Debian has without the headers that they need
NEWER = {
    "cs_BlackScholes": of_samples("5_Domain_Specific/BlackScholes", "BlackScholes.cu BlackScholes_gold.cpp",
                                  changes={"OPT_N          = 4000000": "OPT_N = 8000000", "NUM_ITERATIONS = 512": "NUM_ITERATIONS = 6"}),
    "cs_FDTD3d": of_samples("5_Domain_Specific/FDTD3d", "-Iinc src/FDTD3d.cpp src/FDTD3dGPU.cu src/FDTD3dReference.cpp",
                            "--dimx=256 --dimy=256 --dimz=256 --radius=4 --timesteps=3"),
    "cs_cudaTensorCoreGemm": of_samples("3_CUDA_Features/cudaTensorCoreGemm", "cudaTensorCoreGemm.cu"),
    "cs_nbody": of_samples("5_Domain_Specific/nbody", "-rdc=true --extended-lambda bodysystemcuda.cu render_particles.cpp nbody.cpp -lGL -lGLU -lglut",
                           "-benchmark -numbodies=33792 -i=2"),
    "cs_reduction_6": of_samples("2_Concepts_and_Techniques/reduction", "reduction.cpp reduction_kernel.cu", "--n=33554432 --kernel=6",
                                 changes={"testIterations = 100": "testIterations = 3"}),
    "e2e_scalar_product": of_end_to_end("scalar_product", changes={"VECTOR_N = 256": "VECTOR_N = 8192"}),
    "e2e_transpose": of_end_to_end("transpose", "-dimX=4096 -dimY=4096"),
    "ex_matrix_multiply": example("matrix_multiply"),
    "ex_red_black_sor": example("red_black_sor"),
    "ex_vector_add": example("vector_add", "--size 67108864"),
}
RODINIA = ["backprop", "bfs", "cfd", "dwt2d", "hotspot", "huffman", "kmeans", "lavaMD", "pathfinder"]
NAMES = [*NEWER, *OLDER, *(f"rod_{name}" for name in RODINIA)]


def build(name, options, work):
    """The program, where to start it, and its words."""
    places = {"data": options.data.resolve(), "out": work / "out"}
    if name.startswith("rod_"):
        name = name.removeprefix("rod_")
        for part in ("cuda", "common"):
            if (options.rodinia / part).exists():
                shutil.copytree(options.rodinia / part, work / part, ignore=shutil.ignore_patterns("*.tar"))
        (work / "data").symlink_to(options.data.resolve())
        app = rodinia.build(name, argparse.Namespace(nvcc=options.nvcc11), work, ARCHITECTURE)
        # dwt2d looks for its image two folders up
        return app, work / "cuda" / "dwt2d", rodinia.PROGRAMS[name][2].format(**places).split(), rodinia.OPTIONS.get(name, [])
    program = OLDER.get(name) or NEWER[name]
    nvcc = options.nvcc11 if name in OLDER else options.nvcc13
    app = end_to_end.build(program, options, work / name, (nvcc, ARCHITECTURE))
    return app, app.parent, program.arguments.format(**places).split(), program.options


def run(options):
    options.simulated.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in options.only.split(",") if options.only else NAMES:
        out = options.simulated.resolve() / f"{name}.json"
        if out.exists():
            continue
        if "pnpoly" in name and not options.ktt:
            print(f"hardware_counts.py: {name}: left out, without --ktt", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as temporary:
            try:
                app, place, words, extra = build(name, options, pathlib.Path(temporary))
                subprocess.run([options.gpuproj, "profile", "--collector", "simulate", "--ref", GPU, "--timeout", str(options.timeout), "-f", "-o", str(out), *extra,
                                "--", str(app), *words], cwd=place, check=True, stdout=subprocess.DEVNULL)
            except (subprocess.CalledProcessError, ValueError) as problem:
                failed += 1
                out.unlink(missing_ok=True)
                print(f"hardware_counts.py: {name}: {problem}", file=sys.stderr)
    return 1 if failed else 0


# ---- the table


def averaged(name):
    return name.endswith("_occupancy")


def kernels(profile):
    """Kernel -> launches, seconds, and counters summed over launch configurations."""
    found = {}
    for record in profile["kernels"]:
        kernel = found.setdefault(record["kernel"], {"launches": 0, "seconds": 0.0, "metrics": {}})
        kernel["launches"] += record["launches"]
        kernel["seconds"] += record.get("duration", {}).get("sum_s", 0.0)
        for name, value in record["metrics"].items():
            weight = record["launches"] if averaged(name) else 1
            kernel["metrics"][name] = kernel["metrics"].get(name, 0) + weight * value
    for kernel in found.values():
        for name in filter(averaged, kernel["metrics"]):
            kernel["metrics"][name] /= kernel["launches"]
    return found


def predicted(options, file):
    """Kernel -> seconds by `calibrated`, from the simulated counters alone."""
    done = subprocess.run([options.gpuproj, "predict", file, "--target", GPU, "--json"], check=True, capture_output=True, text=True)
    seconds = {}
    for row in json.loads(done.stdout)["predictions"]:
        if row["model"] == "calibrated" and row.get("duration_s") is not None:
            seconds[row["kernel"]] = seconds.get(row["kernel"], 0.0) + row["duration_s"]
    return seconds


def short(kernel):
    return re.sub(r"^void ", "", re.sub(r"\(.*", "", kernel))


CAUSES = """
What is known of the differences:

- `warp_inst`, `thread_inst_integer`: what ptxas takes out of loops and calculates in other ways (dwt2d),
  and the moves of texture coordinates and handles (convolution, kmeans). rod_* and e2e_* ran machine code of ptxas 11.8, which loads each
  constant by itself and copies handles for each fetch (138 instructions of a convolution, which 13.0 makes 115). Loads of parameters and constants (LDC, ULDC) and unrolled loops are counted as
  ptxas 13.0 makes them, and so is a minimum of three (VIMNMX3, in pathfinder; 11.8 has none; decisions [52](decisions/0052-constants-are-loaded.md) and [53](decisions/0053-loops-are-unrolled.md)).
- `shared_wavefront`: the hardware's has one or two passes of each warp that have nothing to do with shared memory, and arbitration; the
  counters without them (loads, stores and atomics apart) cost a pass more on GH100 and others. ncu's count by instrumented code, of the same
  product of matrices on an H100 (memory_l1_wavefronts_shared), is the engine's: 25 600 000.
- `dram_write_sector`: of what the host has copied to the GPU, up to 29 MB are still in L2, dirty, when the next kernel begins, and are
  written out while it runs (reduction, scalar product, hotspot, pathfinder); the engine leaves that to the copies. What a kernel has left
  dirty in L2 the hardware charges to whoever evicts it, the engine to the kernel ([decision 50](decisions/0050-l2-between-launches.md)).
- `dram_read_sector` of dwt2d's first kernel: its memory was filled with zeros before the picture was copied there. The engine finds both in
  L2, and the H200 neither; zeros alone (huffman's pack2) it does find.
- The time of Fan2, whose four million blocks of 16 threads began at 0.85 per clock of the GPU, is that of their beginning, for which
  `calibrated` has 0.84 from another GPU ([decision 51](decisions/0051-blocks-begin.md)).
"""


def table(options):
    pairs = []
    for file in sorted(options.hardware.glob("*.json")):
        simulated = options.simulated / file.name
        if not simulated.exists():
            sys.exit(f"{simulated}: is not there; simulate the program first")
        hardware, ours = kernels(json.loads(file.read_text())), kernels(json.loads(simulated.read_text()))
        times = predicted(options, simulated)
        for kernel, record in hardware.items():
            if kernel not in ours or ours[kernel]["launches"] != record["launches"]:
                sys.exit(f"{simulated}: has not the {record['launches']} launches of {kernel}")
            pairs.append((file.stem, kernel, record, ours[kernel], times.get(kernel)))

    lines = ["# Counters of an H200 against simulated ones", "",
             f"{len(pairs)} kernels of {len(list(options.hardware.glob('*.json')))} programs of Rodinia, NVIDIA's samples and KTT, each on an "
             "H200 under `--collector cupti` and in the engine (of e2e_pnpoly_0 blocks of a sample). Written by `tools/dev/hardware_counts.py run` and `tools/dev/hardware_counts.py table`; do not edit. Nothing was fitted to "
             "these figures.", "", "## By counter", "",
             "Kernels in which the counter is at least 1000 on the hardware. Occupancy: all.", "",
             "| counter | kernels | within 0.1 % | 5 % | 20 % | median error |", "|---|---|---|---|---|---|"]
    for name in COUNTERS:
        errors = []
        for _, _, theirs, ours, _ in pairs:
            reference, value = theirs["metrics"].get(name), ours["metrics"].get(name)
            if reference is None or value is None or not (averaged(name) or reference >= LEAST):
                continue
            errors.append(abs(value / reference - 1))
        if errors:
            shares = [sum(error <= limit for error in errors) for limit in WITHIN]
            lines.append(f"| {name} | {len(errors)} | " + " | ".join(map(str, shares)) + f" | {100 * statistics.median(errors):.1f} % |")
    lines += ["", "## By kernel", "",
              "Error of the simulated counters, and of the time that `calibrated` predicts from them alone, measured time per launch beside it. What `dram` is off "
              "in kernels whose data stay in the L2 is little in bytes.", "",
              "| program | kernel | launches | instructions | loads and stores | DRAM read | DRAM written | us per launch | predicted |",
              "|---|---|---|---|---|---|---|---|---|"]
    logarithms = []
    for program, kernel, theirs, ours, seconds in pairs:
        cells = [change(ours["metrics"].get(name, 0), theirs["metrics"].get(name, 0))
                 for name in ("warp_inst", "thread_inst_load_store", "dram_read_sector", "dram_write_sector")]
        if seconds and theirs["seconds"]:
            logarithms.append((theirs["seconds"] / theirs["launches"], math.log(seconds / theirs["seconds"])))
        lines.append(f"| {program} | `{short(kernel)}` | {theirs['launches']} | " + " | ".join(cells) +
                     f" | {1e6 * theirs['seconds'] / theirs['launches']:.1f} | {change(seconds, theirs['seconds']) if seconds else '-'} |")
    long = [error for each, error in logarithms if each >= 100e-6]
    lines += ["", f"Times: mean |ln(predicted/measured)| {statistics.mean(abs(error) for _, error in logarithms):.3f} over all {len(logarithms)} kernels, "
              f"{statistics.mean(map(abs, long)):.3f} over the {len(long)} whose launches take 100 us and more; bias {statistics.mean(error for _, error in logarithms):+.3f} and "
              f"{statistics.mean(long):+.3f}."]
    text = "\n".join(lines) + "\n" + CAUSES
    options.output.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    runner = verbs.add_parser("run")
    for folder in ("rodinia", "samples", "data", "simulated"):
        runner.add_argument(folder, type=pathlib.Path)
    runner.add_argument("--ktt", type=pathlib.Path)
    runner.add_argument("--nvcc11", required=True)
    runner.add_argument("--nvcc13", default="nvcc")
    runner.add_argument("--only", help="programs, with commas between them")
    runner.add_argument("--timeout", type=int, default=1800)
    runner.set_defaults(amaris=None)
    writer = verbs.add_parser("table")
    writer.add_argument("simulated", type=pathlib.Path)
    writer.add_argument("--hardware", type=pathlib.Path, default=ROOT / "tests/fixtures/gpu/h200")
    writer.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "docs" / "hardware_counts.md")
    for verb in (runner, writer):
        verb.add_argument("--gpuproj", default=str(ROOT / "build/gpuproj"))
    options = parser.parse_args()
    return run(options) if options.verb == "run" else table(options)


if __name__ == "__main__":
    sys.exit(main())
