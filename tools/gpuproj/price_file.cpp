#include "tools/gpuproj/price_file.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "collector/metric_names/units.hpp"
#include "model/csv.hpp"
#include "model/error.hpp"
#include "model/near_names.hpp"
#include "tools/gpuproj/input_file.hpp"

namespace gpuproj {
namespace {

const std::vector<std::string> columns = {"gpu",     "price",      "currency",     "date",
                                          "power_w", "node_price", "node_power_w", "gpus_per_node"};

std::optional<double> as_number(const std::string& text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
    return value;
}

/// Which of the file's columns is each of `columns`: case, spaces, '-' and '_' do not matter. A further column is told
/// and not read, unless its name is near one of these and may be meant for it. Throws Error for that, for two columns
/// of one meaning, and where none is the GPU's.
std::map<std::string, std::string, std::less<>> columns_of(const std::vector<std::string>& header,
                                                           const std::string& where) {
    const auto refuse = [&](const std::string& what) {
        throw Error(fmt::format("{}: {}; the columns are {}", where, what, fmt::join(columns, ", ")));
    };
    std::map<std::string, std::string, std::less<>> known;
    std::vector<std::string> others;
    for (const auto& written : header) {
        const auto is_it = [&](const std::string& column) { return folded(column) == folded(written); };
        const auto column = std::ranges::find_if(columns, is_it);
        if (column != columns.end()) {
            const auto [other, is_new] = known.emplace(*column, written);
            if (!is_new) refuse(fmt::format("'{}' and '{}' are one column twice", other->second, written));
        } else if (!trimmed(written).empty()) {
            others.push_back(written);
        }
    }
    for (const auto& other : others) {
        std::vector<std::string> free;
        std::ranges::copy_if(columns, std::back_inserter(free),
                             [&](const auto& name) { return !known.contains(name); });
        if (const auto near = did_you_mean(other, free); !near.empty())
            refuse(fmt::format("unknown column '{}'{}", other, near));
    }
    if (!known.contains("gpu")) refuse("has no column 'gpu'");
    if (!others.empty()) {
        spdlog::warn("{}: not read: column{} {}", where, others.size() > 1 ? "s" : "", fmt::join(others, ", "));
    }
    return known;
}

}  // namespace

double positive_number(const std::string& text, const std::string& what, double least) {
    const auto value = as_number(text);
    if (!value || *value < least || *value <= 0)
        throw UsageError(fmt::format("{} {}: is no number of {}", what, text,
                                     least > 0 ? fmt::format("{} or more", least) : std::string("more than 0")));
    return *value;
}

std::vector<Offer> read_offers(const std::string& file, const Catalog& catalog) {
    const auto text = read_input(file);
    const auto header = csv_header(text);
    const auto where = input_name(file);
    const auto known = columns_of(header, where);
    std::vector<Offer> offers;
    for (const auto& row : read_csv(text, where)) {
        const auto fail = [&](const std::string& what) {
            throw Error(fmt::format("{}: line {}: {}", where, row.line(), what));
        };
        const auto text_of = [&](std::string_view column) {
            const auto found = known.find(column);
            return std::string(found == known.end() ? std::string_view{} : trimmed(row.text(found->second)));
        };
        const auto amount = [&](std::string_view column) -> std::optional<double> {
            const auto found = known.find(column);
            const auto written = found == known.end() ? std::string{} : row.number(found->second);
            const std::string cell(trimmed(written));
            if (cell.empty()) return std::nullopt;
            const auto value = as_number(cell);
            if (!value || *value < 0)
                fail(fmt::format("{} '{}' is no amount; write a number such as 1234.50", column, cell));
            return value;
        };
        Offer offer;
        try {
            offer.gpu = Catalog::load(catalog.find(text_of("gpu"))).name;
        } catch (const UsageError& error) {
            fail(error.what());
        }
        const auto same = [&](const Offer& other) { return other.gpu == offer.gpu; };
        if (std::any_of(offers.begin(), offers.end(), same)) fail(fmt::format("{} stands here twice", offer.gpu));
        offer.price = amount("price");
        if (offer.price && *offer.price == 0) fail("a price of 0; leave the cell empty where it is not known");
        if (const auto power = amount("power_w")) offer.power = Watts{*power};
        offer.node_price = amount("node_price");
        if (const auto power = amount("node_power_w")) offer.node_power = Watts{*power};
        offer.gpus_per_node = amount("gpus_per_node");
        if (offer.gpus_per_node && *offer.gpus_per_node < 1) fail("gpus_per_node is below 1");
        offer.currency = text_of("currency");
        offer.date = text_of("date");
        if (!offers.empty() && offers.front().currency != offer.currency)
            fail(fmt::format("currency '{}' beside '{}'; convert to one", offer.currency, offers.front().currency));
        offers.push_back(std::move(offer));
    }
    return offers;
}

}  // namespace gpuproj
