// The buyer's list of prices.
#pragma once

#include <string>
#include <vector>

#include "reports/comparison.hpp"
#include "targets/catalog.hpp"

namespace gpuproj {

/// A CSV with the columns gpu, price, currency, date, and optionally power_w, node_price, node_power_w, gpus_per_node.
/// Empty cells are unknown. Throws Error with the line: no column gpu, an unknown or repeated GPU, no number, a
/// negative amount, two currencies.
std::vector<Offer> read_offers(const std::string& file, const Catalog& catalog);

/// A number of at least `least`. `what` names it in the UsageError.
double positive_number(const std::string& text, const std::string& what, double least = 0);

}  // namespace gpuproj
