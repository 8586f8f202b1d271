#include "targets/card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/csv.hpp"
#include "model/error.hpp"
#include "model/json_fields.hpp"
#include "targets/builtin.hpp"
#include "targets/parameters.hpp"

namespace gpuproj {
namespace {

[[noreturn]] void reject(const CsvRow& row, const std::string& where, std::string_view column,
                         std::string_view wanted) {
    throw Error(fmt::format("{}: line {}: {} is \"{}\", not {}", where, row.line(), column, row.text(column), wanted));
}

std::optional<double> number(const CsvRow& row, const std::string& where, std::string_view column, double unit = 1.0) {
    const std::string& text = row.text(column);
    if (text.empty()) {
        return std::nullopt;
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value <= 0) {
        reject(row, where, column, "a positive number");
    }
    return value * unit;
}

double required(const CsvRow& row, const std::string& where, std::string_view column, double unit = 1.0) {
    const std::optional<double> value = number(row, where, column, unit);
    if (!value) {
        reject(row, where, column, "a positive number");
    }
    return *value;
}

template <class Q>
std::optional<Q> quantity(std::optional<double> value) {
    return value ? std::optional(Q{*value}) : std::nullopt;
}

template <class E>
E name_in(const CsvRow& row, const std::string& where, std::string_view column) {
    const auto names = enum_names(E{});
    const auto found = std::ranges::find(names, row.text(column));
    if (found == names.end()) {
        reject(row, where, column, fmt::format("one of {}", fmt::join(names, ", ")));
    }
    return static_cast<E>(found - names.begin());
}

std::vector<std::string> split_aliases(const std::string& text) {
    std::vector<std::string> aliases;
    std::istringstream in(text);
    for (std::string alias; std::getline(in, alias, '|');) {
        aliases.push_back(alias);
    }
    return aliases;
}

}  // namespace

std::vector<Card> read_cards(std::string_view csv, const std::string& where) {
    std::vector<Card> cards;
    for (const CsvRow& row : read_csv(csv, where)) {
        constexpr double mega = 1e6;
        constexpr double giga = 1e9;
        constexpr double kibi = 1024;
        Card card;
        card.name = row.text("name");
        card.aliases = split_aliases(row.text("aliases"));
        for (std::string& id : split_aliases(row.text("pci_ids"))) card.aliases.push_back(std::move(id));
        card.vendor = row.text("vendor");
        card.architecture = row.text("architecture");
        card.compute_capability = row.text("compute_capability");
        card.board_class = name_in<BoardClass>(row, where, "class");
        card.sm_count = required(row, where, "sm_count");
        card.lanes_per_sm = required(row, where, "lanes_per_sm");
        card.fp64_per_sm = number(row, where, "fp64_per_sm");
        card.boost = {required(row, where, "boost_mhz", mega)};
        card.base = quantity<Hertz>(number(row, where, "base_mhz", mega));
        card.memory_clock = quantity<Hertz>(number(row, where, "memory_mhz", mega));
        card.bus_bit = number(row, where, "bus_bit");
        card.dram_peak = {required(row, where, "dram_gb_per_s", giga)};
        card.dram_type = row.text("dram_type");
        card.memory = quantity<Bytes>(number(row, where, "memory_gib", kibi * kibi * kibi));
        card.l2 = quantity<Bytes>(number(row, where, "l2_kib", kibi));
        card.tdp = quantity<Watts>(number(row, where, "tdp_w"));
        card.ecc = row.text("ecc") == "on";
        card.link = row.text("link");
        card.tensor_fp16 = quantity<OperationsPerSecond>(number(row, where, "tensor_fp16_tflops", mega * mega));
        card.source = row.text("source");
        cards.push_back(std::move(card));
    }
    return cards;
}

std::vector<CardValue> read_card_values(std::string_view csv, const std::string& where) {
    std::vector<CardValue> values;
    for (const CsvRow& row : read_csv(csv, where)) {
        CardValue value;
        value.gpu = row.text("gpu");
        value.parameter = row.text("parameter");
        value.value = required(row, where, "value");
        value.quality = name_in<Quality>(row, where, "quality");
        value.clock = quantity<Hertz>(number(row, where, "clock_mhz", 1e6));
        value.uncertainty = number(row, where, "uncertainty");
        const std::string calibrates = row.text("calibrates");
        if (!calibrates.empty() && calibrates != "no" && calibrates != "chip")
            reject(row, where, "calibrates", "empty, no or chip");
        value.calibrates = calibrates.empty();
        value.of_chip = calibrates == "chip";
        value.source = row.text("source");
        Gpu scratch;
        if (!set_parameter(scratch, value.parameter, {value.value, value.quality, {}, {}})) {
            reject(row, where, "parameter", "the key of a number in a GPU file");
        }
        values.push_back(std::move(value));
    }
    return values;
}

std::optional<WarpTaskCosts> known_warp_task_costs(const std::string& gpu) {
    static const auto table = nlohmann::json::parse(builtin_mpd_cpd_json());
    const auto found = table.find(gpu);
    if (found == table.end()) return std::nullopt;
    return read_value<WarpTaskCosts>(*found, JsonPath{nullptr, "targets/data/mpd_cpd.json"});
}

const std::vector<Card>& known_cards() {
    static const std::vector<Card> cards = read_cards(builtin_cards_csv(), "targets/data/cards.csv");
    return cards;
}

const std::vector<CardValue>& known_values() {
    static const std::vector<CardValue> values = read_card_values(builtin_values_csv(), "targets/data/values.csv");
    return values;
}

}  // namespace gpuproj
