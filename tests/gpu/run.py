#!/usr/bin/env python3
"""Everything about profiling that needs a GPU, in one run: tests/gpu/run.py --build build -o DIRECTORY [STEP...]

Writes DIRECTORY/log.txt (all that was run, all that came out), the profiles and the vendor tools' CSV files. Steps, in
this order; one that fails, or hangs, does not keep the others from running:
  machine    GPU, driver, doctor, the passes planned
  counts     the examples under CUPTI: floating-point operations exactly as by arithmetic, DRAM bytes within 5 % where
             the data is far larger than the L2; overhead: time of the profiled run over that of the plain one
  times      durations against CUDA events within 2 %, of launches of some milliseconds
  ncu        the same programs under ncu: each counter that both have within 1 %, the times within a factor of 2, overhead
  nvprof     the same under nvprof, on GPUs before compute capability 7.5
  filter     -k counts only the launches that were asked for
  files      CSV files of ncu for the importers' tests on every machine, and what import makes of them
  programs   every test program under CUPTI: its own check passes, its kernels are counted
Ends with exit code 1 if any check failed, 77 without a GPU. --limit SECONDS: steps that would begin later are left out,
and the log says so. What was seen on which GPU: docs/profilers.md.
"""
import argparse
import glob
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import traceback

SCREEN = 240  # characters of a line on the screen; the log has all
SIZE = 1 << 27  # elements of vector_add: three arrays of 512 MiB; an L2 of 60 MB was seen to write 5 % of half of it for others

# Program of examples/ and its words -> what it does by arithmetic from its source.
EXAMPLES = {
    "matrix_multiply": ([], {"fp32_op": 2 * 1280 * 640 * 640}),
    "vector_add": (["--size", str(SIZE)], {"fp32_op": SIZE, "read_byte": 2 * 4 * SIZE, "write_byte": 4 * SIZE}),
    "red_black_sor": ([], {}),
}


class Log:
    """Everything goes to the file as it comes; the screen gets the ends of long outputs."""

    def __init__(self, directory):
        self.file = (directory / "log.txt").open("w")
        self.failed = []
        self.checked = 0

    def write(self, text):
        print(text, file=self.file, flush=True)

    def say(self, text):
        print(text, flush=True)
        self.write(text)

    def check(self, what, holds, seen):
        self.checked += 1
        if not holds:
            self.failed.append(what)
        self.say(f"{'ok    ' if holds else 'FAILED'} {what}: {seen}")


class Result:
    def __init__(self, status, out, seconds):
        self.status, self.out, self.seconds = status, out, seconds


class Bench:
    def __init__(self, arguments, log):
        self.build = arguments.build.resolve()
        self.output = arguments.output.resolve()
        self.gpuproj = self.build / "gpuproj"
        self.log = log
        self.timeout = arguments.timeout
        self.programs = arguments.programs
        self.plain = {}  # example -> seconds of its plain run
        self.profiles = {}  # example -> kernels as CUPTI counted them
        self.capability = None

    def run(self, *words, timeout=None):
        """The exit code (None: it could not be started, or was ended after the time), all output, and the seconds."""
        words = [str(word) for word in words]
        limit = timeout or self.timeout
        self.log.say("$ " + " ".join(words))
        begin = time.monotonic()
        try:
            process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                       text=True, errors="replace", start_new_session=True)
        except OSError as problem:
            self.log.say(f"    not started: {problem}")
            return Result(None, "", 0.0)
        try:
            out, _ = process.communicate(timeout=limit)
            status = process.returncode
        except subprocess.TimeoutExpired:
            # The tool and the program under it.
            os.killpg(process.pid, signal.SIGKILL)
            out, _ = process.communicate()
            status = None
        seconds = time.monotonic() - begin
        lines = out.splitlines()
        for line in lines:
            self.log.write("    " + line)
        for line in lines[-12:]:
            print("    " + line[:SCREEN], flush=True)
        ended = f"exit {status}" if status is not None else f"ended after {limit} s"
        self.log.say(f"    {ended}, {seconds:.2f} s")
        return Result(status, out, seconds)

    def example(self, name):
        """The program of an example; none, and told, where it was not built."""
        program = self.build / "examples" / name
        if program.exists():
            return program
        self.log.say(f"left out: {program} is not built")
        return None

    def profile(self, name, collector, program, words, options=()):
        """The kernels of a profile made by a collector, and how long it took; none, and a failed check, where it is not
        made."""
        file = self.output / f"{name}.{collector}.json"
        file.unlink(missing_ok=True)
        done = self.run(self.gpuproj, "profile", "--collector", collector, "-f", "-o", file, *options, "--", program, *words)
        made = done.status == 0 and file.exists()
        self.log.check(f"{name}: --collector {collector}", made, f"exit {done.status}")
        return (kernels(file) if file.exists() else None), done.seconds


