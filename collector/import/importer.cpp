#include "collector/import/importer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "collector/records/kernel_names.hpp"

namespace gpuproj::import {

namespace {

// Counters of different passes of one kernel may differ by this without being wrong.
constexpr double slack = 1.01;

/// The tool's metric that filled `field`; the field's own name where none is known.
std::string_view metric_of(std::string_view field, MetricFamily family, const VendorMetrics& values) {
    for (const auto& row : metric_rows(family)) {
        if (row.field == field && values.contains(row.terms[0].metric)) return row.terms[0].metric;
    }
    return field;
}

struct AtMost {
    std::string_view less, more;
    Maybe<Instructions> KernelMetrics::*smaller;
    Maybe<Instructions> KernelMetrics::*greater;
};

constexpr auto orders = std::to_array<AtMost>({
    {"thread_inst_fp32_fma", "thread_inst_fp32", &KernelMetrics::thread_inst_fp32_fma,
     &KernelMetrics::thread_inst_fp32},
    {"thread_inst_fp64_fma", "thread_inst_fp64", &KernelMetrics::thread_inst_fp64_fma,
     &KernelMetrics::thread_inst_fp64},
    {"thread_inst_fp16_fma", "thread_inst_fp16", &KernelMetrics::thread_inst_fp16_fma,
     &KernelMetrics::thread_inst_fp16},
    {"thread_inst_fp32", "thread_inst", &KernelMetrics::thread_inst_fp32, &KernelMetrics::thread_inst},
    {"shared_bank_conflict", "shared_wavefront", &KernelMetrics::shared_bank_conflict,
     &KernelMetrics::shared_wavefront},
    {"warp_inst_branch_divergent", "warp_inst_branch", &KernelMetrics::warp_inst_branch_divergent,
     &KernelMetrics::warp_inst_branch},
});

struct Fraction {
    std::string_view field;
    Maybe<double> KernelMetrics::*member;
};

constexpr auto fractions = std::to_array<Fraction>({
    {"achieved_occupancy", &KernelMetrics::achieved_occupancy},
    {"compute_utilization", &KernelMetrics::compute_utilization},
    {"load_store_utilization", &KernelMetrics::load_store_utilization},
    {"shared_utilization", &KernelMetrics::shared_utilization},
    {"l1_utilization", &KernelMetrics::l1_utilization},
    {"l2_utilization", &KernelMetrics::l2_utilization},
    {"dram_utilization", &KernelMetrics::dram_utilization},
});

/// Parts of the names of copies, as nvprof and nsys write them.
struct Direction {
    std::string_view mark, direction;
};
// Arrays (A) are device memory too, peers (P) are devices.
constexpr auto directions = std::to_array<Direction>({
    {"HtoD", "host_to_device"},
    {"Host-to-Device", "host_to_device"},
    {"HtoA", "host_to_device"},
    {"DtoH", "device_to_host"},
    {"Device-to-Host", "device_to_host"},
    {"AtoH", "device_to_host"},
    {"DtoD", "device_to_device"},
    {"Device-to-Device", "device_to_device"},
    {"PtoP", "device_to_device"},
    {"Peer-to-Peer", "device_to_device"},
    {"DtoA", "device_to_device"},
    {"AtoD", "device_to_device"},
    {"AtoA", "device_to_device"},
    {"HtoH", "host_to_host"},
    {"Host-to-Host", "host_to_host"},
    {"memset", "memset"},
});

}  // namespace

int ValueLines::of(std::string_view metric) const {
    const auto found = std::ranges::find(of_metric, metric, &std::pair<std::string_view, int>::first);
    return found == of_metric.end() ? first : found->second;
}

void check_counters(const KernelRecord& kernel, MetricFamily family, const VendorMetrics& values,
                    const ValueLines& lines, Findings& findings) {
    const KernelMetrics& m = kernel.metrics;
    const auto warn = [&](std::string_view field, const std::string& what) {
        const auto metric = metric_of(field, family, values);
        findings.warn({lines.of(metric), metric}, fmt::format("{}: {}", kernel.kernel, what));
    };
    for (const auto& order : orders) {
        const auto smaller = m.*order.smaller, greater = m.*order.greater;
        if (!smaller || !greater || smaller->value <= slack * greater->value) continue;
        const auto metric = metric_of(order.less, family, values), other = metric_of(order.more, family, values);
        const auto elsewhere = lines.of(other) == lines.of(metric) ? "" : fmt::format(" in line {}", lines.of(other));
        warn(order.less, fmt::format("{:.0f} is more than the {:.0f} of {}{}: one of them is wrong", smaller->value,
                                     greater->value, other, elsewhere));
    }
    const auto threads = m.warp_inst ? std::optional(m.warp_inst->value * threads_per_warp) : std::nullopt;
    if (threads && m.thread_inst_load_store && m.thread_inst_load_store->value > slack * *threads) {
        warn("thread_inst_load_store", "more loads and stores than instructions: one of them is wrong");
    }
    for (const auto& fraction : fractions) {
        const auto value = m.*fraction.member;
        // Peaks are nominal: a few per cent above happen.
        if (value && *value > 1.1) warn(fraction.field, fmt::format("{:.0f} % is above 100 %", 100 * *value));
    }
}

void take_metrics(KernelRecord& kernel, MetricFamily family, const VendorMetrics& values, const ValueLines& lines,
                  Findings& findings) {
    kernel.metrics = to_kernel_metrics(family, values);
    scale(kernel.metrics, static_cast<double>(kernel.launches));
    if (kernel.metrics.warp_inst && kernel.metrics.warp_inst->value == 0) {
        const auto metric = metric_of("warp_inst", family, values);
        findings.warn({lines.of(metric), metric},
                      fmt::format("{}: 0, but a kernel that ran executed instructions; left out", kernel.kernel));
        kernel.metrics.warp_inst.reset();
    }
    check_counters(kernel, family, values, lines, findings);
}

void take_duration(KernelRecord& kernel, double seconds, std::uint64_t count) {
    if (seconds > 0 && count > 0) kernel.duration = Duration{count, Seconds{seconds}, std::nullopt, std::nullopt};
    if (kernel.duration && count == 1) kernel.duration->min = kernel.duration->max = kernel.duration->sum;
}

void take_extremes(KernelRecord& kernel, std::optional<double> shortest, std::optional<double> longest) {
    if (!kernel.duration || !shortest || !longest) return;
    if (*shortest > *longest || *longest > kernel.duration->sum.value) return;
    kernel.duration->min = Seconds{*shortest};
    kernel.duration->max = Seconds{*longest};
}

std::optional<std::uint64_t> whole_number(std::string_view text, NumberStyle style) {
    constexpr double most = 1e15;
    const auto value = vendor_number(text, style);
    if (!value || *value < 1 || *value > most || *value != std::floor(*value)) return std::nullopt;
    return static_cast<std::uint64_t>(*value);
}

std::optional<std::uint64_t> launches_of(const Row& row, const Header& header, std::string_view column,
                                         NumberStyle style, Findings& findings) {
    const auto text = header.cell(row, column);
    const auto launches = whole_number(text, style);
    if (!launches) findings.problem({row.line, column}, fmt::format("'{}' is not a number of 1 or more", text));
    return launches;
}

NumberStyle style_of(std::string_view text, const HeaderKind& kind,
                     const std::function<void(const Header&, const Row&, std::vector<std::string>& cells)>& numbers) {
    constexpr std::size_t enough = 20000;
    RowReader rows(text);
    const auto header = find_header(rows, kind);
    std::vector<std::string> cells;
    while (header && cells.size() < enough) {
        const auto row = rows.next();
        if (!row) break;
        numbers(*header, *row, cells);
    }
    const std::vector<std::string_view> views(cells.begin(), cells.end());
    return number_style(views);
}

std::optional<Dim3> dimensions(std::string_view text) {
    Dim3 size{1, 1, 1};
    std::size_t found = 0;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c < '0' || c > '9') {
            if (std::string_view("(), x").find(c) == std::string_view::npos) return std::nullopt;
            ++i;
            continue;
        }
        std::uint64_t value = 0;
        for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
            value = 10 * value + static_cast<std::uint64_t>(text[i] - '0');
            if (value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
        }
        if (found == size.size() || value == 0) return std::nullopt;
        size[found++] = static_cast<std::uint32_t>(value);
    }
    return found == 0 ? std::nullopt : std::optional(size);
}

