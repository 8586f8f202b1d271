"""Proxies of scientific applications, and kernels of research."""
import graphlib
import re

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


def mini_fe(root):
    """Without MPI; compares with the analytic solution."""
    cuda = root / "cuda"
    kinds = ["-DMINIFE_SCALAR=double", "-DMINIFE_LOCAL_ORDINAL=int", "-DMINIFE_GLOBAL_ORDINAL=int",
             "-DMINIFE_ELL_MATRIX", "-DMINIFE_INFO=0", "-DMINIFE_KERNELS=0"]
    utils = [str(cuda / "utils" / f"{name}.cpp") for name in ("BoxPartition", "param_utils", "utils", "mytimer")]
    yield Program("miniFE", "miniFE", cuda / "src",
                  [["-O3", "-w", "-arch=sm_50", "-Xcompiler", "-fopenmp", *kinds, "-I.", f"-I{cuda / 'utils'}",
                    f"-I{cuda / 'fem'}", "main.cu", "CudaUtils.cu", "YAML_Doc.cpp", "YAML_Element.cpp", "nvtx.c",
                    *utils, "-o", "app"]], [["nx=6", "verify_solution=1"]], old=True, executable="miniFE.x",
                  files={"nvtx.c": "long nvtxRangeStartA(const char* name) { return 0; }\n"
                                   "int nvtxRangeEnd(long range) { return 0; }\n"})


def quicksilver(root):
    """Without MPI; its twin, the same sources for the CPU, must count the same events."""
    source = root / "src"
    problems = {}
    for name in ("Homogeneous/homogeneousProblem", "NoFission/noFission", "AllScattering/scatteringOnly"):
        text = (root / "Examples" / f"{name}.inp").read_text()
        text = re.sub(r"\bn([xyz]): *\d+", r"n\1: 4", re.sub(r"nSteps: *\d+", "nSteps: 2", text))
        problems[name.split("/")[1] + ".inp"] = re.sub(r"nParticles: *\d+", "nParticles: 5000", text)
    versions = {"git_hash.hh": '#define GIT_HASH ""\n', "git_vers.hh": '#define GIT_VERS ""\n'}
    files = sorted(file.name for file in source.glob("*.cc") if file.name != "PhysicalConstants.cc")  # an older one
    yield Program("Quicksilver", "quicksilver", source,
                  [[*MODERN, "-arch=sm_75", "-DHAVE_CUDA", "-x", "cu", "-rdc=true", "-I.", *files, "-o", "app"]],
                  [["-i", problem] for problem in problems], executable="qs", files={**versions, **problems},
                  twin=["-O2", "-w", "-std=c++14", "-I.", *files, "-o", "twin", "-lm", "-lstdc++"],
                  same=r"\n +\d+((?: +\d+){12})")


MPI_OF_ONE = {  # what CloverLeaf calls; a type is its size in bytes
    "mpif.h": "".join(f"      INTEGER, PARAMETER :: MPI_{name} = {value}\n" for name, value in {
        "COMM_WORLD": 0, "DOUBLE_PRECISION": 8, "INTEGER": 4, "SUM": 0, "MIN": 1, "MAX": 2, "STATUS_SIZE": 1}.items()),
    "mpi.c": """#include <stdlib.h>
#include <string.h>
void mpi_init_(int* error) {}
void mpi_finalize_(int* error) {}
void mpi_barrier_(int* where, int* error) {}
void mpi_abort_(int* where, int* code, int* error) { exit(1); }
void mpi_comm_rank_(int* where, int* rank, int* error) { *rank = 0; }
void mpi_comm_size_(int* where, int* size, int* error) { *size = 1; }
void mpi_reduce_(void* from, void* to, int* count, int* size) { memcpy(to, from, *count * *size); }
void mpi_allreduce_(void* from, void* to, int* count, int* size) { memcpy(to, from, *count * *size); }
void mpi_allgather_(void* from, int* count, int* size, void* to) { memcpy(to, from, *count * *size); }
void mpi_isend_(void) { abort(); }
void mpi_irecv_(void) { abort(); }
void mpi_waitall_(void) {}
"""}


def clover_leaf(root):
    """Sod's problem, and by its Fortran kernels as a twin. The Fortran files are compiled by g++, when nvcc links."""
    texts = {file.name: file.read_text().lower() for file in sorted(root.glob("*.f90"))}
    modules = {module: name for name, text in texts.items() for module in re.findall(r"^ *module (\w+) *$", text, re.M)}
    uses = {name: {modules[module] for module in re.findall(r"^ *use (\w+)", text, re.M) if module in modules} - {name}
            for name, text in texts.items()}
    fortran = ["-O2", "-fopenmp", "-w", "-fallow-argument-mismatch", *graphlib.TopologicalSorter(uses).static_order()]
    sources = [*sorted(file.name for ending in ("*.cu", "*.c") for file in root.glob(ending)), "mpi.c"]
    objects = [source.rsplit(".", 1)[0] + ".o" for source in sources]
    problem = (root / "InputDecks/clover_sodbig.in").read_text()
    for before, after in {"=200": "=60", "=30.0": "=2.0", "max_timestep=0.04": "max_timestep=0.4"}.items():
        problem = problem.replace(before, after)  # the grid must fill blocks of 256 threads
    files = {**MPI_OF_ONE, "clover.in": problem, "cpu/clover.in": problem.replace("cuda_kernels", "fortran_kernels"),
             "cpu.c": "int chdir(const char*);\n__attribute__((constructor)) void enter(void) { chdir(\"cpu\"); }\n"}
    yield Program("CloverLeaf_CUDA", "clover_leaf", root,
                  [["-O3", "-w", "-arch=sm_75", "-I.", "-DMPI_HDR", "-DNO_ERR_CHK", "-c", *sources],
                   ["--no-device-link", *objects, "-Xcompiler", ",".join(fortran), "-lgfortran", "-lgomp", "-o",
                    "app"]], executable="clover_leaf", files=files,
                  twin=[*fortran, "-no-pie", *(file.name for file in sorted(root.glob("*.c"))), "mpi.c", "cpu.c", "-o",
                        "twin", "-lgfortran", "-lm", "-Wl,--unresolved-symbols=ignore-all"],
                  same=r"Step +(\d+ time +\S+) control +\S+ +timestep +(\S+)")


SUITES = {"XSBench": xsbench, "RSBench": rsbench, "LULESH-2.0.2-dev": lulesh, "Kernels": kernels_of_parallel_research,
          "miniFE": mini_fe, "Quicksilver": quicksilver, "CloverLeaf_CUDA": clover_leaf}
