// What a benchmark program printed (targets/benchmarks, schema gpuproj.bench), and the GPU it describes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/gpu.hpp"
#include "targets/catalog.hpp"

namespace gpuproj {

/// One measured parameter, in the unit of its key. `spread`: half the distance between the quartiles, relative.
struct BenchValue {
    std::string parameter;
    double value = 0;
    double spread = 0;
    int repetitions = 0;  // 0: not told
    bool settled = true;  // false: the spread never came down to 2 %: a busy or throttling device
    std::string note;
};

/// A curve: pairs of (loads, bandwidth), (intensity, rate), ...
struct BenchSweep {
    std::string name;
    std::vector<std::pair<double, double>> points;
};

struct BenchDevice {
    std::string name, vendor, driver, architecture;
    bool cpu = false;
    int units = 0;
    std::optional<double> clock_hz, memory_byte, last_cache_byte, shared_per_group_byte;
    bool clock_measured = false;  // cycles counted under load; else as the driver reports it
    std::optional<bool> ecc;
};

struct BenchResults {
    std::string program = "gpuproj targets bench";
    std::string interface;  // OpenCL, CUDA, HIP
    std::string date;
    bool quick = false;
    BenchDevice device;
    std::vector<BenchValue> values;
    std::vector<BenchSweep> sweeps;
};

/// Strict. Throws Error: not JSON, another schema or a newer version, a value that is no positive number.
BenchResults read_bench_results(const std::filesystem::path& file);
std::vector<BenchDevice> read_bench_devices(const std::filesystem::path& file);

/// A GPU file's content: what `catalog` knows of a GPU of that name, with the measured values put over it. A spread
/// that did not settle is said in the source and becomes the uncertainty.
Gpu gpu_from_bench(const BenchResults& results, const Catalog& catalog);

/// For the user: which values did not settle, and why that may be; empty where all did.
std::string unsettled_note(const BenchResults& results);

/// For the user: the fp32 rate is far below what the clock counted in the same run allows, so that something else had
/// the GPU meanwhile; empty where it is not, or where the clock was not counted or the lanes are not known.
std::string shared_device_note(const BenchResults& results, const Gpu& gpu);

/// A point of the sweep over operational intensity, in operations per byte and per second: what was measured, and what
/// the roofline of the fp32 rate and the bandwidth of the same run says (Konstantinidis 2017, section 5.2.4).
struct IntensityPoint {
    double intensity = 0;
    double measured = 0;
    double predicted = 0;
};
/// Empty where the sweep was not measured (quick runs).
std::vector<IntensityPoint> predict_intensities(const BenchResults& results);

/// A measured value against a stored one. `ratio` measured / stored; `normal` if they differ by no more than twice
/// their combined uncertainty, or 10 %.
struct BenchComparison {
    std::string parameter;
    double measured = 0;
    double stored = 0;
    double ratio = 1;
    bool normal = true;
};
std::vector<BenchComparison> compare_bench(const BenchResults& results, const Gpu& stored);

}  // namespace gpuproj