def kernels(file):
    return {kernel["kernel"]: kernel for kernel in json.loads(file.read_text())["kernels"]}


def operations(metrics):
    if "thread_inst_fp32" not in metrics or "thread_inst_fp32_fma" not in metrics:
        return None
    return metrics["thread_inst_fp32"] + metrics["thread_inst_fp32_fma"]


def vendor_tool(name):
    """In PATH, or where NVIDIA's packages put it."""
    places = ["/usr/local/cuda*/bin/", "/opt/nvidia/nsight-compute/*/", "/usr/lib/nsight-compute/"]
    found = [file for place in places for file in sorted(glob.glob(place + name), reverse=True)]
    return shutil.which(name) or (found[0] if found else None)


def machine(bench):
    smi = shutil.which("nvidia-smi")
    if smi:
        asked = "name,compute_cap,driver_version,clocks.sm,clocks.mem,ecc.mode.current,mig.mode.current,memory.total"
        done = bench.run(smi, f"--query-gpu={asked}", "--format=csv,noheader")
        if done.status == 0 and done.out.count(",") >= 2:
            bench.capability = done.out.splitlines()[0].split(",")[1].strip()
        bench.run(smi, "-q", "-d", "CLOCK,PERFORMANCE")
    doctor = bench.run(bench.gpuproj, "doctor")
    bench.log.check("doctor runs", doctor.status is not None, f"exit {doctor.status}")
    bench.run(bench.gpuproj, "profile", "--dry-run")


def counts(bench):
    log = bench.log
    for name, (words, expected) in EXAMPLES.items():
        program = bench.example(name)
        if program is None:
            continue
        plain = [bench.run(program, *words) for _ in range(3)]
        log.check(f"{name} runs on this GPU", all(done.status == 0 for done in plain), plain[-1].status)
        bench.plain[name] = max(1e-9, min(done.seconds for done in plain))
        mine, seconds = bench.profile(name, "cupti", program, words)
        if mine is None:
            continue
        bench.profiles[name] = mine
        log.say(f"       {name}: overhead {seconds / bench.plain[name]:.2f} x of {bench.plain[name]:.2f} s, all runs together")
        log.check(f"{name}: kernels were counted", mine and all(k["metrics"] for k in mine.values()), ", ".join(mine))
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
        bench.run(bench.gpuproj, "predict", bench.output / f"{name}.cupti.json", "--target", "K20c,A100 PCIe 80GB")


def times(bench):
    program = bench.build / "tests/gpu/event_times"
    if not program.exists():
        bench.log.say(f"left out: {program} is not built")
        return
    file = bench.output / "event_times.cupti.json"
    file.unlink(missing_ok=True)
    done = bench.run(bench.gpuproj, "profile", "--collector", "cupti", "-f", "-o", file, "--", program)
    line = next((line.split() for line in done.out.splitlines() if line.startswith("scale ")), None)
    bench.log.check("event_times under CUPTI", done.status == 0 and line is not None and file.exists(), f"exit {done.status}")
    if line is None or not file.exists():
        return
    # The program printed while it was only timed: both are of the same launches.
    launches, by_events = int(line[1]), float(line[2])
    timed = [k for k in json.loads(file.read_text())["kernels"] if k["launches"] == launches]
    bench.log.check("event_times: its launches", len(timed) == 1 and "duration" in timed[0], len(timed))
    if len(timed) == 1 and "duration" in timed[0]:
        by_cupti = timed[0]["duration"]["sum_s"]
        bench.log.check("durations against CUDA events", abs(by_cupti / by_events - 1) <= 0.02,
                        f"{by_cupti:.6g} s, events {by_events:.6g} s")


def compare(log, name, mine, theirs, tool):
    """Every counter that both have, within 1 %; those that change from run to run are only told."""
    changing = ("dram", "l2_", "l1_", "utilization", "occupancy", "bank_conflict")
    for kernel, record in mine.items():
        other = theirs.get(kernel)
        if other is None:
            log.check(f"{name}: {kernel} is in {tool}'s profile", False, ", ".join(theirs))
            continue
        if "duration" in record and "duration" in other:
            ratio = record["duration"]["sum_s"] / other["duration"]["sum_s"]
            log.check(f"{name}: time of {kernel} over {tool}'s", 0.5 <= ratio <= 2, f"{ratio:.3f}")
        for field, value in record["metrics"].items():
            reference = other["metrics"].get(field)
            if reference is None:
                continue
            error = abs(value - reference) / max(abs(reference), 1e-9) if reference else abs(value)
            text = f"{value:.6g}, {tool} {reference:.6g}"
            if any(word in field for word in changing):
                log.say(f"       {name}: {field}: {text}")
            else:
                log.check(f"{name}: {field} as {tool} counts it", error <= 0.01, text)


