#!/usr/bin/env python3
"""The HTML report as its readers meet it: opened from a file in headless Chromium. One case per name; exit code 77 where
there is no Chromium."""
import argparse
import array
import base64
import csv
import io
import json
import math
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

sys.dont_write_bytecode = True
import webdriver  # noqa: E402

THESIS = "GTX480,M2050,GTX660,K20c,GTX960,GTX1060,R9Nano"
SKIPPED = 77
failures = []
arguments = None


def check(what, condition, more=""):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what} {more}")


def near(a, b, tolerance=1e-6):
    if a is None or b is None:
        return a is b
    return a == b or abs(a - b) <= tolerance * max(abs(a), abs(b))


def gpuproj(*words):
    done = subprocess.run([arguments.program, *words], cwd=arguments.source, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"gpuproj {' '.join(words)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def unpacked(text, kind="f"):
    """Packed numbers of the page (html_columns.hpp); what is not a number is None."""
    return [None if value != value else value for value in array.array(kind, base64.b64decode(text))]


WIDTHS = {1: "B", 2: "H", 4: "I"}


def column(table, key):
    found = next(c for c in table["columns"] if c["key"] == key)
    return [None if v is None else found["words"][v] if "words" in found else v for v in found["values"]]


def profile(name):
    return json.loads((arguments.source / "examples/profiles" / f"{name}.json").read_text())


def measured_rodinia():
    """The Rodinia kernels with times, so that every part of the page has something to show."""
    whole = profile("rodinia")
    for place, kernel in enumerate(whole["kernels"]):
        kernel["grid"], kernel["block"] = [4096, 1, 1], [256, 1, 1]
        kernel["duration"] = {"count": 1, "sum_s": (1 + place % 5) * 2e-3, "min_s": (1 + place % 5) * 2e-3, "max_s": (1 + place % 5) * 2e-3}
    whole["transfers"] = [{"direction": "host_to_device", "count": 4, "byte": 400000000, "duration_s": 0.08}, {"direction": "device_to_host", "count": 2, "byte": 100000000, "duration_s": 0.02},
                          {"direction": "device_to_device", "count": 1, "byte": 50000000, "duration_s": 0.001}]
    whole["host_time_s"], whole["gpu_idle_time_s"] = 0.4, 0.05
    return whole


class Page:
    """A report made of a profile, in the browser."""

    def __init__(self, browser, folder, given, targets=THESIS, *options, name="page", programs=(), terms=()):
        """`programs` take the place of the profile; `terms` are options of the comparison."""
        self.browser, self.targets, self.options = browser, targets, options
        self.profile = pathlib.Path(folder) / f"{name}.profile.json"
        self.profile.write_text(json.dumps(given))
        self.file = pathlib.Path(folder) / f"{name}.html"
        begin, worked = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        gpuproj("report", *(programs or [str(self.profile)]), "--target", targets, *options, *terms, "-o", str(self.file))
        self.made_s = time.perf_counter() - begin
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.made_cpu_s = now.ru_utime + now.ru_stime - worked.ru_utime - worked.ru_stime

    def open(self, width=1280, dark=False):
        self.browser.size(width, dark=dark)
        self.opened_s = self.browser.open(self.file)
        return self

    def choose(self, selector, text):
        """Picks what reads so in a list."""
        self.browser.run("""const select = document.querySelector(args[0]);
            select.value = [...select.options].find((option) => option.textContent === args[1]).value; select.dispatchEvent(new Event('change'));""", selector, text)

    def has_charts(self):
        return self.browser.run("return typeof Plotly !== 'undefined';")

    def predictions(self, *options):
        return self.said("predict", *self.options, *options)

    def said(self, verb, *options, profile=None):
        """What another verb prints of the same profile and GPUs."""
        return json.loads(gpuproj(verb, profile or str(self.profile), "--target", self.targets, *options, "--json"))

    def csv(self, figure):
        self.browser.click(f"#{figure} [data-export=csv]")
        _, content = self.browser.downloaded()
        return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def opens(browser, folder):
    for dark in (False, True):
        page = Page(browser, folder, measured_rodinia(), name=f"opens{dark}").open(dark=dark)
        browser.draw_all()
        check("no message on the console", (said := browser.console()) == [], said)
        check("no request but the page itself", (asked := browser.requests()) == [page.file.as_uri()], asked)
        check("the theme is the system's", browser.run("return document.documentElement.dataset.theme;") == ("dark" if dark else "light"))
        drawn = browser.run("return [...document.querySelectorAll('.plot:not([hidden])')].map((plot) => [plot.id, plot.dataset.drawn === 'yes']);")
        check("every chart is drawn", not page.has_charts() or (len(drawn) >= 3 and all(done for _, done in drawn)), drawn)
    check("the page is complete in itself", not re.search(rb'<(script|link|img)[^>]+(src|href)="(?!data:)', page.file.read_bytes()))


def figures(browser, folder):
    """Every figure on the page is the one that `predict --json` prints."""
    page = Page(browser, folder, measured_rodinia()).open()
    wanted = page.predictions()
    by_key = {(p["kernel"], p["gpu"]): p for p in wanted["predictions"] if p["model"] == "calibrated"}
    totals = {t["gpu"]: t for t in wanted["totals"] if t["model"] == "calibrated"}
    report = browser.run("return JSON.parse(document.getElementById('report').textContent);")

    names, gpus = column(report["kernels"], "name"), column(report["targets"], "gpu")
    check("all models that answer are there", [m["name"] for m in report["models"]][:1] == ["calibrated"] and "quantitative-roofline" in [m["name"] for m in report["models"]])
    for model in report["models"]:
        said = page.predictions("--model", model["name"])
        by_model = {(p["kernel"], p["gpu"]): p for p in said["predictions"] if p["model"] == model["name"]}
        model_totals = {t["gpu"]: t for t in said["totals"] if t["model"] == model["name"]}
        packed = model["predictions"]
        seen = {"duration_s": unpacked(packed["duration_s"])}
        at_interval = unpacked(packed["interval_at"], WIDTHS[packed["interval_width"]]) if packed["interval_at"] is not None else [None] * len(names) * len(gpus)
        for key, end in (("low_s", 0), ("high_s", 1)):
            factors = [None if at is None else packed["intervals"][at][end] for at in at_interval]
            seen[key] = [None if factor is None or time is None else factor * time for factor, time in zip(factors, seen["duration_s"])]
        remarks = unpacked(packed["remarks"], WIDTHS[report["remark_width"]])
        check(f"{model['name']}: all predictions are there", len(seen["duration_s"]) == len(by_model) == len(names) * len(gpus))
        for target, gpu in enumerate(gpus):
            for kernel, name in enumerate(names):
                at, p = target * len(names) + kernel, by_model[name, gpu]
                check(f"{model['name']}: {name} on {gpu}", all(near(seen[key][at], p[key]) for key in ("duration_s", "low_s", "high_s")), p)
                limiter, places = report["remarks"][remarks[at]]
                check(f"{model['name']}: limiter of {name} on {gpu}", limiter == p["limiter"])
                texts = [report["texts"][text] for text in places]
                check(f"{model['name']}: notes on {name} on {gpu}", texts == [p["reason"]] if p["reason"] else len(texts) == len(p["warnings"]), texts)
            for key in ("duration_s", "low_s", "high_s", "covered_share"):
                check(f"{model['name']}: total of {gpu}", near(column(model["totals"], key)[target], model_totals[gpu][key]), key)
    parameters = {p["kernel"]: p["kernel_parameters"] for p in wanted["predictions"] if p["kernel_parameters"]}
    for key, there in (("w_comp_op", "w_comp"), ("w_traf_byte", "w_traf_byte"), ("e_mix", "e_mix"), ("d_ldst", "d_ldst"), ("o_krn_op_per_byte", "o_krn")):
        check(f"kernel parameter {there}", all(near(value, parameters[name][there]) for name, value in zip(names, column(report["kernels"], key))))

    # What the charts draw and save.
    rows = page.csv("times")
    check("the chart of times has every GPU that is predicted", {r["gpu"] for r in rows} == {g for g, t in totals.items() if t["duration_s"]})
    for row in rows:
        check(f"saved total of {row['gpu']}", all(near(float(row[key]), totals[row["gpu"]][key]) for key in ("duration_s", "low_s", "high_s")))
    for row in page.csv("limiters"):
        alone = sum(p["duration_s"] for (_, gpu), p in by_key.items() if gpu == row["gpu"] and p["limiter"] == row["limiter"])
        check(f"time of {row['gpu']} limited by {row['limiter']}", near(float(row["duration_s"]), alone, 1e-5))
    best = min((t for t in totals.values() if t["duration_s"]), key=lambda t: t["duration_s"])
    rows = page.csv("kernels-table")
    for row in rows:
        p = by_key[row["kernel"], best["gpu"]]
        check(f"saved {row['kernel']}", near(float(row["duration_s"]), p["duration_s"]) and near(float(row["share"]), p["duration_s"] / best["duration_s"], 1e-5))
    thesis = {(p["kernel"], p["gpu"]): p for p in wanted["predictions"] if p["model"] == "quantitative-roofline"}
    rows = page.csv("roofline-chart")
    check("the roofline has kernels", len(rows) >= 20)
    for row in rows:
        p, q = by_key[row["kernel"], row["gpu"]], thesis[row["kernel"], row["gpu"]]
        k, i = q["kernel_parameters"], q["intermediates"]
        check(f"{row['kernel']} under the roofline of {row['gpu']}", row["gpu"] == best["gpu"] and near(float(row["duration_s"]), p["duration_s"])
              and near(float(row["intensity_op_per_byte"]), k["o_krn"]) and near(float(row["attained_op_per_s"]), k["w_comp"] / p["duration_s"])
              and near(float(row["adjusted_op_per_s"]), i["t_op_adjusted_per_s"]) and row["limiter"] == p["limiter"], row)
    rows = page.csv("quadrant-chart")
    check("the quadrant-split has GPUs", len(rows) >= 6)
    for row in rows:
        q = thesis[row["kernel"], row["gpu"]]
        check(f"{row['kernel']} in the quadrants of {row['gpu']}", near(float(row["duration_s"]), q["duration_s"]) and row["limiter"] == q["limiter"]
              and near(float(row["attained_op_per_s"]), q["kernel_parameters"]["w_comp"] / q["duration_s"])
              and near(float(row["adjusted_op_per_s"]), q["intermediates"]["t_op_adjusted_per_s"]), row)
    static_charts(page, best["gpu"])
    headroom = {row["kernel"]: row for row in json.loads(gpuproj("headroom", str(page.profile), "--json"))["kernels"]}
    rows = page.csv("headroom-table")
    check("headroom has every kernel", {row["kernel"] for row in rows} == {name for name, row in headroom.items() if not row["reason"]} and len(rows) > 20)
    for row in rows:
        there = headroom[row["kernel"]]
        pairs = [("time_s", "time_s"), ("bound_s", "bound_s"), ("factor", "headroom"), ("share", "share"), ("saved_s", "saved_s"), ("speed_up", "application_speed_up")]
        check(f"headroom of {row['kernel']}", all(near(float(row[here]), there[key]) for here, key in pairs) and row["bound_is"] == there["limiter"], row)
    same_rows("compare", page.csv("comparison-table"), page.said("compare")["ranking"])
    same_rows("the application", page.csv("application-table"), page.said("compare")["applications"])
    same_rows("the application by predict", page.csv("application-table"), [row for row in page.predictions()["applications"] if row["model"] == "calibrated"])
    sentence = browser.run("return document.querySelector('h1').textContent;")
    check("the sentence names the fastest GPU", best["gpu"] in sentence, sentence)
    check("the sentence has its time", f"{best['duration_s'] * 1e3:.3g}" in sentence, sentence)
    own = {p["kernel"]: p for p in by_key.values() if p["gpu"] == "GeForce GTX 480"}
    for row in page.csv("self-check"):
        check(f"self-check of {row['kernel']}", near(float(row["predicted_s"]), own[row["kernel"]]["duration_s"]))


def same_rows(what, saved, wanted, without=()):
    """Rows of a CSV of the page against those of another verb, by GPU: every figure that the page has."""
    there = {row["gpu"]: row for row in wanted}
    check(f"{what}: the GPUs", sorted(row["gpu"] for row in saved) == sorted(there), [row["gpu"] for row in saved])
    for row in saved:
        for key, text in row.items():
            if key in without or key not in there[row["gpu"]]:
                continue
            value = there[row["gpu"]][key]
            same = text == "" if value is None else text == str(value).lower() if isinstance(value, bool) else near(float(text), value) if isinstance(value, (int, float)) else text == value
            check(f"{what}: {key} of {row['gpu']}", same, (text, value))


def static_charts(page, gpu):
    """The data of gnuplot's charts and of the page's are the same."""
    data = page.file.with_suffix(".csv")

    def series(*names):
        with open(data, newline="") as file:
            return {row["name"]: row for row in csv.DictReader(file) if row["series"] in names}
    gpuproj("plot", "roofline", str(page.profile), "--target", gpu, "-f", "-o", str(data))
    drawn, rows = series("predicted", "measured"), page.csv("roofline-chart")
    check("both rooflines have the same kernels", {row["kernel"] for row in rows} <= set(drawn) and len(rows) == 25)
    for row in rows:
        there = drawn[row["kernel"]]
        check(f"{row['kernel']} on both rooflines", all(near(float(row[here]), float(there[key])) for here, key in [("intensity_op_per_byte", "x_op_per_byte"), ("attained_op_per_s", "y_op_per_s"), ("roof_op_per_s", "to_y_op_per_s"), ("share", "share")]), row)
    rows = page.csv("quadrant-chart")
    gpuproj("plot", "quadrant", str(page.profile), "-k", rows[0]["kernel"], "--target", page.targets, "-f", "-o", str(data))
    adjusted, attained = series("adjusted"), series("attained")
    check("both quadrant-splits have the same GPUs", {row["gpu"] for row in rows} == set(adjusted))
    for row in rows:
        a, b = adjusted[row["gpu"]], attained[row["gpu"]]
        check(f"{row['gpu']} on both quadrant-splits", near(float(row["bandwidth_byte_per_s"]), float(a["x_byte_per_s"])) and near(float(row["adjusted_op_per_s"]), float(a["y_op_per_s"]))
              and near(float(row["attained_byte_per_s"]), float(b["x_byte_per_s"])) and near(float(row["attained_op_per_s"]), float(b["y_op_per_s"])), row)


POINTS = """
  const wrong = [];
  let points = 0;
  for (const plot of document.querySelectorAll('.plot[data-drawn]')) {
    const area = plot.querySelector('.main-svg').getBoundingClientRect();
    const {xaxis, yaxis} = plot._fullLayout;
    const drawn = [...plot.querySelectorAll('.scatterlayer .trace')];
    const traces = plot._fullData.filter((trace) => trace.type === 'scatter' && trace.visible === true);
    traces.forEach((trace, place) => {
      if (!trace.mode.includes('markers')) return;
      const marks = [...drawn[place].querySelectorAll('.points path.point')];
      if (marks.length !== trace.x.length) { wrong.push([plot.id, place, marks.length, trace.x.length]); return; }
      marks.forEach((mark, at) => {
        const size = Array.isArray(trace.marker.size) ? trace.marker.size[at] : trace.marker.size;
        if (!(size > 0)) return;
        const place = mark.getAttribute('transform').match(/translate\\(([-\\d.e]+),([-\\d.e]+)\\)/);
        const x = Number(place[1]), y = Number(place[2]);
        if (Math.abs(x - xaxis.d2p(trace.x[at])) > 0.6 || Math.abs(y - yaxis.d2p(trace.y[at])) > 0.6) wrong.push([plot.id, trace.x[at], x, xaxis.d2p(trace.x[at])]);
        const box = mark.getBoundingClientRect();
        const inside = box.x + box.width / 2 >= area.x && box.x + box.width / 2 <= area.right && box.y + box.height / 2 >= area.y && box.y + box.height / 2 <= area.bottom;
        if (!inside) wrong.push([plot.id, 'outside', trace.x[at], trace.y[at]]);
        ++points;
      });
    });
    const bars = plot._fullData.filter((trace) => trace.type === 'bar');
    const groups = [...plot.querySelectorAll('.barlayer .trace')];
    const from = new Map();
    bars.forEach((trace, place) => [...groups[place].querySelectorAll('.point path')].forEach((bar, at) => {
      const begin = from.get(trace.y[at]) ?? 0;
      from.set(trace.y[at], begin + trace.x[at]);
      const width = bar.getBBox().width;
      if (Math.abs(width - (xaxis.d2p(begin + trace.x[at]) - xaxis.d2p(begin))) > 1.5) wrong.push([plot.id, 'bar', trace.x[at], width]);
      ++points;
    }));
  }
  return {wrong, points};
"""


def points(browser, folder):
    """Marks stand where their data says, in pixels, and nothing is outside of its picture."""
    page = Page(browser, folder, measured_rodinia()).open()
    if not page.has_charts():
        print("SKIPPED: gpuproj was built without Plotly")
        sys.exit(SKIPPED)
    for width in (1280, 390):
        page.open(width)
        browser.draw_all()
        found = browser.run(POINTS)
        check(f"points at their places at {width}", found["wrong"] == [], found["wrong"][:5])
        check(f"there are points at {width}", found["points"] > 80, found["points"])
        browser.click("#roofline-several"), browser.click("#quadrant-steps")
        browser.draw_all()
        more = browser.run(POINTS)
        check(f"with all GPUs and steps at {width}", more["wrong"] == [] and more["points"] > found["points"] + 50, more)
        check(f"labels are apart with all GPUs and steps at {width}", (over := browser.run(LABELS)) == [], over[:5])
        kind = "const {xaxis, yaxis} = document.getElementById('quadrant-chart-plot')._fullLayout; return [xaxis.type, yaxis.type, document.getElementById('quadrant-log').getAttribute('aria-pressed')];"
        before = browser.run(kind)
        browser.click("#quadrant-log")
        browser.draw_all()
        check(f"axes change at {width}", {tuple(before), tuple(browser.run(kind))} == {("linear", "linear", "false"), ("log", "log", "true")}, before)
        other = browser.run(POINTS)
        check(f"points at their places on them at {width}", other["wrong"] == [] and other["points"] == more["points"], other["wrong"][:5])
        check(f"labels are apart on them at {width}", (over := browser.run(LABELS)) == [], over[:5])


def interaction(browser, folder):
    page = Page(browser, folder, measured_rodinia()).open()
    names = "return [...document.querySelectorAll('#kernels-table tbody tr[data-row] th')].map((cell) => cell.textContent);"
    sort = "return document.querySelector('#kernels-table th[data-key=%s]').getAttribute('aria-sort');"
    check("longest kernels first", browser.run(sort % "duration_s") == "descending")
    longest = browser.run(names)
    browser.click("#kernels-table th[data-key=duration_s] button")
    check("a click turns the order", browser.run(sort % "duration_s") == "ascending")
    shortest = browser.run(names)
    check("and the rows", shortest != longest and not set(shortest[:5]) & set(longest[:5]))
    browser.click("#kernels-table th[data-key=kernel] button")
    by_name = browser.run(names)
    check("sorted by name", by_name == sorted(by_name, key=str.lower), by_name)
    check("one column is sorted", browser.run("return document.querySelectorAll('#kernels-table [aria-sort]').length;") == 1)
    browser.click("#kernels-table .pager button:nth-of-type(2)")
    check("the next page has the other kernels", not set(browser.run(names)) & set(by_name))
    browser.keys("#kernels-table input", "srad")
    filtered = browser.run(names)
    check("the filter keeps what matches", filtered and all("srad" in name for name in filtered), filtered)
    browser.run("const input = document.querySelector('#kernels-table input'); input.value = ''; input.dispatchEvent(new Event('input'));")

    shown = "return document.querySelector('#times-plot').data.length;"
    if page.has_charts():
        browser.draw_all()
        before = browser.run(shown)
        browser.click("#gpus-table input[type=checkbox]")
        browser.draw_all()
        check("a GPU is switched off", browser.run(shown) == before - 1)
        browser.click("#show-none")
        browser.draw_all()
        check("without GPUs the chart says so", "No GPU" in browser.run("return document.querySelector('#times .note').textContent;"))
        browser.click("#show-all")
        browser.draw_all()
        check("all GPUs are back", browser.run(shown) == before)
    other = browser.run("const select = document.getElementById('kernels-gpu'); select.selectedIndex = 2; select.dispatchEvent(new Event('change')); return select.selectedOptions[0].textContent;")
    wanted = {p["kernel"]: p for p in page.predictions()["predictions"] if p["gpu"] == other and p["model"] == "calibrated"}
    rows = page.csv("kernels-table")
    check("another GPU's times", len(rows) == len(wanted) and all(near(float(row["duration_s"]), wanted[row["kernel"]]["duration_s"]) for row in rows if row["duration_s"]))

    browser.click("#kernels-table tbody .kernel")
    marked = browser.run("return document.querySelector('#kernels-table tr.selected th').textContent;")
    check("a kernel is marked", browser.run("return document.querySelector('#kernel-panel').textContent;").startswith(marked))
    check("and in other tables", browser.run("return [...document.querySelectorAll('tr.selected')].map((row) => row.closest('.table').id);").count("kernels-table") == 1
          and browser.run("return document.querySelectorAll('tr.selected').length;") >= 2)
    if page.has_charts():
        browser.draw_all()
        sizes = browser.run("return document.querySelector('#self-check-chart-plot').data.find((trace) => trace.name === 'kernels').marker.size;")
        check("and in the charts", len(set(sizes)) == 2, sizes)
    browser.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true})); dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}));")
    check("Escape clears the mark", browser.run("return document.querySelector('#kernel-panel').hidden;"))

    browser.click("#theme")
    check("the switch makes it dark", browser.run("return document.documentElement.dataset.theme;") == "dark")
    if page.has_charts():
        browser.draw_all()
        for figure in browser.run("return [...document.querySelectorAll('figure')].filter((figure) => !figure.querySelector('.plot').hidden).map((figure) => figure.id);"):
            browser.click(f"#{figure} [data-export=svg]")
            name, content = browser.downloaded()
            root = xml.etree.ElementTree.fromstring(content)
            check(f"{figure} as SVG", name.endswith(".svg") and root.tag.endswith("svg") and len(list(root.iter())) > 50, name)
            browser.click(f"#{figure} [data-export=png]")
            name, content = browser.downloaded()
            check(f"{figure} as PNG", name.endswith(".png") and content.startswith(b"\x89PNG") and len(content) > 5000, name)
            check(f"{figure} as CSV", len(page.csv(figure)) > 0)
            browser.click(f"#{figure} summary")
            check(f"{figure} as a table", browser.run("""for (let wait = 0; wait < 100 && !document.querySelector(args[0]); ++wait) await new Promise((next) => setTimeout(next, 20));
                return document.querySelectorAll(args[0]).length;""", f"#{figure} details tbody tr") > 0)
    check("nothing went wrong", (said := browser.console()) == [], said)


