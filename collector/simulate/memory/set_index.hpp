// Which set of a cache a line belongs to.
#pragma once

#include <bit>
#include <cstdint>

namespace gpuproj::simulate {

/// The number of sets is odd x 2^k (384 = 3 x 128 on the GTX-480). Among 2^k consecutive lines every one of the 2^k
/// sets occurs once, and consecutive stretches take the odd groups in turn, so that an array spreads evenly; the
/// exclusive or with a hash of the upper bits keeps power-of-two strides from meeting in one set, as the address hashes
/// of the hardware do.
class SetIndex {
public:
    explicit SetIndex(std::uint32_t sets = 1)
        : bits_(static_cast<std::uint32_t>(std::countr_zero(sets))),
          groups_(sets >> bits_),
          inverse_(~0ULL / groups_ + 1) {}

    std::uint32_t operator()(std::uint64_t line) const {
        const std::uint64_t upper = line >> bits_;
        const std::uint32_t low = low_of(line);
        if (groups_ == 1) return low;
        // upper % groups without a division (Lemire, Kaser, Kurz 2019), exact for 32 bits.
        const std::uint64_t fraction = inverse_ * static_cast<std::uint32_t>(upper ^ (upper >> 32));
        const auto group = static_cast<std::uint32_t>((static_cast<unsigned __int128>(fraction) * groups_) >> 64);
        return (group << bits_) | low;
    }

    /// Sets in 2^part_bits parts, neighbours in the same: the bits there are (at most `most`), and the part of a line.
    std::uint32_t part_bits(std::uint32_t most) const { return bits_ < most ? bits_ : most; }
    std::uint32_t part(std::uint64_t line, std::uint32_t part_bits) const {
        return low_of(line) >> (bits_ - part_bits);
    }
    /// One of its sets.
    std::uint32_t set_of_part(std::uint32_t part, std::uint32_t part_bits) const { return part << (bits_ - part_bits); }

    /// Lines in 2^class_bits() classes, at most 8, by their sets: all lines of a set are of one class, all of which any
    /// 8 neighbours have, and a stride through memory goes through the classes.
    std::uint32_t class_bits() const { return bits_ < 3 ? bits_ : 3; }
    std::uint32_t class_of(std::uint64_t line) const { return class_of_set(low_of(line)); }
    std::uint32_t class_of_set(std::uint32_t set) const {
        const std::uint32_t low = set & ((1U << bits_) - 1);
        return (low ^ low >> 3 ^ low >> 6 ^ low >> 9 ^ low >> 12 ^ low >> 15) & ((1U << class_bits()) - 1);
    }

private:
    std::uint32_t low_of(std::uint64_t line) const {
        // Upper bits of the product: its lower ones are even where a stride is.
        const auto hash = static_cast<std::uint32_t>(((line >> bits_) * 0x9E3779B97F4A7C15ULL) >> 44);
        return (static_cast<std::uint32_t>(line) ^ hash) & ((1U << bits_) - 1);
    }

    std::uint32_t bits_, groups_;
    std::uint64_t inverse_;
};

}  // namespace gpuproj::simulate
