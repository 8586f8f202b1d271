// nvprof --csv: metrics and events (--metrics, --events), the trace of launches (--print-gpu-trace, also with metrics)
// and the summary. One file may hold several of them, for several processes.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "collector/import/importer.hpp"

namespace gpuproj::import {

namespace {

enum class Section { metrics, trace, traced_metrics, summary, api };

std::optional<Section> section_of(const Header& h) {
    const bool timed = h.has("Start") && h.has("Duration") && h.has("Name");
    if (h.has("Kernel") && h.has("Invocations") && (h.has("Metric Name") || h.has("Event Name"))) {
        return Section::metrics;
    }
    if (timed && h.has("Grid X")) return Section::trace;
    if (timed && h.has("Correlation_ID")) return Section::api;
    if (h.has("Time(%)") && h.has("Time") && h.has("Name")) return Section::summary;
    if (h.has("Device") && h.has("Kernel") && h.has("Stream")) return Section::traced_metrics;
    return std::nullopt;
}

bool is_nvprof_header(const Header& header) {
    return section_of(header).has_value();
}
constexpr auto nvprof_words = std::to_array<std::string_view>({"Kernel", "Name"});
constexpr HeaderKind nvprof_header{nvprof_words, is_nvprof_header};

bool is_kernel(std::string_view name) {
    return !name.empty() && !name.starts_with("[CUDA ") && !name.starts_with("[Unified Memory");
}

/// Older versions print the launch's number behind the name: "add(float*) [102]".
std::string_view without_launch_number(std::string_view name) {
    const auto open = name.rfind(" [");
    if (open == std::string_view::npos || !name.ends_with(']')) return name;
    const auto digits = name.substr(open + 2, name.size() - open - 3);
    const bool number = !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    return number ? name.substr(0, open) : name;
}

/// In base units. Levels, "Low (2)" or plain in *_utilization, are tenths of the peak.
std::optional<double> value_of(std::string_view metric, std::string_view text, NumberStyle style) {
    constexpr double levels = 10;
    text = trimmed(text);
    const auto open = text.find('(');
    if (open != std::string_view::npos && text.ends_with(')')) {
        const auto level = vendor_number(text.substr(open + 1, text.size() - open - 2), style);
        return level && *level >= 0 && *level <= levels ? std::optional(*level / levels) : std::nullopt;
    }
    const auto end = std::min(text.find_first_not_of("0123456789.,'+-eE "), text.size());
    const auto number = vendor_number(text.substr(0, end), style);
    const auto unit = vendor_unit(text.substr(end), BytePrefix::binary);
    if (!number || !unit || *number < 0) return std::nullopt;
    if (end == text.size() && metric.ends_with("_utilization")) {
        return *number <= levels ? std::optional(*number / levels) : std::nullopt;
    }
    return *number * unit->factor;
}

/// Mean values of one kernel, while their rows are read.
struct Means {
    KernelRecord record{};
    VendorMetrics values{};
    ValueLines lines{};
};

/// For style_of: times, sizes and means; the columns behind them are names and ordinals.
void add_numbers(const Header& header, const Row& row, std::vector<std::string>& cells) {
    for (const auto* column : {"Duration", "Time", "Avg", "Min", "Max", "Size"})
        cells.emplace_back(header.cell(row, column));
}

class Reader {
public:
    Reader(std::string_view text, Findings& findings)
        : rows_(text), findings_(findings), style_(style_of(text, nvprof_header, add_numbers)) {}

    Imported read();

private:
    void take_header(Header header);
    void take_row(Row& row);
    bool take_unit_row(const Row& row);
    void take_device(KernelRecord& record, const Row& row);
    void take_mean(const Row& row);
    void take_launch(const Row& row);
    void take_launch_metrics(const Row& row);
    void take_summary(const Row& row);
    void take_transfer(const Row& row, std::string_view name);
    void gather_views();
    void take_value(VendorMetrics& values, ValueLines& lines, Place place, std::string_view metric,
                    std::string_view text);
    std::optional<double> amount(const Row& row, std::string_view column);

