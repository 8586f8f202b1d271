#include "reports/gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "reports/format.hpp"

namespace gpuproj {
namespace {

Cell cell_of(const std::string& text) {
    return text;
}
Cell cell_of(bool value) {
    return value;
}
Cell cell_of(double value) {
    return value;
}
// Its ends: the file has all of it.
Cell cell_of(const std::vector<LoadsBandwidth>& sweep) {
    const auto text = [](const LoadsBandwidth& point) {
        return fmt::format("{} by {}", for_people(point.bandwidth.value, Unit::bytes_per_second), point.loads);
    };
    if (sweep.size() < 2) return sweep.empty() ? std::string() : text(sweep.front());
    return fmt::format("{}, {}", text(sweep.front()), text(sweep.back()));
}
Cell cell_of(int value) {
    return std::int64_t{value};
}
template <Dimension D>
Cell cell_of(Quantity<D> quantity) {
    return quantity.value;
}

template <class Q>
Cell cell_of(const MaybeKnown<Q>& parameter) {
    return parameter ? cell_of(parameter->value) : Cell{};
}

/// Calls visit(field, known parameter) for every parameter of the GPU that is known.
template <class Visit>
void for_each_known(const Gpu& gpu, Visit visit) {
    const auto one = [&](const auto& field) {
        if (const auto& parameter = gpu.*field.member) visit(field, *parameter);
    };
    std::apply([&](const auto&... field) { (one(field), ...); }, Gpu::fields);
}

std::string value_text(std::string_view key, const Cell& cell) {
    if (const auto* value = std::get_if<double>(&cell)) return for_people(*value, parameter_unit(key));
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
    if (const auto* truth = std::get_if<bool>(&cell)) return *truth ? "yes" : "no";
    return std::get<std::string>(cell);
}

}  // namespace

Unit parameter_unit(std::string_view key) {
    const Unit unit = unit_of_key(key);
    return unit == Unit::bytes ? Unit::capacity : unit;
}

std::string rates_quality(const Gpu& gpu) {
    std::optional<Quality> worst;
    const auto add = [&](const auto& rate) {
        if (rate && (!worst || rate->quality > *worst)) worst = rate->quality;
    };
    add(gpu.fp32), add(gpu.fp64), add(gpu.int_mad), add(gpu.int_add), add(gpu.dram_bandwidth), add(gpu.shared_rate);
    return worst ? std::string(name_of(*worst)) : "";
}

Table gpu_table(std::span<const Gpu> gpus) {
    Table table;
    table.columns = {{"name", "GPU", Unit::none},
                     {"architecture", "architecture", Unit::none},
                     {"compute_capability", "cc", Unit::none},
                     {"sm_count", "SMs", Unit::count},
                     {"fp32_op_per_s", "fp32", Unit::operations_per_second},
                     {"fp64_op_per_s", "fp64", Unit::operations_per_second},
                     {"dram_bandwidth_byte_per_s", "DRAM", Unit::bytes_per_second},
                     {"memory_byte", "memory", Unit::capacity},
                     {"l2_size_byte", "L2", Unit::capacity},
                     {"quality", "rates are", Unit::none}};
    for (const auto& gpu : gpus) {
        table.rows.push_back({gpu.name, gpu.architecture, gpu.compute_capability, cell_of(gpu.sm_count),
                              cell_of(gpu.fp32), cell_of(gpu.fp64), cell_of(gpu.dram_bandwidth), cell_of(gpu.memory),
                              cell_of(gpu.l2_size), rates_quality(gpu)});
    }
    return table;
}

Table gpu_parameter_table(const Gpu& gpu, bool provenance) {
    Table table;
    table.title = gpu.name;
    table.columns = {
        {"parameter", "parameter", Unit::none}, {"value", "value", Unit::none}, {"quality", "known as", Unit::none}};
    if (provenance) {
        table.columns.push_back({"relative_uncertainty", "+-", Unit::fraction});
        table.columns.push_back({"meaning", "meaning", Unit::none});
        table.columns.push_back({"source", "source", Unit::none});
    }
    for_each_known(gpu, [&](const auto& field, const auto& parameter) {
        table.rows.push_back(
            {std::string(field.key), cell_of(parameter.value), std::string(name_of(parameter.quality))});
        if (!provenance) return;
        table.rows.back().push_back(parameter.uncertainty ? Cell{*parameter.uncertainty} : Cell{});
        table.rows.back().push_back(std::string(field.meaning));
        table.rows.back().push_back(parameter.source);
    });
    return table;
}

Table gpu_differences(std::span<const Gpu> gpus, double tolerance) {
    Table table{.title = "What differs", .columns = {{"parameter", "parameter", Unit::none}}, .rows = {}};
    for (const Gpu& gpu : gpus) table.columns.push_back({gpu.name, gpu.name, Unit::none});
    const bool two = gpus.size() == 2;
    if (two) table.columns.push_back({"ratio", "second / first", Unit::factor});
    const auto row = [&](const auto& field) {
        std::vector<Cell> cells;
        for (const Gpu& gpu : gpus) cells.push_back(cell_of(gpu.*field.member));
        const auto* first = std::get_if<double>(&cells.front());
        const auto same = [&](const Cell& cell) {
            const auto* value = std::get_if<double>(&cell);
            if (first != nullptr && value != nullptr) return std::abs(*value - *first) <= tolerance * std::abs(*first);
            return cell == cells.front();
        };
        if (std::ranges::all_of(cells, same)) return;
        if (two) {
            const auto number = [](const Cell& cell) {
                const auto* whole = std::get_if<std::int64_t>(&cell);
                const auto* value = std::get_if<double>(&cell);
                return value != nullptr ? *value : whole != nullptr ? static_cast<double>(*whole) : 0.0;
            };
            const double a = number(cells[0]);
            const double b = number(cells[1]);
            cells.push_back(a > 0 && b > 0 ? Cell{b / a} : Cell{});
        }
        cells.insert(cells.begin(), std::string(field.key));
        table.rows.push_back(std::move(cells));
    };
    std::apply([&](const auto&... field) { (row(field), ...); }, Gpu::fields);
    return table;
}

Table gpu_differences_for_people(std::span<const Gpu> gpus) {
    Table table = gpu_differences(gpus);
    for (auto& cells : table.rows) {
        const auto& key = std::get<std::string>(cells.front());
        for (std::size_t i = 1; i <= gpus.size(); ++i) {
            if (!std::holds_alternative<std::monostate>(cells[i])) cells[i] = value_text(key, cells[i]);
        }
    }
    return table;
}

std::string gpu_to_terminal(const Gpu& gpu, bool provenance, const Screen& screen) {
    std::string out = gpu.name + "\n";
    const auto line = [&](std::string_view label, const std::string& text) {
        if (!text.empty()) out += fmt::format("  {:<20}{}\n", label, wrapped(text, screen.width, 22));
    };
    line("also called", fmt::format("{}", fmt::join(gpu.aliases, ", ")));
    line("vendor", gpu.vendor);
    line("architecture", gpu.architecture);
    line("compute capability", gpu.compute_capability);
    out += "\n";
    for_each_known(gpu, [&](const auto& field, const auto& parameter) {
        const auto value = value_text(field.key, cell_of(parameter.value));
        out += fmt::format("  {:<36}{:>14}  {:<10}  {}\n", field.key, value, name_of(parameter.quality),
                           provenance ? "" : field.meaning);
        if (!provenance) return;
        const auto spread =
            parameter.uncertainty ? fmt::format(" (+-{})", for_people(*parameter.uncertainty, Unit::fraction)) : "";
        out += fmt::format("      {}\n",
                           wrapped(fmt::format("{}{}; {}", field.meaning, spread, parameter.source), screen.width, 6));
    });
    return out;
}

}  // namespace gpuproj
