#!/usr/bin/env python3
"""Compiles kernels that call every device function of CUDA's headers, and lists what the engine refuses of their PTX.

    tools/dev/ptx_coverage.py [--nvcc NVCC] [--lister build/tools/dev/gpuproj_ptx_coverage] [--arch 75,80,...] [--options "-G"]

A kernel for each function of the headers below (math, integer and SIMD intrinsics, halves, fp8 to fp4, atomics, cache
hints, cluster queries), and those of tools/dev/ptx_coverage for what is no function: cuda::atomic, barrier and pipeline,
cooperative groups, wmma, textures, clusters, inline assembly. What an architecture does not have is left out by the
compiler's own errors.
"""
import argparse
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = """crt/math_functions.h crt/device_functions.h crt/device_functions.hpp crt/device_double_functions.h
device_atomic_functions.h sm_20_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h sm_32_atomic_functions.h
sm_32_intrinsics.h sm_35_intrinsics.h sm_60_atomic_functions.h sm_61_intrinsics.h crt/sm_70_rt.h crt/sm_80_rt.h
crt/sm_90_rt.h crt/sm_100_rt.h cuda_fp16.h cuda_bf16.h cuda_fp8.h cuda_fp6.h cuda_fp4.h cuda_pipeline_primitives.h
cuda_awbarrier_primitives.h""".split()
INCLUDES = "".join(f"#include <{name}>\n" for name in ("cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_fp6.h", "cuda_fp4.h",
                                                       "cuda_pipeline_primitives.h", "cuda_awbarrier_primitives.h"))
# Of single precision the headers declare some functions in a way that is not recognised below.
UNARY = """acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc erfcinv erfcx erfinv
exp exp10 exp2 expm1 fabs floor j0 j1 lgamma log log10 log1p log2 logb nearbyint normcdf normcdfinv rcbrt rint round rsqrt sin
sinh sinpi sqrt tan tanh tgamma trunc y0 y1""".split()
BINARY = "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder rhypot".split()
FAST = "__cosf __exp10f __expf __log10f __log2f __logf __sinf __tanf __tanhf __saturatef".split()
# Arguments that choose a variant.
CHOICES = {
    "__nv_saturation_t": ["__NV_NOSAT", "__NV_SATFINITE"],
    "__nv_fp8_interpretation_t": ["__NV_E4M3", "__NV_E5M2"],
    "__nv_fp6_interpretation_t": ["__NV_E2M3", "__NV_E3M2"],
    "__nv_fp4_interpretation_t": ["__NV_E2M1"],
    "cudaRoundMode": ["cudaRoundNearest", "cudaRoundZero"],
    "enum cudaRoundMode": ["cudaRoundNearest", "cudaRoundZero", "cudaRoundPosInf"],
}
BASIC = set("int unsigned long short char float double signed const volatile size_t void * &".split())


def functions(nvcc, arch, folder):
    """(name, result, types of the parameters) of the device functions that the headers declare for an architecture."""
    source = folder / "include.cu"
    source.write_text(INCLUDES)
    text = subprocess.run([nvcc, "-E", "-x", "cu", f"-arch=sm_{arch}", f"-D__CUDA_ARCH__={arch}0", source],
                          capture_output=True, text=True, check=True).stdout
    of_header, current = {}, None
    for line in text.splitlines():
        if marker := re.match(r'# \d+ "([^"]+)"', line):
            current = next((h for h in HEADERS if marker[1].endswith("/" + h)), None)
        elif current:
            of_header.setdefault(current, []).append(line)
    found = {}
    for lines in of_header.values():
        text = re.sub(r'extern\s*"C\+*"\s*\{|namespace \w+ \{', "", " ".join(lines))
        before = None
        while before != text:
            before, text = text, re.sub(r"\{[^{}]*\}", ";", text)
        for statement in text.split(";"):
            statement = re.sub(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)|noexcept\s*\(\w+\)", "", statement)
            statement = re.sub(r"\b(extern|static|inline|__inline__|__forceinline__|__inline|noexcept|throw\s*\(\)|"
                               r"__extension__|__inline_hint__)\b|\"C\"|\}", "", statement).strip()
            declared = re.match(r"^([\w:\s\*]+?)\s*\b([A-Za-z_]\w*)\s*\(([^()]*)\)\s*$", statement)
            if not declared or "typedef" in statement or "operator" in statement:
                continue
            result, name, parameters = declared.groups()
            result = re.sub(r"\b(const|volatile)\b", "", result).strip()
            if result in ("", "return", "else") or (name.startswith("__nv_") and not name.startswith("__nv_cvt")):
                continue
            types = []
            for parameter in [] if parameters.strip() in ("", "void") else parameters.split(","):
                words = parameter.split("=")[0].replace("*", " * ").replace("&", " & ").replace("__restrict__", "").split()
                if words[-1] not in BASIC and len([w for w in words if w not in ("const", "volatile", "enum", "*")]) > 1:
                    words = words[:-1]
                types.append(" ".join(words))
            found[name, tuple(types)] = result
    for real, end in (("float", "f"), ("double", "")):
        for name in UNARY:
            found[name + end, (real,)] = real
        for name in BINARY:
            found[name + end, (real, real)] = real
    for name in FAST:
        found[name, ("float",)] = "float"
    return found


