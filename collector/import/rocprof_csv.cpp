// rocprofv3 --pmc ... --output-format csv: a row per launch and counter.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "collector/import/importer.hpp"

namespace gpuproj::import {

namespace {

bool is_rocprof_header(const Header& header) {
    return header.has("Kernel_Name") && header.has("Counter_Name") && header.has("Counter_Value");
}
constexpr auto rocprof_words = std::to_array<std::string_view>({"Kernel_Name"});
constexpr HeaderKind rocprof_header{rocprof_words, is_rocprof_header};

struct Launch {
    KernelRecord record{};
    VendorMetrics values{};
    ValueLines lines{};
};

/// Grids in work-items and blocks, both in total: the number of blocks in x.
void take_size(KernelRecord& record, const Header& header, const Row& row) {
    const auto items = whole_number(header.cell(row, "Grid_Size"), {});
    const auto block = whole_number(header.cell(row, "Workgroup_Size"), {});
    constexpr std::uint64_t most = 1ULL << 32;
    if (!items || !block || *block >= most || *items / *block >= most) return;
    record.block = Dim3{static_cast<std::uint32_t>(*block), 1, 1};
    record.grid = Dim3{static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (*items + *block - 1) / *block)), 1, 1};
}

Launch new_launch(const Header& header, const Row& row, std::map<std::string, int, std::less<>>& agents,
                  Findings& findings) {
    Launch launch;
    launch.lines.first = row.line;
    auto& record = launch.record;
    record.kernel = kernel_name(header.cell(row, "Kernel_Name"));
    const auto agent = std::string(header.cell(row, "Agent_Id"));
    record.device = agents.emplace(agent, static_cast<int>(agents.size())).first->second;
    take_size(record, header, row);
    constexpr double most_registers = 1e6;
    if (const auto n = vendor_number(header.cell(row, "VGPR_Count"), {}); n && *n >= 1 && *n < most_registers) {
        record.registers_per_thread = static_cast<std::uint32_t>(*n);
    }
    if (const auto n = vendor_number(header.cell(row, "LDS_Block_Size"), {}); n && *n >= 0) {
        record.static_shared = Bytes{*n};
    }
    const auto begin = header.cell(row, "Start_Timestamp"), end = header.cell(row, "End_Timestamp");
    if (!begin.empty() && !end.empty()) {
        const auto from = vendor_number(begin, {}), to = vendor_number(end, {});
        constexpr double nanosecond = 1e-9;
        if (from && to && *to >= *from) {
            take_duration(record, (*to - *from) * nanosecond, 1);
        } else {
            findings.problem({row.line, "End_Timestamp"}, fmt::format("'{}' to '{}' is no span of time", begin, end));
        }
    }
    return launch;
}

bool recognises(std::string_view text) {
    return has_header(text, rocprof_header);
}

Imported read(std::string_view text, Findings& findings) {
    RowReader rows(text);
    auto header = find_header(rows, rocprof_header);
    if (!header) findings.fatal({}, "no header of rocprofv3's counters");
    const auto check_columns = [&] {
        check_repeated_columns(
            *header, [](std::string_view) { return false; }, findings);
    };
    check_columns();
    Imported imported;
    imported.tool = "rocprofv3";
    std::map<std::string, int, std::less<>> agents;
    std::map<std::string, std::size_t, std::less<>> place;
    std::vector<Launch> launches;
    int run = 0;
    while (auto row = rows.next()) {
        row->trim();
        if (auto again = repeated_header(*row, rocprof_header)) {
            header = std::move(again);
            check_columns();
            ++run;
            continue;
        }
        mend_name(*row, header->at("Kernel_Name"), header->size());
        if (row->cells.size() < 3 && !row->quoted && !row->last) continue;  // the application's own words
        if (is_damaged(*row, header->size(), header->size(), rows, findings)) continue;
        const auto dispatch =
            header->has("Dispatch_Id") ? header->cell(*row, "Dispatch_Id") : header->cell(*row, "Correlation_Id");
        const auto key = fmt::format("{}/{}/{}", run, header->cell(*row, "Process_Id"), dispatch);
        const auto [found, fresh] = place.emplace(key, launches.size());
        if (fresh) launches.push_back(new_launch(*header, *row, agents, findings));
        Launch& launch = launches[found->second];
        const auto counter = header->cell(*row, "Counter_Name");
        if (!is_used(MetricFamily::rocprof, counter)) continue;
        const auto text_value = header->cell(*row, "Counter_Value");
        if (is_no_value(text_value)) continue;
        const auto value = vendor_number(text_value, {});
        if (!value || *value < 0) {
            findings.problem({row->line, "Counter_Value"},
                             fmt::format("{}: '{}' is not a number of 0 or more", counter, text_value));
            continue;
        }
        // A counter that stands for several units of the GPU has a row each.
        const auto [there, first] = launch.values.emplace(counter, 0.0);
        there->second += *value;
        if (first) launch.lines.of_metric.emplace_back(there->first, row->line);
    }
    auto& kernels = imported.views.emplace_back();
    for (auto& launch : launches) {
        take_metrics(launch.record, MetricFamily::rocprof, launch.values, launch.lines, findings);
        kernels.push_back(std::move(launch.record));
    }
    return imported;
}

}  // namespace

const Importer rocprof_csv{"rocprofv3 counters", recognises, read};

}  // namespace gpuproj::import
