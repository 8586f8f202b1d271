#include "collector/simulate/engine/expansions.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>
#include <unordered_map>

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

struct Row {
    std::string_view key;
    int capability;  // from here on, to the next row of the key
    Mix mix;
};

constexpr Mix of(std::initializer_list<std::pair<Class, float>> counts) {
    Mix mix{};
    for (const auto& [c, n] : counts) mix[static_cast<std::size_t>(c)] = n;
    return mix;
}

using enum Class;

// By key, then by capability.
constexpr Row rows[] = {
#include "collector/simulate/engine/expansions.inc"
};

/// The rows of each key. They are asked for after every launch.
std::unordered_map<std::string_view, std::span<const Row>> rows_by_key() {
    std::unordered_map<std::string_view, std::span<const Row>> by_key;
    for (const Row* first = std::begin(rows); first != std::end(rows);) {
        const Row* const last =
            std::find_if(first, std::end(rows), [&](const Row& row) { return row.key != first->key; });
        by_key.emplace(first->key, std::span(first, last));
        first = last;
    }
    return by_key;
}

}  // namespace

const Mix* find_expansion(std::string_view key, int capability) {
    static const auto by_key = rows_by_key();
    const auto found = by_key.find(key);
    if (found == by_key.end()) return nullptr;
    const std::span<const Row> of_key = found->second;
    const auto behind = std::ranges::upper_bound(of_key, capability, {}, &Row::capability);
    return behind == of_key.begin() ? &of_key.front().mix : &std::prev(behind)->mix;
}

int capability_number(std::string_view compute_capability) {
    const std::size_t dot = compute_capability.find('.');
    int major = 0, minor = 0;
    const char* const end = compute_capability.data() + compute_capability.size();
    if (dot == std::string_view::npos ||
        std::from_chars(compute_capability.data(), compute_capability.data() + dot, major).ec != std::errc{} ||
        std::from_chars(compute_capability.data() + dot + 1, end, minor).ec != std::errc{}) {
        return std::ranges::max(rows, {}, &Row::capability).capability;
    }
    return 10 * major + minor;
}

const Mix& resolve(const Cost& cost, int capability) {
    const Mix* found = cost.key.empty() ? nullptr : find_expansion(cost.key, capability);
    return found == nullptr ? cost.otherwise : *found;
}

}  // namespace gpuproj::simulate
