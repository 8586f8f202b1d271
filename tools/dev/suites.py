#!/usr/bin/env python3
"""Tries the engine on the programs of public CUDA suites, unmodified, and says how each one ends.

    tools/dev/suites.py run CHECKOUTS -o RESULTS.tsv [--suite NAME] [--only PROGRAM,...] [--timeout SECONDS]
                        [--nvcc NVCC] [--nvcc11 NVCC] [--work FOLDER] [--gpuproj PROGRAM] [--ref GPU]
    tools/dev/suites.py table RESULTS.tsv

CHECKOUTS holds one folder per suite, by the name of its repository: cuda-samples (NVIDIA), shoc (vetter), altis
(utcs-scea), polybenchGpu (sgrauerg), Parboil (abduld), XSBench and RSBench (ANL-CESAR), chai (chai-benchmarks),
Hetero-Mark (NUCAR-DEV), LULESH and LULESH-2.0.2-dev (two branches of LLNL), Kernels (ParRes),
professional-cuda-c-programming (deeperlearning), cuda-training-series (olcf), code-samples (NVIDIA-developer-blog) and, as
cuda-by-example, the book's (CodedK); those that are not there are left out.
suite_programs says how their programs are built and run. Nothing is written into the checkouts: it is done in folders
of links below --work. Suites of before CUDA 12 are built by --nvcc11 (CUDA 11). tools/dev/rodinia.py does the like for
Rodinia.

How a program ends:
    verified   its own check of the results says that they are right
    ended      ended as it should, and checks nothing
    wrong      its own check failed, or it ended with an error
    fault      the engine stopped a kernel
    refused    by name
    slow       not done in time
    waived     says itself that it cannot run here (a second GPU, a feature of the GPU)
    no kernel  launched nothing
    not built  does not compile here
"""
import argparse
import collections
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import time

from suite_programs import SUITES

ROOT = pathlib.Path(__file__).resolve().parents[2]


# ---- building and running

WRONG = re.compile(r"\bfail|\bmismatch|does not match|not match|incorrect|NOT passed|CUDA error|^error\b", re.IGNORECASE)
RIGHT = re.compile(r"pass(ed)?\b|succe(ss|eded)|\bmatch(es|ing)?\b|\bcorrect(ly)?\b|verified|verification|returned OK|\bOK\b|validates|"
                   r"L1.?(norm|error)|failed as expected|: 0$", re.IGNORECASE)
NO_CHECK = re.compile(r"^Pass \d+:(?!.*\bPassed)|both: 0$|^Does GPU value|\bpass: 0|uccessfully (wrote|read|loaded)")
HARMLESS = re.compile(r"no error|\b0 (failed|failures?|errors?)|(errors|failed|failures):? 0\b|without error|=0 fail|"
                      r"failed as expected.*|generate assertion failures|of bytes mismatched|Assertion `gtid < N` failed", re.IGNORECASE)


def link_files(folder, work):
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for entry in folder.iterdir():
        (work / entry.name).symlink_to(entry.resolve())


def build(program, work, options):
    """None, or why it does not compile."""
    place = work / program.suite / program.name
    made = place / program.executable
    if made.exists() and not options.again:
        return None
    if program.old and not options.nvcc11:
        return "no nvcc 11 was named"
    link_files(program.folder, place)
    for name, content in program.files.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    for header in program.headers:
        for found in (options.include / header, options.include / "cccl" / header):
            if found.exists() and not (place / header).exists():
                (place / header).symlink_to(found)
    made.unlink(missing_ok=True)
    modern = [options.nvcc, *(f"-L{folder}" for folder in options.libraries)]
    older = [options.nvcc11, "-Wno-deprecated-gpu-targets"]
    compilers = {True: [older], False: [modern], None: [modern, older] if options.nvcc11 else [modern]}[program.old]
    problems = [compile_by(call, program, place) for call in compilers[:1]]
    if problems[0] is not None and len(compilers) > 1:
        problems.append(compile_by(compilers[1], program, place))
    if None not in problems:
        return problems[0]
    if program.twin:
        done = subprocess.run(["timeout", "400", "gcc", *program.twin], cwd=place, capture_output=True, text=True,
                              errors="replace")
        if done.returncode != 0:
            made.unlink()
            return "the version for the CPU: " + first_error(done.stderr)
    return None


