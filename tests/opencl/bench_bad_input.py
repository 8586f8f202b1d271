#!/usr/bin/env python3
"""What `gpuproj targets bench` says where it cannot measure, and that nothing is stored then.

usage: bench_bad_input.py GPUPROJ
exit codes: 0, 1 (something else was said or stored), 77 (no OpenCL device here)"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

failures = []


def expect(what, condition, said=""):
    print(f"{'ok' if condition else 'NOT'} {what}")
    if not condition:
        failures.append(f"{what}: {said}")


def main():
    gpuproj = sys.argv[1]
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        environment = dict(os.environ, TMPDIR=str(directory), XDG_CONFIG_HOME=str(directory))

        def bench(*words, **changed):
            return subprocess.run([gpuproj, "targets", "bench", "--interface", "opencl", *words], capture_output=True,
                                  text=True, env=dict(environment, **changed), check=False)

        if not json.loads(bench("--list", "--json").stdout or "{}"):
            print("SKIPPED: no OpenCL device")
            return 77

        none = bench(OCL_ICD_VENDORS=str(directory / "nowhere"))
        expect("no device", none.returncode == 1 and "no OpenCL device; is its driver" in none.stderr, none.stderr)
        listed = bench("--list", OCL_ICD_VENDORS=str(directory / "nowhere"))
        expect("no device to list", listed.returncode == 0 and "no OpenCL device" in listed.stderr, listed.stderr)
        wrong = bench("--device", "99", "-o", str(directory / "wrong.json"))
        expect("wrong index", wrong.returncode == 2 and "no OpenCL device 99; there" in wrong.stderr, wrong.stderr)
        unknown = bench("--compare", "GTX 971")
        expect("unknown GPU to compare with", unknown.returncode == 2 and "GTX 970" in unknown.stderr, unknown.stderr)
        (directory / "there.json").write_text("mine")
        there = bench("-o", str(directory / "there.json"))
        expect("a file that is there", there.returncode == 1 and (directory / "there.json").read_text() == "mine")

        stopped = subprocess.Popen([gpuproj, "targets", "bench", "--interface", "opencl", "-o",
                                    str(directory / "stopped.json"), "--raw", str(directory / "raw.json")],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                                   start_new_session=True)
        time.sleep(3)
        os.killpg(stopped.pid, signal.SIGINT)
        stopped.communicate(timeout=60)
        expect("stopped while measuring", stopped.returncode == 130, stopped.returncode)
        left = sorted(path.name for path in directory.iterdir() if path.is_file())
        expect("nothing is stored", left == ["there.json"], left)
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
