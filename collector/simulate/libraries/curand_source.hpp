// Where the bits of one call come from. Result i of the call asks for its own bits, by its place in the sequence: an
// offset is exact, and so is going on after an earlier call.
#pragma once

#include <algorithm>
#include <vector>

#include "collector/simulate/libraries/curand_directions.hpp"

namespace gpuproj::simulate::libraries::curand {

inline constexpr double two_to_minus_32 = 0x1p-32, two_to_minus_53 = 0x1p-53;

/// The middle of the interval that 32 bits stand for, between 0 and 1.
constexpr double fraction(std::uint32_t bits) {
    return (bits + 0.5) * two_to_minus_32;
}
/// The same for the upper 53 bits. Rounding makes 1 of the greatest of them.
constexpr double fraction(std::uint64_t bits) {
    return (static_cast<double>(bits >> 11) + 0.5) * two_to_minus_53;
}

/// Every pseudo-random type. What it gives is random, but not the sequence that NVIDIA's generator of this type gives.
class PseudoSource {
public:
    static constexpr bool is_quasi = false;

    /// `start`: the place of result 0 in the sequence of `seed`.
    PseudoSource(int type, std::uint64_t seed, std::uint64_t start) : start_(start) {
        constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;  // tells the types of one seed apart
        const std::uint64_t key = seed ^ (golden_ratio * static_cast<std::uint64_t>(type));
        key_ = {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
    }
    std::uint32_t bits32(std::size_t i) {
        const std::uint64_t place = start_ + i;
        return block(place / 4, 0)[place % 4];
    }
    std::uint64_t bits64(std::size_t i) {
        const std::uint64_t place = start_ + i;
        const Block& words = block(place / 2, 1);
        return std::uint64_t{words[place % 2 * 2]} << 32 | words[place % 2 * 2 + 1];
    }
    double fraction32(std::size_t i) { return fraction(bits32(i)); }
    double fraction64(std::size_t i) { return fraction(bits64(i)); }
    /// As a uniform double.
    double uniform(std::size_t i) { return fraction64(i); }

private:
    // Results of 32 and of 64 bits are of different sequences, so that none uses another's bits.
    const Block& block(std::uint64_t number, std::uint32_t kind) {
        if (!made_ || number != number_ || kind != kind_)
            block_ = philox4x32({static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), 0, kind},
                                key_);
        made_ = true;
        number_ = number;
        kind_ = kind;
        return block_;
    }

    std::uint64_t start_;
    Key key_{};
    Block block_{};
    bool made_ = false;
    std::uint64_t number_ = 0;
    std::uint32_t kind_ = 0;
};

/// `constant` is added to each point without carry.
template <class Word>
struct Dimension {
    Directions<Word> directions;
    Word constant;
};

/// All results of the first dimension, then all of the second, and so on: NVIDIA's numbers, unless they are scrambled,
/// and order.
template <class Word>
class SobolSource {
public:
    static constexpr bool is_quasi = true;

    SobolSource(const std::vector<Dimension<Word>>& dimensions, std::uint64_t start, std::size_t results)
        : dimensions_(dimensions), start_(start), points_(std::max<std::size_t>(1, results / dimensions.size())) {}

    std::uint32_t bits32(std::size_t i) const {
        return static_cast<std::uint32_t>(word(i) >> (std::numeric_limits<Word>::digits - 32));
    }
    std::uint64_t bits64(std::size_t i) const { return word(i); }
    double fraction32(std::size_t i) const { return fraction(bits32(i)); }
    double fraction64(std::size_t i) const { return fraction(word(i)); }
    double uniform(std::size_t i) const {
        if constexpr (sizeof(Word) == sizeof(std::uint64_t))
            return fraction64(i);
        else
            return (word(i) + 1.0) * two_to_minus_32;  // as libcurand 10.4 has it
    }

private:
    Word word(std::size_t i) const {
        const Dimension<Word>& dimension = dimensions_[i / points_];
        return sobol(dimension.directions, start_ + i % points_) ^ dimension.constant;
    }

    const std::vector<Dimension<Word>>& dimensions_;
    std::uint64_t start_;
    std::size_t points_;  // of each dimension
};

}  // namespace gpuproj::simulate::libraries::curand