def other_collector(bench, collector):
    tool = vendor_tool(collector)
    if tool is None:
        bench.log.say(f"left out: {collector} is not installed")
        return
    for name, (words, _) in EXAMPLES.items():
        program = bench.example(name)
        if program is None:
            continue
        theirs, seconds = bench.profile(name, collector, program, words)
        if name in bench.plain:
            bench.log.say(f"       {name}: overhead of {collector} {seconds / bench.plain[name]:.2f} x")
        if theirs is not None and name in bench.profiles:
            compare(bench.log, name, bench.profiles[name], theirs, collector)


def ncu(bench):
    other_collector(bench, "ncu")


def nvprof(bench):
    if bench.capability is not None and float(bench.capability) >= 7.5:
        bench.log.say(f"left out: nvprof does not know compute capability {bench.capability}")
        return
    other_collector(bench, "nvprof")


def launch_filter(bench):
    program = bench.example("red_black_sor")
    if program is None or not bench.profiles.get("red_black_sor"):
        bench.log.say("left out: red_black_sor was not profiled")
        return
    every = bench.profiles["red_black_sor"]
    first = next(iter(every))
    base = first.split("(")[0].split("<")[0].split()[-1]
    some, _ = bench.profile("filter", "cupti", program, [], ["-k", base])
    if some is not None:
        bench.log.check("-k keeps the kernel that was asked for", set(some) == {k for k in every if base in k},
                        f"{', '.join(some)} of {', '.join(every)}")


def files(bench):
    tool = vendor_tool("ncu")
    if tool is None:
        bench.log.say("left out: ncu is not installed")
        return
    for name, (words, _) in EXAMPLES.items():
        program = bench.example(name)
        if program is None:
            continue
        for page in ("raw", "details"):
            csv = bench.output / f"{name}.{page}.csv"
            csv.unlink(missing_ok=True)
            bench.run(tool, "--csv", "--page", page, "--set", "full", "--clock-control", "none", "--log-file", csv, program,
                      *words)
            if not csv.exists():
                bench.log.check(f"{name}: ncu wrote its {page} page", False, csv)
                continue
            done = bench.run(bench.gpuproj, "import", "-f", csv, "-o", csv.with_suffix(".json"))
            # A file without the GPU's name wants --ref: told, and no failure.
            bench.log.check(f"{name}: import of ncu's {page} page", done.status == 0 or "--ref" in done.out, done.status)


def programs(bench):
    folder = bench.build / "tests/programs"
    found = sorted(file for file in folder.glob("*") if file.is_file() and os.access(file, os.X_OK) and not file.suffix)
    if bench.programs:
        found = [file for file in found if file.name in bench.programs]
    if not found:
        bench.log.say(f"left out: no programs in {folder}")
    for program in found:
        plain = bench.run(program, timeout=60)
        if plain.status != 0:
            bench.log.say(f"left out: {program.name} does not pass on this GPU by itself")
            continue
        bench.profile(program.name, "cupti", program, [])


STEPS = {"machine": machine, "counts": counts, "times": times, "ncu": ncu, "nvprof": nvprof, "filter": launch_filter,
         "files": files, "programs": programs}


def has_gpu():
    smi = shutil.which("nvidia-smi")
    if smi and subprocess.run([smi, "-L"], capture_output=True).returncode == 0:
        return True
    return pathlib.Path("/dev/nvidia0").exists()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", nargs="*", metavar="STEP", help=", ".join(STEPS))
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--timeout", type=float, default=180, help="seconds after which a command is ended")
    parser.add_argument("--limit", type=float, default=1500, help="seconds after which no step begins")
    parser.add_argument("--programs", type=lambda text: text.split(","), default=[], metavar="A,B",
                        help="only these test programs")
    parser.add_argument("--even-without-gpu", action="store_true", help="to try this script")
    arguments = parser.parse_args()
    unknown = [step for step in arguments.steps if step not in STEPS]
    if unknown:
        parser.error(f"no step {', '.join(unknown)}; there are {', '.join(STEPS)}")
    if not has_gpu() and not arguments.even_without_gpu:
        print("SKIPPED: no NVIDIA GPU")
        sys.exit(77)
    arguments.output.mkdir(parents=True, exist_ok=True)
    log = Log(arguments.output)
    bench = Bench(arguments, log)
    begin = time.monotonic()
    for name in arguments.steps or STEPS:
        if time.monotonic() - begin > arguments.limit:
            log.say(f"left out: step {name}: {arguments.limit:.0f} s are over")
            continue
        log.say(f"\n== {name}")
        try:
            STEPS[name](bench)
        except Exception:  # pylint: disable=broad-except
            # A step that breaks must not cost the others.
            log.check(f"step {name} ends in order", False, "\n" + traceback.format_exc())
    log.say(f"\n{log.checked} checks, {len(log.failed)} failed, {time.monotonic() - begin:.0f} s")
    for what in log.failed:
        log.say(f"  {what}")
    sys.exit(1 if log.failed else 0)


if __name__ == "__main__":
    main()