PRICES = {"K20c": 150, "GTX660": 60, "GTX960": 90, "GTX1060": 110}


def comparison(browser, folder):
    """A mix of two programs with prices: every figure is that of `compare`, also after a weight or a price is changed."""
    prices = pathlib.Path(folder) / "prices.csv"

    def price_list(**changed):
        prices.write_text("gpu,price,currency,date,power_w,node_price,node_power_w,gpus_per_node\n" + "".join(
            f"{gpu},{price},EUR,2026-01-15,{'105' if gpu == 'GTX1060' else ''},1200,180,2\n" for gpu, price in {**PRICES, **changed}.items()))
    price_list()
    examples = arguments.source / "examples/profiles"
    terms = ["--prices", str(prices), "--lifetime", "5", "--tariff", "0.25", "--pue", "1.4", "--utilisation", "0.7", "--mixes-per-hour", "1000000"]

    def compared(*programs):
        return json.loads(gpuproj("compare", *programs, "--target", THESIS, *terms, "--json"))
    programs = [f"{examples}/lmsor.json:3", f"{examples}/sgemm_32x32.json"]
    page = Page(browser, folder, {}, THESIS, name="mix", programs=programs, terms=terms).open()
    wanted = compared(*programs)
    same_rows("a mix", page.csv("comparison-table"), wanted["ranking"])
    check("the answer is the mix's", browser.run("return document.querySelector('h1').textContent;") == wanted["summary"][0])
    notes = browser.run("return document.querySelector('#comparison').innerText;")
    check("all notes are there", all(note in notes for note in wanted["notes"]), notes[-600:])
    for table in ("joint_sensitivity", "weight_sensitivity", "price_sensitivity"):
        rows = page.csv(table.replace("_", "-")) if wanted[table] else []
        check(f"{table} has its rows", len(rows) == len(wanted[table]) and (rows or table == "weight_sensitivity"))
        for row, there in zip(rows, wanted[table]):
            check(f"{table}: {row}", all(text == str(there[key]) if isinstance(there[key], str) else near(float(text), there[key]) for key, text in row.items() if text), there)
    if page.has_charts():
        browser.draw_all()
        drawn = browser.run("return document.querySelector('#pareto-plot').data.filter((trace) => trace.name === 'GPU').map((trace) => [trace.x[0], trace.y[0]]);")
        there = sorted([row["price"], row["duration_s"]] for row in wanted["ranking"] if row["price"])
        check("prices and times are drawn", len(drawn) == len(there) and all(near(a, b) for one, two in zip(sorted(drawn), there) for a, b in zip(one, two)), drawn)
        front = browser.run("return document.querySelector('#pareto-plot').data.filter((trace) => trace.name === 'front').flatMap((trace) => trace.x);")
        check("and the front", sorted(front) == sorted(row["price"] for row in wanted["ranking"] if row["pareto"]), front)
        check("labels are apart", (over := browser.run(LABELS)) == [], over[:5])

    check("the mix's times by program", all(near(float(row["duration_s"]), sum(float(row[f"program_{program + 1}_s"]) for program in range(2)), 1e-6) for row in page.csv("mix-times")))
    every_program(page, programs, wanted)

    def put(selector, value):
        browser.run("const input = document.querySelector(args[0]); input.value = args[1]; input.dispatchEvent(new Event('change'));", selector, value)
    unknown_then = ("probability_fastest", "speed_up_low", "speed_up_high", "status")
    put("#comparison input[data-program='0']", "0.5")
    same_rows("with another weight", page.csv("comparison-table"), compared(f"{examples}/lmsor.json:0.5", programs[1])["ranking"], unknown_then)
    check("it is said what is not known then", "Chances" in browser.run("return document.querySelector('#comparison').innerText;"))
    browser.click("#comparison-reset")
    same_rows("as given again", page.csv("comparison-table"), wanted["ranking"])
    place = next(at for at, row in enumerate(wanted["ranking"]) if row["gpu"] == "Tesla K20c")
    put(f"#comparison input[data-price='{place}']", "640")  # with the share of its node
    price_list(K20c=40)
    same_rows("with another price", page.csv("comparison-table"), compared(*programs)["ranking"])
    check("nothing went wrong", (said := browser.console()) == [], said)


