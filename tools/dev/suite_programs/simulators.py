"""Suites that the simulators of GPUs are tried on (accel-sim/gpu-app-collection)."""
import random
import re
import struct

from .program import Program

NUMBERS = [((i * 7919 + 13) % 10007) / 10007 for i in range(10007)]


# What programs must print that do not say themselves whether it is right, found by versions for the CPU, and where
# it stands in their output. A twin that only says so stands for those versions.
KNOWN = {
    "ispass-LIB": ("v = 224.323 v = 224.323 Lb = 21.348", r"(?:v|Lb) += +(\d+\.\d{3})"),
    "ispass-LPS": ("rms error = 0.000000", r"rms error = (\S+)"),
    "ispass-NQU": ("GPU: 9 queen = 352", r"GPU: 9 queen = (\d+)"),
    "lonestar-mst": ("weight: 3881, components: 1, edges: 999", r"weight: (\d+), components: (\d+), edges: (\d+)"),
    "lonestar-bh": ("1.92e-02 6.94e-03 -2.36e-02", r"-?\d\.\d\de-\d\d"),
    "lonestar-dmr": ("0 final bad triangles", r"(\d+) final bad"),
    **{f"lonestar-{name}": ("no of errors = 0.", r"no of errors = (\d+)")
       for name in ("bfs", "bfs-atomic", "bfs-wlw", "bfs-wla", "bfs-wlc", "sssp", "sssp-wln", "sssp-wlc")},
    "doe-comd": ("Energy = -90.496139257", r"Energy = (-\d+\.\d{9})"),
    "doe-matvec": ("End of main", r"End of main"),  # it has compared by then
}


def collection(root):
    cuda = root / "src/cuda"
    for part in (ispass, pannotia, lonestar, proxies, rates_of_gpus):
        for program in part(cuda):
            if program.name in KNOWN:
                line, program.same = KNOWN[program.name]
                program.files = {**program.files, "twin.c": f'int puts();\nint main() {{ puts("{line}"); }}\n'}
                program.twin = ["-w", "twin.c", "-o", "twin"]
            yield program


def edges_of(nodes, symmetric=False):
    """(from, to, weight) by from: a ring with shortcuts, so that every node has edges in and out."""
    pairs = {(i, to) for i in range(nodes) for to in ((i + 1) % nodes, (i * 7 + 3) % nodes, (i * 13 + 5) % nodes)
             if to != i}
    if symmetric:
        pairs |= {(to, i) for i, to in pairs}
    return [(i, to, 1 + (min(i, to) * 7 + max(i, to) * 3) % 19) for i, to in sorted(pairs)]


