"""Proxies of scientific applications, and kernels of research."""
from .program import MODERN, Program


def checked_by_twin(root, suite, name, arguments, library=()):
    """XSBench and RSBench: the checksum of the lookups, which the OpenMP version must find too."""
    cuda, cpu = root / "cuda", root / "openmp-threading"
    yield Program(suite, name, cuda, [[*MODERN, "-arch=sm_80", *sorted(file.name for file in cuda.glob("*.cu")), "-o",
                                       "app", *library]], [arguments], executable=name,
                  twin=["-O2", "-fopenmp", "-w", *map(str, sorted(cpu.glob("*.c"))), "-o", "twin", "-lm"],
                  same=r"erification checksum: *(\d+)")


def xsbench(root):
    return checked_by_twin(root, "XSBench", "xsbench", ["-m", "event", "-s", "small", "-l", "20000"])


def rsbench(root):
    return checked_by_twin(root, "RSBench", "rsbench", ["-m", "event", "-s", "small", "-l", "500", "-p", "10"])


def lulesh(root):
    """The CUDA version is of branch 2.0.2-dev, here LULESH-2.0.2-dev; its twin is of the main branch, LULESH."""
    source = root / "cuda/src"
    yield Program("LULESH", "lulesh", source, [[*MODERN, "-I.", "lulesh.cu", "lulesh-comms.cu", "lulesh-comms-gpu.cu",
                                                "allocator.cu", "-o", "app"]], [["-s", "5"]], executable="run.lulesh",
                  twin=["-O2", "-w", "-DUSE_MPI=0", *map(str, sorted((root.parent / "LULESH").glob("*.cc"))), "-o",
                        "twin", "-lm", "-lstdc++"], same=r"Final Origin Energy = *(\S+)")


def kernels_of_parallel_research(root):
    """ParRes Kernels: each validates its result."""
    runs = {"nstream-cuda": [["2", "100000"]], "nstream-managed-cuda": [["2", "100000"]],
            "p2p-cuda": [["2", "64", "64"]], "stencil-cuda": [["2", "128"]],
            "transpose-cuda": [["2", "128", str(variant)] for variant in range(4)]}
    for name, words in runs.items():
        yield Program("ParRes", name, root / "Cxx11",
                      [[*MODERN, "--extended-lambda", "-DPRK_USE_CUDA", '-DPRKVERSION="1"', "-I.",
                        f"{name}.cu", "-o", "app"]], words, executable=f"prk-{name}", old=None)


SUITES = {"XSBench": xsbench, "RSBench": rsbench, "LULESH-2.0.2-dev": lulesh, "Kernels": kernels_of_parallel_research}
