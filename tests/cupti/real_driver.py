#!/usr/bin/env python3
"""NVIDIA's own driver library, on a machine without a GPU, loads the injected library into programs and they go on as
they would without it: a program that only initialises the driver, and examples/vector_add.cu where a CUDA compiler no
newer than the driver is there (Debian 12: libcuda1 and nvidia-cuda-toolkit).

  real_driver.py INJECTED_LIBRARY VECTOR_ADD_SOURCE

$GPUPROJ_TEST_LIBCUDA is the folder of libcuda.so.1 where the loader does not find it, $GPUPROJ_TEST_NVCC the compiler.
"""
import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CUINIT = "import ctypes, sys; sys.exit(ctypes.CDLL('libcuda.so.1').cuInit(0))"
NO_DEVICE = 100  # CUDA_ERROR_NO_DEVICE


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(77)


def driver_folder():
    """Where a real libcuda.so.1 lies, not the toolkit's stub, and which CUDA it is of."""
    folders = [os.environ.get("GPUPROJ_TEST_LIBCUDA", ""), "", "/usr/lib/x86_64-linux-gnu/nvidia/current"]
    for folder in folders:
        try:
            driver = ctypes.CDLL(os.path.join(folder, "libcuda.so.1"))
        except OSError:
            continue
        version = ctypes.c_int()
        if driver.cuDriverGetVersion(ctypes.byref(version)) == 0:
            return folder, version.value // 1000
    return None


def compiler(newest):
    """An nvcc of a CUDA that the driver runs."""
    names = [os.environ.get("GPUPROJ_TEST_NVCC", ""), "nvcc", "/usr/lib/nvidia-cuda-toolkit/bin/nvcc"]
    for nvcc in filter(None, map(shutil.which, filter(None, names))):
        said = subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout
        found = re.search(r"release (\d+)\.", said)
        if found and int(found[1]) <= newest:
            return nvcc
    return None


def check(words, injected, environment, directory, expected):
    plain = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=60)
    assert plain.returncode == expected, (words, plain)
    sessions = {"none": {}, "times": {"GPUPROJ_CUPTI_MODE": "times"}, "counters": {"GPUPROJ_CUPTI_MODE": "counters"}}
    for name, mode in sessions.items():
        session = directory / name
        session.mkdir()
        with_it = {**environment, "CUDA_INJECTION64_PATH": injected, **mode}
        if mode:
            with_it["GPUPROJ_SESSION"] = str(session)
        done = subprocess.run(words, capture_output=True, text=True, env=with_it, timeout=60)
        told = (done.returncode, done.stdout, done.stderr)
        assert told == (plain.returncode, plain.stdout, plain.stderr), (name, told, plain)
        files = list(session.glob("*.jsonl"))
        assert len(files) == bool(mode), (name, files)  # outside a session it writes nothing
        for file in files:
            lines = [json.loads(line) for line in file.read_text().splitlines()]
            assert lines[0] == {"begin": "cupti"}, lines
            failures = [line["failure"]["what"] for line in lines if "failure" in line]
            assert len(failures) == 1 and failures[0].startswith("cupti"), lines
        shutil.rmtree(session)


def main():
    injected, source = sys.argv[1], pathlib.Path(sys.argv[2])
    if pathlib.Path("/proc/driver/nvidia/version").exists():
        skip("there is a driver at work: tests/gpu says more")
    found = driver_folder()
    if found is None:
        skip("no libcuda.so.1 of NVIDIA (Debian's package libcuda1; $GPUPROJ_TEST_LIBCUDA)")
    folder, cuda = found
    environment = {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(filter(None, [folder, os.environ.get("LD_LIBRARY_PATH")]))}
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        check([sys.executable, "-c", CUINIT], injected, environment, directory, NO_DEVICE)
        done = ["a program of the driver API"]
        nvcc = compiler(cuda)
        if nvcc is not None:
            program = directory / "vector_add"
            built = subprocess.run([nvcc, "-o", program, source], capture_output=True, text=True)
            if built.returncode == 0:
                check([program], injected, environment, directory, 1)
                done.append(f"{source.name} built by {nvcc}")
            else:  # an installation without its headers
                print(f"left out: {nvcc} compiles nothing here: {built.stderr.splitlines()[:1]}")
        print(f"the driver of CUDA {cuda} loads the library without harm into {' and '.join(done)}")


if __name__ == "__main__":
    main()