def every_program(page, programs, compared):
    """Of a mix every program can be shown in every section, by its own figures; the kernels of all stand in one table."""
    browser = page.browser
    files = [word.rsplit(":", 1)[0] if word[-1].isdigit() else word for word in programs]
    names = browser.run("return [...document.querySelectorAll('#program option')].map((option) => option.textContent);")
    check("every program can be chosen", names == [pathlib.Path(file).stem for file in files], names)
    gpu = browser.run("return document.getElementById('mix-gpu').selectedOptions[0].textContent;")
    said = [json.loads(gpuproj("predict", file, "--target", page.targets, "--json")) for file in files]
    jobs = {row["program"]: row["jobs"] for row in compared["programs"]}
    times = {(p["kernel"], names[program]): p["duration_s"] * jobs[names[program]] for program, one in enumerate(said) for p in one["predictions"] if p["gpu"] == gpu and p["model"] == "calibrated"}
    rows = page.csv("mix-kernels-table")
    check("kernels of all programs", {(row["kernel"], row["program"]) for row in rows} == set(times), rows)
    check("and their times in a mix", all(near(float(row["duration_s"]), times[row["kernel"], row["program"]]) for row in rows), rows)
    check("and their shares", near(sum(float(row["share"]) for row in rows), 1, 1e-6), rows)
    for program in (1, 0):
        page.choose("#program", names[program])
        browser.draw_all()
        by_gpu = {t["gpu"]: t for t in said[program]["totals"] if t["model"] == "calibrated"}
        check(f"{names[program]}: GPUs", all(near(float(row["duration_s"]), by_gpu[row["gpu"]]["duration_s"]) for row in page.csv("gpus-table")))
        mine = {p["kernel"] for p in said[program]["predictions"]}
        for table in ("kernels-table", "headroom-table", "self-check-table", "roofline-chart", "quadrant-chart"):
            if browser.run("return Boolean(document.getElementById(args[0]));", table):
                rows = page.csv(table)
                check(f"{names[program]}: {table}", rows and {row["kernel"] for row in rows} <= mine, rows[:1])
        check(f"{names[program]} is named in its sections", browser.run("return [...document.querySelectorAll('.of-program')].every((one) => one.textContent.includes(args[0]));", names[program]))
        check(f"{names[program]}: labels are apart", (over := browser.run(LABELS)) == [], over[:5])
    same_rows("the mix stays", page.csv("comparison-table"), compared["ranking"])
    browser.run("""const button = [...document.querySelectorAll('#mix-kernels-table tbody tr')].find((row) => row.cells[1].textContent === args[0]).querySelector('button'); button.click();""", names[1])
    check("a click on a kernel of another program shows that program", browser.run("return [document.getElementById('program').selectedOptions[0].textContent, document.querySelectorAll('#kernels-table tr.selected').length];") == [names[1], 1])
    page.choose("#program", names[0])
    check("another program has no mark", browser.run("return document.getElementById('kernel-panel').hidden;"))


