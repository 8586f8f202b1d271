#!/usr/bin/env python3
"""Tries the engine on the programs of public CUDA suites, unmodified, and says how each one ends.

    tools/dev/suites.py run CHECKOUTS -o RESULTS.tsv [--suite NAME] [--only PROGRAM,...] [--timeout SECONDS]
                        [--nvcc NVCC] [--nvcc11 NVCC] [--work FOLDER] [--gpuproj PROGRAM] [--ref GPU]
    tools/dev/suites.py table RESULTS.tsv

CHECKOUTS holds one folder per suite: cuda-samples (NVIDIA), shoc (vetter), altis (utcs-scea), polybenchGpu (sgrauerg);
those that are not there are left out. Nothing is written into them: programs are built and run in folders of links below
--work. Suites of before CUDA 12 are built by --nvcc11 (CUDA 11). tools/dev/rodinia.py does the like for Rodinia.

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
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Program:
    suite: str
    name: str
    folder: pathlib.Path  # its files are linked into where it is built and run
    builds: list  # what nvcc is given, one list per call
    runs: list = dataclasses.field(default_factory=lambda: [[]])  # arguments
    old: bool = False  # by nvcc 11
    options: list = dataclasses.field(default_factory=list)  # of gpuproj
    group: str = ""
    executable: str = "app"
    files: dict = dataclasses.field(default_factory=dict)  # made beside it: name and text
    headers: list = dataclasses.field(default_factory=list)  # of the toolkit, wanted beside the program


# ---- the suites

def samples(root):
    """As the CMakeLists.txt of each says; arguments from the suite's own test_args.json."""
    arguments = json.loads((root / "test_args.json").read_text()) if (root / "test_args.json").exists() else {}
    for text_file in sorted(root.glob("Samples/[0-6]_*/*/CMakeLists.txt")):
        folder, text = text_file.parent, text_file.read_text()
        name = folder.name
        known = dict(re.findall(r'set\((CUDA_\w+) "\$\{CMAKE_CURRENT_\w+_DIR\}/([^"]+)"\)', text))
        target = re.search(r"add_executable\(\s*\S+([^)]*)\)", text)
        if not target:
            continue
        sources = [str((folder / word).resolve()) if word.startswith("..") else word
                   for word in target.group(1).split() if word.endswith((".cu", ".cpp", ".c"))]
        asked = sorted(set(re.findall(r"CUDA::(\w+)", text)))
        libraries = [f"-l{ {'cuda_driver': 'cuda'}.get(word, word)}" for word in asked
                     if word not in ("cudart", "cufft_static")]
        if "GLUT" in text:
            libraries += ["-lglut", "-lGL", "-lGLU"]
        if "OpenMP" in text:
            libraries += ["-Xcompiler", "-fopenmp"]
        rdc = ["-rdc=true", "-lcudadevrt"] if "CUDA_SEPARABLE_COMPILATION ON" in text else []
        common = ["-O3", "-std=c++17", "-arch=sm_80", "--extended-lambda", "-w", f"-I{root / 'Common'}", f"-I{folder}"]
        builds = [[*common, *rdc, *sources, "-o", "app", *libraries]]
        headers = re.findall(r"\$\{CUDA_INCLUDE_DIR\}/(?:cccl/)?([\w.]+)", text)
        for made, how, source in re.findall(r"-o \$\{(\w+)\} (-fatbin|-ptx) \$\{(\w+)\}", text):
            if made in known and source in known:
                builds.append([*common, how, known[source], "-o", known[made]])
        own = arguments.get(name, {})
        runs = [run.get("args", []) for run in own["runs"]] if "runs" in own else [own.get("args", [])]
        yield Program("cuda-samples", name, folder, builds, runs, group=folder.parent.name, executable=name,
                      headers=headers)


def shoc(root):
    common = [str(file) for file in sorted((root / "src/common").glob("*.cpp"))]
    cuda = root / "src/cuda"
    include = [f"-I{root / 'src/common'}", f"-I{cuda / 'common'}", f"-I{root / 'config'}", "-I."]
    for name, pattern in {
            "BFS": "level1/bfs", "FFT": "level1/fft", "MD": "level1/md", "MD5Hash": "level1/md5hash",
            "Reduction": "level1/reduction", "Scan": "level1/scan", "Sort": "level1/sort", "Spmv": "level1/spmv",
            "Stencil2D": "level1/stencil2d", "Triad": "level1/triad", "QTC": "level2/qtclustering",
            "S3D": "level2/s3d", "DeviceMemory": "level0/DeviceMemory.cu", "MaxFlops": "level0/MaxFlops.cu",
            "BusSpeedDownload": "level0/BusSpeedDownload.cu", "BusSpeedReadback": "level0/BusSpeedReadback.cu"}.items():
        place = cuda / pattern
        files = [place] if place.is_file() else [file for ending in ("*.cu", "*.cpp") for file in place.glob(ending)]
        sources = sorted(file.name for file in files if not file.name.startswith(("TP", "tp"))
                         and "MPI" not in file.read_text(errors="replace").upper().replace("COMPIL", ""))
        if not sources:
            sources = sorted(file.name for file in files)
        folder = place.parent if place.is_file() else place
        yield Program("shoc", name, folder,
                      [["-O3", "-w", "-arch=sm_50", *include, *sources, *common, str(cuda / "common/main.cpp"), "-o",
                        "app"]], [["-s", "1", "-n", "1"]], old=True)


