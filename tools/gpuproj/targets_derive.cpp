// gpuproj targets derive: from a datasheet to a GPU file; and how well that works.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/enum_names.hpp"
#include "model/error.hpp"
#include "model/near_names.hpp"
#include "reports/gpus.hpp"
#include "targets/check.hpp"
#include "targets/derive.hpp"
#include "targets/gpu_file.hpp"
#include "targets/rates.hpp"
#include "targets/validation.hpp"
#include "tools/gpuproj/output.hpp"
#include "tools/gpuproj/output_file.hpp"
#include "tools/gpuproj/targets_actions.hpp"

namespace gpuproj {
namespace {

// The words of the command line; numbers are parsed once all are known, so that errors name the option.
struct CardOptions {
    std::string name = "derived GPU";
    std::string compute_capability;
    std::string board_class = "consumer";
    std::string memory_type;
    std::string link;
    bool ecc = false;
    std::optional<std::string> sms, lanes, fp64, clock, base, memory_clock, bus, bandwidth, memory, l2, tdp, tensor;

    void declare(CommandLine& line) {
        line.option("--name", "NAME", name, "name of the GPU");
        line.option("--cc", "X.Y|gfx", compute_capability, "CUDA compute capability, or the gfx name");
        line.option("--sms", "N", sms, "multiprocessors (compute units, Xe cores)");
        line.option("--clock", "MHZ", clock, "boost clock; before Kepler the shader clock");
        line.option("--bandwidth", "GB/S", bandwidth, "memory bandwidth of the datasheet");
        line.option("--memory-type", "TYPE", memory_type, "GDDR5, GDDR6X, HBM2, ...");
        const std::vector<std::string> classes(board_class_names.begin(), board_class_names.end());
        line.choice("--class", classes, board_class, "what the board is made for: how its clock behaves");
        line.flag("--ecc", ecc, "ECC is on");
        line.option("--lanes", "N", lanes, "fp32 lanes per multiprocessor, where the generation does not say");
        line.option("--fp64-per-sm", "N", fp64, "fp64 multiply-adds per clock and multiprocessor, if cut down");
        line.option("--base", "MHZ", base, "base clock");
        line.option("--memory-clock", "MHZ", memory_clock, "memory clock");
        line.option("--bus", "BIT", bus, "width of the memory bus (for the bandwidth of L2)");
        line.option("--memory", "GIB", memory, "device memory");
        line.option("--l2", "KIB", l2, "L2 cache");
        line.option("--tdp", "W", tdp, "board power");
        line.option("--tensor", "TFLOPS", tensor, "dense fp16 tensor peak, if not the generation's");
        line.option("--link", "LINK", link, "\"PCIe 4.0 x16\"");
    }
};

std::optional<double> number(const std::optional<std::string>& text, std::string_view option, double unit = 1.0) {
    if (!text) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc{} || end != text->data() + text->size() || !std::isfinite(value) || value <= 0) {
        throw UsageError(fmt::format("targets derive: {} takes a positive number, not \"{}\"", option, *text));
    }
    return value * unit;
}

double needed(const std::optional<std::string>& text, std::string_view option, double unit = 1.0) {
    const auto value = number(text, option, unit);
    if (!value) throw UsageError(fmt::format("targets derive: {} is needed (or --validate)", option));
    return *value;
}

template <class Q>
std::optional<Q> quantity(std::optional<double> value) {
    return value ? std::optional(Q{*value}) : std::nullopt;
}

/// As the stored GPUs spell it. Warns of one that none of them has.
std::string memory_type(const std::string& text) {
    std::vector<std::string> types;
    for (const auto& card : known_cards()) {
        if (folded(card.dram_type) == folded(text)) return card.dram_type;
        if (std::ranges::find(types, card.dram_type) == types.end()) types.push_back(card.dram_type);
    }
    std::ranges::sort(types);
    spdlog::warn(
        "--memory-type {}: no stored GPU has it, so that what it reaches of its peak is taken from others; known are "
        "{}",
        text, fmt::join(types, ", "));
    return text;
}

Card card_from(const CardOptions& options) {
    constexpr double mega = 1e6;
    constexpr double giga = 1e9;
    constexpr double kibi = 1024;
    Card card;
    card.name = options.name;
    card.compute_capability = options.compute_capability;
    if (card.compute_capability.empty()) throw UsageError("targets derive: --cc is needed (or --validate)");
    const auto rates = find_rates(card.compute_capability);
    if (!rates && !options.lanes) {
        throw UsageError(
            fmt::format("targets derive: nothing is known of \"{}\"; with --lanes fp32 and memory can be derived",
                        card.compute_capability));
    }
    if (rates) card.architecture = rates->generation;
    card.vendor = card.compute_capability.starts_with("gfx")  ? "AMD"
                  : card.compute_capability.starts_with("xe") ? "Intel"
                                                              : "NVIDIA";
    card.board_class =
        static_cast<BoardClass>(std::ranges::find(board_class_names, options.board_class) - board_class_names.begin());
    card.sm_count = needed(options.sms, "--sms");
    card.lanes_per_sm = number(options.lanes, "--lanes").value_or(rates ? rates->lanes : 0);
    card.fp64_per_sm = number(options.fp64, "--fp64-per-sm");
    card.boost = {needed(options.clock, "--clock", mega)};
    card.base = quantity<Hertz>(number(options.base, "--base", mega));
    card.memory_clock = quantity<Hertz>(number(options.memory_clock, "--memory-clock", mega));
    card.bus_bit = number(options.bus, "--bus");
    card.dram_peak = {needed(options.bandwidth, "--bandwidth", giga)};
    if (options.memory_type.empty()) throw UsageError("targets derive: --memory-type is needed (or --validate)");
    card.dram_type = memory_type(options.memory_type);
    card.memory = quantity<Bytes>(number(options.memory, "--memory", kibi * kibi * kibi));
    card.l2 = quantity<Bytes>(number(options.l2, "--l2", kibi));
    card.tdp = quantity<Watts>(number(options.tdp, "--tdp"));
    card.tensor_fp16 = quantity<OperationsPerSecond>(number(options.tensor, "--tensor", mega * mega));
    card.ecc = options.ecc;
    card.link = options.link;
    card.source = "command line";
    return card;
}

Table summary_table(std::span<const DerivationSummary> summaries) {
    Table table{.title = "Derived against measured, each GPU left out in turn",
                .columns = {{"parameter", "parameter"},
                            {"gpus", "GPUs", Unit::count},
                            {"median_error", "median error", Unit::fraction},
                            {"worst_error", "worst", Unit::fraction},
                            {"median_error_at_clock", "at the clock measured", Unit::fraction}}};
    for (const auto& summary : summaries) {
        table.rows.push_back({summary.parameter, static_cast<std::int64_t>(summary.gpus),
                              summary.median_from_reported_clock, summary.worst_from_reported_clock,
                              summary.median_at_measured_clock});
    }
    return table;
}

Table rows_table(std::span<const DerivationError> rows) {
    Table table{.title = "Every measured value",
                .columns = {{"gpu", "GPU"},
                            {"parameter", "parameter"},
                            {"measured", "measured"},
                            {"derived", "derived"},
                            {"error", "error", Unit::fraction},
                            {"error_at_clock", "at the clock measured", Unit::fraction}},
                .key_columns = 2};
    for (const auto& row : rows) {
        auto& cells = table.rows.emplace_back();
        cells = {row.gpu, row.parameter, row.measured, row.from_reported_clock,
                 row.from_reported_clock / row.measured - 1};
        cells.emplace_back();
        if (row.at_measured_clock > 0) cells.back() = row.at_measured_clock / row.measured - 1;
    }
    return table;
}

}  // namespace