def model_switch(browser, folder):
    """Another model's figures take the place of the first one's everywhere."""
    page = Page(browser, folder, measured_rodinia()).open()
    browser.draw_all()
    for model in ("quantitative-roofline", "roofline"):
        page.choose("#gpus-model", model)
        said = page.predictions("--model", model)
        totals = {t["gpu"]: t for t in said["totals"] if t["model"] == model}
        rows = {row["gpu"]: row for row in page.csv("gpus-table")}
        check(f"{model}: totals", all(near(float(rows[gpu]["duration_s"]), t["duration_s"]) for gpu, t in totals.items() if t["duration_s"]), rows)
        gpu = browser.run("return document.getElementById('kernels-gpu').selectedOptions[0].textContent;")
        by_kernel = {p["kernel"]: p for p in said["predictions"] if p["gpu"] == gpu and p["model"] == model}
        for row in page.csv("kernels-table"):
            check(f"{model}: {row['kernel']}", near(float(row["duration_s"] or "nan"), by_kernel[row["kernel"]]["duration_s"] or math.nan) or by_kernel[row["kernel"]]["duration_s"] is None, row)
        own = {p["kernel"]: p for p in said["predictions"] if p["gpu"] == "GeForce GTX 480" and p["model"] == model}
        rows = page.csv("self-check-table")
        check(f"{model}: self-check", len(rows) == 28 and all(row["model"] == model and (row["predicted_s"] == "" or near(float(row["predicted_s"]), own[row["kernel"]]["duration_s"])) for row in rows), rows[:2])
        wanted = {row["gpu"]: row for row in page.said("compare", "--model", model)["applications"]}
        for row in page.csv("application-table"):
            check(f"{model}: application on {row['gpu']}", near(float(row["total_s"]), wanted[row["gpu"]]["total_s"]), row)
        if page.has_charts():
            browser.draw_all()
            for row in page.csv("roofline-chart"):
                check(f"{model}: {row['kernel']} under the roof", near(float(row["duration_s"]), by_kernel[row["kernel"]]["duration_s"]), row)
    every = page.csv("every-model-table")
    names = browser.run("return [...document.querySelectorAll('#gpus-model option')].map((option) => option.textContent);")
    check("every model has its column", all(f"{name.replace('-', '_')}_s" in every[0] for name in names) and len(names) >= 3, names)
    page.choose("#kernels-model", names[0])
    check("all lists follow", browser.run("return [...document.querySelectorAll('select.model')].every((select) => select.value === '0');"))
    check("nothing went wrong", (said := browser.console()) == [], said)


