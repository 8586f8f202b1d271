// One-dimensional transforms of any length.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>

#include "collector/simulate/libraries/cufft_types.hpp"

namespace gpuproj::simulate::libraries::cufft {

/// Single precision is calculated in it too, so that results are as right as their type can hold.
using Complex = std::complex<double>;

/// An unnormalised transform of `length` numbers. Not for two threads at once.
class Line {
public:
    Line(std::size_t length, Direction direction);
    Line(Line&&) noexcept;
    ~Line();

    std::size_t length() const;
    /// `from` and `to` do not overlap.
    void transform(const Complex* from, Complex* to) noexcept;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gpuproj::simulate::libraries::cufft
