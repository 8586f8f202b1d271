#!/usr/bin/env python3
"""Random CUDA programs, each of which checks itself: in the engine, built in several ways.

    tools/dev/random_programs.py run SEED[-SEED] [--ways NAME,...] [--kernels N] [--packed SHARE] [--gpuproj PROGRAM]
                                 [--other PROGRAM] [--nvcc NVCC] [--nvcc11 NVCC] [--work FOLDER] [--seconds N]
    tools/dev/random_programs.py write SEED [--kernels N] [--packed SHARE] [--only KERNEL] [--without ID,...]
    tools/dev/random_programs.py reduce SEED --only KERNEL --way NAME [...]

Each kernel of a program is made from statements with divergent conditions, loops of as many rounds as the data say,
calls, arrays, pointers into several spaces, atomics, barriers and exchange within warps. The host does the same, thread
after thread, from one point where threads meet to the next (random_kernels/random_programs.hpp), and compares all
memory. The share of --packed of what is calculated is arithmetic on halves, bfloat16 and packed integers, whose meaning
is said without CUDA's headers (random_halves.hpp, random_packed.hpp). Nothing in them is undefined, a race, or depends on
the order of threads; the bits of a NaN count for nothing.

`run` also compares the profile with that of one thread of the host, with that of --count-every-launch where it says the
same, and with that of another build of gpuproj (--other). It prints a line for each program that differs, and in the end
how many did not. `write` prints a program. `reduce` leaves out statements as long as the kernel still differs.
"""
import argparse
import json
import math
import pathlib
import shlex
import subprocess
import sys
import time

from random_kernels.kernels import Kernel, program

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent

# Name: which compiler, the architecture, options.
WAYS = {
    "75": ("nvcc", 75, []),
    "80": ("nvcc", 80, []),
    "90": ("nvcc", 90, []),
    "100": ("nvcc", 100, []),
    "80-G": ("nvcc", 80, ["-G"]),
    "90-rdc": ("nvcc", 90, ["-rdc=true"]),
    "80-O1": ("nvcc", 80, ["-Xcicc", "-O1"]),
    "80-O0": ("nvcc", 80, ["-Xcicc", "-O0"]),
    "70": ("nvcc11", 70, []),
    "60": ("nvcc11", 60, []),
    "35": ("nvcc11", 35, []),
    "52": ("nvcc11", 52, []),
    "52-G": ("nvcc11", 52, ["-G"]),
}


def build(options, way, text, place):
    """The program, or why it does not compile."""
    compiler, arch, words = WAYS[way]
    source = place.with_suffix(".cu")
    source.write_text(text)
    call = [*shlex.split(getattr(options, compiler)), "-std=c++17", "-fmad=false", "-w", f"-I{HERE / 'random_kernels'}", *words,
            f"-gencode=arch=compute_{arch},code=compute_{arch}", str(source), "-o", str(place)]
    done = subprocess.run(["timeout", "300", *call], capture_output=True, text=True, errors="replace")
    if done.returncode == 0:
        return None
    return next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])


def profile(options, gpuproj, place, extra):
    """What it printed where that is not right, and its profile."""
    file = place.with_suffix(".json")
    file.unlink(missing_ok=True)
    call = ["timeout", str(options.seconds), gpuproj, "profile", "-q", "--ref", options.ref, *extra, "-o", str(file), "--", str(place), str(options.rounds)]
    done = subprocess.run(call, capture_output=True, text=True, errors="replace")
    wrong = None
    if done.returncode != 0 or done.stdout.strip() != "right":
        wrong = " | ".join((done.stdout + done.stderr).strip().splitlines()[:3]) or f"ended with {done.returncode}"
    return wrong, json.loads(file.read_text()) if file.exists() else None


def counted(kernels):
    """By kernel what was counted, without times and notes."""
    return {f"{kernel['kernel']} {kernel.get('grid')} {kernel.get('block')}":
            {key: value for key, value in kernel.items() if key not in ("notes", "sampled_fraction")} for kernel in kernels
            if "retrying" not in kernel["kernel"]}


