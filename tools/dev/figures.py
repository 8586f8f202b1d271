#!/usr/bin/env python3
"""Draws docs/figures: the charts of E. Konstantinidis' PhD thesis (2017) that its printed data give back.

Run without arguments from anywhere, after building; needs gnuplot. The result is deterministic for one gnuplot.
Figures 3.1 and 3.5 show four applications by the operational intensities of Williams, Waterman, Patterson (Roofline,
CACM 2009), the upper ends of the ranges they print; figures 5.5 to 5.8 a sweep of intensities, predicted; figures 5.10
to 5.12 errors, of the kernels whose measured time the thesis prints.
"""
import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "docs" / "figures"
PROGRAM = ROOT / "build" / "gpuproj"
EXAMPLES = ROOT / "examples" / "profiles"
THESIS = json.loads((ROOT / "tests" / "golden" / "data" / "konstantinidis_2017.json").read_text())
SIX = ["GTX480", "GTX660", "GTX960", "GTX1060", "M2050", "K20c"]
# Times of Rodinia kernels on the GTX 480 that section 5.2.5 states in its text, all launches, in seconds.
STATED = {"nn-euc": 7.42e-6, "e3d-sfac": 20 * 0.042e-3, "bfs-k1": 12 * 0.56e-3, "bfs-k2": 12 * 0.075e-3}
# Mean absolute errors over the six GPUs, in percent, and predictions of 28 within 25 %: section 5.2.5, in its text.
MEAN_ERRORS = {"mum-prt": 66.00, "nn-euc": 63.09, "bfs-k1": 61.63, "mum-krn": 57.51, "bfs-k2": 46.82, "km-map": 41.52,
               "bp-adj": 40.87, "e3d-sfac": 27.31, "3d-htsp": 26.03, "lvmd-krn": 20.5}
WITHIN_25 = {"GTX-480": 15, "GTX-660": 15, "GTX-960": 16, "GTX-1060": 14, "M2050": 14, "K20c": 15}
COLOURS = ["#56B4E9", "#E69F00", "#0072B2"]
FP32_RODINIA = "3d-htsp bp-adj bp-fwd e3d-flux e3d-sfac e3d-step hspt-tmp hs-srtf km-pt lct-dil lct-gic nn-euc " \
               "srad-c1 srad-c2".split()


def write_profile(name, source, kernels, notes):
    profile = {"schema": "gpuproj.profile", "version": 1, "gpu": "GeForce GTX 480",
               "provenance": {"counters": "derived", "collector": "paper", "source": source},
               "kernels": kernels, "partial": False, "notes": notes}
    path = OUT / f"{name}.json"
    path.write_text(json.dumps(profile, indent=1) + "\n")
    return path


