#!/usr/bin/env python3
"""Builds the programs of tests/programs and examples in the ways that users build theirs, and runs each in the engine.

    tools/dev/program_variants.py [--gpuproj PROGRAM] [--nvcc NVCC] [--nvcc11 NVCC] [--variants NAME,...] [PROGRAM ...]

Prints a Markdown table: for each way how many programs came to their own verified end, and which did not and why. --nvcc11
is an nvcc of CUDA 11.8 (Debian's nvidia-cuda-toolkit), for the architectures that later ones no longer know. Programs whose
source needs more than an architecture has (matrix instructions on sm_35) are left out of its row, and named.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Name: which compiler, options. The architecture of a program itself (tests/programs/CMakeLists.txt) goes where the way
# names none.
WAYS = {
    "as in the tests": ("nvcc", ["-O3"]),
    "no -O": ("nvcc", []),
    "-G": ("nvcc", ["-G"]),
    "-rdc=true": ("nvcc", ["-O3", "-rdc=true"]),
    "-arch=sm_80": ("nvcc", ["-O3", "-arch=sm_80"]),
    "--use_fast_math": ("nvcc", ["-O3", "--use_fast_math"]),
    "-cudart shared": ("nvcc", ["-O3", "-cudart", "shared"]),
    "11.8 -arch=sm_35": ("nvcc11", ["-O3", "-arch=sm_35"]),
    "11.8 -arch=sm_52": ("nvcc11", ["-O3", "-arch=sm_52"]),
}
TARGET = {"wmma_gemm": "TITANV"}


def own_options(name):
    """What the program's source needs, as tests/programs/CMakeLists.txt has it."""
    found = re.search(rf"set\(options_{name} ([^)]*)\)", (ROOT / "tests/programs/CMakeLists.txt").read_text())
    return found.group(1).split() if found else []


def one(options, way, source, folder):
    """(verdict, why): right, wrong, or left out."""
    compiler, words = WAYS[way]
    name = source.stem
    own = own_options(name)
    given = next((word for word in words if word.startswith("-arch=sm_")), None)
    needs = next((word[6:] for word in own if word.startswith("-arch=sm_")), None)
    words = words + [word for word in own if word not in words and not (given and word.startswith("-arch"))]
    if needs and given and int(given[9:]) < int(needs[3:]):
        return "left out", f"needs {needs}"
    program = pathlib.Path(folder) / f"{name}-{len(words)}-{abs(hash(way))}"
    build = [*getattr(options, compiler).split(), "-std=c++17", *words, str(source), "-o", str(program)]
    done = subprocess.run(build, capture_output=True, text=True)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()[:1]
        return "wrong", "does not compile: " + (errors[0].split("error")[-1].strip(" :") if errors else "?")
    run = [options.gpuproj, "run", "-q", "--ref", "GTX480", "--target", TARGET.get(name, "K20c"), "--timeout",
           str(options.timeout), str(program)]
    try:
        done = subprocess.run(run, capture_output=True, text=True, timeout=options.timeout + 30)
    except subprocess.TimeoutExpired:
        return "wrong", f"not done after {options.timeout} s"
    finally:
        program.unlink(missing_ok=True)
    if done.returncode == 0 and "FAILED" not in done.stdout:
        return "right", ""
    said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    return "wrong", next((line for line in said if "gpuproj:" in line or "FAILED" in line), said[-1] if said else "?")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpuproj", default=str(ROOT / "build/gpuproj"))
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--nvcc11", help="with its options, such as its host compiler")
    parser.add_argument("--variants", help="some of: " + ", ".join(WAYS))
    parser.add_argument("--timeout", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    sources = sorted((ROOT / "tests/programs").glob("*.cu")) + sorted((ROOT / "examples").glob("*.cu"))
    if options.programs:
        sources = [source for source in sources if source.stem in options.programs]
    ways = options.variants.split(",") if options.variants else list(WAYS)
    print("| built with | programs | to their verified end | not |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for way in ways:
            if getattr(options, WAYS[way][0]) is None:
                print(f"| {way} | | | no such compiler was given |", flush=True)
                continue
            results = list(pool.map(lambda source: one(options, way, source, folder), sources))
            tried = [(source.stem, why) for source, (verdict, why) in zip(sources, results) if verdict != "left out"]
            wrong = [f"{source.stem} ({why})" for source, (verdict, why) in zip(sources, results) if verdict == "wrong"]
            left_out = [f"{source.stem} left out ({why})" for source, (verdict, why) in zip(sources, results)
                        if verdict == "left out"]
            print(f"| {way} | {len(tried)} | {len(tried) - len(wrong)} | {'; '.join(wrong + left_out)} |", flush=True)


main()
