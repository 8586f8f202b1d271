// Nsight Systems: `nsys stats -r cuda_gpu_trace -f csv` (a row per launch and copy) and `-r cuda_gpu_kern_sum` (a row
// per kernel), also both in one file, between other reports. Times and launch sizes, no counters.
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "collector/import/importer.hpp"

namespace gpuproj::import {

namespace {

struct Column {
    std::size_t at;
    VendorUnit unit;
};

/// The column of such a name, with its unit in brackets behind it: "Duration (ns)", "Duration(nsec)".
std::optional<Column> column_of(const Header& header, std::string_view what) {
    const auto& names = header.names();
    for (std::size_t at = 0; at < names.size(); ++at) {
        const std::string_view name = names[at];
        if (!name.starts_with(what)) continue;
        const auto rest = trimmed(name.substr(what.size()));
        if (!rest.starts_with('(') || !rest.ends_with(')')) continue;
        if (const auto unit = vendor_unit(rest.substr(1, rest.size() - 2))) return Column{at, *unit};
    }
    return std::nullopt;
}

enum class Report : std::uint8_t { trace, summary, other };

Report report_of(const Header& header) {
    if (!header.has("Name")) return Report::other;
    if (header.has("GrdX") && column_of(header, "Start") && column_of(header, "Duration")) return Report::trace;
    if (header.has("Instances") && column_of(header, "Total Time")) return Report::summary;
    return Report::other;
}

bool is_nsys_header(const Header& header) {
    return report_of(header) != Report::other;
}
/// Of any report, also of those that are passed over.
bool is_any_header(const Header& header) {
    return column_of(header, "Total Time") || column_of(header, "Total") || column_of(header, "Start");
}
constexpr auto nsys_words = std::to_array<std::string_view>({"Name"});
constexpr HeaderKind nsys_header{nsys_words, is_nsys_header};
constexpr HeaderKind any_header{nsys_words, is_any_header};

/// For style_of.
void add_numbers(const Header& header, const Row& row, std::vector<std::string>& cells) {
    for (const auto* what : {"Duration", "Total Time", "Avg", "Bytes"}) {
        const auto column = column_of(header, what);
        if (column && column->at < row.cells.size()) cells.push_back(row.cells[column->at]);
    }
}

class Reader {
public:
    Reader(std::string_view text, Findings& findings)
        : rows_(text), findings_(findings), style_(style_of(text, nsys_header, add_numbers)) {}

    Imported read();

private:
    void take_header(Header header);
    void take_row(Row& row);
    void take_launch(const Row& row, std::string_view name);
    void take_transfer(const Row& row, std::string_view name);
    void take_sum(const Row& row, std::string_view name);
    std::optional<double> amount(const Row& row, std::string_view what);

    RowReader rows_;
    Findings& findings_;
    NumberStyle style_;
    Header header_;
    Report report_ = Report::other;
    std::vector<KernelRecord> launches_, sums_;
    Imported imported_;
};

void Reader::take_header(Header header) {
    header_ = std::move(header);
    report_ = report_of(header_);
    if (report_ == Report::other) return;
    check_repeated_columns(
        header_, [](std::string_view) { return false; }, findings_);
}

/// In base units, by the unit that stands in the column's name; none where the cell is empty.
std::optional<double> Reader::amount(const Row& row, std::string_view what) {
    const auto column = column_of(header_, what);
    if (!column || is_no_value(row.cells[column->at])) return std::nullopt;
    const auto& text = row.cells[column->at];
    const auto value = vendor_number(text, style_);
    if (value && *value >= 0) return *value * column->unit.factor;
    findings_.problem({row.line, header_.names()[column->at]}, fmt::format("'{}' is not a number of 0 or more", text));
    return std::nullopt;
}

void Reader::take_transfer(const Row& row, std::string_view name) {
    const auto direction = direction_of(name);
    const auto bytes = amount(row, "Bytes");
    if (direction.empty() || !bytes) return;
    Transfer transfer{std::string(direction), 1, Bytes{*bytes}, std::nullopt};
    if (const auto time = amount(row, "Duration")) transfer.duration = Seconds{*time};
    imported_.transfers.push_back({std::move(transfer), device_of(header_.cell(row, "Device")).first});
}

void Reader::take_launch(const Row& row, std::string_view name) {
    KernelRecord record;
    record.kernel = kernel_name(name);
    if (const auto device = header_.cell(row, "Device"); !device.empty()) {
        auto [gpu, ordinal] = device_of(device);
        record.device = ordinal;
        imported_.gpus.emplace(ordinal, std::move(gpu));
    }
    const auto size = [&](std::string_view what) {
        return dimensions(fmt::format("{},{},{}", header_.cell(row, fmt::format("{}X", what)),
                                      header_.cell(row, fmt::format("{}Y", what)),
                                      header_.cell(row, fmt::format("{}Z", what))));
    };
    record.grid = size("Grd");
    record.block = size("Blk");
    if (!record.grid || !record.block) {
        findings_.problem({row.line, record.grid ? "BlkX" : "GrdX"},
                          fmt::format("{}: not the size of a launch", record.kernel));
    }
    // Shared memory is there in thousands of kilobytes, with three digits behind the point: too coarse to be of use.
    constexpr double most_registers = 1e6;
    if (const auto n = vendor_number(header_.cell(row, "Reg/Trd"), style_); n && *n >= 1 && *n < most_registers) {
        record.registers_per_thread = static_cast<std::uint32_t>(*n);
    }
    if (const auto time = amount(row, "Duration")) take_duration(record, *time, 1);
    launches_.push_back(std::move(record));
}

void Reader::take_sum(const Row& row, std::string_view name) {
    KernelRecord record;
    record.kernel = kernel_name(name);
    const auto launches = launches_of(row, header_, "Instances", style_, findings_);
    if (!launches) return;
    record.launches = *launches;
    if (const auto time = amount(row, "Total Time")) take_duration(record, *time, *launches);
    take_extremes(record, amount(row, "Min"), amount(row, "Max"));
    sums_.push_back(std::move(record));
}

void Reader::take_row(Row& row) {
    if (report_ == Report::other) return;
    mend_name(row, header_.at("Name"), header_.size());
    // What nsys says of its work in between has no cells.
    if (row.cells.size() < header_.size() / 2 && !row.quoted && !row.last) return;
    if (is_damaged(row, header_.size(), header_.size(), rows_, findings_)) return;
    const auto name = header_.cell(row, "Name");
    if (report_ == Report::summary) return take_sum(row, name);
    if (name.starts_with("[CUDA mem")) return take_transfer(row, name);
    if (!name.empty() && !header_.cell(row, "GrdX").empty()) take_launch(row, name);
}

Imported Reader::read() {
    imported_.tool = "nsys";
    auto header = find_header(rows_, nsys_header);
    if (!header) findings_.fatal({}, "no header of nsys' CSV");
    take_header(std::move(*header));
    while (auto row = rows_.next()) {
        row->trim();
        if (auto again = repeated_header(*row, any_header)) {
            take_header(std::move(*again));
        } else {
            take_row(*row);
        }
    }
    // The reports are of the same launches.
    for (auto* view : {&launches_, &sums_}) imported_.views.push_back(std::move(*view));
    return std::move(imported_);
}

bool recognises(std::string_view text) {
    return has_header(text, nsys_header);
}

Imported read(std::string_view text, Findings& findings) {
    return Reader(text, findings).read();
}

}  // namespace

const Importer nsys_csv{"nsys CSV", recognises, read};

}  // namespace gpuproj::import
