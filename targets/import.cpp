#include "targets/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>

#include "model/csv.hpp"
#include "model/error.hpp"

namespace gpuproj {
namespace {

constexpr double giga = 1e9;
constexpr double tera = 1e12;
constexpr double micro = 1e-6;
// These tools print one figure; repeated runs of them agree to about this.
constexpr double usual_spread = 0.02;

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\"");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\"") - first + 1);
}

/// Where a figure stands, for messages.
struct Place {
    const std::string& where;
    int line = 0;
    std::string_view column;  // what the figure is of
};

/// A figure above 0, `unit` behind it. None for words ("Skipped", "nan") and 0, which tools print for what they did not
/// measure. Throws Error for anything else that begins as a number and is not one as a whole: a decimal comma would be
/// read as the digits before it.
std::optional<double> number(std::string_view text, const Place& place, std::string_view unit = {}) {
    text = trimmed(text);
    const auto first_digit = text.find_first_not_of("+-.,");
    if (first_digit == std::string_view::npos || text[first_digit] < '0' || text[first_digit] > '9') {
        return std::nullopt;
    }
    auto figure = text;
    if (!unit.empty() && figure.ends_with(unit)) figure = trimmed(figure.substr(0, figure.size() - unit.size()));
    double value = 0;
    const auto [end, error] = std::from_chars(figure.data(), figure.data() + figure.size(), value);
    if (error != std::errc{} || end != figure.data() + figure.size() || !std::isfinite(value) || value < 0) {
        throw Error(
            fmt::format("{}: line {}: {}: '{}' is not a number of 0 or more{}; write it with a decimal point and "
                        "without separated thousands, such as 1310.7",
                        place.where, place.line, place.column, text, unit.empty() ? "" : fmt::format(" in {}", unit)));
    }
    return value > 0 ? std::optional(value) : std::nullopt;
}

std::string_view after(std::string_view line, std::string_view mark) {
    const auto at = line.find(mark);
    return at == std::string_view::npos ? std::string_view{} : trimmed(line.substr(at + mark.size()));
}

// The value of an XML attribute; entities stay as they are, names of devices have none.
std::string attribute(std::string_view line, std::string_view name) {
    const auto at = line.find(fmt::format(" {}=\"", name));
    if (at == std::string_view::npos) return {};
    const auto first = at + name.size() + 3;
    return std::string(line.substr(first, line.find('"', first) - first));
}

BenchResults results_of(std::string program, std::string_view device) {
    BenchResults results;
    results.program = std::move(program);
    results.device.name = device;
    return results;
}

// Keeps the largest: tools print one line per vector width.
void keep(BenchResults& results, std::string_view parameter, double value, std::string_view note = {}) {
    const auto found = std::ranges::find(results.values, parameter, &BenchValue::parameter);
    if (found != results.values.end()) {
        found->value = std::max(found->value, value);
        return;
    }
    results.values.push_back({std::string(parameter), value, usual_spread, 0, true, std::string(note)});
}

struct Quantity {
    std::string_view name;  // in the tool's output
    std::string_view parameter;
    double unit;
    std::string_view note;
};

// --- gpuroofperf-toolkit.

bool is_gpuroofperf(std::string_view text) {
    return text.find("GFLOPS - SP") < 200 && text.find("GBSEC - DRAM") < 200;
}

std::vector<BenchResults> from_gpuroofperf(std::string_view text, const std::string& where) {
    constexpr auto quantities = std::to_array<Quantity>({{"GFLOPS - SP", "fp32_op_per_s", giga, ""},
                                                         {"GFLOPS - DP", "fp64_op_per_s", giga, ""},
                                                         {"GIOPS - MAD", "int_mad_op_per_s", giga, ""},
                                                         {"GIOPS - ADD", "int_add_op_per_s", giga, ""},
                                                         {"GBSEC - DRAM", "dram_bandwidth_byte_per_s", giga, ""},
                                                         {"GBSEC - L2", "l2_bandwidth_byte_per_s", giga, ""},
                                                         {"GOPS - SHMEM", "shared_inst_per_s", giga, ""}});
    // It writes a blank behind every comma, also in front of quotes.
    std::string plain;
    for (const char c : text) {
        const bool separated = plain.ends_with(',') || plain.ends_with(';') || plain.ends_with('\t');
        if (c != ' ' || !separated) plain += c;
    }
    std::vector<BenchResults> all;
    for (const CsvRow& row : read_csv(plain, where)) {
        BenchResults results = results_of("gpuroofperf-bench", row.text("GPU"));
        for (const Quantity& quantity : quantities) {
            if (const auto value = number(row.number(quantity.name), {where, row.line(), quantity.name}))
                keep(results, quantity.parameter, *value * quantity.unit);
        }
        all.push_back(std::move(results));
    }
    return all;
}

