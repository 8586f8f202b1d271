#include "targets/bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/error.hpp"
#include "model/file_io.hpp"
#include "targets/calibration.hpp"
#include "targets/card.hpp"
#include "targets/parameters.hpp"

namespace gpuproj {
namespace {

using nlohmann::json;

// A value below this is not believed more than this.
constexpr double least_uncertainty = 0.01;

class Reader {
public:
    explicit Reader(const std::filesystem::path& file) : where_(file.string()) {
        root_ = json::parse(read_file(file), nullptr, false);
        if (root_.is_discarded()) throw Error(where_ + ": is not JSON; was the benchmark stopped?");
    }
    const json& root() const { return root_; }

    [[noreturn]] void reject(std::string_view what) const {
        throw Error(fmt::format("{}: {}; measure again with gpuproj targets bench", where_, what));
    }
    const json& at(const json& object, const char* key) const {
        if (!object.is_object() || !object.contains(key)) reject(fmt::format("\"{}\" is missing", key));
        return object[key];
    }
    std::string text(const json& object, const char* key) const {
        const json& value = at(object, key);
        if (!value.is_string()) reject(fmt::format("\"{}\" is no text", key));
        return value.get<std::string>();
    }
    bool flag(const json& object, const char* key) const {
        const json& value = at(object, key);
        if (!value.is_boolean()) reject(fmt::format("\"{}\" is neither true nor false", key));
        return value.get<bool>();
    }
    double amount(const json& object, const char* key) const {
        const json& value = at(object, key);
        if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0) {
            reject(fmt::format("\"{}\" is no number of at least 0", key));
        }
        return value.get<double>();
    }
    std::optional<double> positive(const json& object, const char* key) const {
        const double value = amount(object, key);
        return value > 0 ? std::optional(value) : std::nullopt;
    }
    const json& list(const json& object, const char* key) const {
        const json& value = at(object, key);
        if (!value.is_array()) reject(fmt::format("\"{}\" is no list", key));
        return value;
    }
    BenchDevice device(const json& object) const {
        BenchDevice device;
        device.name = text(object, "name");
        device.vendor = text(object, "vendor");
        device.driver = text(object, "driver");
        device.architecture = text(object, "architecture");
        device.cpu = flag(object, "cpu");
        device.units = static_cast<int>(amount(object, "units"));
        device.clock_hz = positive(object, "clock_hz");
        if (object.contains("clock_measured")) device.clock_measured = flag(object, "clock_measured");
        device.memory_byte = positive(object, "memory_byte");
        device.last_cache_byte = positive(object, "last_cache_byte");
        device.shared_per_group_byte = positive(object, "shared_per_group_byte");
        if (object.contains("ecc")) device.ecc = flag(object, "ecc");
        return device;
    }

private:
    std::string where_;
    json root_;
};

BenchValue read_value(const Reader& reader, const json& object) {
    BenchValue value;
    value.parameter = reader.text(object, "parameter");
    value.value = reader.amount(object, "value");
    value.spread = reader.amount(object, "spread");
    value.repetitions = static_cast<int>(reader.amount(object, "repetitions"));
    value.settled = reader.flag(object, "settled");
    value.note = reader.text(object, "note");
    Gpu scratch;
    if (value.value <= 0 || !set_parameter(scratch, value.parameter, {value.value, Quality::measured, {}, {}})) {
        reader.reject(fmt::format("\"{}\" is no parameter with a positive value", value.parameter));
    }
    return value;
}

BenchSweep read_sweep(const Reader& reader, const json& object) {
    BenchSweep sweep{reader.text(object, "name"), {}};
    for (const json& point : reader.list(object, "points")) {
        // A rate, whose key says per second, at something: keys are not in the order written.
        if (!point.is_object() || point.size() != 2) reader.reject("a point of a sweep has not two numbers");
        const auto first = point.begin();
        const auto second = std::next(first);
        if (!first->is_number() || !second->is_number()) reader.reject("a point of a sweep has not two numbers");
        const bool rate_first = first.key().ends_with("_per_s");
        const auto& at = rate_first ? second : first;
        const auto& rate = rate_first ? first : second;
        sweep.points.emplace_back(at->get<double>(), rate->get<double>());
    }
    return sweep;
}

std::optional<Gpu> stored_gpu(const BenchDevice& device, const Catalog& catalog) {
    if (device.cpu) return std::nullopt;
    try {
        return Catalog::load(catalog.find(device.name));
    } catch (const UsageError&) {
        return std::nullopt;  // a GPU that is not stored: what was measured has to do
    }
}

// Of all lanes, a multiply-add each; none where their number is not known.
std::optional<double> fp32_operations_per_clock(const Gpu& gpu) {
    if (!gpu.lanes_per_sm || !gpu.sm_count) return std::nullopt;
    return 2.0 * gpu.lanes_per_sm->value * gpu.sm_count->value;
}

// What ECC costs on this card: the bandwidth its memory would reach without, by what such memories attain of their
// peak, over the one measured with it. Memory that stores check bits beside the data loses nothing.
void put_ecc_traffic(Gpu& gpu) {
    const auto card = std::ranges::find(known_cards(), gpu.name, &Card::name);
    const bool on = gpu.ecc && gpu.ecc->value;
    if (!on) gpu.ecc_traffic.reset();
    if (!on || card == known_cards().end() || card->dram_type.starts_with("HBM")) return;
    if (!gpu.dram_bandwidth || gpu.dram_bandwidth->quality != Quality::measured || !gpu.dram_bandwidth_peak) return;
    const Factor attained = bandwidth_without_ecc(calibrate(known_cards(), known_values()), *card, card->name);
    const double without = attained.value * gpu.dram_bandwidth_peak->value.value;
    gpu.ecc_traffic = {std::max(1.0, without / gpu.dram_bandwidth->value.value), Quality::derived,
                       fmt::format("{:.3f} of the peak, as such memory attains without ECC ({} measured, {}), over the "
                                   "bandwidth measured with it",
                                   attained.value, attained.samples, attained.group),
                       std::hypot(attained.spread, gpu.dram_bandwidth->uncertainty.value_or(0))};
}

bool measures(const BenchResults& results, std::string_view key) {
    return std::ranges::find(results.values, key, &BenchValue::parameter) != results.values.end();
}

// Rates that were not measured on this card but are stored follow its fp32 rate: it has another clock, or other
// multiprocessors, than the stored one.
void follow_fp32(Gpu& gpu, const BenchResults& results, double ratio) {
    constexpr double as_good_as_one = 0.002;
    if (std::abs(ratio - 1) < as_good_as_one) return;
    for (const std::string_view key :
         {"fp64_op_per_s",           "fp16_op_per_s",           "int_mad_op_per_s",
          "int_add_op_per_s",        "int_logic_op_per_s",      "int_shift_op_per_s",
          "int_compare_op_per_s",    "bit_count_op_per_s",      "special_op_per_s",
          "shared_inst_per_s",       "shared_64bit_inst_per_s", "shared_128bit_inst_per_s",
          "l1_bandwidth_byte_per_s", "l2_bandwidth_byte_per_s", "constant_bandwidth_byte_per_s",
          "tensor_fp16_op_per_s",    "tensor_bf16_op_per_s",    "tensor_tf32_op_per_s",
          "tensor_fp64_op_per_s",    "tensor_fp8_op_per_s",     "tensor_int8_op_per_s"}) {
        auto known = parameter(gpu, key);
        if (!known || measures(results, key)) continue;
        known->value = to_five_digits(known->value * ratio);
        if (known->quality == Quality::measured) known->quality = Quality::derived;
        known->source += fmt::format("; x {:.3f}, by which the measured fp32 rate differs from the stored one", ratio);
        set_parameter(gpu, key, std::move(*known));
    }
}

}  // namespace