std::pair<std::string, int> device_of(std::string_view text) {
    const auto open = text.rfind('(');
    if (open == std::string_view::npos || !text.ends_with(')')) return {std::string(text), 0};
    constexpr double most = 1024;
    const auto ordinal = vendor_number(text.substr(open + 1, text.size() - open - 2), {});
    if (!ordinal || *ordinal < 0 || *ordinal > most) return {std::string(text), 0};
    return {std::string(trimmed(text.substr(0, open))), static_cast<int>(*ordinal)};
}

std::string_view direction_of(std::string_view name) {
    const auto* const found = std::ranges::find_if(
        directions, [&](const Direction& d) { return name.find(d.mark) != std::string_view::npos; });
    return found == directions.end() ? std::string_view{} : found->direction;
}

std::string kernel_name(std::string_view text) {
    std::string name(trimmed(text));
    // Line breaks in a name come from editors and mail.
    std::ranges::replace(name, '\n', ' ');
    std::erase(name, '\r');
    return name.empty() ? "?" : records::demangle(name);
}

void check_repeated_columns(const Header& header, bool (*may_repeat)(std::string_view name), Findings& findings) {
    const auto names = header.names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto first = static_cast<std::size_t>(std::ranges::find(names, names[i]) - names.begin());
        if (first == i || names[i].empty() || may_repeat(names[i])) continue;
        findings.problem({header.line(), names[i]},
                         fmt::format("columns {} and {} have this name; remove or rename the one that is not "
                                     "meant",
                                     first + 1, i + 1));
    }
}

bool is_damaged(const Row& row, std::size_t least, std::size_t most, RowReader& reader, Findings& findings) {
    std::string what;
    if (row.damaged) {
        what = "a quote is not closed";
    } else if (row.cells.size() < least) {
        what = fmt::format("{} cells where the header has {}", row.cells.size(), most);
    } else if (row.cells.size() > most) {
        what =
            fmt::format("{} cells where the header has {}; names with commas must be quoted", row.cells.size(), most);
    }
    if (what.empty()) return false;
    if (row.last) what += ": the file is cut off here";
    findings.problem({row.line}, what);
    if (!row.last || row.damaged) reader.resume_behind_first_line(row);
    return true;
}

}  // namespace gpuproj::import