def kernels(found):
    """(what is called, parameters and body of a kernel) for every function and choice of variants."""
    made = []
    for (name, types), result in found.items():
        for chosen in itertools.product(*(CHOICES.get(t.replace("const ", ""), [None]) for t in types)):
            parameters, arguments = [], []
            for i, (kind, value) in enumerate(zip(types, chosen)):
                if value is not None:
                    arguments.append(value)
                elif "*" in kind or "&" in kind:
                    parameters.append(f"{kind.replace('&', '*')} a{i}")
                    arguments.append(f"*a{i}" if "&" in kind else f"a{i}")
                else:
                    parameters.append(f"{kind.replace('const ', '')} const* a{i}")
                    arguments.append(f"a{i}[threadIdx.x]")
            call = f"{name}({', '.join(arguments)});"
            if result != "void":
                parameters.append(f"{result}* out")
                call = "out[threadIdx.x] = " + call
            made.append((f"{name}({', '.join(c or t for c, t in zip(chosen, types))})", f"({', '.join(parameters)}) {{ {call} }}"))
    return made


def compile_all(nvcc, arch, options, made, folder):
    """One PTX file of all kernels that compile for the architecture, and how many those are."""
    source, ptx = folder / f"all_{arch}.cu", folder / f"all_{arch}.ptx"
    alive = list(range(len(made)))
    for _ in range(8):
        first = INCLUDES.count("\n") + 1
        source.write_text(INCLUDES + "".join(f'extern "C" __global__ void k{i}{made[i][1]}\n' for i in alive))
        run = subprocess.run([nvcc, "-ptx", f"-arch=compute_{arch}", "-w", "-Xcudafe", "--error_limit=9999", *options, source,
                              "-o", ptx], capture_output=True, text=True)
        if run.returncode == 0:
            return ptx, alive
        wrong = {alive[int(line) - first] for line in re.findall(rf"{source.name}\((\d+)\): error", run.stderr)}
        if not wrong:
            sys.exit(run.stderr)
        alive = [i for i in alive if i not in wrong]
    sys.exit(f"kernels for compute_{arch} do not compile")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--lister", default=str(HERE.parents[1] / "build/tools/dev/gpuproj_ptx_coverage"))
    parser.add_argument("--arch", default="75,80,86,89,90,100,120")
    parser.add_argument("--options", default="", help="for nvcc: -G, -lineinfo, -use_fast_math, ...")
    given = parser.parse_args()
    options = given.options.split()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for arch in given.arch.split(","):
            made = kernels(functions(given.nvcc, arch, folder))
            ptx, alive = compile_all(given.nvcc, arch, options, made, folder)
            files = [ptx]
            for source in sorted((HERE / "ptx_coverage").glob("*.cu")):
                if source.stem == "clusters" and int(arch) < 90:
                    continue
                files.append(folder / f"{source.stem}_{arch}.ptx")
                subprocess.run([given.nvcc, "-ptx", "-std=c++17", f"-arch=compute_{arch}", "-w", *options, source, "-o",
                                files[-1]], check=True)
            listed = subprocess.run([given.lister, *files], capture_output=True, text=True).stdout.splitlines()
            print(f"compute_{arch} {given.options}: {len(alive)} functions of the headers; {listed[-1]}")
            for line in listed[:-1]:
                file, function, reason = line.split("\t")
                known = re.fullmatch(r"k(\d+)", function)
                print(f"  {made[int(known[1])][0] if known else function}: {reason}")


if __name__ == "__main__":
    main()