BenchResults read_bench_results(const std::filesystem::path& file) {
    const Reader reader(file);
    const json& root = reader.root();
    if (reader.text(root, "schema") != "gpuproj.bench") reader.reject("the schema is not gpuproj.bench");
    if (reader.amount(root, "version") != 1) reader.reject("only version 1 is known");
    BenchResults results;
    results.interface = reader.text(root, "interface");
    results.date = reader.text(root, "date");
    results.quick = reader.flag(root, "quick");
    results.device = reader.device(reader.at(root, "device"));
    for (const json& value : reader.list(root, "measurements")) results.values.push_back(read_value(reader, value));
    for (const json& sweep : reader.list(root, "sweeps")) results.sweeps.push_back(read_sweep(reader, sweep));
    if (results.values.empty()) reader.reject("nothing was measured");
    return results;
}

std::vector<BenchDevice> read_bench_devices(const std::filesystem::path& file) {
    const Reader reader(file);
    if (!reader.root().is_array()) reader.reject("the list of devices is no list");
    std::vector<BenchDevice> devices;
    for (const json& device : reader.root()) devices.push_back(reader.device(device));
    return devices;
}

Gpu gpu_from_bench(const BenchResults& results, const Catalog& catalog) {
    const BenchDevice& device = results.device;
    std::string by = results.program + (results.quick ? " --quick" : "");
    if (!results.interface.empty()) by += ", " + results.interface;
    if (!device.driver.empty()) by += ", driver " + device.driver;
    if (!results.date.empty()) by += ", " + results.date;
    Gpu gpu;
    if (auto stored = stored_gpu(device, catalog)) {
        gpu = std::move(*stored);
    } else {
        gpu.name = device.name;
        gpu.vendor = device.cpu ? "CPU" : device.vendor;
        gpu.compute_capability = device.architecture;
    }
    const auto reported = [&](std::string_view key, std::optional<double> value) {
        if (value) set_parameter(gpu, key, {*value, Quality::measured, "reported by the driver; " + by, {}});
    };
    const double stored_fp32 = gpu.fp32 ? gpu.fp32->value.value : 0;
    const Hertz stored_clock = gpu.core_clock ? gpu.core_clock->value : Hertz{};
    const bool tells_clock = measures(results, "fp32_op_per_s");
    reported("sm_count", device.units > 0 ? std::optional<double>(device.units) : std::nullopt);
    // Cards run above the clock that they report: the stored one is nearer to the truth where nothing else tells. Some
    // drivers report 1 MHz.
    constexpr double slowest_clock = 5e7;
    const bool believed = device.clock_hz && *device.clock_hz >= slowest_clock && (tells_clock || !gpu.core_clock);
    if (device.clock_hz && device.clock_measured) {
        gpu.core_clock = {Hertz{*device.clock_hz}, Quality::measured, by + "; cycles counted under load",
                          least_uncertainty};
    } else if (believed) {
        reported("core_clock_hz", device.clock_hz);
    }
    reported("memory_byte", device.memory_byte);
    if (!gpu.l2_size) reported("l2_size_byte", device.last_cache_byte);
    if (!gpu.shared_per_block) reported("shared_per_block_byte", device.shared_per_group_byte);
    if (device.ecc) gpu.ecc = {*device.ecc, Quality::measured, "reported by the driver; " + by, {}};

    for (const BenchValue& value : results.values) {
        std::string source = by;
        if (value.repetitions > 0) {
            source += fmt::format("; median of {}, spread {:.1f} %", value.repetitions, 100 * value.spread);
        }
        if (!value.settled) source += ", which did not settle: a busy or throttling device";
        if (!value.note.empty()) source += "; " + value.note;
        set_parameter(
            gpu, value.parameter,
            {value.value, Quality::measured, std::move(source), std::clamp(value.spread, least_uncertainty, 1.0)});
    }
    const auto loads = std::ranges::find(results.sweeps, "loads per work-item", &BenchSweep::name);
    if (loads != results.sweeps.end() && !loads->points.empty()) {
        gpu.bandwidth_by_loads = {{}, Quality::measured, by, least_uncertainty};
        for (const auto& [count, rate] : loads->points) {
            gpu.bandwidth_by_loads->value.push_back({static_cast<int>(std::lround(count)), BytesPerSecond{rate}});
        }
    }
    put_ecc_traffic(gpu);
    const double fp32 = gpu.fp32 ? gpu.fp32->value.value : 0;
    const double ratio = tells_clock && stored_fp32 > 0 ? fp32 / stored_fp32 : 1;
    // A clock that was only reported is what fp32 needs at 99 % of its peak, or the stored one times what this card's
    // fp32 rate is more or less; latencies were so many more of its cycles.
    const auto per_clock = fp32_operations_per_clock(gpu);
    if (tells_clock && !device.clock_measured && per_clock && gpu.core_clock) {
        constexpr double efficiency = 0.99;
        const Hertz full{fp32 / *per_clock / efficiency};
        const Hertz needed = std::max(full, ratio * stored_clock);
        const double faster = needed.value / gpu.core_clock->value.value;
        if (faster > 1) {
            gpu.core_clock = {needed, Quality::derived,
                              needed == full ? "what the measured fp32 rate needs at 99 % of peak"
                                             : "the stored clock times the measured over the stored fp32 rate",
                              0.02};
            for (const BenchValue& value : results.values) {
                if (!value.parameter.ends_with("_cycle")) continue;
                auto known = parameter(gpu, value.parameter);
                if (!known) continue;
                known->value *= faster;
                set_parameter(gpu, value.parameter, std::move(*known));
            }
        }
    }
    follow_fp32(gpu, results, ratio);
    // A card that is faster than its namesake's datasheet is another version of it (a laptop's): the peak is not its
    // own.
    constexpr double clock_slack = 1.03;
    if (gpu.dram_bandwidth && gpu.dram_bandwidth_peak && measures(results, "dram_bandwidth_byte_per_s") &&
        gpu.dram_bandwidth->value > clock_slack * gpu.dram_bandwidth_peak->value) {
        gpu.dram_bandwidth_peak.reset();
    }
    return gpu;
}