def difference(one, other, path=""):
    """Where two profiles first differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        parts = [(key, one.get(key), other.get(key)) for key in sorted(set(one) | set(other))]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        parts = [(str(i), a, b) for i, (a, b) in enumerate(zip(one, other))]
    else:
        parts = []
    if parts or one == other:
        return next((found for key, a, b in parts if (found := difference(a, b, f"{path} {key}"))), None)
    if isinstance(one, float) and isinstance(other, float) and math.isclose(one, other):
        return None  # sums in another order
    return f"{path.strip()}: {one}, {other}"


def check(options, way, text, place):
    """Everything that differs."""
    problem = build(options, way, text, place)
    if problem:
        return ["does not compile: " + problem]
    problems = []
    wrong, usual = profile(options, options.gpuproj, place, [])
    if wrong:
        problems.append(wrong)
    others = [("the same again", options.gpuproj, []), ("--threads 1", options.gpuproj, ["--threads", "1"]),
              ("--count-every-launch", options.gpuproj, ["--count-every-launch"])] if options.counts else []
    if options.other:
        others.append(("other build", options.other, []))
    for name, gpuproj, extra in others:
        wrong, its = profile(options, gpuproj, place, extra)
        if wrong and wrong not in problems:
            problems.append(f"{name}: {wrong}")
        if usual and its:
            found = difference(counted(usual["kernels"]), counted(its["kernels"]))
            if found:
                problems.append(f"{name} counts otherwise: {found}")
    return problems


def run(options):
    first, _, last = options.seeds.partition("-")
    tried = failed = 0
    begin = time.monotonic()
    options.work.mkdir(parents=True, exist_ok=True)
    for seed in range(int(first), int(last or first) + 1):
        for way in options.ways.split(","):
            place = options.work / f"r{seed}-{way}"
            problems = check(options, way, program(seed, WAYS[way][1], options.kernels, options.packed), place)
            tried += 1
            failed += 1 if problems else 0
            for problem in problems:
                print(f"{seed} {way}: {problem}", flush=True)
            for suffix in ("", ".json", ".cu"):
                if not (problems and suffix == ".cu"):
                    place.with_suffix(suffix).unlink(missing_ok=True)
    print(f"{tried - failed} of {tried} programs of {options.kernels} kernels are right, {time.monotonic() - begin:.0f} s")
    return 1 if failed else 0


def write(options):
    without = [int(number) for number in options.without.split(",") if number]
    print(program(int(options.seeds), WAYS[options.ways][1], options.kernels, options.packed, options.only, without), end="")


def reduce(options):
    """Leaves out halves, quarters, ... of the statements while the first problem stays."""
    way, seed = options.ways, int(options.seeds)
    options.work.mkdir(parents=True, exist_ok=True)
    place = options.work / f"reduced{seed}-{options.only}-{way}"
    arch = WAYS[way][1]

    def differs(without):
        problem = build(options, way, program(seed, arch, options.kernels, options.packed, options.only, without), place)
        if problem:
            return False
        wrong, _ = profile(options, options.gpuproj, place, [])
        return wrong is not None

    without = set()
    if not differs(without):
        raise SystemExit("random_programs.py: the kernel is right")
    left = list(range(1, Kernel(seed, options.only, arch, options.packed).maker.number + 1))
    part = len(left)
    while part >= 1:
        for begin in range(0, len(left), part):
            some = set(left[begin:begin + part])
            if differs(without | some):
                without |= some
        left = [number for number in left if number not in without]
        print(f"{len(left)} statements are left", file=sys.stderr, flush=True)
        part //= 2
    place.with_suffix(".cu").write_text(program(seed, arch, options.kernels, options.packed, options.only, without))
    print(f"{place.with_suffix('.cu')} --without {','.join(map(str, sorted(without)))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "write", "reduce"])
    parser.add_argument("seeds")
    parser.add_argument("--ways", "--way", default="80")
    parser.add_argument("--kernels", type=int, default=6)
    parser.add_argument("--packed", type=float, default=0.1, help="share of calculations with halves, bfloat16 or packed integers")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--only", type=int)
    parser.add_argument("--without", default="")
    parser.add_argument("--gpuproj", default=str(ROOT / "build" / "gpuproj"))
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--other")
    parser.add_argument("--ref", default="GTX480")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--nvcc11", default="nvcc")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/random_programs"))
    parser.add_argument("--seconds", type=int, default=120)
    options = parser.parse_args()
    return {"run": run, "write": write, "reduce": reduce}[options.what](options)


if __name__ == "__main__":
    sys.exit(main())