LABELS = """
  const found = [];
  for (const plot of document.querySelectorAll('.plot[data-drawn]:not([hidden])')) {
    const frame = plot.getBoundingClientRect();
    const texts = [...plot.querySelectorAll('svg text')].filter((text) => text.textContent.trim() && getComputedStyle(text).opacity !== '0' && !text.closest('.hoverlayer'))
      .map((text) => ({text: text.textContent, box: text.getBoundingClientRect()})).filter(({box}) => box.width > 0);
    texts.forEach((a, place) => {
      if (a.box.left < frame.left - 1 || a.box.right > frame.right + 1 || a.box.top < frame.top - 1 || a.box.bottom > frame.bottom + 1) found.push([plot.id, a.text, 'is cut off']);
      for (const b of texts.slice(place + 1)) {
        const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left), high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        if (wide > 1 && high > 3) found.push([plot.id, a.text, b.text, Math.round(wide), Math.round(high)]);
      }
    });
  }
  return found;
"""

CUT = """
  const cut = [];
  for (const element of document.querySelectorAll('main *, header *, footer *')) {
    if (element.closest('.scroll, svg, nav, .visually-hidden, .plot, #kernel-panel') && !element.matches('.scroll')) continue;
    const box = element.getBoundingClientRect();
    if (box.width > 0 && (box.right > document.documentElement.clientWidth + 0.5 || box.left < -0.5)) cut.push([element.tagName, element.className, Math.round(box.left), Math.round(box.right)]);
  }
  return cut;
"""


