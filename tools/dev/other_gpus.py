#!/usr/bin/env python3
"""How well the counters of one simulated GPU speak for another: predictions for a GPU from the counters of others, beside
those from its own.

    tools/dev/other_gpus.py run RODINIA DATA PROFILES --nvcc11 NVCC [--gpuproj PROGRAM] [--only NAME]
    tools/dev/other_gpus.py table PROFILES [--gpuproj PROGRAM] [-o docs/other_gpus.md]

RODINIA is the folder of Rodinia 3.1 that has cuda/, DATA that of its inputs (tools/dev/rodinia_inputs.py). `run` builds
Rodinia's programs as tools/dev/rodinia.py does, and examples/, and simulates each on every GPU below. `table` predicts
each kernel on each of the GPUs by `calibrated`: from the counters of that GPU itself, from those of each other GPU alone,
and from those with what the profile says of other GPUs; no measured time is involved.
"""
import argparse
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import rodinia

ROOT = rodinia.ROOT
GPUS = {"Fermi": "GeForce GTX 480", "Kepler": "Tesla K20c", "Maxwell": "GeForce GTX 980", "Pascal": "GeForce GTX 1080 Ti",
        "Volta": "Tesla V100 SXM2 16GB", "Turing": "GeForce RTX 2080 Ti", "Ampere": "A100 PCIe 40GB",
        "Ada": "GeForce RTX 4090"}
EXAMPLES = {"matrix_multiply": "", "vector_add": "--size 4000000", "red_black_sor": ""}


def programs(options, work):
    """Yields name, program and arguments, built."""
    for name in EXAMPLES:
        if options.only in (None, name):
            app = work / name
            subprocess.run([options.nvcc11, "-w", "-arch=sm_52", "-Wno-deprecated-gpu-targets", "-std=c++14",
                            str(ROOT / "examples" / f"{name}.cu"), "-o", str(app)], check=True)
            yield name, app, EXAMPLES[name].split(), work, []
    for name, (_, _, arguments) in rodinia.PROGRAMS.items():
        if options.only not in (None, name):
            continue
        words = arguments.format(data=options.data.resolve(), out=work / "out").split()
        try:
            app = rodinia.build(name, argparse.Namespace(nvcc=options.nvcc11), work)
        except subprocess.CalledProcessError:
            print(f"other_gpus.py: {name} was not built", file=sys.stderr)
            continue
        yield name, app, words, work / "cuda" / "dwt2d", rodinia.OPTIONS.get(name, [])


