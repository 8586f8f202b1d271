#include "tools/gpuproj/price_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "model/csv.hpp"
#include "model/error.hpp"
#include "model/file_io.hpp"

namespace gpuproj {
namespace {

constexpr std::array columns = {"gpu",     "price",      "currency",     "date",
                                "power_w", "node_price", "node_power_w", "gpus_per_node"};

std::optional<double> as_number(const std::string& text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
    return value;
}

}  // namespace

double positive_number(const std::string& text, const std::string& what, double least) {
    const auto value = as_number(text);
    if (!value || *value < least || *value <= 0)
        throw UsageError(fmt::format("{} {}: is no number of {}", what, text,
                                     least > 0 ? fmt::format("{} or more", least) : std::string("more than 0")));
    return *value;
}

std::vector<Offer> read_offers(const std::filesystem::path& file, const Catalog& catalog) {
    const auto text = read_file(file);
    const auto header = csv_header(text);
    const auto where = file.string();
    for (const auto& column : header) {
        if (std::find(columns.begin(), columns.end(), column) == columns.end())
            throw Error(
                fmt::format("{}: unknown column '{}'; the columns are {}", where, column, fmt::join(columns, ", ")));
    }
    if (std::find(header.begin(), header.end(), "gpu") == header.end())
        throw Error(fmt::format("{}: has no column 'gpu'; the columns are {}", where, fmt::join(columns, ", ")));
    std::vector<Offer> offers;
    for (const auto& row : read_csv(text, where)) {
        const auto fail = [&](const std::string& what) {
            throw Error(fmt::format("{}: line {}: {}", where, row.line(), what));
        };
        const auto amount = [&](std::string_view column) -> std::optional<double> {
            const auto cell = row.number(column);
            if (cell.empty()) return std::nullopt;
            const auto value = as_number(cell);
            if (!value || *value < 0)
                fail(fmt::format("{} '{}' is no amount; write a number such as 1234.50", column, cell));
            return value;
        };
        Offer offer;
        try {
            offer.gpu = Catalog::load(catalog.find(row.text("gpu"))).name;
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
        offer.currency = row.text("currency");
        offer.date = row.text("date");
        if (!offers.empty() && offers.front().currency != offer.currency)
            fail(fmt::format("currency '{}' beside '{}'; convert to one", offer.currency, offers.front().currency));
        offers.push_back(std::move(offer));
    }
    return offers;
}

}  // namespace gpuproj
