// Compiled as the handlers for AVX2 are; nothing here may run before its caller has looked for AVX2.
#include "tests/unit/wide_products.hpp"

#include <cmath>
#include <random>
#include <vector>

#define GPUPROJ_ISA of_wide_products
#include "collector/simulate/engine/handlers/products.hpp"

namespace gpuproj::test {

namespace {

/// Of halves: 11 bits and an exponent, so that sums are rounded, and depend on their order.
std::vector<double> halves(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<double> values(count);
    for (double& value : values) {
        const int bits = static_cast<int>(random() % 4096) - 2048;
        value = std::ldexp(bits, static_cast<int>(random() % 30) - 25);
    }
    return values;
}

template <std::uint32_t Columns>
bool agree(const simulate::MatrixPlan& plan) {
    const std::vector<double> a = halves(std::size_t{plan.m} * plan.k, 1), b = halves(std::size_t{plan.k} * Columns, 2);
    std::vector<double> narrow = halves(std::size_t{plan.m} * Columns, 3);
    for (double& sum : narrow) sum /= 3;
    std::vector<double> wide = narrow;
    simulate::of_wide_products::add_narrow_product<Columns, true>(plan, a.data(), b.data(), narrow.data());
    simulate::of_wide_products::add_wide_product<Columns>(plan, a.data(), b.data(), wide.data());
    return narrow == wide;
}

}  // namespace

bool wide_products_agree(std::uint32_t rows, std::uint32_t columns, std::uint32_t depth) {
    simulate::MatrixPlan plan;
    plan.m = rows;
    plan.n = columns;
    plan.k = depth;
    if (columns == 8) return agree<8>(plan);
    return columns == 16 ? agree<16>(plan) : agree<32>(plan);
}

}  // namespace gpuproj::test
