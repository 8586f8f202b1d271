#include "model/observations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "model/csv.hpp"
#include "model/error.hpp"
#include "model/file_io.hpp"

namespace gpuproj {

namespace {

using Metrics = KernelMetrics;

/// Sets (or, where two columns make one counter, adds to) a counter from a cell.
using Set = void (*)(Metrics&, double);

template <auto Member, int Divisor = 1>
void add(Metrics& metrics, double value) {
    auto& counter = metrics.*Member;
    if (!counter) counter.emplace();
    counter->value += value / Divisor;
}

void set_occupancy(Metrics& metrics, double value) {
    metrics.achieved_occupancy = value;
}

struct Counter {
    std::string_view column;
    Set set;
};

constexpr std::array counters{
    Counter{"thread_inst_fp16", add<&Metrics::thread_inst_fp16>},
    Counter{"thread_inst_fp32", add<&Metrics::thread_inst_fp32>},
    Counter{"thread_inst_fp64", add<&Metrics::thread_inst_fp64>},
    Counter{"thread_inst_int", add<&Metrics::thread_inst_integer>},
    Counter{"thread_inst_ldst", add<&Metrics::thread_inst_load_store>},
    Counter{"thread_inst_control", add<&Metrics::thread_inst_control>},
    Counter{"thread_inst_misc", add<&Metrics::thread_inst_misc>},
    Counter{"thread_inst_bitconv", add<&Metrics::thread_inst_bit>},
    Counter{"thread_inst_conversion", add<&Metrics::thread_inst_conversion>},
    Counter{"thread_inst_interthread", add<&Metrics::thread_inst_communication>},
    Counter{"thread_inst_total", add<&Metrics::thread_inst>},
    Counter{"warp_inst_executed", add<&Metrics::warp_inst>},
    Counter{"flop_sp", add<&Metrics::fp32_op>},
    Counter{"flop_sp_fma", add<&Metrics::thread_inst_fp32_fma>},
    Counter{"flop_sp_special", add<&Metrics::thread_inst_special>},
    Counter{"flop_dp", add<&Metrics::fp64_op>},
    Counter{"flop_dp_fma", add<&Metrics::thread_inst_fp64_fma>},
    Counter{"flop_tensor", add<&Metrics::tensor_fp16>},
    Counter{"dram_read_bytes", add<&Metrics::dram_read, 32>},
    Counter{"dram_write_bytes", add<&Metrics::dram_write, 32>},
    Counter{"shared_load_trans", add<&Metrics::shared_wavefront>},
    Counter{"shared_store_trans", add<&Metrics::shared_wavefront>},
    Counter{"global_load_trans", add<&Metrics::global_load_transaction>},
    Counter{"global_store_trans", add<&Metrics::global_store_transaction>},
    Counter{"warp_inst_texture", add<&Metrics::warp_inst_texture>},
    Counter{"l2_read_trans", add<&Metrics::l2_read>},
    Counter{"l2_write_trans", add<&Metrics::l2_write>},
    Counter{"achieved_occupancy", set_occupancy},
};
static_assert(bytes_per_sector.value == 32);

constexpr std::array required{"kernel", "gpu", "grid", "block", "time_us"};

/// Numbers of a row beside its counters.
enum Extra : std::size_t { time_us, registers, shared, core_mhz, mem_mhz, extras };
constexpr std::array<std::string_view, extras> extra_columns{"time_us", "regs", "smem", "core_mhz", "mem_mhz"};
constexpr std::size_t columns = counters.size() + extras;

std::optional<double> number(const CsvRow& row, std::string_view column, const std::string& where) {
    const std::string text = row.number(column);
    if (text.empty() || text == "nan" || text == "NaN") return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
        throw Error(fmt::format("{}: line {}: {}: '{}' is not a number; {}", where, row.line(), column, text,
                                text.find(',') == std::string::npos
                                    ? "leave the cell empty if it is not known"
                                    : "write it with a decimal point and without separated thousands, such as 1310.7"));
    }
    return value;
}

Dim3 dimensions(const CsvRow& row, std::string_view column, const std::string& where) {
    const std::string& text = row.text(column);
    Dim3 dim{1, 1, 1};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::size_t i = 0; i < dim.size(); ++i) {
        const auto [next, error] = std::from_chars(at, end, dim[i]);
        if (error != std::errc{} || dim[i] == 0) break;
        if (next == end) return dim;
        if (*next != 'x') break;
        at = next + 1;
    }
    throw Error(fmt::format("{}: line {}: {}: '{}' is not of the form 16x16x1", where, row.line(), column, text));
}

void check_columns(const std::vector<std::string>& header, const std::string& where) {
    std::vector<std::string_view> missing;
    for (const std::string_view column : required) {
        if (std::find(header.begin(), header.end(), column) == header.end()) missing.push_back(column);
    }
    if (missing.empty()) return;
    // One cell in all: blanks between cells, no table at all, an empty file.
    const auto* const hint = header.size() < 2 ? ", separated by commas, semicolons or tabs" : "";
    throw Error(
        fmt::format("{}: no column {}; an observation table has kernel, gpu, grid, block, time_us and counters{}",
                    where, fmt::join(missing, ", "), hint));
}