def kernel(name, sectors, fp32=0, fp64=0, load_store=0, other=0):
    """Counters of a kernel whose floating-point instructions are all multiply-adds."""
    return {"kernel": name, "device": 0, "launches": 1, "metrics": {
        "thread_inst_fp32_fma": fp32, "thread_inst_fp64_fma": fp64, "thread_inst_load_store": load_store,
        "warp_inst": -(-(fp32 + fp64 + load_store + other) // 32), "thread_inst_fp32": fp32, "thread_inst_fp64": fp64,
        "thread_inst_integer": other, "dram_read_sector": sectors, "dram_write_sector": 0}}


def applications():
    intensities = {"SpMV": 0.25, "Stencil": 0.50, "LBMHD": 1.07, "3D-FFT": 1.64}
    operations = 3.2e9
    kernels = [kernel(name, round(operations / intensity / 32), fp64=round(operations / 2))
               for name, intensity in intensities.items()]
    return write_profile("applications", "S. Williams, A. Waterman, D. Patterson: Roofline, CACM 52(4), 2009", kernels,
                         ["Operational intensities alone, the upper end of each printed range; nothing else of these "
                          "applications is in the counters."])


def sweep():
    threads = 1 << 22
    kernels = []
    for multiply_adds in [0.5, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128]:
        kernels.append(kernel(f"{multiply_adds:g} per element", threads * 8 * 4 // 32,
                              fp32=round(threads * 8 * multiply_adds), load_store=threads * 8, other=threads * 8))
    return write_profile("intensity_sweep", "made by tools/dev/figures.py", kernels,
                         ["An idealised mixbench: each thread loads 8 floats, does n multiply-adds on each, and 8 other "
                          "instructions."])


def datasheet(name, dp_gflops, gb_per_s, source):
    """A GPU file whose rates are theoretical, as figure 3.5 draws them."""
    unused = "not printed; without effect on kernels that have fp64 multiply-adds alone"
    path = OUT / f"{name.lower().replace(' ', '-')}.json"

    def rate(value, quality, from_where):
        return {"value": value * 1e9, "quality": quality, "source": from_where}

    gpu = {"schema": "gpuproj.gpu", "version": 1, "name": name, "aliases": [], "vendor": "", "architecture": "",
           "compute_capability": "",
           "parameters": {
               "fp32_op_per_s": rate(2 * dp_gflops, "unverified", unused),
               "fp64_op_per_s": rate(dp_gflops, "datasheet", source),
               "int_add_op_per_s": rate(dp_gflops, "unverified", unused),
               "shared_inst_per_s": rate(dp_gflops, "unverified", unused),
               "dram_bandwidth_byte_per_s": rate(gb_per_s, "datasheet", source)}}
    path.write_text(json.dumps(gpu, indent=1) + "\n")
    return path


def theoretical():
    """The five of figure 3.5. The Titan X (Maxwell) is not in table 3.1: 209 GFLOP/s and 336.6 GB/s are NVIDIA's."""
    thesis = "E. Konstantinidis, PhD thesis, 2017"
    return [datasheet("Xeon E7-8857 v2", 288, 85, f"{thesis}, chapter 2"),
            datasheet("Theoretical S2050", 514, 148, f"{thesis}, table 3.1"),
            datasheet("Theoretical K20c", 1174, 208, f"{thesis}, table 3.1"),
            datasheet("Theoretical GTX 480", 168, 177, f"{thesis}, table 3.1"),
            datasheet("Theoretical Titan X", 209.1, 336.6, "NVIDIA, GeForce GTX TITAN X")]


def plot(figure, chart, profile, targets, *options):
    name = OUT / f"figure_{figure}.svg"
    subprocess.run([PROGRAM, "-q", "plot", chart, profile, "--target", ",".join(map(str, targets)), "--model",
                    "quantitative-roofline", "-f", "-o", name, *options], check=True)


def measured(kernel_name, gpus):
    times = THESIS["kernels"][kernel_name]["measured_ms"]
    return [word for gpu in gpus for word in ("--measured", f"{gpu}={times[gpu] / 1e3:.6g}")]


def predictions(profile, targets, *options):
    """By quantitative-roofline, by kernel and GPU."""
    done = subprocess.run([PROGRAM, "predict", profile, "--target", ",".join(targets), "--model", "quantitative-roofline",
                           "--json", *options], check=True, capture_output=True, text=True)
    return [p for p in json.loads(done.stdout)["predictions"] if p["model"] == "quantitative-roofline"]


def bars(figure, title, y_label, series, rows, mark=None):
    """Groups of bars; rows are (name, value per series), of which some may be None."""
    data, script = OUT / f"figure_{figure}.csv", OUT / f"figure_{figure}.gp"
    with open(data, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", *series])
        writer.writerows([name, *("" if value is None else f"{value:.6g}" for value in values)] for name, *values in rows)
    columns = ", ".join(f"'{data.name}' using {at + 2}:xtic(1) linecolor rgb '{COLOURS[at - len(series)]}' title '{name}'"
                        for at, name in enumerate(series))
    line = f"set arrow from graph 0, first {mark} to graph 1, first {mark} nohead dashtype 2 linecolor rgb '#808080'\n" \
        if mark is not None else ""
    least = min(value for _, *values in rows for value in values if value is not None)
    script.write_text(f"""# Drawn by gnuplot 5: gnuplot FILE
set terminal svg size 1000,520 font 'Helvetica,12' background '#FFFFFF'
set output 'figure_{figure}.svg'
set datafile separator comma
set datafile columnheaders
set style data histogram
set style histogram clustered gap 1.5
set style fill solid 0.9 border rgb '#FFFFFF'
set grid ytics linecolor rgb '#E0E0E0'
set xzeroaxis linetype -1
set xtics nomirror rotate by 30 right noenhanced scale 0
set ytics nomirror
{'set yrange [0:*]' if least >= 0 else 'set offsets 0, 0, graph 0.05, graph 0.05'}
set title '{title}' noenhanced
set ylabel '{y_label}' noenhanced
set key {'off' if len(series) == 1 else "outside bottom center horizontal"} noenhanced
{line}plot {columns}
""")
    subprocess.run(["gnuplot", script.name], cwd=OUT, check=True)


def error(predicted, measured):
    return 100 * (predicted / measured - 1)


def without_factors(p):
    """Times without E_mix and E_instr, with E_mix, with both: (4.18) with T_op, T_op E_mix and T'_op."""
    bounds = {b["limiter"]: b["duration_s"] for b in p["bounds"]}
    e_instr, e_mix = p["intermediates"]["e_instr"], p["kernel_parameters"]["e_mix"]
    return [max(bounds["compute"] * factor, bounds.get("memory", 0)) for factor in (e_mix * e_instr, e_instr, 1)]


def error_figures():
    printed = {name: {gpu: ms / 1e3 for gpu, ms in kernel["measured_ms"].items()}
               for name, kernel in THESIS["kernels"].items() if "measured_ms" in kernel}
    studies = [name for name in ("redblack_sor", "lmsor", "sgemm_32x32") if name in printed]
    rows = []
    for name in studies:
        p, = predictions(EXAMPLES / f"{name}.json", ["GTX480"])
        rows.append([name, *(error(t, printed[name]["GTX480"]) for t in without_factors(p))])
    rodinia = {p["kernel"]: p for p in predictions(EXAMPLES / "rodinia.json", ["GTX480"])}
    rows += [[name, *(error(t, measured_s) for t in without_factors(rodinia[name]))] for name, measured_s in STATED.items()]
    bars("5_10", "Errors on the GTX 480 without and with the efficiency factors", "error, %",
         ["without", "with E_mix", "with E_mix and E_instr"], rows)
    bars("5_11", "Mean absolute error over six GPUs of the Rodinia kernels that the text names, as printed",
         "mean absolute error, %", ["printed"], list(MEAN_ERRORS.items()))
    bars("5_11_gpus", "Rodinia kernels of 28 predicted within 25 %, as printed", "% of the kernels", ["printed"],
         [[gpu, 100 * count / 28] for gpu, count in WITHIN_25.items()], mark=50)
    rows = []
    for name in studies:
        for gpu in SIX[1:]:
            times = [predictions(EXAMPLES / f"{name}.json", [gpu], *options)[0]["duration_s"]
                     for options in ([], ["--use-reference-time"])]
            rows.append([f"{name} {gpu}", *(error(time, printed[name][gpu]) for time in times)])
    bars("5_12", "Errors before and after the utilization factor of the GTX 480", "error, %",
         ["as predicted", "times E_util"], rows)


def main():
    if not PROGRAM.exists():
        sys.exit(f"{PROGRAM}: build first")
    OUT.mkdir(exist_ok=True)
    apps = applications()
    plot("3_1", "roofline", apps, ["GTX TITAN X"])
    plot("3_5", "quadrant", apps, theoretical(), "-k", "LBMHD")
    plot("4_4", "quadrant", EXAMPLES / "redblack_sor.json", ["GTX660"], "--steps", *measured("redblack_sor", ["GTX660"]))
    plot("4_6", "quadrant", EXAMPLES / "sgemm_32x32.json", ["GTX660"], "--steps", *measured("sgemm_32x32", ["GTX660"]))
    plot("5_4", "quadrant", EXAMPLES / "redblack_sor.json", SIX, *measured("redblack_sor", SIX))
    points = sweep()
    for figure, gpus in {"5_5": SIX[:2], "5_6": SIX[2:4], "5_7": SIX[4:]}.items():
        plot(figure, "roofline", points, gpus)
    plot("5_8", "roofline", points, ["GTX960"])
    error_figures()
    plot("5_9", "roofline", EXAMPLES / "rodinia.json", ["GTX480"], "-k", f"regex:^({'|'.join(FP32_RODINIA)})$")


if __name__ == "__main__":
    main()