def ispass(cuda):
    common = cuda / "common"
    floats = {"lw1": 156, "lw2": 7800, "lw3": 125100, "lw4": 1010}
    weights = {f"data/{name}.wei": struct.pack(f"<{n}f", *((NUMBERS[i % 10007] - 0.5) / 8 for i in range(n)))
               for name, n in floats.items()}
    images = struct.pack(">4i", 2051, 4, 28, 28) + bytes(int(255 * x) for x in NUMBERS[:4 * 28 * 28])
    edges = edges_of(1000)
    starts = [next(k for k, edge in enumerate(edges) if edge[0] == i) for i in range(1000)] + [len(edges)]
    graph = ("1000\n" + "".join(f"{a} {b - a}\n" for a, b in zip(starts, starts[1:])) + f"0\n{len(edges)}\n"
             + "".join(f"{to} {weight}\n" for _, to, weight in edges))
    aes = {"text": "The quick brown fox jumps over the lazy dog. " * 100,
           "key128": " ".join(f"{i:02x}" for i in range(16)), "key256": " ".join(f"{i:02x}" for i in range(32))}
    programs = {  # its sources, files, arguments of each run
        "AES": (["aesHost.cu", "aescuda.cpp", "aesCudaUtils.cpp", "-lboost_filesystem", "-lboost_system"], aes,
                [[way, bits, "text" if way == "e" else "output_0.dat", f"key{bits}"]
                 for bits in ("128", "256") for way in "ed"]),
        "BFS": (["bfs.cu"], {"graph": graph}, [["graph"]]),
        "LIB": (["libor.cu"], {}, [[]]),
        "LPS": (["laplace3d.cu", "laplace3d_gold.cpp"], {}, [[]]),
        "NN": (["NN.cu"], {"data/t10k-images-idx3-ubyte": images, **weights}, [["4"]]),
        "NQU": (["nqueen.cu"], {}, [["9", "192"]]),
        "RAY": (["rayTracing.cu", "EasyBMP.cpp", "makebmp.cpp"], {}, [["64", "64"]]),
        "STO": (["main.cu", "storeGPU.cu", "storeCPU.cpp", "md5_cpu.cpp", "sha1_cpu.cpp"], {}, [[]]),
    }
    for name, (sources, files, runs) in programs.items():
        yield Program("gpu-app-collection", f"ispass-{name}", cuda / "ispass-2009" / name,
                      [["-O2", "-w", "-DUNIX", "-I.", f"-I{common / 'inc'}", *sources, f"-L{common / 'lib'}",
                        "-lcutil_x86_64", "-o", "app"]], runs, old=True, group="ispass-2009", files=files)
    potential = cuda / "ispass-2009/CP"
    for version in ("cuda", "cuda_short"):
        folder = potential / "benchmarks/cp/src" / version
        yield Program("gpu-app-collection", f"ispass-CP-{version}", folder,
                      [["-O2", "-w", "-I.", f"-I{potential / 'common/include'}",
                        *sorted(file.name for file in folder.glob("*.cu")), str(potential / "common/src/parboil.c"),
                        "-o", "app"]], [["-o", "out"]], old=True, group="ispass-2009", executable="run.app")
    bases = "".join("ACGT"[int(4 * x)] for x in NUMBERS[:3000:3])
    reads = "".join(f">read{i}\n{bases[29 * i:29 * i + 25]}\n" for i in range(30))
    # Not optimized, because a function of its that shall return a value does not.
    yield Program("gpu-app-collection", "ispass-MUM", cuda / "ispass-2009/MUM",
                  [["-O0", "-w", "-I.", f"-I{common / 'inc'}", "mummergpu.cu", "mummergpu_main.cpp",
                    "mummergpu_gold.cpp", "suffix-tree.cpp", "PoolMalloc.cpp", f"-L{common / 'lib'}",
                    "-lcutil_x86_64", "-o", "app"]], [["-l", "20", "genome.fna", "reads.fna"]], old=True,
                  group="ispass-2009", files={"genome.fna": f">genome\n{bases}\n", "reads.fna": reads})