def altis(root):
    src = root / "src"
    common = [*map(str, sorted((src / "common").glob("*.cpp"))), str(src / "cuda/common/main.cu")]
    include = [f"-I{src / 'common'}", f"-I{src / 'cuda/common'}", "-I."]
    for listing in sorted((src / "cuda").glob("level*/**/CMakeLists.txt")):
        text = re.sub(r"\$\{DWT_CUDA_DIR\}", "dwt_cuda", listing.read_text())
        for name, files in re.findall(r"add_library\(\s*(\w+)Lib\s([^)]*)\)", text):
            sources = [word for word in files.split() if word.endswith((".cu", ".c", ".cpp"))]
            if "darknet" in text:
                continue  # yolo: a program of its own, on cuDNN
            inside = [f"-I{word}" for word in re.findall(r"PRIVATE (\w+)\)", text)]
            libraries = [word for word in re.findall(r"-l(?:cublas|curand)", text)]
            yield Program("altis", name, listing.parent,
                          [["-O3", "-std=c++14", "-w", "-arch=sm_60", "-rdc=true", *include, *inside, *sources,
                            *common, "-o", "app", "-lcudadevrt", *libraries]],
                          [["-s", "1", "-n", "1"]], old=True, files={"config.h": "#define HAVE_GETTIMEOFDAY 1\n"})


def polybench(root):
    """With matrices of 192 where the sizes of the suite would take long; each compares with its own CPU version."""
    small = {name: 192 for name in ("2MM", "3MM", "CORR", "COVAR", "GEMM", "GRAMSCHM", "LU", "SYR2K", "SYRK")}
    for folder in sorted((root / "CUDA").iterdir()):
        if not folder.is_dir():
            continue
        files, include = {}, []
        if folder.name in small:
            header = next(folder.glob("*.cuh")).read_text()
            names = {"N"} | set(re.findall(r"#\s*define (N\w?|M)\s", header))
            # behind cuda_runtime.h, which has parameters of such names
            files["sizes.h"] = "#include <cuda.h>\n#include <cuda_runtime.h>\n" + "".join(
                f"#define {name} {small[folder.name]}\n" for name in sorted(names))
            include = ["-include", "sizes.h"]
        yield Program("polybenchGpu", folder.name, folder,
                      [["-O3", "-w", "-arch=sm_50", *include, f"-I{folder}",
                        *sorted(file.name for file in folder.glob("*.cu")), "-o", "app"]], old=True, files=files)


SUITES = {"cuda-samples": samples, "shoc": shoc, "altis": altis, "polybenchGpu": polybench}

# ---- building and running

WRONG = re.compile(r"\bfail|\bmismatch|does not match|not match|incorrect|NOT passed|CUDA error|^error\b", re.IGNORECASE)
RIGHT = re.compile(r"pass(ed)?\b|succe(ss|eded)|\bmatch(es|ing)?\b|\bcorrect(ly)?\b|verified|verification|returned OK|\bOK\b|"
                   r"L1.?(norm|error)|failed as expected|: 0$", re.IGNORECASE)
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
    for name, text in program.files.items():
        (place / name).write_text(text)
    for header in program.headers:
        for found in (options.include / header, options.include / "cccl" / header):
            if found.exists() and not (place / header).exists():
                (place / header).symlink_to(found)
    made.unlink(missing_ok=True)
    for words in program.builds:
        words = [program.executable if word == "app" else word for word in words]
        if program.old:
            call = [options.nvcc11, "-Wno-deprecated-gpu-targets"]
        else:
            call = [options.nvcc, *(f"-L{folder}" for folder in options.libraries)]
        done = subprocess.run(["timeout", "400", *call, *words], cwd=place, capture_output=True, text=True,
                              errors="replace")
        if done.returncode != 0:
            lines = (done.stderr + done.stdout).strip().splitlines()
            return next((line for line in lines if "error" in line or "cannot find" in line), (lines or ["?"])[0])[:200]
    return None


def verdict(status, text, command_text):
    """(how it ended, why)"""
    ours = [line[9:] for line in command_text if "simulating" not in line and "profile written" not in line]
    why = " | ".join(ours)[:400]
    telling = [line.strip() for line in text if WRONG.search(HARMLESS.sub("", line))]
    checks = [line.strip() for line in text if RIGHT.search(line)]
    if status in (124, 137) or "interrupted" in why:
        return "slow", why
    if any(word in why for word in ("not simulated", "cannot be simulated", "what can be simulated", "not supported")):
        return "refused", why
    if "launched no kernel" in why:
        return "no kernel", why
    if "; kernels counted until then" in why and "ended with exit code" not in why and status != 0:
        return "fault", why
    if status == 2 and any(re.search("waiv|two or more|requires", line, re.IGNORECASE) for line in text):
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
        how, why = verdict(done.returncode, [line for line in lines if not line.startswith("gpuproj:")],
                           [line for line in lines if line.startswith("gpuproj:")])
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
