// Where machine code keeps what it needs beside values: all of them registers that a function may change.
#pragma once

#include <xbyak/xbyak.h>

#include <cstdint>

namespace gpuproj::simulate::native {

inline const Xbyak::Reg64 warp = Xbyak::util::rdi, frame = Xbyak::util::r8, constants = Xbyak::util::r9;
inline const Xbyak::Reg32 active = Xbyak::util::r10d;
/// The octet's place in a register of words and of halves, and its number.
inline const Xbyak::Reg64 octet_words = Xbyak::util::rcx, octet_halves = Xbyak::util::rsi,
                          octet_number = Xbyak::util::rdx;
inline const Xbyak::Reg32 octet_active = Xbyak::util::r11d;  // its active lanes in the lowest byte

/// In runs that access memory; those are registers that a function has to keep.
inline const Xbyak::Reg64 address = Xbyak::util::rbx, ranges = Xbyak::util::rbp, taking_part_bits = Xbyak::util::r12;

/// Eight lanes of a word each are a vector; four such a warp.
inline constexpr std::uint32_t octets = 4, octet_lanes = 8, octet_bytes = 32, slot_bytes = octets * octet_bytes;

}  // namespace gpuproj::simulate::native