def pannotia(cuda):
    """With a graph as COO, and as that of Metis where the program takes it."""
    folder, nodes = cuda / "pannotia", 300

    def coo(count, edges):
        return f"p sp {count} {len(edges)}\n" + "".join(f"a {a + 1} {b + 1} {weight}\n" for a, b, weight in edges)

    def metis(edges, said):
        lines = [" ".join(str(b + 1) for a, b, _ in edges if a == node) for node in range(nodes)]
        return f"{nodes} {said}\n" + "".join(line + " \n" for line in lines)

    edges, both_ways = edges_of(nodes), edges_of(nodes, True)
    files = {"g.coo": coo(nodes, edges), "g.metis": metis(edges, len(edges)),
             "s.coo": coo(nodes, [edge for edge in both_ways if edge[0] < edge[1]]),
             "s.metis": metis(both_ways, len(both_ways) // 2)}
    small = {"f.coo": coo(64, edges_of(64))}  # a multiple of the blocks
    directed, undirected = [["g.metis", "1"], ["g.coo", "0"]], [["s.metis", "1"], ["s.coo", "0"]]
    programs = {
        "bc": ("bc", "BC.cu", [["g.coo"]]),
        "color-max": ("color", "coloring_max.cu", undirected),
        "color-maxmin": ("color", "coloring_maxmin.cu", undirected),
        "fw": ("fw", "Floyd-Warshall.cu", [["f.coo", "1"]]),
        "fw-block": ("fw", "Floyd-Warshall-Block.cu", [["f.coo", "1"]]),
        "mis": ("mis", "mis.cu", undirected),
        "pagerank": ("pagerank", "pagerank.cu", [["s.metis", "1"], ["g.coo", "0"]]),
        "pagerank-spmv": ("pagerank", "pagerank_spmv.cu", [["s.metis", "1"]]),
        "sssp": ("sssp", "sssp_csr.cu", directed),
        "sssp-ell": ("sssp", "sssp_ell.cu", directed),
    }
    for name, (place, source, runs) in programs.items():
        parsers = {"bc": [], "fw": [folder / "fw/parse.cpp"]}.get(place, [folder / "graph_parser/parse.cpp"])
        yield Program("gpu-app-collection", f"pannotia-{name}", folder / place,
                      [["-O3", "-w", "-I.", f"-I{folder / place}", source, *map(str, parsers),
                        str(folder / "graph_parser/util.cpp"), "-o", "app"]], runs, old=True, group="pannotia",
                      files=small if place == "fw" else files)


def galois_graph(nodes, edges):
    """Of Galois, version 1: where each node's edges end, where they go, their weights."""
    ends = [sum(edge[0] <= i for edge in edges) for i in range(nodes)]
    odd = [0] * (len(edges) % 2)
    to, weights = ([edge[k] for edge in edges] for k in (1, 2))
    return struct.pack(f"<4Q{nodes}Q", 1, 4, nodes, len(edges), *ends) + b"".join(
        struct.pack(f"<{len(words)}I", *words) for words in (to + odd, weights + odd))


def lonestar(cuda):
    place, nodes = cuda / "lonestargpu-2.0", 1000
    include = ["-I.", f"-I{place / 'include'}", f"-I{cuda / 'cub'}"]
    one_way, both_ways = galois_graph(nodes, edges_of(nodes)), galois_graph(nodes, edges_of(nodes, True))
    chance = random.Random(5)
    formula = "p cnf 300 1200\n" + "".join(
        " ".join(str(literal * chance.choice((1, -1))) for literal in chance.sample(range(1, 301), 3)) + " 0\n"
        for _ in range(1200))
    programs = [(f"bfs{end}", "bfs", "main.cu", variant, {"g.gr": one_way}, ["g.gr"])
                for end, variant in {"": 0, "-atomic": 1, "-wlw": 3, "-wla": 5, "-wlc": 6}.items()]
    programs += [(f"sssp{end}", "sssp", "main.cu", variant, {"g.gr": one_way}, ["g.gr"])
                 for end, variant in {"": 0, "-wln": 1, "-wlc": 2}.items()]
    programs += [("mst", "mst", "main.cu", 0, {"s.gr": both_ways}, ["s.gr"]),
                 ("bh", "bh", "main.cu", 0, {}, ["300", "2", "0"]),
                 ("sp", "sp", "newsp.cu", 0, {"f.cnf": formula}, ["f.cnf", "3"]),
                 ("dmr", "dmr", "dmr.cu", 0, rhombus_mesh(6, 14, 0.6), ["rhombus", "20"])]
    # -wlc empty a worklist behind their barrier that blocks which came first may fill already.
    for name, folder, source, variant, files, words in programs:
        yield Program("gpu-app-collection", f"lonestar-{name}", place / "apps" / folder,
                      [["-O3", "-w", "-Xcompiler", "-fwrapv", f"-DVARIANT={variant}", *include, source, "-o", "app"]],
                      [words], old=True, options=["--threads", "1"] if "wlc" in name else [],
                      group="lonestargpu-2.0", executable="run.app", files=files)


def rhombus_mesh(side, moved, by):
    """Equilateral triangles, one of whose nodes was moved, in the files of Triangle.

    The program's refinement, to 30 degrees, does not end with every mesh.
    """
    nodes = [(x + y / 2, y * 3 ** 0.5 / 2) for y in range(side) for x in range(side)]
    nodes[moved] = (nodes[moved][0] + by, nodes[moved][1])
    corners = [y * side + x for y in range(side - 1) for x in range(side - 1)]
    triangles = [t for c in corners for t in ((c, c + 1, c + side), (c + 1, c + side + 1, c + side))]
    last = side * side - 1
    rim = [*range(side), *range(2 * side - 1, last + 1, side), *range(last - 1, last - side, -1),
           *range(last + 1 - 2 * side, 0, -side)]

    def listed(first, rows):
        return first + "".join(f"{i} " + " ".join(map(str, row)) + "\n" for i, row in enumerate(rows))

    return {"rhombus.node": listed(f"{len(nodes)} 2 0 0\n", nodes),
            "rhombus.ele": listed(f"{len(triangles)} 3 0\n", triangles),
            "rhombus.poly": listed(f"0 2 0 1\n{len(rim)} 0\n", zip(rim, rim[1:] + rim[:1])) + "0\n"}


def proxies(cuda):
    place = cuda / "proxy-apps-doe"
    traces = ("DX", "DZ", "DIFFLUX_UX", "DIFFLUX_UY", "DIFFLUX_UZ", "DIFFLUX_E", "UPDATE_RHO", "UPDATE_E", "UPDATE_U")
    rows = [(i, sorted({(i + d) % 500 for d in (0, 1, 2, 7, 40, 460, 493, 498, 499)})) for i in range(500)]
    matrix = f"500 {sum(len(columns) for _, columns in rows)}\n" + "".join(
        f"{i} {k} {NUMBERS[(i + 31 * k) % 10007]:.5f}\n" for i, columns in rows for k in columns)
    # The program's shuffle of doubles is the toolkit's own since CUDA 6.5.
    shuffle = ("#include <cuda_runtime.h>\n#define __shfl_down down\n"
               "__device__ int down(int x, unsigned by, int width) { return __shfl_down_sync(~0u, x, by, width); }\n")
    comd = sorted(["driver.cpp", "utility.cpp", "compute_force_kernels.cu", "timestep_kernels.cu",
                   *(f"utils/{file.name}" for file in (place / "comd/utils").glob("*.cpp"))])
    xsbench = ["Main.c", "CalculateXS.c", "GridInit.c", "XSutils.c", "Materials.c", "cudaCalcXs.cu"]
    programs = {
        "cns": ([[*(f"-DTRACE_{trace}" for trace in traces), "prototype_simple.cu"]], [["64", "32", "32", "1"]], {}),
        "comd": ([["-DDOUBLE", "-I.", "-Iutils", "-Iprototypes", *comd]],
                 [["-p", "ag", "-e", "1", "-m", method, "-x", "6", "-y", "6", "-z", "6", "-n", "1", "-i", "1"]
                  for method in ("thread_atom", "thread_atom_warp_sync", "cta_box", "cta_box_agg")], {}),
        "lulesh": ([["lulesh.cu"]], [["2e-7"]], {}),
        "matvec": ([["-Dvalidate", "-include", "shuffle.h", "-Xptxas", "-dlcm=cg", "main.cu"]],
                   [["m", str(i)] for i in range(8)], {"m": matrix, "shuffle.h": shuffle}),
        "xsbench": ([["-I.", "-Xcompiler", "-fopenmp", *xsbench]],
                    [["1", "small", str(kernel), "100"] for kernel in range(3)], {}),
    }
    for name, (builds, runs, files) in programs.items():
        folder = place / {"matvec": "minife_matvec_ell"}.get(name, name)
        yield Program("gpu-app-collection", f"doe-{name}", folder,
                      [["-O2", "-w", *build, "-o", "app"] for build in builds], runs, old=True,
                      group="proxy-apps-doe", executable="run.app", files=files)


def rates_of_gpus(cuda):
    """GPU_Microbenchmark and microbench; each says what it measured."""
    for file in sorted([*(cuda / "GPU_Microbenchmark").rglob("*.cu"), *(cuda / "microbench").glob("*.cu")]):
        flags = re.search(r"NVCC_FLGAS *= *(.*)", (file.parent / "Makefile").read_text())
        yield Program("gpu-app-collection", f"rate-{file.stem}", file.parent,
                      [["-w", *(flags.group(1).split() if flags else []), file.name, "-o", "app"]], old=None,
                      group=file.relative_to(cuda).parts[0], executable="run.app")


SUITES = {"gpu-app-collection": collection}
