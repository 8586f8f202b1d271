#!/usr/bin/env python3
"""Runs a CUDA program as three ranks under mpirun, with gpuproj inside and outside, on the simulated GPU.

Inside (mpirun gpuproj profile) every rank writes its profile, named by its rank, and `gpuproj merge` makes one of them.
Outside (gpuproj profile mpirun) one profile has the launches of all ranks. Both must hold the same counters.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

RANKS = 3


def run(*words):
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.returncode}\n{done.stdout}{done.stderr}")


def kernels(file):
    profile = json.loads(file.read_text())
    return [{key: kernel[key] for key in ("kernel", "grid", "block", "launches", "metrics")}
            for kernel in profile["kernels"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpuproj", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--application", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    for tool, what in ((arguments.mpirun, "no mpirun"), (arguments.application, "no example program")):
        if not os.access(tool, os.X_OK):
            print(f"SKIPPED: {what}")
            sys.exit(77)
    mpirun = [arguments.mpirun, "-np", str(RANKS), "--oversubscribe"]
    with tempfile.TemporaryDirectory() as directory:
        tmp = pathlib.Path(directory)
        run(*mpirun, arguments.gpuproj, "profile", "--ref", "GTX480", "-o", f"{tmp}/p.%q{{OMPI_COMM_WORLD_RANK}}.json", "--",
            arguments.application)
        ranks = [tmp / f"p.{rank}.json" for rank in range(RANKS)]
        for file in ranks:
            assert kernels(file) == kernels(ranks[0]), f"{file} differs from rank 0"
        run(arguments.gpuproj, "merge", *ranks, "-o", tmp / "inside.json")
        run(arguments.gpuproj, "profile", "--ref", "GTX480", "-o", tmp / "outside.json", "--", *mpirun, arguments.application)
        inside, outside, one = (kernels(file) for file in (tmp / "inside.json", tmp / "outside.json", ranks[0]))
        assert [k["launches"] for k in inside] == [RANKS * k["launches"] for k in one], inside
        assert [k["metrics"]["warp_inst"] for k in inside] == [RANKS * k["metrics"]["warp_inst"] for k in one], inside
        assert [k["launches"] for k in outside] == [k["launches"] for k in inside], outside
        assert [k["metrics"]["warp_inst"] for k in outside] == [k["metrics"]["warp_inst"] for k in inside], outside
        print(f"{RANKS} profiles of {len(one)} kernels, and two of all")


if __name__ == "__main__":
    main()