int targets_derive(const Words& words) {
    OutputOptions output;
    CardOptions options;
    std::optional<std::string> file;
    bool force = false;
    bool validate = false;
    bool every = false;
    CommandLine line("targets derive",
                     "Derives a GPU's description from its datasheet: instructions per clock of its generation, times "
                     "what measured GPUs of its kind attain.");
    options.declare(line);
    line.option("-o,--output", "FILE", file, "write a GPU file (.json), which --target takes; - is stdout");
    line.flag("-f,--force", force, "overwrite it");
    line.flag("--validate", validate,
              "instead: how far derivation is off on every GPU that was measured, left out in turn");
    line.flag("--every", every, "with --validate: every value, not only the medians");
    output.declare(line);
    line.parse(words);

    if (validate) {
        const auto rows = validate_derivation(known_cards(), known_values());
        const auto table = every ? rows_table(rows) : summary_table(summarize(rows));
        print_tables({&table, 1}, output.format());
        return 0;
    }
    const Card card = card_from(options);
    if (file) check_output(*file, force);
    const Gpu gpu = derive(card, calibrate(known_cards(), known_values()));
    for (const auto& finding : check_values(gpu)) {
        throw Error(fmt::format("targets derive: {}: {}", finding.parameter, finding.what));
    }
    if (file) {
        write_output(*file, gpu_file_text(gpu), force);
        return 0;
    }
    const auto format = output.format();
    if (format == OutputFormat::json) {
        print_report(gpu_file_text(gpu));
    } else if (format == OutputFormat::terminal) {
        print_report(gpu_to_terminal(gpu, true, stdout_screen()));
    } else {
        const auto table = gpu_parameter_table(gpu, true);
        print_tables({&table, 1}, format);
    }
    return 0;
}

}  // namespace gpuproj