std::string unsettled_note(const BenchResults& results) {
    std::vector<std::string> names;
    double largest = 0;
    for (const BenchValue& value : results.values) {
        if (value.settled) continue;
        names.push_back(value.parameter);
        largest = std::max(largest, value.spread);
    }
    if (names.empty()) return {};
    return fmt::format(
        "{} of {} values did not settle (spread up to {:.0f} %: {}); the device is busy or throttling. The file says "
        "so of "
        "each, with its spread as uncertainty; measure again when the device is idle",
        names.size(), results.values.size(), 100 * largest, fmt::join(names, ", "));
}

std::string shared_device_note(const BenchResults& results, const Gpu& gpu) {
    constexpr double least_attained = 0.75;
    const auto fp32 = std::ranges::find(results.values, "fp32_op_per_s", &BenchValue::parameter);
    const auto per_clock = fp32_operations_per_clock(gpu);
    const auto clock = results.device.clock_measured ? results.device.clock_hz : std::nullopt;
    if (!per_clock || !clock || fp32 == results.values.end()) return {};
    const double attained = fp32->value / (*per_clock * *clock);
    if (attained >= least_attained) return {};
    return fmt::format(
        "fp32_op_per_s is {:.0f} % of what the clock of the same run allows: something else had the GPU meanwhile; "
        "look with nvidia-smi, and measure again",
        100 * attained);
}

