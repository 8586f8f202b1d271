// Nsight Compute: `ncu --csv --page raw` (a row per launch, units below the header), `ncu --csv` (a row per metric) and
// `ncu --csv --print-summary per-kernel` (a row per metric, which is a mean over launches of one size).
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "collector/import/importer.hpp"

namespace gpuproj::import {

namespace {

constexpr std::string_view time_metric = "gpu__time_duration.sum";

/// How sections of the details page call what is used here.
struct DetailsName {
    std::string_view shown, metric;
};
constexpr auto details_names = std::to_array<DetailsName>({
    {"Duration", time_metric},
    {"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"Registers Per Thread", "launch__registers_per_thread"},
    {"Static Shared Memory Per Block", "launch__shared_mem_per_block_static"},
    {"Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic"},
    {"SM Frequency", "gpc__cycles_elapsed.avg.per_second"},
    {"DRAM Frequency", "dram__cycles_elapsed.avg.per_second"},
});

std::string_view metric_name(std::string_view shown) {
    const auto* const found = std::ranges::find(details_names, shown, &DetailsName::shown);
    return found == details_names.end() ? shown : found->metric;
}

/// What of a launch's description is kept; ncu adds more, some of it in words.
constexpr auto launch_metrics = std::to_array<std::string_view>({
    "launch__registers_per_thread",
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
    "launch__grid_dim_x",
    "launch__grid_dim_y",
    "launch__grid_dim_z",
    "launch__block_dim_x",
    "launch__block_dim_y",
    "launch__block_dim_z",
});

/// Metrics that describe the launch, the clocks or the time, beside those that are counters.
bool is_wanted(std::string_view metric) {
    return metric == time_metric || std::ranges::find(launch_metrics, metric) != launch_metrics.end() ||
           metric.ends_with("cycles_elapsed.avg.per_second") || metric.ends_with(".sum.per_second") ||
           metric.ends_with(".sum.per_cycle_elapsed") || is_used(MetricFamily::nsight, metric);
}

/// A row per launch; a row per metric; a row per metric of the launches of one size together. Their places in
/// Imported::views.
enum class Form : std::uint8_t { raw, details, summary };

constexpr std::size_t view_of(Form form) {
    return static_cast<std::size_t>(form);
}

/// One launch, or in a summary those of one size, while its rows are read.
struct Launch {
    KernelRecord record{};
    Form form = Form::raw;
    std::optional<double> shortest{}, longest{};  // of a summary, seconds
    VendorMetrics values{};
    ValueLines lines{};
};

bool is_summary(const Header& header) {
    return header.has("Kernel Name") && header.has("Invocations") && header.has("Metric Name") && header.has("Average");
}

bool is_ncu_header(const Header& header) {
    const auto is_metric = [](const std::string& name) { return name.find("__") != std::string::npos; };
    return is_summary(header) || (header.has("ID") && header.has("Kernel Name") &&
                                  (header.has("Metric Value") || std::ranges::any_of(header.names(), is_metric)));
}
constexpr auto ncu_words = std::to_array<std::string_view>({"Kernel Name"});
constexpr HeaderKind ncu_header{ncu_words, is_ncu_header};

/// For style_of: numbers with commas and points are everywhere, but launch sizes are not among them.
void add_numbers(const Header& header, const Row& row, std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < row.cells.size() && i < header.size(); ++i) {
        const auto& name = header.names()[i];
        const bool value = name == "Metric Value" || name == "Minimum" || name == "Maximum" || name == "Average";
        if (value || name.find("__") != std::string::npos) cells.push_back(row.cells[i]);
    }
}

class Reader {
public:
    Reader(std::string_view text, Findings& findings)
        : rows_(text), findings_(findings), style_(style_of(text, ncu_header, add_numbers)) {}

    Imported read();

private:
    void take_header(Header header);
    bool take_unit_row(const Row& row);
    void take_row(Row& row);
    Launch& launch_of(const Row& row);
    void take_value(Launch& launch, const Row& row, std::string_view column, std::string_view metric,
                    std::string_view unit, std::string_view text);
    bool take_invocations(Launch& launch, const Row& row);
    void take_extremes(Launch& launch, const Row& row);
    void finish(Launch& launch);

