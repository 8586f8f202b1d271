"""The examples of libraries that are headers, with the headers of the same checkout."""
import re

from .program import MODERN, Program


def cccl(root):
    """Thrust's and CUB's examples; CUB's compare with what they calculate on the CPU."""
    include = [f"-I{root / part}" for part in ("thrust", "cub", "libcudacxx/include", "thrust/examples")]
    for group in ("thrust/examples", "thrust/examples/cuda", "cub/examples/block", "cub/examples/device"):
        for file in sorted((root / group).glob("*.cu")):
            if re.search(r"\bmain\s*\(", file.read_text()):
                yield Program("cccl", file.stem, file.parent,
                              [[*MODERN, "-arch=sm_80", "--extended-lambda", *include, file.name, "-o", "app"]],
                              group=group.split("/")[0], executable="run." + file.stem)


def cutlass(root):
    """Some examples, each with a reference of its own; others multiply large matrices or take long to compile."""
    arguments = {"00_basic_gemm": ["96", "64", "48"], "04_tile_iterator": [], "05_batched_gemm": [],
                 "09_turing_tensorop_conv2dfprop": ["--n=1", "--h=8", "--w=8", "--c=32", "--k=32", "--r=3", "--s=3",
                                                    "--iterations=1", "--ref-check"],
                 "14_ampere_tf32_tensorop_gemm": ["--m=128", "--n=128", "--k=64", "--iterations=1"],
                 "15_ampere_sparse_tensorop_gemm": []}
    include = [f"-I{root / part}" for part in ("include", "tools/util/include", "examples/common")]
    for name, words in arguments.items():
        yield Program("cutlass", name, root / "examples" / name,
                      [[*MODERN, "-arch=sm_80", "--expt-relaxed-constexpr", "-I.", *include,
                        name.split("_", 1)[1] + ".cu", "-o", "app"]], [words], executable="run." + name)


SUITES = {"cccl": cccl, "cutlass": cutlass}
