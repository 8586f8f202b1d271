// In which order the ways of a set were used.
#pragma once

#include <bit>
#include <cstdint>

namespace gpuproj::simulate {

/// Of a set of at most 16 ways; at first way 0 was used last, then way 1, and so on.
class OrderOfUse {
public:
    /// `way` is used now.
    void touch(std::uint32_t way) {
        if ((order_ & 0xF) == way) return;
        // The lowest digit that is zero is the lowest one that a borrow from the top of its own four bits marks.
        const std::uint64_t difference = order_ ^ (way * each_digit);
        const std::uint64_t zero = (difference - each_digit) & ~difference & (each_digit << 3);
        move_to_front(std::countr_zero(zero) & ~3, way);
    }
    /// Which of `ways` ways was not used the longest; it is used now.
    std::uint32_t renew_oldest(std::uint32_t ways) {
        const int at = 4 * static_cast<int>(ways - 1);
        const std::uint32_t way = static_cast<std::uint32_t>(order_ >> at) & 0xF;
        move_to_front(at, way);
        return way;
    }

private:
    static constexpr std::uint64_t each_digit = 0x1111111111111111;

    /// The digit whose lowest bit is bit `at`, and which is `way`.
    void move_to_front(int at, std::uint32_t way) {
        const std::uint64_t from = ~std::uint64_t{0} << at;
        order_ = (order_ & (from << 4)) | (order_ & ~from) << 4 | way;
    }

    std::uint64_t order_ = 0xFEDCBA9876543210;  // the ways, from the last digit on as they were used
};

}  // namespace gpuproj::simulate