    RowReader rows_;
    Findings& findings_;
    NumberStyle style_;
    Header header_;
    Section section_ = Section::api;
    std::vector<VendorUnit> units_;
    int process_ = 0;  // sections of one kind that follow one another are of several processes
    std::set<std::string> kinds_;
    std::map<std::string, std::size_t, std::less<>> place_;  // process, device and kernel -> in means_
    std::vector<Means> means_;
    std::vector<KernelRecord> traced_, traced_metrics_, summed_;
    Imported imported_;
};

void Reader::take_header(Header header) {
    header_ = std::move(header);
    section_ = section_of(header_).value_or(Section::api);  // it has one: is_nvprof_header()
    units_.assign(header_.size(), VendorUnit{});
    const std::string kind =
        section_ == Section::metrics && header_.has("Event Name") ? "events" : std::to_string(int(section_));
    if (!kinds_.insert(kind).second) {
        ++process_;
        kinds_ = {kind};
    }
    // A metric that was asked for twice is compared by take_value().
    check_repeated_columns(
        header_, [](std::string_view name) { return is_used(MetricFamily::nvprof, name); }, findings_);
    const auto need = [&](std::string_view column) {
        if (!header_.has(column)) findings_.fatal({header_.line()}, fmt::format("no column \"{}\"", column));
    };
    if (section_ == Section::metrics) need("Avg");
    if (section_ == Section::summary) need("Calls");
}

bool Reader::take_unit_row(const Row& row) {
    if (section_ != Section::trace && section_ != Section::summary) return false;
    if (row.line != header_.line() + 1 || !header_.cell(row, "Name").empty()) return false;
    for (std::size_t i = 0; i < units_.size() && i < row.cells.size(); ++i) {
        const auto unit = vendor_unit(row.cells[i], BytePrefix::binary);
        if (unit) {
            units_[i] = *unit;
        } else {
            findings_.problem({row.line, header_.names()[i]},
                              fmt::format("'{}' is no unit that nvprof is known to print", row.cells[i]));
        }
    }
    return true;
}

std::optional<double> Reader::amount(const Row& row, std::string_view column) {
    const auto text = header_.cell(row, column);
    if (is_no_value(text)) return std::nullopt;
    const auto value = vendor_number(text, style_);
    if (value && *value >= 0) return *value * units_[header_.at(column)].factor;
    findings_.problem({row.line, column}, fmt::format("'{}' is not a number of 0 or more", text));
    return std::nullopt;
}

void Reader::take_device(KernelRecord& record, const Row& row) {
    const auto text = header_.cell(row, "Device");
    if (text.empty()) return;
    auto [name, ordinal] = device_of(text);
    record.device = ordinal;
    imported_.gpus.emplace(ordinal, std::move(name));
}

void Reader::take_value(VendorMetrics& values, ValueLines& lines, Place place, std::string_view metric,
                        std::string_view text) {
    if (!is_used(MetricFamily::nvprof, metric)) return;
    if (is_no_value(text)) return;
    const auto value = value_of(metric, text, style_);
    if (!value) {
        findings_.problem(place, fmt::format("{}: '{}' is not a number of 0 or more", metric, text));
        return;
    }
    const auto [there, fresh] = values.emplace(metric, *value);
    if (fresh && place.line != lines.first) lines.of_metric.emplace_back(there->first, place.line);
    if (!fresh) {
        findings_.problem(
            place, fmt::format("{} of the same kernel a second time: {} after {}", metric, *value, there->second));
    }
}

void Reader::take_mean(const Row& row) {
    const auto kernel = header_.cell(row, "Kernel");
    if (kernel.empty()) return;
    const auto invocations = launches_of(row, header_, "Invocations", style_, findings_);
    if (!invocations) return;
    const auto key = fmt::format("{}/{}/{}", process_, header_.cell(row, "Device"), kernel);
    const auto [found, fresh] = place_.emplace(key, means_.size());
    if (fresh) {
        Means means;
        means.lines.first = row.line;
        means.record.kernel = kernel_name(kernel);
        means.record.launches = *invocations;
        take_device(means.record, row);
        means_.push_back(std::move(means));
    }
    Means& means = means_[found->second];
    if (means.record.launches != *invocations) {
        findings_.problem({row.line, "Invocations"}, fmt::format("{} here, {} in line {}", *invocations,
                                                                 means.record.launches, means.lines.first));
        return;
    }
    const auto metric = header_.has("Metric Name") ? header_.cell(row, "Metric Name") : header_.cell(row, "Event Name");
    take_value(means.values, means.lines, {row.line, "Avg"}, metric, header_.cell(row, "Avg"));
}

void Reader::take_transfer(const Row& row, std::string_view name) {
    const auto direction = direction_of(name);
    const auto bytes = amount(row, "Size");
    if (direction.empty() || !bytes) return;
    Transfer transfer{std::string(direction), 1, Bytes{*bytes}, std::nullopt};
    if (const auto time = amount(row, "Duration")) transfer.duration = Seconds{*time};
    imported_.transfers.push_back({std::move(transfer), device_of(header_.cell(row, "Device")).first});
}

void Reader::take_launch(const Row& row) {
    const auto name = header_.cell(row, "Name");
    if (!is_kernel(name)) {
        take_transfer(row, name);
        return;
    }
    KernelRecord record;
    record.kernel = kernel_name(without_launch_number(name));
    take_device(record, row);
    const auto size = [&](std::string_view what) {
        return dimensions(fmt::format("{},{},{}", header_.cell(row, fmt::format("{} X", what)),
                                      header_.cell(row, fmt::format("{} Y", what)),
                                      header_.cell(row, fmt::format("{} Z", what))));
    };
    record.grid = size("Grid");
    record.block = size("Block");
    if (!record.grid || !record.block) {
        findings_.problem({row.line, record.grid ? "Block X" : "Grid X"},
                          fmt::format("{}: not the size of a launch", record.kernel));
    }
    constexpr double most_registers = 1e6;
    if (const auto n = amount(row, "Registers Per Thread"); n && *n < most_registers) {
        record.registers_per_thread = static_cast<std::uint32_t>(*n);
    }
    if (const auto n = amount(row, "Static SMem")) record.static_shared = Bytes{*n};
    if (const auto n = amount(row, "Dynamic SMem")) record.dynamic_shared = Bytes{*n};
    if (const auto time = amount(row, "Duration")) take_duration(record, *time, 1);
    traced_.push_back(std::move(record));
}

void Reader::take_launch_metrics(const Row& row) {
    const auto kernel = header_.cell(row, "Kernel");
    if (kernel.empty()) return;
    KernelRecord record;
    record.kernel = kernel_name(without_launch_number(kernel));
    take_device(record, row);
    VendorMetrics values;
    ValueLines lines{row.line};
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        take_value(values, lines, {row.line, header_.names()[i]}, header_.names()[i], row.cells[i]);
    }
    take_metrics(record, MetricFamily::nvprof, values, lines, findings_);
    traced_metrics_.push_back(std::move(record));
}

void Reader::take_summary(const Row& row) {
    const auto name = header_.cell(row, "Name");
    if (header_.cell(row, "Type") == "API calls" || !is_kernel(name)) return;
    KernelRecord record;
    record.kernel = kernel_name(without_launch_number(name));
    const auto calls = launches_of(row, header_, "Calls", style_, findings_);
    if (!calls) return;
    record.launches = *calls;
    if (const auto time = amount(row, "Time")) take_duration(record, *time, *calls);
    take_extremes(record, amount(row, "Min"), amount(row, "Max"));
    summed_.push_back(std::move(record));
}

void Reader::take_row(Row& row) {
    if (section_ == Section::api || take_unit_row(row)) return;
    const bool by_kernel = section_ == Section::metrics || section_ == Section::traced_metrics;
    mend_name(row, header_.at(by_kernel ? "Kernel" : "Name"), header_.size());
    // What the application prints in between has no cells.
    if (row.cells.size() < header_.size() / 2 && !row.quoted && !row.last) return;
    if (is_damaged(row, header_.size(), header_.size(), rows_, findings_)) return;
    switch (section_) {
        case Section::metrics:
            return take_mean(row);
        case Section::trace:
            return take_launch(row);
        case Section::traced_metrics:
            return take_launch_metrics(row);
        case Section::summary:
            return take_summary(row);
        case Section::api:
            return;
    }
}

/// Each kind of section has the launches once.
void Reader::gather_views() {
    // What is traced is summarised too.
    std::set<std::string_view> traced;
    for (const auto& record : traced_) traced.insert(record.kernel);
    std::erase_if(summed_, [&](const KernelRecord& record) { return traced.contains(record.kernel); });
    std::vector<KernelRecord> counted;
    for (auto& means : means_) {
        take_metrics(means.record, MetricFamily::nvprof, means.values, means.lines, findings_);
        counted.push_back(std::move(means.record));
    }
    for (auto* view : {&traced_, &traced_metrics_, &summed_, &counted}) imported_.views.push_back(std::move(*view));
}

Imported Reader::read() {
    imported_.tool = "nvprof";
    auto header = find_header(rows_, nvprof_header);
    if (!header) findings_.fatal({}, "no header of nvprof's CSV");
    take_header(std::move(*header));
    // clang-tidy 16 loses sight of the condition here.
    // NOLINTBEGIN(bugprone-unchecked-optional-access)
    while (auto row = rows_.next()) {
        row->trim();
        if (auto again = repeated_header(*row, nvprof_header)) {
            take_header(std::move(*again));
        } else {
            take_row(*row);
        }
    }
    // NOLINTEND(bugprone-unchecked-optional-access)
    gather_views();
    return std::move(imported_);
}

bool recognises(std::string_view text) {
    return has_header(text, nvprof_header);
}

Imported read(std::string_view text, Findings& findings) {
    return Reader(text, findings).read();
}

}  // namespace

const Importer nvprof_csv{"nvprof CSV", recognises, read};

}  // namespace gpuproj::import
