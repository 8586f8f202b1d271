#!/usr/bin/env python3
"""Checks the charts and the reports that go with them.

    check_charts.py golden|agree|render|bad_input --program build/gpuproj --source . [--update]

golden: scripts and data of `plot -o FILE.gp` are those in tests/charts/golden (--update writes them).
agree: figures of plot, compare, headroom and diff are those of predict --json, read back.
render: gnuplot draws every golden chart without a word, as SVG, PDF, PNG and on the terminal.
bad_input: names, prices and profiles that nobody should have.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

CHARTS = {
    "roofline_sgemm": ["roofline", "examples/profiles/sgemm_32x32.json", "--target", "K20c"],
    "roofline_rodinia": ["roofline", "examples/profiles/rodinia.json", "--model", "quantitative-roofline"],
    "roofline_two": ["roofline", "examples/profiles/redblack_sor.json", "--target", "GTX480,GTX660"],
    "quadrant_redblack": ["quadrant", "examples/profiles/redblack_sor.json", "--target",
                          "GTX480,GTX660,GTX960,GTX1060,M2050,K20c", "--model", "quantitative-roofline"],
    "quadrant_wide": ["quadrant", "examples/profiles/redblack_sor.json", "--target", "GTX480,GT640,TeslaV100SXM216GB,B200"],
    "quadrant_steps": ["quadrant", "examples/profiles/sgemm_32x32.json", "--target", "GTX660", "--steps",
                       "--measured", "GTX660=0.006201"],
}


class Check:
    def __init__(self, arguments):
        self.program = pathlib.Path(arguments.program).resolve()
        self.source = pathlib.Path(arguments.source).resolve()
        self.golden = self.source / "tests" / "charts" / "golden"
        self.update = arguments.update
        self.failures = 0

    def run(self, *words, code=0, environment=None):
        done = subprocess.run([self.program, *map(str, words)], cwd=self.source, capture_output=True, text=True,
                              env={**os.environ, **(environment or {})})
        self.expect(done.returncode == code, f"{' '.join(map(str, words))}: exit {done.returncode}, not {code}: "
                                             f"{done.stderr.strip()[-400:]}")
        return done

    def json(self, *words):
        return json.loads(self.run(*words, "--json").stdout)

    def expect(self, holds, what):
        if not holds:
            self.failures += 1
            print("FAILED:", what)

    def near(self, a, b, what):
        self.expect(a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9), f"{what}: {a} is not {b}")


def golden(check, directory):
    for name, words in CHARTS.items():
        check.run("plot", *words, "-f", "-o", directory / f"{name}.gp")
        for ending in (".gp", ".csv"):
            made = (directory / f"{name}{ending}").read_bytes()
            kept = check.golden / f"{name}{ending}"
            if check.update:
                kept.parent.mkdir(exist_ok=True)
                kept.write_bytes(made)
            check.expect(kept.exists() and kept.read_bytes() == made, f"{kept} differs; --update writes it")


def rows(path, series):
    with open(path, newline="") as file:
        return [row for row in csv.DictReader(file) if row["series"] == series]


def agree(check, directory):
    data = directory / "chart.csv"
    for profile in ("redblack_sor", "rodinia", "sgemm_32x32"):
        file = f"examples/profiles/{profile}.json"
        for model in ("calibrated", "quantitative-roofline"):
            predicted = check.json("predict", file, "--target", "K20c", "--model", model)["predictions"]
            here = {p["kernel"]: p for p in predicted if p["model"] == model}
            thesis = {p["kernel"]: p for p in predicted if p["model"] == "quantitative-roofline"}
            check.run("plot", "roofline", file, "--target", "K20c", "--model", model, "-f", "-o", data)
            points = rows(data, "predicted")
            check.expect(len(points) == len(here), f"{profile}: {len(points)} points, {len(here)} kernels")
            total = sum(p["duration_s"] for p in here.values())
            for point in points:
                parameters = thesis[point["name"]]["kernel_parameters"]
                check.near(float(point["x_op_per_byte"]), parameters["o_krn"], f"{point['name']}: intensity")
                duration = here[point["name"]]["duration_s"]
                check.near(float(point["y_op_per_s"]), parameters["w_comp"] / duration, f"{point['name']}: attained")
                check.near(float(point["share"]), duration / total, f"{point['name']}: share")
                roof = parameters["w_comp"] / thesis[point["name"]]["duration_s"]
                check.near(float(point["to_y_op_per_s"]), roof, f"{point['name']}: roof")
            for tick in rows(data, "adjusted"):
                adjusted = thesis[tick["name"]]["intermediates"]["t_op_adjusted_per_s"]
                check.near(float(tick["y_op_per_s"]), adjusted, f"{tick['name']}: T'_op")
    # Quadrant-split: the attained point is W / t in both directions.
    file = "examples/profiles/lmsor.json"
    six = "GTX480,GTX660,GTX960,GTX1060,M2050,K20c"
    check.run("plot", "quadrant", file, "--target", six, "-f", "-o", data)
    predictions = check.json("predict", file, "--target", six)["predictions"]
    for p in predictions:
        series = "attained" if p["model"] == "quantitative-roofline" else "predicted"
        point = next(row for row in rows(data, series) if row["name"] == p["gpu"])
        thesis = next(q for q in predictions if q["gpu"] == p["gpu"] and q["kernel_parameters"])
        check.near(float(point["y_op_per_s"]), thesis["kernel_parameters"]["w_comp"] / p["duration_s"], p["gpu"])
        check.near(float(point["x_byte_per_s"]), thesis["kernel_parameters"]["w_traf_byte"] / p["duration_s"], p["gpu"])
    # compare: totals and intervals, weights applied.
    totals = {t["gpu"]: t for t in check.json("predict", file, "--target", six)["totals"] if t["model"] == "calibrated"}
    comparison = check.json("compare", f"{file}:3", "--target", six)
    ranking = comparison["ranking"]
    check.expect(len(ranking) == 6, f"{len(ranking)} rows")
    for row in ranking:
        if row["status"].startswith("owned"):
            continue  # measured
        for key in ("duration_s", "low_s", "high_s"):
            check.near(row[key], 3 * totals[row["gpu"]][key], f"compare {row['gpu']} {key}")
    check.near(sum(row["probability_fastest"] for row in ranking), 1, "probabilities")
    listed = list(csv.DictReader(check.run("compare", f"{file}:3", "--target", six, "--csv").stdout.splitlines()))
    for row, line in zip(ranking, listed):
        check.near(float(line["duration_s"]), row["duration_s"], "compare --csv")
    # The whole application: predict and compare say the same, and its parts add up. Times are those of the profile: 1.5 s
    # of wall time, in it 0.6 of kernels, 0.2 of copies and 0.3 of an idle GPU.
    timed = kernel("timed")
    timed["duration"] = {"count": 1, "sum_s": 0.6, "min_s": 0.6, "max_s": 0.6}
    whole = profile_with(directory, "whole", [timed], host_time_s=1.5, gpu_idle_time_s=0.3, transfers=[
        {"direction": "host_to_device", "count": 1, "byte": 10 ** 9, "duration_s": 0.2}])
    predicted = check.json("predict", whole, "--target", six)
    compared = {row["gpu"]: row for row in check.json("compare", whole, "--target", six)["applications"]}
    kernels_s = {(t["gpu"], t["model"]): t["duration_s"] for t in predicted["totals"]}
    check.expect(len(predicted["applications"]) == 2 * 6, f"{len(predicted['applications'])} applications")
    for row in predicted["applications"]:
        name = f"the application on {row['gpu']}"
        check.near(row["kernels_s"], kernels_s[row["gpu"], row["model"]], name)
        check.near(row["gpu_idle_s"], 0.3, name)
        check.near(row["host_s"], 1.5 - 0.6 - 0.2 - 0.3, name)
        check.near(row["total_s"], row["kernels_s"] + row["transfers_s"] + 0.3 + row["host_s"], name)
        not_modelled = 0.3 + row["host_s"] + (row["transfers_s"] if row["transfers_are"] == "as measured" else 0)
        check.near(row["not_modelled_share"], not_modelled / row["total_s"], name)
        if row["model"] == "calibrated":
            check.expect({key: row[key] for key in row if key != "model"} ==
                         {key: value for key, value in compared[row["gpu"]].items() if key != "program"}, name)
    said = check.run("predict", whole, "--target", six, "--md").stdout
    for row in predicted["applications"]:  # Markdown has base units, as JSON
        cells = next(([cell.strip() for cell in line.split("|")[1:-1]] for line in said.split("The whole application")[1].splitlines()
                      if f"| {row['model']} |" in line and f" {row['gpu']} |" in line), None)
        check.expect(cells is not None and any(cell and cell[0].isdigit() and math.isclose(float(cell), row["total_s"], rel_tol=1e-5)
                                               for cell in cells[2:]), f"--md: {row['gpu']}: {cells}")
    # headroom: predictions on the profile's own GPU.
    file = "examples/profiles/rodinia.json"
    own = {p["kernel"]: p for p in check.json("predict", file, "--target", "GTX480")["predictions"]
           if p["model"] == "calibrated"}
    for row in check.json("headroom", file)["kernels"]:
        check.near(row["predicted_s"], own[row["kernel"]]["duration_s"], f"headroom {row['kernel']}")
        bounds = [b["duration_s"] for b in own[row["kernel"]]["bounds"] if b["limiter"] not in ("latency", "launch")]
        check.near(row["bound_s"], max(bounds), f"bound of {row['kernel']}")
    # diff: both sides, and nothing changes against itself.
    difference = check.json("diff", file, file, "--target", "K20c")["kernels"]
    there = {p["kernel"]: p for p in check.json("predict", file, "--target", "K20c")["predictions"]
             if p["model"] == "calibrated"}
    for row in difference[:-1]:
        check.near(row["before_s"], there[row["kernel"]]["duration_s"], f"diff {row['kernel']}")
        check.expect(row["change_s"] == 0, f"diff {row['kernel']}: {row['change_s']}")


def render(check, directory):
    if shutil.which("gnuplot") is None:
        print("SKIPPED: no gnuplot")
        return
    starts = {".svg": b"<?xml", ".pdf": b"%PDF", ".png": b"\x89PNG"}
    for name, words in CHARTS.items():
        for ending, start in starts.items():
            file = directory / f"{name}{ending}"
            done = check.run("-q", "plot", *words, "-o", file)
            check.expect(done.stderr == "", f"{file.name}: {done.stderr[-300:]}")
            check.expect(file.read_bytes().startswith(start), f"{file.name}: not what its name says")
        done = check.run("-q", "plot", *words, environment={"COLUMNS": "100"})
        check.expect(done.stderr == "", f"{name} on the terminal: {done.stderr[-300:]}")
        widest = max(map(len, done.stdout.splitlines()))
        check.expect(widest <= 100, f"{name}: {widest} columns on the terminal")
        if words[0] == "quadrant":  # each GPU's letter is on the chart and in the list under it
            chart, listed = done.stdout.split("lines to what they attain")
            for line in listed.splitlines()[3:]:
                check.expect(line[0] in chart, f"{name}: no {line[0]} on the terminal's chart")
            check.expect("A  " in listed, f"{name}: no list under the terminal's chart")
        # The script on its own draws too.
        check.run("-q", "plot", *words, "-o", directory / f"{name}.gp", "-f")
        alone = subprocess.run(["gnuplot", f"{name}.gp"], cwd=directory, capture_output=True, text=True)
        check.expect(alone.returncode == 0 and alone.stderr == "", f"{name}.gp: {alone.stderr[-300:]}")


def profile_with(directory, name, kernels, **more):
    profile = {"schema": "gpuproj.profile", "version": 1, "gpu": "GeForce GTX 480",
               "provenance": {"counters": "derived", "collector": "paper"}, "kernels": kernels, "partial": False,
               "notes": [], **more}
    path = directory / f"{name}.json"
    path.write_text(json.dumps(profile))
    return path


def kernel(name, fp32=1 << 20, sectors=1 << 15):
    return {"kernel": name, "grid": [1024, 1, 1], "block": [256, 1, 1], "device": 0,
            "launches": 1, "metrics": {
        "thread_inst_fp32_fma": fp32 // 2, "thread_inst_fp64_fma": 0, "thread_inst_load_store": 1 << 18,
        "warp_inst": 1 << 17, "thread_inst_fp32": fp32, "thread_inst_fp64": 0, "thread_inst_integer": 0,
        "dram_read_sector": sectors, "dram_write_sector": 0}}


def bad_input(check, directory):
    drawn = shutil.which("gnuplot") is not None
    ending = "svg" if drawn else "gp"
    touched = directory / "touched"
    names = ["x" * 10000, "<script>alert(1)</script>", f"`touch {touched}`", f"'; system \"touch {touched}\"; '",
             'quote " comma , line\nbreak', "naïve ♥ 日本", "%s %d ${PATH} @macro \\n"]
    odd = profile_with(directory, "odd names", [kernel(name) for name in names])
    for chart in ("roofline", "quadrant"):
        words = ["-k", names[2]] if chart == "quadrant" else []
        check.run("plot", chart, odd, "-f", "-o", directory / f"odd.{ending}", *words)
    check.expect(not touched.exists(), "a kernel's name was executed")
    if drawn:
        svg = (directory / "odd.svg").read_text()
        check.expect("<script" not in svg, "a kernel's name became an element of the SVG")
    for verb in (["headroom", odd], ["diff", odd, odd], ["compare", odd, "--target", "K20c"]):
        for form in ([], ["--md"], ["--json"], ["--csv"]):
            check.run(*verb, *form)
    none = profile_with(directory, "none", [])
    for verb in (["plot", "roofline", none], ["headroom", none], ["compare", none], ["diff", none, none]):
        done = check.run(*verb, code=1)
        check.expect("no kernels" in done.stderr, f"{verb}: {done.stderr}")
    # No traffic: at the right edge. No operations: said, and the others are drawn.
    edges = profile_with(directory, "edges", [kernel("no_traffic", sectors=0), kernel("no_work", fp32=0), kernel("plain")])
    data = directory / "edges.csv"
    done = check.run("plot", "roofline", edges, "--model", "quantitative-roofline", "-o", data)
    check.expect({row["name"] for row in rows(data, "predicted")} == {"no_traffic", "plain"}, "edges: points")
    check.expect("no_work on GeForce GTX 480: the kernel has no operations" in done.stderr, done.stderr)
    check.run("plot", "quadrant", edges, "-k", "no_traffic", "-o", directory / f"upright.{ending}")
    check.run("plot", "quadrant", edges, "-k", "no_traffic", "--axes", "log", "-o", directory / f"upright_log.{ending}")
    check.run("plot", "quadrant", edges, "-k", "plain", "--axes", "polar", "-o", directory / f"polar.{ending}", code=2)
    check.run("plot", "quadrant", edges, "-k", "no_work", code=1)
    # Many kernels: the longest are drawn, the rest counted.
    many = profile_with(directory, "many", [kernel(f"k{at}", fp32=(1 << 20) + 2 * (at % 8)) for at in range(3000)])
    done = check.run("plot", "roofline", many, "-o", directory / "many.csv")
    check.expect("2970 kernels on GeForce GTX 480" in done.stderr, done.stderr)
    check.expect(len(rows(directory / "many.csv", "predicted")) == 30, "30 points")
    check.expect("2970 more kernels" in check.run("headroom", many).stdout, "headroom sums the rest")
    # A hundred thousand: the same, in every report that lists kernels.
    many = profile_with(directory, "very many", [kernel(f"k{at}", fp32=(1 << 20) + 2 * (at % 8)) for at in range(100000)])
    done = check.run("plot", "roofline", many, "-o", directory / "very_many.csv")
    check.expect("99970 kernels on GeForce GTX 480, together 100.0 % of the time" in done.stderr, done.stderr)
    check.expect("one kernel of 100000" in check.run("plot", "quadrant", many, "--target", "K20c", "-o",
                                                     directory / "one.csv").stderr, "quadrant: which of many")
    check.expect("99970 more kernels" in check.run("headroom", many).stdout, "headroom sums the rest")
    page = directory / "very_many.html"
    check.run("report", many, "--target", "K20c", "-o", page)
    text = page.read_text()
    report = json.loads(text[text.index('id="report">') + len('id="report">'):].split("</script>")[0])
    names = next(column for column in report["kernels"]["columns"] if column["key"] == "kernel")["values"]
    rest = next(column for column in report["models"][0]["totals"]["columns"] if column["key"] == "rest_s")["values"]
    check.expect(report["kernels_in_profile"] == 100000 and len(names) == 1000 and rest[0] > 0, "report sums the rest")
    check.expect(page.stat().st_size < 5e6, f"{page.stat().st_size} bytes")
    # File names: shown, not run, and not taken for gnuplot's own words.
    folder = directory / "it's <b>&'\"`touch x` $(touch y)"
    folder.mkdir()
    named = profile_with(folder, "<script>alert(1)</script>".replace("/", "_"), [kernel("plain")])
    check.run("plot", "roofline", named, "-o", folder / "it's.gp")
    if drawn:
        done = subprocess.run(["gnuplot", "it's.gp"], cwd=folder, capture_output=True, text=True)
        check.expect(done.returncode == 0 and (folder / "it's.svg").exists(), f"a script in an odd folder: {done.stderr}")
        check.run("plot", "roofline", named, "-o", folder / "drawn's.png")
    check.run("report", named, "--target", "K20c", "-o", folder / "page.html")
    check.expect("<script>alert" not in (folder / "page.html").read_text(), "a file's name became an element of the page")
    check.expect(not any((place / name).exists() for place in (folder, check.source) for name in "xy"), "a name was run")
    # Prices.
    prices = directory / "prices.csv"
    good = "examples/profiles/lmsor.json"

    def refused(text, what):
        prices.write_text(text)
        for verb in (["compare", good], ["report", good, "-o", directory / "no.html"]):
            done = check.run(*verb, "--target", "K20c,GTX1060", "--prices", prices, code=1)
            check.expect(what in done.stderr, f"{verb[0]}: {text!r}: {done.stderr}")
        check.expect(not (directory / "no.html").exists(), "a page was written all the same")

    refused("gpu,price\nGTX 4711,1\n", "line 2")
    refused("gpu,price\nK20c,cheap\n", "is no amount")
    refused("gpu,price\nK20c,-1\n", "is no amount")
    refused("gpu,price\nK20c,0\n", "price of 0")
    refused("gpu,price,currency\nK20c,1,EUR\nGTX1060,1,USD\n", "convert to one")
    refused("gpu,price\nK20c,1\nTesla K20c,2\n", "twice")
    refused("card,price\nK20c,1\n", "has no column 'gpu'")
    prices.write_text("gpu,price,currency\nK20c,,EUR\n")  # none is known: no ranking by money, and it is said
    for form in ([], ["--json"]):
        said = check.run("compare", good, "--target", "K20c,GTX1060", "--prices", prices, *form).stdout
        check.expect("GPUs without a price, not ranked by money" in said and "Most for the money" not in said, said)
    check.run("report", good, "--target", "K20c", "--prices", prices, "-o", directory / "priceless.html")
    check.run("compare", good, "--max-nodes", "2", code=2)  # of how many GPUs nobody knows
    check.run("report", good, "--pue", "0.5", "-o", directory / "no.html", code=2)
    check.run("compare", f"{good}:-1", code=2)
    check.run("compare", good, "--pue", "0.5", code=2)
    # No gnuplot: the remedy; the script is written all the same.
    done = check.run("plot", "roofline", good, "-o", directory / "no.svg", code=1, environment={"PATH": str(directory)})
    check.expect("apt-get install -y gnuplot-nox" in done.stderr, done.stderr)
    check.run("plot", "roofline", good, "-o", directory / "no.gp", environment={"PATH": str(directory)})
    check.run("plot", "roofline", good, "-o", directory / "no.gp", code=1)  # never overwritten without -f
    check.run("plot", "pie", good, code=2)
    check.run("plot", "roofline", good, directory / "a.csv", "-o", directory / "b.csv", code=2)
    check.run("plot", "roofline", good, directory / "a.csv")
    if drawn:
        here, there = (check.run("plot", "roofline", good, *words).stdout for words in (["-"], []))
        check.expect(here == there and "op/s" in here, "a dash is the terminal, and so is nothing")
    check.run("plot", "roofline", good, "-o", "chart.jpeg", code=2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("check", choices=["golden", "agree", "render", "bad_input"])
    parser.add_argument("--program", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    check = Check(arguments)
    with tempfile.TemporaryDirectory(prefix="gpuproj-charts-") as directory:
        {"golden": golden, "agree": agree, "render": render, "bad_input": bad_input}[arguments.check](
            check, pathlib.Path(directory))
    sys.exit(1 if check.failures else 0)


if __name__ == "__main__":
    main()
