"""What is known of a program of a suite, and what suites of like programs share."""
import dataclasses
import pathlib
import re

MODERN = ["-O3", "-std=c++17", "-w"]


@dataclasses.dataclass
class Program:
    suite: str
    name: str
    folder: pathlib.Path  # its files are linked into where it is built and run
    builds: list  # what nvcc is given, one list per call
    runs: list = dataclasses.field(default_factory=lambda: [[]])  # arguments
    old: bool = False  # by nvcc 11; None: where the present one cannot
    options: list = dataclasses.field(default_factory=list)  # of gpuproj
    group: str = ""
    executable: str = "app"
    files: dict = dataclasses.field(default_factory=dict)  # made beside it: name and text or bytes
    headers: list = dataclasses.field(default_factory=list)  # of the toolkit, wanted beside the program
    # A version of the same program for the CPU, by g++, and a pattern: what it finds must be the same in both outputs.
    twin: list = dataclasses.field(default_factory=list)
    same: str = ""


def single_files(suite, root, pattern, arguments=None, leave_out=(), options=(), old=None):
    """One program per file; those with functions of closed libraries are left out."""
    arguments = arguments or {}
    closed = re.compile(r"cublas|cufft|cusparse|cusolver|curand\.h|nvml|mpi\.h|omp\.h|nvToolsExt|nvtx|glut|opencv|cudnn",
                        re.IGNORECASE)
    for file in sorted(root.glob(pattern)):
        text = file.read_text(errors="replace")
        name = str(file.relative_to(root).with_suffix("")).replace("/", ".")
        if not re.search(r"\bmain\s*\(", text) or closed.search(text) or any(word in name for word in leave_out):
            continue
        nested = re.search(r"cudaDeviceSynchronize|nested|cdp", text) and re.search(r"nested|cdp|dynamic", name)
        rdc = ["-rdc=true", "-lcudadevrt"] if nested else []
        yield Program(suite, name, file.parent,
                      [["-O3", "-w", *rdc, *options, "-I.", f"-I{file.parent}", file.name, "-o", "app"]],
                      [arguments.get(name, [])], group=file.relative_to(root).parts[0], executable="run." + file.stem,
                      old=old)
