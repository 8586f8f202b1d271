// The parameters of a Gpu by key.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "model/gpu.hpp"

namespace gpuproj {

/// Calls visit(key, MaybeKnown&) for every parameter.
template <class G, class Visit>
void for_each_parameter(G& gpu, Visit visit) {
    std::apply([&](const auto&... field) { (visit(field.key, gpu.*field.member), ...); }, Gpu::fields);
}

/// The number in a value: a quantity's or a count's; nothing for text and flags.
template <class V>
std::optional<double> number_of(const V& value) {
    if constexpr (requires { value.value; }) {
        return value.value;
    } else if constexpr (std::is_arithmetic_v<V> && !std::is_same_v<V, bool>) {
        return static_cast<double>(value);
    } else {
        return std::nullopt;
    }
}

/// To five digits: more than any rule of derivation is good for.
double to_five_digits(double value);

/// How one number is known, whatever its unit.
using KnownNumber = Known<double>;

/// The number stored under `key`; nothing if it is absent or not a number.
std::optional<KnownNumber> parameter(const Gpu& gpu, std::string_view key);

/// Stores a number under `key`, in the unit of the key. Returns false if there is no such parameter or it is no number.
bool set_parameter(Gpu& gpu, std::string_view key, KnownNumber number);

}  // namespace gpuproj
