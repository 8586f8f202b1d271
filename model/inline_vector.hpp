// A vector of at most N small values that never allocates.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>

namespace gpuproj {

/// Holds up to N values in place; adding one more is a broken invariant. Predictions use it, because millions of them
/// are made in one evaluation.
template <class T, std::size_t N>
class InlineVector {
public:
    constexpr void push_back(const T& value) {
        assert(size_ < N);
        values_[size_++] = value;
    }
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr const T& operator[](std::size_t i) const { return values_[i]; }
    constexpr T& operator[](std::size_t i) { return values_[i]; }
    constexpr const T* begin() const { return values_.data(); }
    constexpr const T* end() const { return values_.data() + size_; }
    constexpr T* begin() { return values_.data(); }
    constexpr T* end() { return values_.data() + size_; }

private:
    std::array<T, N> values_{};
    std::size_t size_ = 0;
};

}  // namespace gpuproj
