"""Suites of benchmarks of many kinds."""
import re
import struct

from .program import MODERN, Program


def shoc(root):
    """At the smallest size; config.h as its configure makes it here, as far as it is used."""
    common = [str(root / "src/common" / f"{name}.cpp") for name in (
        "CTimer", "Graph", "ResultDatabase", "OptionParser", "Option", "Timer", "ProgressBar", "InvalidArgValue",
        "Matrix2DStatics")]
    cuda = root / "src/cuda"
    include = [f"-I{root / 'src/common'}", f"-I{cuda / 'common'}", "-I."]
    smaller = {"Stencil2D": ["--customSize", "256,256", "--num-iters", "10"]}
    for name, pattern in {
            "BFS": "level1/bfs", "FFT": "level1/fft", "MD": "level1/md", "MD5Hash": "level1/md5hash",
            "Reduction": "level1/reduction", "Scan": "level1/scan", "Sort": "level1/sort", "Spmv": "level1/spmv",
            "Stencil2D": "level1/stencil2d", "Triad": "level1/triad", "QTC": "level2/qtclustering",
            "S3D": "level2/s3d", "DeviceMemory": "level0/DeviceMemory.cu", "MaxFlops": "level0/MaxFlops.cu",
            "BusSpeedDownload": "level0/BusSpeedDownload.cu", "BusSpeedReadback": "level0/BusSpeedReadback.cu"}.items():
        place = cuda / pattern
        files = [place] if place.is_file() else [*place.glob("*.cu"), *place.glob("*.cpp")]
        sources = sorted(file.name for file in files if not file.name.startswith(("TP", "tp", "MPI")))
        yield Program("shoc", name, place.parent if place.is_file() else place,
                      [["-O3", "-w", "-arch=sm_50", *include, *sources, *common, str(cuda / "common/main.cpp"), "-o",
                        "app"]], [["-s", "1", "-n", "1", *smaller.get(name, [])]], old=True, executable="run." + name,
                      files={"config.h": "#define HAVE_GETTIMEOFDAY 1\n#define restrict __restrict\n"})


def altis(root):
    """At their smallest size, or a smaller one where the program takes one."""
    src = root / "src"
    smaller = {"bfs": ["-i", str(root / "data/bfs/bfs_4096")], "kmeans": ["-i", str(root / "data/kmeans/2048_16.txt"),
                                                                       "--steps", "20"],
               "pathfinder": ["--rows", "100", "--cols", "2000", "--pyramidHeight", "10", "--instances", "2"],
               "where": ["--length", "100000", "--coverage", "50"], "mandelbrot": [],
               "srad": ["--imageSize", "256", "--speckleSize", "64", "--iterations", "2"],
               "raytracing": ["--X", "96", "--Y", "64", "--samples", "2"], "fdtd2d": ["--compare"],
               "sort": ["-i", "numbers"], "cfddouble": ["-i", "mesh"],
               "dwt2d": ["-s", "2"]}  # an image wider than the windows, at each of its levels
    again = {"srad": "--coop", "fdtd2d": "--coop", "mandelbrot": "--dyn"}
    inputs = {"sort": {"numbers": "65536\n" + "\n".join(str((i * 7919 + 13) % 99991) for i in range(65536)) + "\n"},
              "cfddouble": {"mesh": channel(16)}}
    common = [*map(str, sorted((src / "common").glob("*.cpp"))), str(src / "cuda/common/main.cu")]
    include = [f"-I{src / 'common'}", f"-I{src / 'cuda/common'}", "-I."]
    for listing in sorted((src / "cuda").glob("level*/**/CMakeLists.txt")):
        text = re.sub(r"\$\{DWT_CUDA_DIR\}", "dwt_cuda", listing.read_text())
        for name, files in re.findall(r"add_library\(\s*(\w+)Lib\s([^)]*)\)", text):
            sources = [word for word in files.split() if word.endswith((".cu", ".c", ".cpp"))]
            if "darknet" in text or name == "gemm":
                continue  # yolo is a program of its own, on cuDNN; gemm measures cuBLAS
            sources += ["data/bmp.cpp"] if name == "dwt2d" else []
            rdc = ["-rdc=true", "-lcudadevrt"] if "SEPARABLE" in text or name == "srad" else []
            inside = [f"-I{word}" for word in re.findall(r"PRIVATE (\w+)\)", text)]
            once = ["-s", "1", "-n", "1", *smaller.get(name, [])]
            yield Program("altis", name, listing.parent,
                          [["-O3", "-std=c++14", "-w", "-arch=sm_60", *rdc, *include, *inside, *sources, *common,
                            "-o", "app"]],
                          [once, [*once, again[name]]] if name in again else [once], old=True, executable="run." + name,
                          files={"config.h": "#define HAVE_GETTIMEOFDAY 1\n", **inputs.get(name, {})})