// --- clpeak: a log, or XML since version 2.

constexpr auto clpeak_tests = std::to_array<Quantity>({
    {"Global memory bandwidth (GBPS)", "dram_bandwidth_byte_per_s", giga, "reads only"},
    {"Local memory bandwidth (GBPS)", "shared_inst_per_s", giga / 4, "reads / 4 bytes"},
    {"Single-precision compute (GFLOPS)", "fp32_op_per_s", giga, ""},
    {"Half-precision compute (GFLOPS)", "fp16_op_per_s", giga, ""},
    {"Double-precision compute (GFLOPS)", "fp64_op_per_s", giga, ""},
    {"Integer compute (GIOPS)", "int_mad_op_per_s", giga, ""},
});
constexpr auto clpeak_xml_tests = std::to_array<Quantity>({
    {"global_memory_bandwidth", "dram_bandwidth_byte_per_s", giga, "reads only"},
    {"local_memory_bandwidth", "shared_inst_per_s", giga / 4, "reads / 4 bytes"},
    {"single_precision_compute", "fp32_op_per_s", giga, ""},
    {"half_precision_compute", "fp16_op_per_s", giga, ""},
    {"double_precision_compute", "fp64_op_per_s", giga, ""},
    {"integer_compute", "int_mad_op_per_s", giga, ""},
    {"wmma_fp16", "tensor_fp16_op_per_s", tera, ""},
    {"wmma_bf16", "tensor_bf16_op_per_s", tera, ""},
    {"wmma_tf32", "tensor_tf32_op_per_s", tera, ""},
    {"wmma_int8", "tensor_int8_op_per_s", tera, ""},
    {"wmma_int8_k32", "tensor_int8_op_per_s", tera, ""},
});

template <std::size_t N>
const Quantity* find_test(const std::array<Quantity, N>& tests, std::string_view name) {
    const auto* found = std::ranges::find(tests, name, &Quantity::name);
    return found == tests.end() ? nullptr : found;
}

bool is_clpeak(std::string_view text) {
    return text.find("Single-precision compute (GFLOPS)") != std::string_view::npos;
}

std::vector<BenchResults> from_clpeak(std::string_view text, const std::string& where) {
    std::vector<BenchResults> all;
    const Quantity* test = nullptr;
    std::istringstream in{std::string(text)};
    int line_number = 0;
    for (std::string line; std::getline(in, line);) {
        ++line_number;
        const auto figure = [&](std::string_view column, std::string_view unit = {}) {
            return number(after(line, ":"), {where, line_number, column}, unit);
        };
        const std::string_view content = trimmed(line);
        if (content.starts_with("Device:")) {
            all.push_back(results_of("clpeak", after(content, "Device:")));
            test = nullptr;
        } else if (all.empty()) {
            continue;
        } else if (content.starts_with("Driver version")) {
            all.back().device.driver = after(content, ":");
        } else if (content.starts_with("Compute units")) {
            all.back().device.units = static_cast<int>(figure("Compute units").value_or(0));
        } else if (content.starts_with("Clock frequency")) {
            constexpr double mega = 1e6;
            if (const auto clock = figure("Clock frequency", "MHz")) all.back().device.clock_hz = *clock * mega;
        } else if (content.starts_with("Kernel launch latency")) {
            if (const auto time = figure("Kernel launch latency", "us"))
                keep(all.back(), "launch_overhead_s", *time * micro);
        } else if (content.empty() || content.find(':') == std::string_view::npos) {
            test = find_test(clpeak_tests, content);
        } else if (test != nullptr) {
            if (const auto value = figure(test->name))
                keep(all.back(), test->parameter, *value * test->unit, test->note);
        }
    }
    return all;
}