def layout(browser, folder):
    shots = arguments.shots
    shots.mkdir(parents=True, exist_ok=True)
    examples = arguments.source / "examples"
    mix = {"programs": [f"{examples}/profiles/lmsor.json:3", f"{examples}/profiles/sgemm_32x32.json"],
           "terms": ["--prices", f"{examples}/prices.csv", "--lifetime", "5", "--tariff", "0.25", "--deadline", "0.05"]}
    cases = {"rodinia": (measured_rodinia(), THESIS, {}), "all_gpus": (profile("rodinia"), "all", {}), "sgemm": (profile("sgemm_32x32"), THESIS, {}),
             "mix": ({}, f"{THESIS},TeslaV100SXM216GB", mix)}
    for name, (given, targets, more) in cases.items():
        page = Page(browser, folder, given, targets, name=name, **more)
        for width in (1280, 390):
            for dark in (False, True):
                page.open(width, dark)
                browser.draw_all()
                where = f"{name} at {width}{' dark' if dark else ''}"
                check(f"{where}: no horizontal scrolling", browser.run("return document.documentElement.scrollWidth;") <= width)
                check(f"{where}: nothing is cut off", (cut := browser.run(CUT)) == [], cut[:5])
                check(f"{where}: labels are apart", (over := browser.run(LABELS)) == [], over[:5])
                browser.screenshot(shots / f"{name}-{width}{'-dark' if dark else ''}.png")