def channel(size):
    """The mesh that CFD reads: squares between two walls, and the last column before the first."""
    lines = [str(size * size)]
    for i in range(size):
        rows = [(i + a) * size if 0 <= i + a < size else None for a in (0, 0, -1, 1)]
        for j in range(size):
            sides = [0 if row is None else row + (j + b) % size + 1 for row, b in zip(rows, (-1, 1, 0, 0))]
            normals = ["-1 0 0", "1 0 0", "0 -1 0", "0 1 0"]
            lines.append("1.0 " + " ".join(f"{side} {normal}" for side, normal in zip(sides, normals)))
    return "\n".join(lines) + "\n"


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


CHAI = {  # one run without warming up; what needs more input than the repository has is left out
    "BS": ["-n", "100"], "CEDD": ["-r", "2"], "CEDT": ["-r", "2"], "HSTI": ["-n", "65536"], "HSTO": ["-n", "65536"],
    "PAD": ["-m", "200", "-n", "199"], "RSCD": ["-m", "50"], "RSCT": ["-m", "50"], "SC": ["-n", "65536"],
    "TRNS": ["-m", "64", "-n", "512", "-s", "32"]}


def chai(root):
    for kind in ("CUDA-D", "CUDA-U"):
        for name, arguments in CHAI.items():
            folder = root / kind / name
            once = ["-w", "0"] if "-r" in arguments else ["-w", "0", "-r", "1"]
            files = {}
            if name.startswith("RSC"):
                files["input/vectors.csv"] = (root / "CUDA-D-Sim" / name / "input/vectors.csv").read_text()
            yield Program("chai", f"{kind[-1]}-{name}", folder,
                          [[*MODERN, "-I.", "main.cpp", "kernel.cpp", "kernel.cu", "-o", "app"]],
                          [[*once, *arguments]], group=kind, executable=name.lower(), files=files)


def hetero_mark(root):
    """Programs whose input can be generated; each checks itself with -v."""
    arguments = {"aes": ["-i", "text", "-k", "key"], "bs": ["-x", "4096"], "ep": ["-m", "5", "-x", "512"],
                 "fir": ["-y", "16"], "ga": ["-i", "text"], "hist": ["-x", "65536"], "kmeans": ["-i", "points"],
                 "pr": ["-i", "network", "-m", "20"]}
    numbers = [(i * 7919 + 13) % 1009 for i in range(4096)]
    inputs = {"aes": {"text": bytes(n % 256 for n in numbers).hex(), "key": bytes(range(32)).hex()},
              "ga": {"text": "".join("ACGT"[n % 4] for n in numbers[100:164]) + "\n"  # what is sought, and where
                             + "".join("ACGT"[n % 4] for n in numbers[:4032]) + 64 * "G" + "\n"},  # not at its end
              "kmeans": {"points": "".join(f"{i} " + " ".join(str(numbers[(8 * i + k) % 4096] % 97) for k in range(8))
                                           + "\n" for i in range(1000))},
              "pr": {"network": sparse_network(512)}}
    common = [*root.glob("src/common/benchmark/benchmark_runner.cc"),
              *(file for folder in ("command_line_option", "time_measurement")
                for file in root.glob(f"src/common/{folder}/*.cc") if not file.name.endswith("_test.cc"))]
    for name, words in arguments.items():
        folder = root / "src" / name / "cuda"
        sources = [*folder.glob("*.cu"), *folder.glob("*.cc"), *folder.parent.glob("*.cc"), *common]
        yield Program("Hetero-Mark", name, folder,
                      [[*MODERN, "-include", "stdexcept", f"-I{root}", *map(str, sorted(sources)), "-o", "app"]],
                      [["-q", "-v", "-w", "0", *words]], executable=f"{name}_cuda", files=inputs.get(name, {}))


def sparse_network(nodes):
    """Page rank's input: the row starts, columns and values of a matrix whose columns add up to 1."""
    rows = [sorted({(i * 5 + 1) % nodes, (i * 11 + 7) % nodes, (i + 1) % nodes}) for i in range(nodes)]
    starts, columns = [0], []
    for row in rows:
        columns += row
        starts.append(len(columns))
    uses = [max(columns.count(i), 1) for i in range(nodes)]
    return (f"{len(columns)} {nodes}\n" + " ".join(map(str, starts)) + "\n" + " ".join(map(str, columns)) + "\n"
            + " ".join(f"{1 / uses[c]:.6f}" for c in columns) + "\n")


