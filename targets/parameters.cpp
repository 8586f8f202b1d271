#include "targets/parameters.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace gpuproj {

std::optional<KnownNumber> parameter(const Gpu& gpu, std::string_view key) {
    std::optional<KnownNumber> result;
    for_each_parameter(gpu, [&](std::string_view name, const auto& known) {
        if (name != key || !known) return;
        if (const auto number = number_of(known->value)) {
            result = KnownNumber{*number, known->quality, known->source, known->uncertainty};
        }
    });
    return result;
}

bool set_parameter(Gpu& gpu, std::string_view key, KnownNumber number) {
    bool found = false;
    for_each_parameter(gpu, [&](std::string_view name, auto& known) {
        using Value = decltype(known->value);
        if (name != key) return;
        if constexpr (requires(Value value) { value.value; }) {
            known = {{number.value}, number.quality, std::move(number.source), number.uncertainty};
            found = true;
        } else if constexpr (std::is_same_v<Value, double>) {
            known = std::move(number);
            found = true;
        } else if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) {
            known = {static_cast<Value>(std::lround(number.value)), number.quality, std::move(number.source),
                     number.uncertainty};
            found = true;
        }
    });
    return found;
}

double to_five_digits(double value) {
    return std::stod(fmt::format("{:.5g}", value));
}

}  // namespace gpuproj
