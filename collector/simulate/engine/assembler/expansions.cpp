#include "collector/simulate/engine/assembler/expansions.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_map>

#include "model/l1_cache.hpp"

namespace gpuproj::simulate {

Mix one(std::initializer_list<Class> classes) {
    Mix mix{};
    mix[static_cast<std::size_t>(Class::total)] = 1;
    for (const Class c : classes) mix[static_cast<std::size_t>(c)] += 1;
    return mix;
}

Mix operator+(const Mix& a, const Mix& b) {
    Mix sum = a;
    for (std::size_t i = 0; i < class_count; ++i) sum[i] += b[i];
    return sum;
}

Mix operator*(float k, const Mix& mix) {
    Mix product = mix;
    for (float& value : product) value *= k;
    return product;
}

namespace {

constexpr Mix of(std::initializer_list<std::pair<Class, float>> counts) {
    Mix mix{};
    for (const auto& [c, n] : counts) mix[static_cast<std::size_t>(c)] = n;
    return mix;
}

using enum Class;

// By key, then by capability.
constexpr Expansion rows[] = {
#include "collector/simulate/engine/assembler/expansions.inc"
};

/// The rows of each key.
std::unordered_map<std::string_view, std::span<const Expansion>> rows_by_key() {
    std::unordered_map<std::string_view, std::span<const Expansion>> by_key;
    for (const Expansion* first = std::begin(rows); first != std::end(rows);) {
        const Expansion* const last =
            std::find_if(first, std::end(rows), [&](const Expansion& row) { return row.key != first->key; });
        by_key.emplace(first->key, std::span(first, last));
        first = last;
    }
    return by_key;
}

std::span<const Expansion> rows_of(std::string_view key) {
    static const auto& by_key = *new auto(rows_by_key());  // there until the very end of a process
    const auto found = by_key.find(key);
    return found == by_key.end() ? std::span<const Expansion>() : found->second;
}

/// `of_key` has a row.
const Mix& nearest(std::span<const Expansion> of_key, int capability) {
    // ptxas was not asked for 5.0, whose machine code is that of 5.2 and not that of Kepler.
    constexpr int first_maxwell = 50, maxwell = 52;
    if (capability >= first_maxwell && capability < maxwell) capability = maxwell;
    const auto behind = std::ranges::upper_bound(of_key, capability, {}, &Expansion::capability);
    return behind == of_key.begin() ? of_key.front().mix : std::prev(behind)->mix;
}

}  // namespace

const Mix* find_expansion(std::string_view key, int capability) {
    const std::span<const Expansion> of_key = rows_of(key);
    return of_key.empty() ? nullptr : &nearest(of_key, capability);
}

int capability_number(std::string_view compute_capability) {
    const auto known = capability_of(compute_capability);
    return known ? *known : std::ranges::max(rows, {}, &Expansion::capability).capability;
}

std::span<const Expansion> expansions_of(const Cost& cost) {
    return cost.key.empty() ? std::span<const Expansion>() : rows_of(cost.key);
}

const Mix& resolve(const Cost& cost, std::span<const Expansion> expansions, int capability) {
    return expansions.empty() ? cost.otherwise : nearest(expansions, capability);
}

float machine_instructions(const Cost& cost) {
    constexpr int asked = 75;
    return resolve(cost, expansions_of(cost), asked)[static_cast<std::size_t>(Class::total)];
}

}  // namespace gpuproj::simulate