def first_error(text):
    lines = text.strip().splitlines()
    return next((line for line in lines if "error" in line or "cannot find" in line or "undefined" in line),
                (lines or ["?"])[0])[:200]


def compile_by(call, program, place):
    """None, or the first error."""
    for words in program.builds:
        words = [program.executable if word == "app" else word for word in words]
        done = subprocess.run(["timeout", "900", *call, *words], cwd=place, capture_output=True, text=True,
                              errors="replace")
        if done.returncode != 0:
            return first_error(done.stderr + done.stdout)
    return None


def numbers_of(content, kind):
    if kind == "floats":
        return struct.unpack(f"<{len(content) // 4}f", content[:len(content) // 4 * 4])
    return [float(word) for word in content.split()]


def agrees_with_twin(program, place, words, text):
    """Whether the version for the CPU finds the same: in what it prints (a pattern) or in its output file."""
    done = subprocess.run(["timeout", "300", "./twin", *(word if word != "out" else "out.twin" for word in words)],
                          cwd=place, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    if program.same not in ("bytes", "floats", "text"):
        mine, theirs = (re.findall(program.same, output) for output in ("\n".join(text), done.stdout + done.stderr))
        return bool(mine) and mine == theirs
    mine, theirs = ((place / name).read_bytes() if (place / name).exists() else b"" for name in ("out", "out.twin"))
    if program.same == "bytes" or not mine or not theirs:
        return bool(mine) and mine == theirs
    mine, theirs = numbers_of(mine, program.same), numbers_of(theirs, program.same)
    largest = max(map(abs, theirs))
    return len(mine) == len(theirs) and all(abs(a - b) <= 1e-3 * largest for a, b in zip(mine, theirs))


def verdict(status, text, command_text):
    """(how it ended, why)"""
    ours = [line[9:] for line in command_text if "simulating" not in line and "profile written" not in line]
    why = " | ".join(ours)
    telling = [line.strip() for line in text if WRONG.search(HARMLESS.sub("", line))]
    checks = [line.strip() for line in text if RIGHT.search(line) and not NO_CHECK.search(line.strip())]
    if status in (124, 137) or "interrupted" in why:
        return "slow", why
    if any(word in why for word in ("not simulated", "cannot be simulated", "what can be simulated", "not supported",
                                    "is not defined in this module")):
        return "refused", why
    if "launched no kernel" in why:
        return "no kernel", why
    if "; kernels counted until then" in why and "ended with exit code" not in why:
        # A program may want it: the SDK's simpleAssert says that all is well.
        return ("verified", checks[-1][:120]) if checks and not telling else ("fault", why)
    if status == 2 and any(re.search("waiv|two or more|requir|skipping", line, re.IGNORECASE) for line in text):
        return "waived", " | ".join(text[-2:])[:200]
    if status != 0:
        return "wrong", (why + " ## " + " | ".join((telling or text)[-3:]))[:400]
    if telling:
        return "wrong", " | ".join(telling[-3:])[:300]
    return ("verified", checks[-1][:120]) if checks else ("ended", " | ".join(text[-1:])[:120])


ORDER = ["verified", "ended", "waived", "no kernel", "slow", "refused", "fault", "wrong", "not built"]


def run_program(program, work, options):
    place = (work / program.suite / program.name).resolve()
    worst, why_worst, spent = "verified", "", 0.0
    for words in program.runs:
        reference = options.ref or ("GTX480" if program.old else "RTX2080Ti")
        call = [str(options.gpuproj), "profile", "--ref", reference, "-f", "-o", str(place / "profile.json"),
                *program.options, "--", str(place / program.executable), *words]
        begun = time.monotonic()
        done = subprocess.run(["timeout", "-k", "5", str(options.timeout), *call], cwd=place, capture_output=True,
                              text=True, errors="replace", stdin=subprocess.DEVNULL)
        spent += time.monotonic() - begun
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        (place / "output.txt").write_text("\n".join(lines))
        text = [line for line in lines if not line.startswith("gpuproj:")]
        how, why = verdict(done.returncode, text, [line for line in lines if line.startswith("gpuproj:")])
        why = why[:400]
        if program.twin and how in ("verified", "ended", "wrong") and done.returncode < 128:
            same = agrees_with_twin(program, place, words, text)
            how, why = ("verified", "as the version for the CPU") if same else ("wrong", "not as the version for the CPU")
        if ORDER.index(how) >= ORDER.index(worst):
            worst, why_worst = how, why
        if ORDER.index(worst) >= ORDER.index("slow"):
            break
    return worst, why_worst, spent


def run(options):
    work = options.work.resolve()
    only = options.only.split(",") if options.only else None
    done = set()
    if options.go_on and options.output.exists():
        done = {tuple(line.split("\t")[:3]) for line in options.output.read_text().splitlines()}
    with options.output.open("a") as output:
        for suite, programs in SUITES.items():
            root = (options.checkouts / suite).resolve()
            if not root.exists() or (options.suite and suite != options.suite):
                continue
            for program in programs(root):
                if only and program.name not in only or options.group and options.group not in program.group:
                    continue
                if (suite, program.group, program.name) in done:
                    continue
                problem = build(program, work, options)
                how, why, spent = ("not built", problem, 0.0) if problem else run_program(program, work, options)
                why = why.replace("\t", " ").replace(str(work), "")
                line = "\t".join([suite, program.group, program.name, how, f"{spent:.0f}", why])
                print(line, flush=True)
                output.write(line + "\n")
                output.flush()
    return 0


# ---- the table

def table(options):
    latest = {}
    for line in options.results.read_text().splitlines():
        suite, group, name, how, seconds, why = (line.split("\t") + [""] * 6)[:6]
        if how == "slow" and (suite, group, name) in latest:
            continue  # it was done when the machine had less to do
        latest[suite, group, name] = (how, seconds, why)
    groups = collections.defaultdict(lambda: collections.defaultdict(list))
    for (suite, group, name), (how, _, _) in sorted(latest.items()):
        groups[suite, group][how].append(name)
    print("| suite | programs | verified | ended | not |\n|---|---|---|---|---|")
    for (suite, group), by in groups.items():
        others = "; ".join(f"{how}: {', '.join(by[how])}" for how in ORDER[2:] if by[how])
        print(f"| {suite} {group} | {sum(map(len, by.values()))} | {len(by['verified'])} | {len(by['ended'])} | "
              f"{others} |")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    running = verbs.add_parser("run")
    running.add_argument("checkouts", type=pathlib.Path)
    running.add_argument("-o", "--output", type=pathlib.Path, required=True)
    running.add_argument("--suite")
    running.add_argument("--group", help="a part of the suite, for instance 0_Introduction")
    running.add_argument("--only")
    running.add_argument("--timeout", type=int, default=100)
    running.add_argument("--go-on", action="store_true", help="leave out what RESULTS.tsv has already")
    running.add_argument("--nvcc", default="nvcc")
    running.add_argument("--nvcc11")
    running.add_argument("--again", action="store_true", help="build what is built already")
    running.add_argument("--libraries", nargs="*", default=["/usr/local/cuda/lib64", "/usr/local/cuda/lib64/stubs"])
    running.add_argument("--include", type=pathlib.Path, default=pathlib.Path("/usr/local/cuda/include"))
    running.add_argument("--work", type=pathlib.Path, default=pathlib.Path("suites-work"))
    running.add_argument("--gpuproj", type=pathlib.Path, default=ROOT / "build/gpuproj")
    running.add_argument("--ref")
    running.set_defaults(do=run)
    telling = verbs.add_parser("table")
    telling.add_argument("results", type=pathlib.Path)
    telling.set_defaults(do=table)
    options = parser.parse_args()
    if options.verb == "run":
        options.gpuproj = options.gpuproj.resolve()
    return options.do(options)


if __name__ == "__main__":
    sys.exit(main())
