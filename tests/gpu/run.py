#!/usr/bin/env python3
"""Everything about profiling that needs a GPU, in one run: tests/gpu/run.py --build build -o DIRECTORY

Writes DIRECTORY/log.txt (what was run and what came out), the profiles and the vendor tools' CSV files. Checks
  - counts of the examples against what the programs do by arithmetic: floating-point operations exactly, DRAM bytes
    within 5 % where the data is far larger than the L2;
  - each counter against ncu on the same program, within 1 %, where ncu is installed;
  - durations of the run that was only timed against the time ncu gives, which is longer at a lower clock: told, and
    checked to be within a factor of 2;
  - passes used, as --dry-run says for the chip;
  - overhead: time of the profiled run over that of the plain run, beside ncu with the same metrics.
Ends with the number of checks that failed as its exit code. Nothing here was run on a GPU yet: docs/profilers.md.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import time

SIZE = 1 << 26  # elements of vector_add: three arrays of 256 MiB, larger than any L2

# Program of examples/ and its words -> what it does by arithmetic from its source.
EXAMPLES = {
    "matrix_multiply": ([], {"fp32_op": 2 * 1280 * 640 * 640}),
    "vector_add": (["--size", str(SIZE)], {"fp32_op": SIZE, "read_byte": 2 * 4 * SIZE, "write_byte": 4 * SIZE}),
    "red_black_sor": ([], {}),
}


class Log:
    def __init__(self, directory):
        self.file = (directory / "log.txt").open("w")
        self.failed = 0
        self.checked = 0

    def say(self, text):
        print(text, flush=True)
        print(text, file=self.file, flush=True)

    def check(self, what, holds, seen):
        self.checked += 1
        self.failed += not holds
        self.say(f"{'ok    ' if holds else 'FAILED'} {what}: {seen}")


def run(log, words, **options):
    log.say("$ " + " ".join(map(str, words)))
    begin = time.monotonic()
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)
    seconds = time.monotonic() - begin
    for line in (done.stdout + done.stderr).splitlines()[-20:]:
        log.say("    " + line)
    log.say(f"    exit {done.returncode}, {seconds:.2f} s")
    return done, seconds


def kernels(file):
    return {kernel["kernel"]: kernel for kernel in json.loads(file.read_text())["kernels"]}


def operations(metrics):
    if "thread_inst_fp32" not in metrics or "thread_inst_fp32_fma" not in metrics:
        return None
    return metrics["thread_inst_fp32"] + metrics["thread_inst_fp32_fma"]


def compare(log, name, mine, theirs):
    """Every counter that both have, within 1 %; those that change from run to run are only told."""
    changing = ("dram", "l2_", "l1_", "utilization", "occupancy")
    for kernel, record in mine.items():
        other = theirs.get(kernel)
        if other is None:
            log.check(f"{name}: {kernel} is in ncu's profile", False, ", ".join(theirs))
            continue
        if "duration" in record and "duration" in other:
            ratio = record["duration"]["sum_s"] / other["duration"]["sum_s"]
            log.check(f"{name}: time of {kernel} over ncu's", 0.5 <= ratio <= 2, f"{ratio:.3f}")
        for field, value in record["metrics"].items():
            reference = other["metrics"].get(field)
            if reference is None:
                continue
            error = abs(value - reference) / max(reference, 1e-9) if reference else abs(value)
            text = f"{value:.6g}, ncu {reference:.6g}"
            if any(word in field for word in changing):
                log.say(f"       {name}: {field}: {text}")
            else:
                log.check(f"{name}: {field} as ncu counts it", error <= 0.01, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    log = Log(arguments.output)
    gpuproj = arguments.build.resolve() / "gpuproj"
    smi = shutil.which("nvidia-smi")
    if smi is None or run(log, [smi, "-L"])[0].returncode != 0:
        print("SKIPPED: no NVIDIA GPU")
        sys.exit(77)
    run(log, [smi, "--query-gpu=name,driver_version,clocks.sm,clocks.mem,ecc.mode.current", "--format=csv"])
    run(log, [gpuproj, "doctor"])

    for name, (words, expected) in EXAMPLES.items():
        program = arguments.build.resolve() / "examples" / name
        if not program.exists():
            log.say(f"left out: {program}")
            continue
        plain = min(run(log, [program, *words])[1] for _ in range(3))
        profile = arguments.output / f"{name}.cupti.json"
        done, seconds = run(log, [gpuproj, "profile", "--collector", "cupti", "-f", "-o", profile, "--", program, *words])
        log.check(f"{name}: --collector cupti", done.returncode == 0, f"exit {done.returncode}")
        if done.returncode != 0:
            continue
        log.say(f"       {name}: overhead {seconds / plain:.2f} x of {plain:.2f} s, both runs together")
        mine = kernels(profile)
        for kernel, record in mine.items():
            metrics = record["metrics"]
            if "fp32_op" in expected:
                log.check(f"{name}: fp32 operations of {kernel}", operations(metrics) == expected["fp32_op"],
                          f"{operations(metrics)}, by arithmetic {expected['fp32_op']}")
            for direction in ("read", "write"):
                sectors = metrics.get(f"dram_{direction}_sector")
                if f"{direction}_byte" in expected and sectors is not None:
                    wanted = expected[f"{direction}_byte"]
                    log.check(f"{name}: DRAM bytes {direction} by {kernel}", abs(32 * sectors / wanted - 1) <= 0.05,
                              f"{32 * sectors:.6g}, by arithmetic {wanted}")
            log.check(f"{name}: {kernel} was timed", "duration" in record, record.get("duration"))
        run(log, [gpuproj, "predict", profile, "--target", "K20c,A100"])
        if shutil.which("ncu") is None:
            log.say("left out: ncu is not installed")
            continue
        profile = arguments.output / f"{name}.ncu.json"
        done, seconds = run(log, [gpuproj, "profile", "--collector", "ncu", "-f", "-o", profile, "--", program, *words])
        log.check(f"{name}: --collector ncu", done.returncode == 0, f"exit {done.returncode}")
        log.say(f"       {name}: overhead of ncu {seconds / plain:.2f} x")
        if done.returncode == 0:
            compare(log, name, mine, kernels(profile))
        # Recorded for the importers' tests on every machine.
        for page in ("raw", "details"):
            tool = ["ncu", "--csv", "--page", page, "--set", "full", "--log-file", arguments.output / f"{name}.{page}.csv"]
            run(log, [*tool, program, *words])
            run(log, [gpuproj, "import", "-f", arguments.output / f"{name}.{page}.csv", "-o",
                      arguments.output / f"{name}.{page}.json"])
    log.say(f"{log.checked} checks, {log.failed} failed")
    sys.exit(min(log.failed, 99))


if __name__ == "__main__":
    main()