bool is_clpeak_xml(std::string_view text) {
    return text.find("<clpeak ") < 400;
}

std::vector<BenchResults> from_clpeak_xml(std::string_view text, const std::string& where) {
    std::vector<BenchResults> all;
    const Quantity* test = nullptr;
    std::istringstream in{std::string(text)};
    int line_number = 0;
    for (std::string line; std::getline(in, line);) {
        ++line_number;
        const std::string_view content = trimmed(line);
        if (content.starts_with("<run ")) {
            all.push_back(
                results_of(fmt::format("clpeak, {}", attribute(content, "backend")), attribute(content, "device")));
            all.back().device.driver = attribute(content, "driver");
        } else if (content.starts_with("<test ")) {
            test = find_test(clpeak_xml_tests, attribute(content, "name"));
        } else if (content.starts_with("<metric ") && test != nullptr && !all.empty()) {
            auto text_of = after(content, ">");
            text_of = text_of.substr(0, text_of.find('<'));
            if (const auto value = number(text_of, {where, line_number, test->name}))
                keep(all.back(), test->parameter, *value * test->unit, test->note);
        }
    }
    return all;
}

// --- mixbench.

bool is_mixbench(std::string_view text) {
    return text.starts_with("mixbench") || text.find("\nmixbench") != std::string_view::npos;
}

std::vector<BenchResults> from_mixbench(std::string_view text, const std::string& where) {
    struct Column {
        std::size_t index;
        std::string_view parameter;
    };
    // Experiment, then intensity, time, rate and bandwidth for fp32, fp64, fp16 and integers.
    constexpr auto columns = std::to_array<Column>(
        {{3, "fp32_op_per_s"}, {7, "fp64_op_per_s"}, {11, "fp16_op_per_s"}, {15, "int_mad_op_per_s"}});
    constexpr std::size_t bandwidth_column = 4;
    constexpr std::size_t row_length = 17;
    const bool reads_only = text.find("read-only") != std::string_view::npos;
    std::vector<BenchResults> all;
    std::istringstream in{std::string(text)};
    int line_number = 0;
    for (std::string line; std::getline(in, line);) {
        ++line_number;
        if (line.starts_with("Device:")) {
            all.push_back(results_of("mixbench", after(line, "Device:")));
            continue;
        }
        if (all.empty()) continue;
        if (line.starts_with("CUDA driver version:")) all.back().device.driver = after(line, ":");
        std::vector<std::string> cells;
        std::istringstream row(line);
        for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
        if (cells.size() != row_length) continue;
        const auto figure = [&](std::size_t index) {
            return number(cells[index], {where, line_number, fmt::format("column {}", index + 1)});
        };
        if (!figure(1)) continue;  // the names of the columns
        for (const Column& column : columns) {
            if (const auto rate = figure(column.index)) keep(all.back(), column.parameter, *rate * giga);
        }
        if (!reads_only) continue;
        if (const auto bandwidth = figure(bandwidth_column)) {
            keep(all.back(), "dram_bandwidth_byte_per_s", *bandwidth * giga, "reads only");
        }
    }
    return all;
}

struct Format {
    std::string_view name;
    bool (*recognises)(std::string_view text);
    std::vector<BenchResults> (*read)(std::string_view text, const std::string& where);
};
constexpr auto formats = std::to_array<Format>({
    {"gpuroofperf gpus.csv", is_gpuroofperf, from_gpuroofperf},
    {"clpeak XML", is_clpeak_xml, from_clpeak_xml},
    {"clpeak log", is_clpeak, from_clpeak},
    {"mixbench output", is_mixbench, from_mixbench},
});

}  // namespace

std::vector<BenchResults> import_measurements(std::string_view text, const std::string& where) {
    for (const Format& format : formats) {
        if (!format.recognises(text)) continue;
        std::vector<BenchResults> all = format.read(text, where);
        std::erase_if(
            all, [](const BenchResults& results) { return results.values.empty() || results.device.name.empty(); });
        if (all.empty()) throw Error(fmt::format("{}: {} without any figure in it", where, format.name));
        return all;
    }
    std::string names;
    for (const Format& format : formats) names += (names.empty() ? "" : ", ") + std::string(format.name);
    throw Error(fmt::format("{}: not recognised; known are: {}", where, names));
}

}  // namespace gpuproj
