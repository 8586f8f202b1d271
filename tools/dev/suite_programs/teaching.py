"""Programs of books and courses."""
from .program import single_files


def professional_cuda(root):
    """Examples of "Professional CUDA C Programming" (Cheng et al.)."""
    megabytes = {f"solutions.chapter04.{name}": ["4"] for name in ("memTransfer", "pinMemTransfer")}
    return single_files("professional-cuda-c-programming", root, "*/chapter*/*.cu",
                        {"examples.chapter07.nbody": ["1024"], **megabytes},
                        ["crypt", "debug-", "openacc", "Openmp", "OpenMP"])


def training_series(root):
    """Oak Ridge's CUDA training series: the solutions, since the exercises are to be completed."""
    return single_files("cuda-training-series", root, "exercises/**/*solution.cu")


def cuda_by_example(root):
    """The programs of the book that want no display."""
    return single_files("cuda-by-example", root, "chapter*/*.cu", leave_out=["julia", "ripple", "heat", "ray", "interop",
                                                                            "shared_bitmap"])


SUITES = {"professional-cuda-c-programming": professional_cuda, "cuda-training-series": training_series,
          "cuda-by-example": cuda_by_example}
