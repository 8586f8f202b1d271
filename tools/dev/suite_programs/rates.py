"""Programs that measure what a GPU can do, and check their results on the way."""
from .program import MODERN, Program


def babel_stream(root):
    cuda = root / "src/cuda"
    for memory in ("DEFAULT", "MANAGED", "PAGEFAULT"):
        yield Program("BabelStream", f"cuda-stream-{memory.lower()}", root / "src",
                      [[*MODERN, "-arch=sm_80", "-DCUDA", f"-D{memory}", "-DGRID_STRIDE", "-DUNROLL_FACTOR=4", "-I.",
                        f"-I{cuda}", "main.cpp", str(cuda / "CUDAStream.cu"), "-o", "app", "-lnvidia-ml"]],
                      [["-s", "1048576", "-n", "10"]], executable=f"cuda-stream-{memory.lower()}")


def mini_bude(root):
    """Molecular docking; compares its energies with the input's."""
    yield Program("miniBUDE", "cuda-bude", root / "src",
                  [[*MODERN, "-arch=sm_80", "-DCUDA", "-DDEFAULT", "-include", "sizes.h", "--extended-lambda",
                    "-use_fast_math", "-restrict", "-I.", f"-I{root / 'src/cuda'}", "-x", "cu", "main.cpp", "-o", "app"]],
                  [["--deck", str(root / "data/bm1"), "-n", "256", "-i", "2", "-p", "2", "-w", "64"]],
                  executable="cuda-bude", files={"sizes.h": "#define USE_PPWI 1,2,4\n"})


def mixbench(root):
    """Mixes of operations and memory accesses."""
    folder = root / "mixbench-cuda"
    yield Program("mixbench", "mixbench-cuda", folder,
                  [[*MODERN, "-arch=sm_80", "-I.", "main-cuda.cpp", "mix_kernels_cuda.cu",
                    "-o", "app"]], executable="mixbench-cuda-run",
                  files={"version_info.h": '#define VERSION_INFO "unknown"\n'})


SUITES = {"BabelStream": babel_stream, "miniBUDE": mini_bude, "mixbench": mixbench}