def print_view(browser, folder):
    page = Page(browser, folder, measured_rodinia()).open(dark=True)
    browser.pdf(arguments.shots / "print.pdf") if arguments.shots.is_dir() else browser.pdf(pathlib.Path(folder) / "print.pdf")
    check("the page is dark again after printing", browser.until("document.documentElement.dataset.theme === 'dark'"))
    # What the printer sees; a system that turns dark meanwhile changes nothing.
    browser.size(720)
    browser.run("dispatchEvent(new Event('beforeprint'));")
    browser.size(720, dark=True)
    browser.until("!document.querySelector('.plot:not([hidden]):not([data-drawn])')")
    browser.cdp("Emulation.setEmulatedMedia", media="print")
    check("paper is light", browser.run("return document.documentElement.dataset.theme;") == "light")
    hidden = browser.run("return [...document.querySelectorAll('section')].filter((section) => !section.checkVisibility() || section.offsetHeight < 40).map((section) => section.id);")
    check("all sections are printed", hidden == [], hidden)
    check("on white", browser.run("return getComputedStyle(document.body).backgroundColor;") == "rgb(255, 255, 255)")
    check("without buttons", browser.run("return [...document.querySelectorAll('.tools button, .exports button, nav a')].every((one) => !one.checkVisibility());"))
    check("every kernel is printed", browser.run("return document.querySelectorAll('#kernels-table tbody tr[data-row]').length;") == 28)
    if page.has_charts():
        plots = browser.run("return [...document.querySelectorAll('.plot')].filter((plot) => !plot.hidden).map((plot) => [plot.id, plot.dataset.drawn === 'yes', plot._fullLayout ? plot._fullLayout.width : 0]);")
        check("every chart is printed", len(plots) >= 6 and all(drawn and width <= 720 for _, drawn, width in plots), plots)
        check("labels are apart on paper", (over := browser.run(LABELS)) == [], over[:5])
    wide = "return [...document.querySelectorAll('.scroll')].map((one) => [one.getAttribute('aria-label'), one.scrollWidth]).filter(([, width]) => width > 720);"
    check("every column is on the paper", (wider := browser.run(wide)) == [], wider)
    check("nothing went wrong", (said := browser.console()) == [], said)
    # The widest table there is: a mix with prices, costs and a deadline.
    browser.cdp("Emulation.setEmulatedMedia", media="")
    examples = arguments.source / "examples"
    Page(browser, folder, {}, f"{THESIS},TeslaV100SXM216GB", name="paper", programs=[f"{examples}/profiles/lmsor.json:3", f"{examples}/profiles/sgemm_32x32.json"],
         terms=["--prices", f"{examples}/prices.csv", "--lifetime", "5", "--tariff", "0.25", "--deadline", "0.05"]).open(720)
    browser.run("dispatchEvent(new Event('beforeprint'));")
    browser.cdp("Emulation.setEmulatedMedia", media="print")
    check("every column of a comparison is on the paper", (wider := browser.run(wide)) == [], wider)
    if arguments.shots.is_dir():
        browser.screenshot(arguments.shots / "print-mix.png")
    browser.cdp("Emulation.setEmulatedMedia", media="")
    browser.run("dispatchEvent(new Event('afterprint'));")
    # The button prints every program of the mix, by the keyboard too, and leaves the page as it was.
    if page.has_charts():
        for how in ("document.getElementById('print').click()", "dispatchEvent(new KeyboardEvent('keydown', {key: 'p', ctrlKey: true}))"):
            browser.run(f"window.printed = false; window.print = () => {{ window.printed = true; dispatchEvent(new Event('beforeprint')); }}; {how};")
            check("it is printed", browser.until("window.printed"))
            browser.cdp("Emulation.setEmulatedMedia", media="print")
            of = browser.run("return [...document.querySelectorAll('.of-program')].filter((one) => one.checkVisibility()).map((one) => one.textContent);")
            check("both programs are printed, section by section", len(of) >= 12 and {text: of.count(text) for text in of} == {text: len(of) // 2 for text in ("Program: lmsor", "Program: sgemm_32x32")}, of)
            empty = browser.run("return [...document.querySelectorAll('#other-programs figure .plot:not([hidden])')].filter((one) => !one.querySelector('svg') || one.getBoundingClientRect().height < 50).length;")
            check("with their charts", empty == 0 and browser.run("return document.querySelectorAll('#other-programs figure .plot:not([hidden])').length;") >= 4, empty)
            check("without a hint that one is missing", browser.run("return !document.querySelector('.print-hint').checkVisibility();"))
            check("identifiers are unique on paper", browser.run("const ids = [...document.querySelectorAll('[id]')].filter((one) => !one.closest('svg')).map((one) => one.id); return ids.length === new Set(ids).size;"))
            if arguments.shots.is_dir():
                browser.pdf(arguments.shots / "print-mix.pdf")
            browser.cdp("Emulation.setEmulatedMedia", media="")
            browser.run("dispatchEvent(new Event('afterprint'));")
            left = browser.run("return [document.getElementById('other-programs'), document.getElementById('program').value, document.documentElement.dataset.theme];")
            check("nothing of it stays", left == [None, "0", "light"], left)


def accessibility(browser, folder):
    Page(browser, folder, measured_rodinia()).open()
    browser.draw_all()
    unnamed = browser.run("""return [...document.querySelectorAll('button, input, select, a')].filter((one) => {
        const name = one.getAttribute('aria-label') || one.textContent.trim() || (one.labels && [...one.labels].map((label) => label.textContent.trim()).join(''));
        return !name; }).map((one) => one.outerHTML.slice(0, 120));""")
    check("every control has a name", unnamed == [], unnamed)
    check("there is one main, one header, one navigation", browser.run("return ['main', 'header', 'nav', 'footer', 'h1'].map((tag) => document.querySelectorAll(tag).length);") == [1, 1, 1, 1, 1])
    check("sections are named by their headings", browser.run("return [...document.querySelectorAll('section')].every((one) => document.getElementById(one.getAttribute('aria-labelledby')));"))
    check("tables have captions and row headings", browser.run("return [...document.querySelectorAll('table')].every((table) => table.caption && [...table.tBodies[0].rows].every((row) => row.querySelector('th[scope=row]')));"))
    check("column headings say so", browser.run("return [...document.querySelectorAll('thead th')].every((th) => th.scope === 'col');"))
    levels = browser.run("return [...document.querySelectorAll('h1, h2, h3')].map((one) => Number(one.tagName[1]));")
    check("no level of headings is left out", all(b - a <= 1 for a, b in zip(levels, levels[1:])), levels)
    check("charts have a text and a table", browser.run("return [...document.querySelectorAll('figure')].every((one) => one.querySelector('figcaption').textContent && one.querySelector('.plot').getAttribute('aria-label') && one.querySelector('details'));"))
    check("identifiers are unique", browser.run("const ids = [...document.querySelectorAll('[id]')].filter((one) => !one.closest('svg')).map((one) => one.id); return ids.length === new Set(ids).size;"))
    # The keyboard alone: to the skip link, on to the table, and sort it.
    press = lambda key, code, text="": [browser.cdp("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **({"text": text} if text and kind == "keyDown" else {})) for kind in ("keyDown", "keyUp")]
    browser.run("document.activeElement.blur(); scrollTo({top: 0, behavior: 'instant'});")
    press("Tab", 9)
    check("first comes the skip link", browser.run("return document.activeElement.className;") == "skip")
    browser.run("document.querySelector('#kernels-table th[data-key=launches] button').focus();")
    press("Enter", 13, "\r")
    check("Enter sorts", browser.run("return document.querySelector('#kernels-table th[data-key=launches]').getAttribute('aria-sort');") == "descending")
    check("the focus is seen", browser.run("return getComputedStyle(document.activeElement).outlineStyle;") == "solid")
    browser.run("document.querySelector('#kernels-table tbody .kernel').focus();")
    press("Enter", 13, "\r")
    check("Enter marks a kernel", browser.run("return document.querySelectorAll('#kernels-table tr.selected').length;") == 1)
    check("and the focus stays", browser.run("return document.activeElement.className;") == "kernel")
    for theme in ("light", "dark"):
        browser.run("document.documentElement.dataset.theme = args[0];", theme)
        for ink, paper, least in (("--ink", "--card", 7), ("--soft", "--card", 4.5), ("--soft", "--page", 4.5), ("--accent", "--card", 4.5), ("--warn", "--card", 4.5), ("--ink", "--mark", 7), ("--accent", "--mark", 4.5)):
            found = browser.run("""const rgb = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim().slice(1).match(/../g).map((part) => parseInt(part, 16) / 255);
                const light = (name) => { const [r, g, b] = rgb(name).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
                const [a, b] = [light(args[0]), light(args[1])].sort((x, y) => y - x); return (a + 0.05) / (b + 0.05);""", ink, paper)
            check(f"{theme}: {ink} on {paper} can be read", found >= least, found)


HOSTILE = ['<img src=x onerror="window.harmed=1">', "</script><script>window.harmed=2</script>", '"><svg onload=window.harmed=3>', "<b>bold</b><!-- -->{{data}}", "a<b>&lt;&amp;'\"`${1+1}%{x}",
           '<a href="javascript:window.harmed=4">click</a>', "void tile<float, 32>(float*, int)", "=1+2,\"quoted\"\r\nline", "‮right to left‬", "k" * 10000]


def hostile(browser, folder):
    """Names are shown as they are and never run, wherever they stand."""
    given = profile("sgemm_32x32")
    kernel = given["kernels"][0]
    given["kernels"] = [{**kernel, "kernel": name} for name in HOSTILE]
    given["notes"] = HOSTILE[:6]
    given["provenance"]["command"] = f"./{HOSTILE[0]} {HOSTILE[1]}"
    page = Page(browser, folder, given, THESIS, name="<img src=x onerror=alert(1)>&'").open()
    browser.draw_all()
    for name in range(len(HOSTILE)):
        browser.run("const buttons = document.querySelectorAll('#kernels-table .kernel'); buttons[args[0] % buttons.length].click();", name)
    browser.draw_all()
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; });")
    check("nothing has run", browser.run("return window.harmed === undefined;"))
    check("no element came of a name", browser.run("return document.querySelectorAll('main img, main b:not(.range b), main svg[onload], a[href^=javascript]').length;") == 0)
    shown = browser.run("return [...document.querySelectorAll('#kernels-table .kernel')].map((one) => one.title);")
    check("names are shown as they are", all(any(name[:300].replace("\r\n", "\n") in title.replace("\r\n", "\n") for title in shown) for name in HOSTILE), shown)
    check("the title is text", browser.run("return document.title;").startswith(HOSTILE[0][:10]) or HOSTILE[0][:10] in browser.run("return document.title;"), browser.run("return document.title;"))
    check("no message on the console", (said := browser.console()) == [], said)
    check("no request", (asked := [one for one in browser.requests() if one != page.file.as_uri()]) == [], asked)
    for width in (1280, 390):
        page.open(width)
        browser.draw_all()
        check(f"long names fit at {width}", browser.run("return document.documentElement.scrollWidth;") <= width and browser.run(CUT) == [], browser.run(CUT)[:3])
        check(f"labels are apart at {width}", (over := browser.run(LABELS)) == [], over[:3])
    saved = page.csv("kernels-table")
    check("names are saved as they are", {name[:900] for name in (row["kernel"][:900] for row in saved)} & {HOSTILE[4], HOSTILE[7]} != set() or len(saved) == len(HOSTILE), len(saved))


def edges(browser, folder):
    base = profile("sgemm_32x32")
    kernel = base["kernels"][0]

    def with_metrics(name, **metrics):
        return {**kernel, "kernel": name, "metrics": {**kernel["metrics"], **metrics}}
    no_traffic = with_metrics("no_traffic", dram_read_sector=0, dram_write_sector=0)
    no_operations = with_metrics("no_operations", thread_inst_fp32=0, thread_inst_fp32_fma=0, thread_inst_fp64=0, thread_inst_fp64_fma=0, thread_inst_integer=0)
    bare = {"kernel": "bare", "device": 0, "launches": 1, "metrics": {}}
    cases = {"none": [], "one": [kernel], "no_traffic": [kernel, no_traffic], "no_operations": [no_operations], "no_counters": [bare], "mixed": [kernel, no_traffic, no_operations, bare]}
    for name, kernels in cases.items():
        for model in ("calibrated", "quantitative-roofline"):
            page = Page(browser, folder, {**base, "kernels": kernels}, THESIS, "--model", model, name=f"{name}-{model}").open()
            browser.draw_all()
            check(f"{name}: no message on the console", (said := browser.console()) == [], said)
            sentence = browser.run("return document.querySelector('h1').textContent;")
            check(f"{name}: there is an answer", len(sentence) > 30, sentence)
            check(f"{name}: labels are apart", (over := browser.run(LABELS)) == [], over[:3])
            check(f"{name}: no number is broken", not re.search(r"NaN|undefined|Infinity|\bnull\b", text := browser.run("return document.body.innerText;")), re.findall(r".{30}(?:NaN|undefined|Infinity|null).{10}", text)[:3])
            if name == "none":
                check("no kernels: said", "no kernels" in sentence, sentence)
            if name == "no_counters":
                check("refusals are listed", browser.run("return document.querySelectorAll('#refused-table tbody tr').length;") > 0)
    # One whole and one cut.
    page = Page(browser, folder, {**base, "partial": True}, THESIS, "--partial", name="partial").open()
    check("a partial profile is said to be one", "partial" in browser.run("return document.querySelector('#answer').innerText;"))


def many(kernels, full=False):
    base = profile("rodinia")
    source = base["kernels"]
    given = []
    for place in range(kernels):
        one = source[place % len(source)]
        scale = 1 + place // len(source) % 97
        metrics = {key: (value * scale if isinstance(value, int) else value) for key, value in one["metrics"].items()}
        if full:  # what a simulation counts too, so that every model for any GPU applies
            warps, read, written = metrics["warp_inst"], metrics["dram_read_sector"], metrics["dram_write_sector"]
            metrics |= {"thread_inst": 32 * warps, "thread_inst_fp16": 0, "thread_inst_special": 0, "thread_inst_conversion": 0, "warp_inst_barrier": warps // 100, "warp_inst_global_load": warps // 20,
                        "warp_inst_global_store": warps // 60, "warp_inst_shared_load": warps // 10, "warp_inst_shared_store": warps // 40, "shared_wavefront": warps // 8, "shared_bank_conflict": 0,
                        "global_load_sector": 4 * (warps // 20), "global_store_sector": 4 * (warps // 60), "l2_read_sector": read + read // 3, "l2_write_sector": written + written // 3,
                        "warp_inst_coalesced": warps // 15, "warp_inst_uncoalesced": 0, "warp_memory_task": warps // 15}
            one = {**one, "grid": [1024 * scale, 1, 1], "block": [256, 1, 1], "registers_per_thread": 32, "static_shared_byte": 4096, "dynamic_shared_byte": 0}
        given.append({**one, "kernel": f"void library::kernel_{place}<float, {place % 7}>(float const*, float*, int)", "metrics": metrics})
    return {**base, "kernels": given}


def fifty_targets():
    return ",".join(gpu["name"] for gpu in json.loads(gpuproj("targets", "list", "--json"))[:50])


def large(browser, folder):
    """A thousand kernels on fifty GPUs, and a hundred thousand, of which the longest are shown."""
    page = Page(browser, folder, many(1000, full=True), fifty_targets(), name="thousand").open()
    models = browser.run("return JSON.parse(document.getElementById('report').textContent).models.map((model) => model.name);")
    check("every model that any GPU but one has the data for is there", len(models) >= 5, models)
    size = page.file.stat().st_size
    loaded = []
    for _ in range(5):
        page.open()
        loaded.append(browser.run("return performance.getEntriesByType('navigation')[0].loadEventEnd / 1e3;"))
    print(f"1,000 kernels on 50 GPUs by {len(models)} models: made in {page.made_s:.2f} s ({page.made_cpu_s:.2f} s of CPU), {size / 1e6:.2f} MB, loaded in {min(loaded):.2f} to {max(loaded):.2f} s")
    check("under 5 MB", size < 5e6, size)
    browser.draw_all()
    check("no message on the console", (said := browser.console()) == [], said)
    check("tables are paged", browser.run("return document.querySelectorAll('#kernels-table tbody tr[data-row]').length;") == 15)
    page = Page(browser, folder, many(100000), "K20c,GTX960", name="hundred_thousand").open()
    print(f"100,000 kernels on 2 GPUs: made in {page.made_s:.2f} s ({page.made_cpu_s:.2f} s of CPU), {page.file.stat().st_size / 1e6:.2f} MB, opened in {page.opened_s:.2f} s")
    check("under 5 MB", page.file.stat().st_size < 5e6)
    text = browser.run("return document.querySelector('#kernels').innerText;")
    check("what is not shown is said", "100,000 kernels" in text and "1,000 with the most time" in text, text[:300])
    browser.run("[...document.querySelectorAll('#kernels-table .pager button')].find((one) => one.textContent === 'More rows').click();")
    for _ in range(6):
        browser.run("const next = [...document.querySelectorAll('#kernels-table .pager button')].find((one) => one.textContent === 'Next'); if (!next.disabled) next.click();")
    check("and summed", "99000 shorter kernels, summed" in browser.run("return document.querySelector('#kernels-table').innerText;"))
    model = browser.run("return JSON.parse(document.getElementById('report').textContent).models[0];")
    shown = unpacked(model["predictions"]["duration_s"])
    sums = [(total, rest, sum(shown[target * 1000:target * 1000 + 1000])) for target, (total, rest) in enumerate(zip(column(model["totals"], "duration_s"), column(model["totals"], "rest_s")))]
    check("shown and summed kernels make the total", len(sums) == 2 and all(near(total, rest + some, 1e-5) and rest > 0 for total, rest, some in sums), sums)
    check("no message on the console", (said := browser.console()) == [], said)


CASES = {"opens": opens, "figures": figures, "points": points, "interaction": interaction, "comparison": comparison, "models": model_switch, "layout": layout, "print": print_view,
         "accessibility": accessibility, "hostile": hostile, "edges": edges, "large": large}


def run_case():
    with tempfile.TemporaryDirectory() as folder, webdriver.Browser() as browser:
        CASES[arguments.case](browser, folder)


def main():
    global arguments
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--shots", type=pathlib.Path, required=True, help="folder for screenshots")
    parser.add_argument("case", choices=CASES)
    arguments = parser.parse_args()
    if webdriver.missing():
        print(f"SKIPPED: no {webdriver.missing()}: apt install chromium chromium-driver")
        sys.exit(SKIPPED)
    try:
        run_case()
    except webdriver.Unresponsive as hung:
        print(f"the browser hung ({hung}): once more, in a new one")
        failures.clear()
        run_case()
    sys.exit(1 if failures else 0)


main()