def parboil(root):
    """With generated inputs; the CPU version of the suite must write the same output."""
    numbers = [((i * 7919 + 13) % 10007) / 10007 for i in range(200000)]

    def floats(first, count):
        return struct.pack(f"<{count}f", *numbers[first:first + count])

    def matrix(rows, columns, first):
        return f"{rows} {columns} " + " ".join(f"{x:.4f}" for x in numbers[first:first + rows * columns]) + " "

    def ring(nodes):  # node: first edge and number; edge: to and cost
        ends = [[(i + 1) % nodes, (i * 7 + 3) % nodes] for i in range(nodes)]
        return (f"{nodes}\n" + "".join(f"{2 * i} 2\n" for i in range(nodes)) + f"\n0\n\n{2 * nodes}\n"
                + "".join(f"{to} 1\n" for pair in ends for to in pair))

    def atoms(count):
        return "".join(f"ATOM {i} C X 1 {20 * numbers[i]:.3f} {20 * numbers[i + 5000]:.3f} {20 * numbers[i + 9000]:.3f} "
                       f"{numbers[i + 300] - 0.5:.3f} 1.0\n".replace("ATOM ", "ATOM  ", 1) for i in range(count))

    def directions(count, first):
        return "".join(f"{360 * numbers[first + i]:.5f} {180 * numbers[first + count + i] - 90:.5f}\n"
                       for i in range(count))

    k, x = 256, 2048
    # As wide as the histogram, a multiple of 16 high, most of it near the middle: the program counts on that.
    histogram = struct.pack("<4I", 1024, 64, 1024, 1024) + struct.pack(
        "<65536I", *(int(131072 * numbers[i]) + 458752 for i in range(65536)))
    programs = {  # folder of the CPU version, its output as, options of the compiler, input files, arguments
        "bfs": ("base", "bytes", [], {"in": ring(2000)}, []),
        "sgemm": ("omp_base", "text", [],
                  {"a": matrix(128, 96, 0), "b": matrix(96, 160, 20000), "bt": matrix(160, 96, 20000)}, []),
        "stencil": ("cpu", "floats", [], {"in": floats(0, 64 * 32 * 16)}, ["64", "32", "16", "4"]),
        "mri-q": ("cpu", "floats", [], {"in": struct.pack("<2i", k, x) + floats(0, 5 * k + 3 * x)}, []),
        "histo": ("base", "bytes", [], {"in": histogram}, ["1"]),
        "tpacf": ("base", "text", [], {"data": directions(200, 0), "r1": directions(200, 4000),
                                       "r2": directions(200, 9000)}, ["--", "-n", "2", "-p", "200"]),
        "cutcp": ("base", "floats", [], {"in": atoms(500)}, []),
    }
    common = root / "common"
    for name, (cpu, kind, extra, files, words) in programs.items():
        for version in ("cuda_base", "cuda"):
            folder = root / "benchmarks" / name / "src" / version
            if not folder.is_dir():
                continue
            make = (folder / "Makefile").read_text()
            objects = re.search(r"SRCDIR_OBJS=([^#\n]*)", make).group(1).split()
            sources = [next(file.name for file in folder.glob(word[:-1] + "*") if file.suffix in (".cu", ".cc", ".c"))
                       for word in objects]
            inputs = ["-i", ",".join(word for word in files)]
            words_here = [word for word in words if word not in files]
            twin = root / "benchmarks" / name / "src" / cpu
            in_another = {"computeQ.cc"}  # main.c includes it
            yield Program("Parboil", f"{name}-{version}", folder,
                          [["-O3", "-w", *extra, f"-I{common / 'include'}", "-I.", *sources,
                            str(common / "src/parboil_cuda.c"), str(common / "src/args.c"), "-o", "app"]],
                          [[*inputs, "-o", "out", *words_here]], executable=f"run.{name}", files=files, old=True,
                          twin=["-O2", "-w", f"-I{common / 'include'}", f"-I{twin}",
                                *map(str, sorted(file for file in twin.iterdir()
                                                 if file.suffix in (".cc", ".c") and file.name not in in_another)),
                                str(common / "src/parboil.c"), str(common / "src/args.c"), "-o", "twin", "-lm",
                                "-lstdc++"], same=kind)


SUITES = {"shoc": shoc, "altis": altis, "polybenchGpu": polybench, "chai": chai, "Hetero-Mark": hetero_mark,
          "Parboil": parboil}
