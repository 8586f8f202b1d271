#!/usr/bin/env python3
"""Writes examples/reports: one report of each kind, by the commands that its README shows.

    tools/dev/example_reports.py            makes them all again, after building
    tools/dev/example_reports.py --pages D  also the HTML pages, which are too large to keep, into the folder D
"""
import argparse
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "examples" / "reports"
THESIS = "GTX480,M2050,GTX660,K20c,GTX960,GTX1060,R9Nano"
PROFILES = "examples/profiles"
PAGES = [
    ("sgemm.html", "The thesis' matrix multiplication, measured on a GTX 480, on the thesis' seven GPUs",
     f"build/gpuproj report {PROFILES}/sgemm_32x32.json --target {THESIS} -o sgemm.html"),
    ("rodinia.html", "Its 28 Rodinia kernels on all stored GPUs",
     f"build/gpuproj report {PROFILES}/rodinia.json -o rodinia.html"),
    ("mix.html", "A mix of two programs with prices: which GPU to buy",
     f"build/gpuproj report {PROFILES}/lmsor.json:3 {PROFILES}/sgemm_32x32.json --prices examples/prices.csv "
     f"--target {THESIS},TeslaV100SXM216GB --lifetime 5 --tariff 0.25 --pue 1.4 -o mix.html"),
    ("matrix_multiply.html", "A run of an example program, without a GPU",
     "build/gpuproj run build/examples/matrix_multiply --ref GTX480 --html matrix_multiply.html"),
]
REPORTS = [
    ("run.txt", "A run of an example, without a GPU", "build/gpuproj run build/examples/matrix_multiply --ref GTX480 --target K20c,GTX1060"),
    ("application.txt", "The whole application, kernels and transfers (idle and host time are in profiles made on a GPU)",
     "build/gpuproj run build/examples/red_black_sor --ref GTX480 --target K20c,GTX1060,TeslaV100SXM216GB"),
    ("predict.md", "Predictions", f"build/gpuproj predict {PROFILES}/sgemm_32x32.json --target K20c,GTX1060 --md"),
    ("explain.txt", "One prediction with every intermediate value and its equation",
     f"build/gpuproj predict {PROFILES}/sgemm_32x32.json --target GTX660 --model quantitative-roofline --explain"),
    ("compare.md", "GPUs compared for a mix, with prices",
     f"build/gpuproj compare {PROFILES}/lmsor.json:3 {PROFILES}/sgemm_32x32.json --target K20c,GTX1060,TeslaV100SXM216GB "
     "--prices examples/prices.csv --lifetime 5 --tariff 0.25 --pue 1.4 --deadline 0.05 --max-nodes 4 --md"),
    ("acceptance.csv", "Figures for a tender",
     f"build/gpuproj compare {PROFILES}/lmsor.json {PROFILES}/sgemm_32x32.json --target K20c,GTX1060 --acceptance --csv"),
    ("headroom.md", "What each kernel could still gain", f"build/gpuproj headroom {PROFILES}/rodinia.json --md"),
    ("diff.md", "Two versions of a program: a stencil that moves less and computes more",
     f"build/gpuproj diff {PROFILES}/redblack_sor.json {PROFILES}/lmsor.json --target K20c --md"),
    ("roofline.svg", "Roofline", f"build/gpuproj plot roofline {PROFILES}/rodinia.json -f -o examples/reports/roofline.svg"),
    ("quadrant.svg", "Quadrant-split",
     f"build/gpuproj plot quadrant {PROFILES}/redblack_sor.json -f -o examples/reports/quadrant.svg"),
    ("roofline.txt", "Roofline on the terminal", f"build/gpuproj plot roofline {PROFILES}/redblack_sor.json"),
]


def make(file, command):
    done = subprocess.run(shlex.split(command), cwd=ROOT, capture_output=True, text=True,
                          env={"PATH": "/usr/local/bin:/usr/bin:/bin", "COLUMNS": "120", "LC_ALL": "C.UTF-8"})
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr}")
    if done.stdout:
        file.write_text("".join(line.rstrip() + "\n" for line in done.stdout.splitlines()))


def readme():
    text = "# Reports\n\nWritten by `python3 tools/dev/example_reports.py`, after building; do not edit.\n\n"
    text += "| report | command |\n|---|---|\n"
    for file, title, command in REPORTS:
        text += f"| [{title}]({file}) | `{command}` |\n"
    text += "\n## Pages\n\nOne page each, 1.2 MB and more, so they are made and not kept here. Open them in any browser; they " \
            "load nothing.\n"
    for _, title, command in PAGES:
        text += f"\n{title}:\n\n    {command}\n"
    text += "\n![The top of the page: the answer in one sentence, and the predicted time on each GPU with its interval]" \
            "(report.png)\n"
    (OUT / "README.md").write_text(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=pathlib.Path)
    arguments = parser.parse_args()
    for file, _, command in REPORTS:
        make(OUT / file, command)
    readme()
    if arguments.pages:
        for file, _, command in PAGES:
            page = arguments.pages.resolve() / file
            page.unlink(missing_ok=True)
            make(page.with_suffix(".txt"), command.replace(f" {file}", f" {page}"))


if __name__ == "__main__":
    main()