    RowReader rows_;
    Findings& findings_;
    NumberStyle style_;
    Header header_;
    Form form_ = Form::raw;
    std::vector<std::string> units_;
    std::map<std::string, std::size_t, std::less<>> place_;  // process and launch -> in launches_
    std::vector<Launch> launches_;
    Imported imported_;
    double clock_sum_ = 0, clock_count_ = 0, memory_clock_sum_ = 0, memory_clock_count_ = 0;
    bool from_rates_ = false;
};

void Reader::take_header(Header header) {
    header_ = std::move(header);
    form_ = is_summary(header_) ? Form::summary : header_.has("Metric Value") ? Form::details : Form::raw;
    units_.assign(header_.size(), "");
    // Several runs in one file: their launches are counted from 0 again.
    place_.clear();
    // A metric that stands in two sections has a column in each: take_value() compares them.
    check_repeated_columns(
        header_, [](std::string_view name) { return name.find("__") != std::string_view::npos; }, findings_);
    if (form_ == Form::details && !header_.has("Metric Name"))
        findings_.fatal({header_.line()}, "no column \"Metric Name\"");
}

/// The row of units has no launch and no kernel.
bool Reader::take_unit_row(const Row& row) {
    if (form_ != Form::raw || !header_.cell(row, "ID").empty() || !header_.cell(row, "Kernel Name").empty())
        return false;
    for (std::size_t i = 0; i < units_.size() && i < row.cells.size(); ++i) units_[i] = trimmed(row.cells[i]);
    return true;
}

Launch& Reader::launch_of(const Row& row) {
    const auto key = form_ == Form::summary
                         ? fmt::format("{}/{}/{}/{}/{}", header_.cell(row, "Process ID"), header_.cell(row, "Device"),
                                       header_.cell(row, "Kernel Name"), header_.cell(row, "Block Size"),
                                       header_.cell(row, "Grid Size"))
                         : fmt::format("{}/{}", header_.cell(row, "Process ID"), header_.cell(row, "ID"));
    const auto [found, fresh] = place_.emplace(key, launches_.size());
    if (!fresh) return launches_[found->second];
    Launch launch;
    launch.form = form_;
    launch.lines.first = row.line;
    launch.record.kernel = kernel_name(header_.cell(row, "Kernel Name"));
    launch.record.grid = dimensions(header_.cell(row, "Grid Size"));
    launch.record.block = dimensions(header_.cell(row, "Block Size"));
    if (const auto device = vendor_number(header_.cell(row, "Device"), {}); device && *device > 0 && *device < 1024) {
        launch.record.device = static_cast<int>(*device);
    }
    const auto capability = header_.cell(row, "CC");
    if (!capability.empty() && !imported_.compute_capability) imported_.compute_capability = capability;
    launches_.push_back(std::move(launch));
    return launches_.back();
}

void Reader::take_value(Launch& launch, const Row& row, std::string_view column, std::string_view metric,
                        std::string_view unit_text, std::string_view text) {
    if (metric == "device__attribute_display_name") {
        if (!trimmed(text).empty()) imported_.gpus.emplace(launch.record.device, trimmed(text));
        return;
    }
    if (!is_wanted(metric) || is_no_value(text)) return;
    const auto unit = vendor_unit(unit_text);
    if (!unit) {
        findings_.problem({row.line, column}, fmt::format("'{}' is no unit that ncu is known to print", unit_text));
        return;
    }
    auto value = vendor_number(text, style_);
    if (!value || *value < 0) {
        findings_.problem({row.line, column}, fmt::format("'{}' is not a number of 0 or more", text));
        return;
    }
    const bool percent = metric.find(".pct") != std::string_view::npos;
    *value *= percent && unit->measure == Measure::count ? 0.01 : unit->factor;
    const auto name = table_name(MetricFamily::nsight, metric);
    const auto [there, fresh] = launch.values.emplace(name, *value);
    if (fresh && form_ != Form::raw) launch.lines.of_metric.emplace_back(there->first, row.line);
    // The details page repeats some metrics in several sections, rounded differently.
    constexpr double rounding = 0.02;
    if (!fresh && std::abs(there->second - *value) > rounding * std::max(there->second, *value)) {
        findings_.problem({row.line, column},
                          fmt::format("{}: a second value of {} for the same launch", launch.record.kernel, metric));
    }
}

/// How many launches a row of a summary is the mean of. False: that is not known, and the row is left out.
bool Reader::take_invocations(Launch& launch, const Row& row) {
    const auto count = launches_of(row, header_, "Invocations", style_, findings_);
    if (!count) return false;
    if (launch.values.empty() && launch.record.launches == 1) launch.record.launches = *count;
    if (*count == launch.record.launches) return true;
    findings_.problem({row.line, "Invocations"},
                      fmt::format("{} here, {} in line {}", *count, launch.record.launches, launch.lines.first));
    return false;
}

/// The shortest and longest time of the launches that a row of a summary is the mean of.
void Reader::take_extremes(Launch& launch, const Row& row) {
    const auto unit = vendor_unit(header_.cell(row, "Metric Unit"));
    const auto shortest = vendor_number(header_.cell(row, "Minimum"), style_);
    const auto longest = vendor_number(header_.cell(row, "Maximum"), style_);
    if (!unit || !shortest || !longest || *shortest < 0 || *shortest > *longest) return;
    launch.shortest = *shortest * unit->factor;
    launch.longest = *longest * unit->factor;
}

void Reader::take_row(Row& row) {
    if (take_unit_row(row)) return;
    mend_name(row, header_.at("Kernel Name"), header_.size());
    // The details page ends rows of metrics before its columns for rules.
    const auto value_column = form_ == Form::raw ? 0 : header_.at(form_ == Form::summary ? "Average" : "Metric Value");
    const auto least = form_ == Form::raw ? header_.size() : value_column + 1;
    if (is_damaged(row, least, header_.size(), rows_, findings_)) return;
    if (form_ != Form::raw) {
        const auto metric = header_.cell(row, "Metric Name");
        if (metric.empty()) return;  // a rule
        Launch& launch = launch_of(row);
        if (form_ == Form::summary && !take_invocations(launch, row)) return;
        take_value(launch, row, metric, metric_name(metric), header_.cell(row, "Metric Unit"), row.cells[value_column]);
        if (form_ == Form::summary && metric_name(metric) == time_metric) take_extremes(launch, row);
        return;
    }
    Launch& launch = launch_of(row);
    if (launch.lines.first != row.line) {
        findings_.problem({row.line, "ID"},
                          fmt::format("{}: launch {} a second time; it is in line {} too", launch.record.kernel,
                                      header_.cell(row, "ID"), launch.lines.first));
        return;
    }
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const auto& column = header_.names()[i];
        if (column.find("__") == std::string::npos) continue;
        take_value(launch, row, column, column, units_[i], row.cells[i]);
    }
}

void Reader::finish(Launch& launch) {
    auto& record = launch.record;
    auto& values = launch.values;
    const auto value = [&](std::string_view name) -> std::optional<double> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
    const auto size = [&](std::string_view what) -> std::optional<Dim3> {
        const auto x = value(fmt::format("launch__{}_dim_x", what)), y = value(fmt::format("launch__{}_dim_y", what)),
                   z = value(fmt::format("launch__{}_dim_z", what));
        if (!x || !y || !z) return std::nullopt;
        return dimensions(fmt::format("{:.0f},{:.0f},{:.0f}", *x, *y, *z));
    };
    if (!record.grid) record.grid = size("grid");
    if (!record.block) record.block = size("block");
    constexpr double most_registers = 1e6;
    if (const auto n = value("launch__registers_per_thread"); n && *n < most_registers) {
        record.registers_per_thread = static_cast<std::uint32_t>(*n);
    }
    if (const auto n = value("launch__shared_mem_per_block_static")) record.static_shared = Bytes{*n};
    if (const auto n = value("launch__shared_mem_per_block_dynamic")) record.dynamic_shared = Bytes{*n};
    if (const auto t = value(time_metric)) {
        take_duration(record, *t * static_cast<double>(record.launches), record.launches);
    }
    if (record.duration && launch.shortest && launch.longest) {
        record.duration->min = Seconds{*launch.shortest};
        record.duration->max = Seconds{*launch.longest};
    }
    from_rates_ |= add_sums_of_rates(values);
    for (const auto* clock : {"smsp__cycles_elapsed.avg.per_second", "sm__cycles_elapsed.avg.per_second",
                              "gpc__cycles_elapsed.avg.per_second"}) {
        if (const auto f = value(clock)) {
            clock_sum_ += *f;
            ++clock_count_;
            break;
        }
    }
    if (const auto f = value("dram__cycles_elapsed.avg.per_second")) {
        memory_clock_sum_ += *f;
        ++memory_clock_count_;
    }
    take_metrics(record, MetricFamily::nsight, values, launch.lines, findings_);
}

Imported Reader::read() {
    imported_.tool = "ncu";
    auto header = find_header(rows_, ncu_header);
    if (!header) findings_.fatal({}, R"(no header of ncu's CSV ("ID", ..., "Kernel Name", ...))");
    take_header(std::move(*header));
    while (auto row = rows_.next()) {
        row->trim();
        if (auto again = repeated_header(*row, ncu_header)) {
            take_header(std::move(*again));
            continue;
        }
        // ncu quotes every cell: what the application prints in between does not begin with a quote and a number.
        const bool of_application = !row->quoted && row->cells.size() < header_.size() / 2;
        if (!of_application) take_row(*row);
    }
    // The pages are of the same launches.
    imported_.views.resize(view_of(Form::summary) + 1);
    for (auto& launch : launches_) {
        finish(launch);
        imported_.views[view_of(launch.form)].push_back(std::move(launch.record));
    }
    if (clock_count_ > 0) imported_.provenance.core_clock = Hertz{clock_sum_ / clock_count_};
    if (memory_clock_count_ > 0) imported_.provenance.memory_clock = Hertz{memory_clock_sum_ / memory_clock_count_};
    if (from_rates_) {
        findings_.warn({},
                       "some counters are there as rates only: multiplied by the launch's time, so good to 1 % or so");
    }
    return std::move(imported_);
}

bool recognises(std::string_view text) {
    return has_header(text, ncu_header);
}

Imported read(std::string_view text, Findings& findings) {
    return Reader(text, findings).read();
}

}  // namespace

const Importer ncu_csv{"ncu CSV", recognises, read};

}  // namespace gpuproj::import