std::vector<IntensityPoint> predict_intensities(const BenchResults& results) {
    const auto measured = [&](std::string_view key) {
        const auto found = std::ranges::find(results.values, key, &BenchValue::parameter);
        return found == results.values.end() ? 0.0 : found->value;
    };
    const double compute = measured("fp32_op_per_s");
    const double bandwidth = measured("dram_bandwidth_byte_per_s");
    const auto sweep = std::ranges::find(results.sweeps, "mixed intensity", &BenchSweep::name);
    std::vector<IntensityPoint> points;
    if (sweep == results.sweeps.end() || compute <= 0 || bandwidth <= 0) return points;
    for (const auto& [intensity, rate] : sweep->points) {
        points.push_back({intensity, rate, std::min(compute, intensity * bandwidth)});
    }
    return points;
}

std::vector<BenchComparison> compare_bench(const BenchResults& results, const Gpu& stored) {
    constexpr double tolerance = 0.1;
    std::vector<BenchComparison> rows;
    for (const BenchValue& value : results.values) {
        const auto known = parameter(stored, value.parameter);
        if (!known) continue;
        const double ratio = value.value / known->value;
        const double uncertainty = std::hypot(value.spread, known->uncertainty.value_or(0));
        rows.push_back({value.parameter, value.value, known->value, ratio,
                        std::abs(ratio - 1) <= std::max(2 * uncertainty, tolerance)});
    }
    return rows;
}

}  // namespace gpuproj
