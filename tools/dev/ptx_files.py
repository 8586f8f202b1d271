#!/usr/bin/env python3
"""Makes PTX of each .cu file of public programs, for tools that hold the engine against ptxas' code of them.

    tools/dev/ptx_files.py CHECKOUT... -o FOLDER --nvcc NVCC [--architectures 61 75 90] [--flags=-std=c++17]

Each file is compiled by itself, as it stands: headers are looked for in the folders that it is in, up to the checkout,
and in those of them that are called after headers. Files with the same text are compiled once. What does not compile (it
is part of another, or wants a newer toolkit or another library) is left out, and counted. FOLDER/ARCHITECTURE then has a
PTX file for each that has a kernel, and an empty NAME.none for the others: what is there already is not made again. The
tables in docs/machine_code.md are of gpu-rodinia (yuhc), cuda-samples (NVIDIA), polybenchGpu (sgrauerg) and shoc (vetter), by
nvcc 11.8:

    tools/dev/ptx_files.py rodinia cuda-samples polybenchGpu shoc -o ptx --nvcc NVCC
    tools/dev/static_costs.py 75 ptx/75/*.ptx --toolkit BIN_FOLDER
"""
import argparse
import hashlib
import pathlib
import subprocess

OF_HEADERS = {"common", "include", "inc", "util", "utils", "config"}
LIMIT_S = 120


def header_folders(file, checkout):
    """Those that the file is in, and the ones for headers beside them."""
    folders = []
    for folder in file.parents:
        folders.append(folder)
        folders += sorted(entry for entry in folder.iterdir() if entry.is_dir() and entry.name.lower() in OF_HEADERS)
        if folder == checkout:
            break
    return folders


def sources(checkouts):
    """(.cu file, its checkout), each text once."""
    seen = set()
    for checkout in checkouts:
        for file in sorted(checkout.rglob("*.cu")):
            digest = hashlib.sha256(file.read_bytes()).digest()
            if file.is_file() and digest not in seen:
                seen.add(digest)
                yield file, checkout


def name_of(file, checkout):
    return "_".join([checkout.name, *file.relative_to(checkout).with_suffix("").parts])


def compile_file(file, checkout, architecture, made, options):
    """Whether there is PTX with a kernel now."""
    if not made.exists():
        folders = [f"-I{folder}" for folder in header_folders(file, checkout)]
        call = [options.nvcc, f"-arch=compute_{architecture}", "-ptx", *options.flags, *folders, file, "-o", made.with_suffix(".part")]
        try:
            done = subprocess.run(call, capture_output=True, timeout=LIMIT_S, check=False).returncode == 0
        except subprocess.TimeoutExpired:
            done = False
        if done and ".entry" in made.with_suffix(".part").read_text():
            made.with_suffix(".part").rename(made)
        else:
            made.with_suffix(".part").unlink(missing_ok=True)
            made.with_suffix(".none").touch()
    return made.exists()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", dest="out", type=pathlib.Path, required=True)
    parser.add_argument("--nvcc", required=True, help="of CUDA 11.8, for tables like those in the documentation")
    parser.add_argument("--architectures", nargs="+", type=int, default=[61, 75, 90])
    parser.add_argument("--flags", nargs="*", default=["-std=c++17"], help="for nvcc (default: %(default)s)")
    options = parser.parse_args()
    files = list(sources([checkout.resolve() for checkout in options.checkouts]))
    for architecture in options.architectures:
        folder = options.out / str(architecture)
        folder.mkdir(parents=True, exist_ok=True)
        count = 0
        for file, checkout in files:
            made = folder / (name_of(file, checkout) + ".ptx")
            if not made.with_suffix(".none").exists():
                count += compile_file(file, checkout, architecture, made, options)
        print(f"sm_{architecture}: {count} of {len(files)} files compile and have kernels", flush=True)


if __name__ == "__main__":
    main()
