"""Kernels of machine learning."""
import re

from .program import MODERN, Program


def llm_c(root):
    """llm.c's kernels, each in all its versions, each compared with the CPU's result. Those that want cuBLAS are left
    out, and the numbers of a file's versions are read from it, but those for floats alone (they define ENABLE_BF16)."""
    for file in sorted((root / "dev/cuda").glob("*.cu")):
        text = file.read_text()
        if re.search(r"cublas\w*\(|cublasLt|nccl\.h", text.split("*/", 1)[-1]):
            continue
        compiled = re.sub(r"#if !defined\(ENABLE_BF16\).*?#endif", "", text, flags=re.DOTALL)
        versions = sorted(set(map(int, re.findall(r"^\s+case (\d+):", compiled, re.MULTILINE)))) or [None]
        yield Program("llm.c", file.stem, file.parent,
                      [[*MODERN, "--use_fast_math", "-arch=sm_80", file.name, "-o", "app", "-lcublas", "-lcublasLt"]],
                      [[] if version is None else [str(version)] for version in versions], executable=file.stem)


SUITES = {"llm.c": llm_c}