def run(options):
    options.profiles.mkdir(parents=True, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        for part in ("cuda", "common"):
            if (options.rodinia / part).exists():
                shutil.copytree(options.rodinia / part, work / part, ignore=shutil.ignore_patterns("*.tar"))
        (work / "data").symlink_to(options.data.resolve())
        for name, app, words, place, extra in programs(options, work):
            for short, gpu in GPUS.items():
                out = options.profiles.resolve() / f"{name}.{short}.json"
                if out.exists():
                    continue
                command = [str(options.gpuproj.resolve()), "profile", "--ref", gpu, "--timeout", str(options.timeout), "-f",
                           "-o", str(out), *extra, "--", str(app), *words]
                if subprocess.run(command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
                    print(f"other_gpus.py: {name} for {gpu} failed", file=sys.stderr)
                    out.unlink(missing_ok=True)
                    failed += 1
    return 1 if failed else 0


def predicted(options, profile, targets):
    """{target: {kernel: seconds}}, summed over launch configurations."""
    command = [str(options.gpuproj.resolve()), "predict", str(profile), "--target", ",".join(targets), "--json"]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    times = {}
    for row in answer["predictions"]:
        if row["model"] == "calibrated" and row.get("duration_s"):
            of = times.setdefault(row["gpu"], {})
            of[row["kernel"]] = of.get(row["kernel"], 0) + row["duration_s"]
    return times


def errors_of(options):
    """[(program, kernel, reference, target, ln from counters alone, ln with the rest)]"""
    rows = []
    names = sorted({file.name.split(".")[0] for file in options.profiles.glob("*.json")})
    with tempfile.TemporaryDirectory() as temporary:
        stripped = pathlib.Path(temporary) / "p.json"
        for name in names:
            files = {short: options.profiles / f"{name}.{short}.json" for short in GPUS}
            files = {short: file for short, file in files.items() if file.exists()}
            own = {}
            for short, file in files.items():
                own[short] = next(iter(predicted(options, file, [GPUS[short]]).values()), {})
            for short, file in files.items():
                profile = json.loads(file.read_text())
                for kernel in profile["kernels"]:
                    kernel.pop("other_gpus", None)
                stripped.write_text(json.dumps(profile))
                targets = [GPUS[other] for other in files]
                alone, whole = predicted(options, stripped, targets), predicted(options, file, targets)
                for other in files:
                    if other == short:
                        continue
                    for kernel, seconds in own[other].items():
                        a, b = (times.get(GPUS[other], {}).get(kernel) for times in (alone, whole))
                        if a and b:
                            rows.append((name, kernel, short, other, math.log(a / seconds), math.log(b / seconds)))
    return rows


def mean_abs(values):
    return statistics.mean(abs(v) for v in values) if values else math.nan


def table(options):
    rows = errors_of(options)
    kernels = sorted({row[:2] for row in rows})
    macro = [statistics.mean(mean_abs([r[i] for r in rows if r[:2] == k]) for k in kernels) for i in (4, 5)]
    within = [sum(abs(r[i]) < math.log(1.1) for r in rows) / len(rows) for i in (4, 5)]
    out = f"""# Counters of one simulated GPU, predictions for another

Written by `tools/dev/other_gpus.py run` and `tools/dev/other_gpus.py table`; do not edit.

The reference of `gpuproj run ./app --ref X --target Y` need not be there, and so its choice should not matter. Here each
kernel is simulated on {len(GPUS)} GPUs, from Fermi to Ada, and predicted on all of them by `calibrated`: on Y from the
counters that Y itself has, and from those of another GPU X. The difference of the two is the error that X makes, whatever
else the model may be off by; no measured time is involved. *Counters alone*: what any profiler of X gives. *With other_gpus*:
with what the engine adds of other GPUs ([simulation.md](simulation.md#other-gpus)).

{len(kernels)} kernels of {len({k[0] for k in kernels})} programs, {len(rows)} pairs. Mean |ln(from X / from Y)|, macro over
kernels: **{macro[0]:.3f}** from counters alone, **{macro[1]:.3f}** with other_gpus; within 10 %: {within[0]:.0%} and {within[1]:.0%} of the
pairs.

What is left is mostly L1 from Fermi: an SM there holds fewer threads than one of Volta, so that strided loads probably
find more in an L1 of the same size (kmeans, hybridsort), and pages of DRAM, which are counted behind the L2 of the
simulated GPU alone (kmeans' invert_mapping, hybridsort's mergeSortPass).

## By pair of GPUs

Mean |ln| of counters alone / with other_gpus; rows are X, columns Y.

| | {" | ".join(GPUS)} |
|---|{"---|" * len(GPUS)}
"""
    for x in GPUS:
        cells = []
        for y in GPUS:
            pair = [r for r in rows if r[2] == x and r[3] == y]
            cells.append("" if not pair else "{:.2f} / {:.2f}".format(*(mean_abs([r[i] for r in pair]) for i in (4, 5))))
        out += f"| {x} | {' | '.join(cells)} |\n"
    out += "\n" + ", ".join(f"{short}: {gpu}" for short, gpu in GPUS.items()) + ".\n"
    out += """
## By kernel

Mean |ln| over pairs, and the pair that is worst with other_gpus.

| program | kernel | counters alone | with other_gpus | worst |
|---|---|---|---|---|
"""
    for name, kernel in kernels:
        of = [r for r in rows if r[:2] == (name, kernel)]
        worst = max(of, key=lambda r: abs(r[5]))
        short = kernel.split("(")[0]
        out += (f"| {name} | {short} | {mean_abs([r[4] for r in of]):.3f} | {mean_abs([r[5] for r in of]):.3f} | "
                f"{worst[2]} to {worst[3]} {worst[5]:+.2f} |\n")
    if options.output:
        options.output.write_text(out)
    else:
        print(out)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    runs = verbs.add_parser("run")
    runs.add_argument("rodinia", type=pathlib.Path)
    runs.add_argument("data", type=pathlib.Path)
    runs.add_argument("profiles", type=pathlib.Path)
    runs.add_argument("--nvcc11", required=True)
    runs.add_argument("--only")
    runs.add_argument("--timeout", type=int, default=900)
    tables = verbs.add_parser("table")
    tables.add_argument("profiles", type=pathlib.Path)
    tables.add_argument("-o", "--output", type=pathlib.Path)
    for verb in (runs, tables):
        verb.add_argument("--gpuproj", type=pathlib.Path, default=ROOT / "build" / "gpuproj")
    options = parser.parse_args()
    return run(options) if options.verb == "run" else table(options)


if __name__ == "__main__":
    sys.exit(main())
