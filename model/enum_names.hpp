// The spelling of an enumeration's values in files and on the screen.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>

namespace gpuproj {

/// An enumeration E with values 0, 1, 2, ... is spelled by a function `enum_names(E)` beside it, which returns the
/// names in the order of the values.
template <class E>
concept NamedEnum = requires(E e) {
    { enum_names(e) } -> std::convertible_to<std::span<const std::string_view>>;
};

/// The value's spelling in JSON, CSV and tables; never renamed.
template <NamedEnum E>
constexpr std::string_view name_of(E value) {
    return enum_names(value)[static_cast<std::size_t>(value)];
}

}  // namespace gpuproj