bool names_input(const std::string& column) {
    return column == "app" || column == "args" || column == "config" || column.starts_with("input");
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// A clock in MHz, where the row states it. Throws Error if it is not above 0.
std::optional<double> clock(const CsvRow& row, Extra which, const std::string& where) {
    const auto column = extra_columns[which];
    const auto mhz = number(row, column, where);
    if (mhz && *mhz <= 0) {
        throw Error(
            fmt::format("{}: line {}: {}: {} is no clock; give MHz above 0, or leave the cell empty for the "
                        "clock that the GPU is stored with",
                        where, row.line(), column, row.text(column)));
    }
    return mhz;
}

/// Equal for rows of one GPU at the same clocks, however they are written.
std::string gpu_and_clocks(const CsvRow& row, const std::string& where, const GpuByName& gpu_by_name) {
    const auto core = clock(row, core_mhz, where), memory = clock(row, mem_mhz, where);
    const Gpu* const gpu = gpu_by_name ? gpu_by_name(row.text("gpu")) : nullptr;
    if (gpu == nullptr || gpu->name.empty()) {
        return fmt::format("{}|{}|{}", row.text("gpu"), core.value_or(0), memory.value_or(0));
    }
    constexpr double mega = 1e6;
    const auto stored = [](const MaybeKnown<Hertz>& known) { return known ? known->value.value / mega : 0; };
    double memory_now = stored(gpu->memory_clock);
    if (memory && gpu->memory_clock) {
        memory_now *= *memory * mega / stated_memory_clock(*gpu, Hertz{*memory * mega}).value;
    }
    return fmt::format("{}|{:.6g}|{:.6g}", gpu->name, core.value_or(stored(gpu->core_clock)), memory_now);
}

/// Rows of one kernel, input, launch configuration and GPU.
struct Group {
    const CsvRow* first = nullptr;
    std::string what;
    std::size_t rows = 0;
    std::array<std::vector<double>, columns> values;
};

Observation observation(const Group& group, const std::string& where) {
    Observation o;
    o.what = group.what;
    o.kernel = group.first->text("kernel");
    o.gpu = group.first->text("gpu");
    o.line = group.first->line();
    o.record.kernel = o.kernel;
    o.record.grid = dimensions(*group.first, "grid", where);
    o.record.block = dimensions(*group.first, "block", where);
    for (std::size_t i = 0; i < counters.size(); ++i) {
        if (!group.values[i].empty()) counters[i].set(o.record.metrics, median(group.values[i]));
    }
    const auto extra = [&](Extra which) -> const auto& { return group.values[counters.size() + which]; };
    o.record.duration = Duration{1, Seconds{median(extra(time_us)) / 1e6}, {}, {}};
    if (!extra(registers).empty()) o.record.registers_per_thread = static_cast<std::uint32_t>(median(extra(registers)));
    if (!extra(shared).empty()) o.record.static_shared = Bytes{median(extra(shared))};
    constexpr double mega = 1e6;
    if (!extra(core_mhz).empty()) o.clocks.core = Hertz{mega * median(extra(core_mhz))};
    if (!extra(mem_mhz).empty()) o.clocks.memory = Hertz{mega * median(extra(mem_mhz))};
    return o;
}

}  // namespace

ObservationTable observations_from_csv(std::string_view text, const std::string& where, Seconds shortest,
                                       const GpuByName& gpu_by_name) {
    const auto header = csv_header(text);
    check_columns(header, where);
    const auto rows = read_csv(text, where);

    ObservationTable table;
    table.where = where;
    table.rows = rows.size();
    Skipped without_time{"the time is not above 0"};
    std::map<std::string, std::size_t> index;
    std::vector<Group> groups;
    for (const CsvRow& row : rows) {
        const auto time = number(row, "time_us", where);
        if (!time || *time <= 0) {
            ++without_time.rows;
            continue;
        }
        std::string what = row.text("kernel");
        for (const std::string& column : header) {
            if (names_input(column)) what += "|" + row.text(column);
        }
        what += fmt::format("|{}|{}", fmt::join(dimensions(row, "grid", where), "x"),
                            fmt::join(dimensions(row, "block", where), "x"));
        const auto [found, is_new] =
            index.try_emplace(what + "|" + gpu_and_clocks(row, where, gpu_by_name), groups.size());
        if (is_new) groups.push_back({&row, std::move(what), 0, {}});
        Group& group = groups[found->second];
        ++group.rows;
        for (std::size_t i = 0; i < columns; ++i) {
            const auto column = i < counters.size() ? counters[i].column : extra_columns[i - counters.size()];
            if (const auto value = number(row, column, where)) {
                if (*value < 0) {
                    throw Error(fmt::format("{}: line {}: {} is below 0; leave the cell empty if it is not known",
                                            where, row.line(), column));
                }
                group.values[i].push_back(*value);
            }
        }
    }
    Skipped too_short{fmt::format("the time is under {:g} us", shortest.value * 1e6)};
    for (const Group& group : groups) {
        Observation o = observation(group, where);
        if (measured_time(o) < shortest) {
            too_short.rows += group.rows;
        } else {
            table.observations.push_back(std::move(o));
        }
    }
    for (Skipped* const skipped : {&without_time, &too_short}) {
        if (skipped->rows > 0) table.skipped.push_back(std::move(*skipped));
    }
    return table;
}

ObservationTable read_observations(const std::filesystem::path& file, Seconds shortest, const GpuByName& gpu_by_name) {
    return observations_from_csv(read_file(file), file.string(), shortest, gpu_by_name);
}

}  // namespace gpuproj
