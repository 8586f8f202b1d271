// A number that may not be known, in eight bytes.
#pragma once

#include <concepts>
#include <limits>
#include <optional>

#include "model/quantity.hpp"

namespace gpuproj {

/// A quantity or fraction, or nothing: used as std::optional is, at half its size, because a profile holds millions of
/// counters. Nothing is kept as NaN, which no counter is; so a value that is NaN is none.
template <class V>
class Maybe {
public:
    using value_type = V;

    constexpr Maybe() = default;
    constexpr Maybe(std::nullopt_t) {}
    constexpr Maybe(V value) : value_(value) {}
    constexpr Maybe(const std::optional<V>& value) : value_(value.value_or(none)) {}
    constexpr operator std::optional<V>() const { return has_value() ? std::optional<V>(value_) : std::nullopt; }

    constexpr bool has_value() const { return value_ == value_; }
    constexpr explicit operator bool() const { return has_value(); }
    constexpr const V& operator*() const { return value_; }
    constexpr V& operator*() { return value_; }
    constexpr const V* operator->() const { return &value_; }
    constexpr V* operator->() { return &value_; }
    /// Throws std::bad_optional_access where there is none.
    constexpr const V& value() const {
        if (!has_value()) throw std::bad_optional_access();
        return value_;
    }
    constexpr V value_or(V other) const { return has_value() ? value_ : other; }

    constexpr V& emplace(V value = V{}) { return value_ = value; }
    constexpr void reset() { value_ = none; }

    friend constexpr bool operator==(const Maybe& a, const Maybe& b) {
        return a.has_value() ? a.value_ == b.value_ : !b.has_value();
    }
    friend constexpr bool operator==(const Maybe& a, const V& b) { return a.value_ == b; }
    /// With what V compares to; nothing equals nothing else.
    template <class T>
        requires(!std::convertible_to<const T&, Maybe>)
    friend constexpr bool operator==(const Maybe& a, const T& b) {
        return a.has_value() && a.value_ == b;
    }
    friend constexpr bool operator==(const Maybe& a, std::nullopt_t) { return !a.has_value(); }

private:
    static constexpr V none{std::numeric_limits<double>::quiet_NaN()};
    V value_ = none;
};

}  // namespace gpuproj
