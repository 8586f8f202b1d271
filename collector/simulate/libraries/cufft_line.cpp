#include "collector/simulate/libraries/cufft_line.hpp"

#include <algorithm>
#include <bit>
#include <kissfft.hh>
#include <numbers>
#include <vector>

namespace gpuproj::simulate::libraries::cufft {

namespace {

using Kiss = kissfft<double>;

// kissfft takes n * p steps for each prime factor p of n. From about here on, the three transforms of Bluestein's
// algorithm take fewer.
constexpr std::size_t largest_factor = 200;

std::size_t largest_prime_factor(std::size_t n) {
    std::size_t largest = 1;
    for (std::size_t p = 2; p * p <= n; ++p)
        for (; n % p == 0; n /= p) largest = p;
    return std::max(largest, n);
}

// L. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform", 1970: from
// jk = (j^2 + k^2 - (k-j)^2) / 2, a transform is a convolution with a chirp, which lengths of powers of two can do.
class Chirp {
public:
    Chirp(std::size_t length, Direction direction)
        : padded_(std::bit_ceil(2 * length - 1)),
          chirp_(length),
          filter_(padded_),
          work_(padded_),
          spectrum_(padded_),
          there_(padded_, false),
          back_(padded_, true) {
        for (std::size_t k = 0; k < length; ++k) {
            const std::size_t turn = k * k % (2 * length);  // of 2 n half turns, for the accuracy
            const double angle = std::numbers::pi * static_cast<double>(turn) / static_cast<double>(length);
            chirp_[k] = std::polar(1.0, static_cast<double>(direction) * angle);
        }
        for (std::size_t k = 0; k < length; ++k) {
            const Complex scaled = std::conj(chirp_[k]) / static_cast<double>(padded_);
            work_[k] = scaled;
            if (k > 0) work_[padded_ - k] = scaled;
        }
        there_.transform(work_.data(), filter_.data());
    }

    void transform(const Complex* from, Complex* to) {
        std::fill(work_.begin(), work_.end(), Complex{});
        for (std::size_t k = 0; k < chirp_.size(); ++k) work_[k] = from[k] * chirp_[k];
        there_.transform(work_.data(), spectrum_.data());
        for (std::size_t k = 0; k < padded_; ++k) spectrum_[k] *= filter_[k];
        back_.transform(spectrum_.data(), work_.data());
        for (std::size_t k = 0; k < chirp_.size(); ++k) to[k] = work_[k] * chirp_[k];
    }

private:
    std::size_t padded_;
    std::vector<Complex> chirp_, filter_, work_, spectrum_;
    Kiss there_, back_;
};

}  // namespace

struct Line::Parts {
    std::size_t length;
    std::unique_ptr<Kiss> kiss;
    std::unique_ptr<Chirp> chirp;
};

Line::Line(std::size_t length, Direction direction) : parts_(std::make_unique<Parts>()) {
    parts_->length = length;
    if (largest_prime_factor(length) > largest_factor)
        parts_->chirp = std::make_unique<Chirp>(length, direction);
    else
        parts_->kiss = std::make_unique<Kiss>(length, direction == inverse);
}

Line::Line(Line&&) noexcept = default;
Line::~Line() = default;

std::size_t Line::length() const {
    return parts_->length;
}

void Line::transform(const Complex* from, Complex* to) noexcept {
    if (parts_->chirp)
        parts_->chirp->transform(from, to);
    else
        parts_->kiss->transform(from, to);
}

}  // namespace gpuproj::simulate::libraries::cufft
