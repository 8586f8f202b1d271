#!/usr/bin/env python3
"""Draws docs/figures: the charts of E. Konstantinidis' PhD thesis (2017) that its printed data give back.

Run without arguments from anywhere, after building; needs gnuplot. The result is deterministic for one gnuplot.
Figures 3.1 and 3.5 show four applications by the operational intensities of Williams, Waterman, Patterson (Roofline,
CACM 2009), the upper ends of the ranges they print; figures 5.5 to 5.7 a sweep of intensities, predicted.
"""
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
    plot("5_9", "roofline", EXAMPLES / "rodinia.json", ["GTX480"], "-k", f"regex:^({'|'.join(FP32_RODINIA)})$")


if __name__ == "__main__":
    main()
