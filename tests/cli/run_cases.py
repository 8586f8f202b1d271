#!/usr/bin/env python3
"""Runs command lines and compares everything they print and their exit codes with what a case file says.

A case file holds commands, each followed by its expectation:

    $ gpuproj predict examples/profiles/sgemm_32x32.json --target K20c
    --- exit 0
    --- stdout
    ...
    --- stderr
    ...

Empty sections are left out. Commands run in the source folder; $BUILD is the build folder (by a link whose name is as
long on every machine, as lines are wrapped before the name stands there), $TMP a folder that lives as long as the case.
These, gpuproj's version, dates and hashes stand in the output by such names. A line "# needs PATH" skips the case where
PATH is missing, "# needs nvcc 13" where the CUDA compiler is of another release (counts depend on the code it makes);
exit code 77. A line "# any figures" lets N stand for every broken number and for what is aligned to it, for cases about
something else than figures. `--update` writes what was printed as the expectation.
"""
import argparse
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SKIPPED = 77


def environment(program):
    kept = {key: os.environ[key] for key in ("PATH", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                                             "TSAN_OPTIONS") if key in os.environ}
    kept["PATH"] = f"{program.parent}:{kept['PATH']}"
    return kept | {"COLUMNS": "120", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "NO_COLOR": "1"}


class Names:
    """Places that differ between machines, and how case files call them."""

    def __init__(self, source, build, link, tmp, version):
        self.places = [(str(tmp), "$TMP"), (str(link), "$BUILD"), (str(build), "$BUILD"), (str(source), "$SOURCE")]
        self.version = version

    def into_command(self, text):
        for place, name in self.places:
            text = text.replace(name, place)
        return text

    def into_output(self, text):
        for place, name in self.places:
            text = text.replace(place, name)
        text = text.replace("\r\n", "<CR>\n")  # of CSV, which a text file would not show
        text = re.sub(rf"\b{re.escape(self.version)}\b", "$VERSION", text)
        text = re.sub(r"\b[0-9a-f]{64}\b", "$SHA256", text)
        return re.sub(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "$DATE", text)


def without_figures(line):
    line = re.sub(r"\b\d+\.\d+(e[+-]?\d+)?\b", "N", line)
    return re.sub(r"-{4,}", "---", re.sub(r" {2,}", "  ", line))


def run(command, names, source, program):
    words = shlex.split(names.into_command(command))
    done = subprocess.run(words, cwd=source, env=environment(program), stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    lines = [f"$ {command}", f"--- exit {done.returncode}"]
    for name, data in (("stdout", done.stdout), ("stderr", done.stderr)):
        text = names.into_output(data.decode())
        if text:
            lines.append(f"--- {name}")
            lines += text.removesuffix("\n").split("\n")
            if not text.endswith("\n"):
                lines.append("--- no newline at the end")
    return lines


def actual(case, names, source, program):
    comments = [line for line in case.read_text().splitlines() if line.startswith("# ")]
    commands = [line[2:] for line in case.read_text().splitlines() if line.startswith("$ ")]
    lines = comments[:]
    for command in commands:
        if lines:
            lines.append("")
        lines += run(command, names, source, program)
    if "# any figures" in comments:
        lines = [without_figures(line) for line in lines]
    return "\n".join(lines) + "\n"


def is_there(need, program, nvcc):
    if not need.startswith("nvcc "):
        return pathlib.Path(need.replace("$BUILD", str(program.parent))).exists()
    try:
        said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return False
    return f"release {need.removeprefix('nvcc ')}." in said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--nvcc", default="nvcc", help="the CUDA compiler that built the examples")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("cases", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    failed, skipped = 0, 0
    for case in arguments.cases:
        needed = re.findall(r"^# needs (.+)$", case.read_text(), re.M)
        missing = [need for need in needed if not is_there(need, program, arguments.nvcc)]
        if missing:
            print(f"{case.name}: skipped, no {missing[0]}")
            skipped += 1
            continue
        with tempfile.TemporaryDirectory(dir="/tmp") as tmp, tempfile.TemporaryDirectory(dir="/tmp") as links:
            link = pathlib.Path(links, "build")
            link.symlink_to(program.parent)
            names = Names(arguments.source.resolve(), program.parent, link, tmp, version)
            text = actual(case, names, arguments.source, program)
        if arguments.update:
            case.write_text(text)
        elif text != case.read_text():
            failed += 1
            expected = case.read_text().splitlines(keepends=True)
            sys.stdout.writelines(difflib.unified_diff(expected, text.splitlines(keepends=True), str(case), "printed"))
    if failed:
        sys.exit(1)
    if skipped == len(arguments.cases):
        sys.exit(SKIPPED)


if __name__ == "__main__":
    main()
