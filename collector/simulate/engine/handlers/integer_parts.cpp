// Arithmetic of the bytes and halves of words: video instructions and dot products (PTX ISA 9.7.1, 9.7.16).
#include <array>
#include <cstdint>
#include <utility>

#include "collector/simulate/engine/handlers/integers.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// What video instructions make of two parts, in the order of the decoder's names; then the comparisons of vset.
template <std::uint32_t Operation>
std::int32_t of_parts(std::int32_t x, std::int32_t y) {
    if constexpr (Operation == 0) return x + y;
    if constexpr (Operation == 1) return x - y;
    if constexpr (Operation == 2) return (x + y + (x + y >= 0 ? 1 : 0)) >> 1;
    if constexpr (Operation == 3) return x > y ? x - y : y - x;
    if constexpr (Operation == 4) return x < y ? x : y;
    if constexpr (Operation == 5) return x > y ? x : y;
    if constexpr (Operation == 6) return x == y ? 1 : 0;
    if constexpr (Operation == 7) return x != y ? 1 : 0;
    if constexpr (Operation == 8) return x < y ? 1 : 0;
    if constexpr (Operation == 9) return x <= y ? 1 : 0;
    if constexpr (Operation == 10) return x > y ? 1 : 0;
    if constexpr (Operation == 11) return x >= y ? 1 : 0;
}
constexpr std::uint32_t first_comparison = 6, part_operations = 12;

template <std::uint32_t Bits, std::uint32_t Operation>
void video_parts(Warp& warp, const Inst& inst) {
    const auto* a = source<std::uint32_t>(warp, inst.a);
    const auto* b = source<std::uint32_t>(warp, inst.b);
    const auto* c = source<std::uint32_t>(warp, inst.c);
    constexpr std::uint32_t mask = (1U << Bits) - 1, sign = 1U << (Bits - 1);
    const std::uint32_t sign_a = (inst.mode & 16U) != 0 ? sign : 0, sign_b = (inst.mode & 32U) != 0 ? sign : 0;
    const bool to_signed = (inst.mode & 64U) != 0, saturated = (inst.mode & 128U) != 0, adds = inst.imm != 0;
    const std::int32_t least = to_signed ? -static_cast<std::int32_t>(sign) : 0;
    const std::int32_t low = saturated ? least : INT32_MIN;
    const std::int32_t high = saturated ? least + static_cast<std::int32_t>(mask) : INT32_MAX;
    const auto part = [](std::uint32_t word, std::uint32_t at, std::uint32_t sign_bit) {
        return static_cast<std::int32_t>(((word >> at & mask) ^ sign_bit) - sign_bit);
    };
    each_lane(destination<std::uint32_t>(warp, inst.d), warp.exec, [&](int lane) {
        std::uint32_t packed = 0, sum = c[lane];
        for (std::uint32_t at = 0; at < 32; at += Bits) {
            const std::int32_t value = of_parts<Operation>(part(a[lane], at, sign_a), part(b[lane], at, sign_b));
            const std::int32_t bounded = value < low ? low : value > high ? high : value;
            packed |= (static_cast<std::uint32_t>(bounded) & mask) << at;
            sum += static_cast<std::uint32_t>(bounded);
        }
        return adds ? sum : packed;
    });
}

template <std::uint32_t Bits, std::uint32_t... Operation>
constexpr std::array<Handler, part_operations> video_of(std::integer_sequence<std::uint32_t, Operation...>) {
    return {video_parts<Bits, Operation>...};
}
/// Bytes or halves of two words (PTX ISA 9.7.16). mode: bits 0 to 2 the operation, 8: bytes, 16, 32, 64: a, b, d
/// signed, 128: saturated. imm: 1 where the results' sum is added to c. bytes: the comparison of vset.
void video(Warp& warp, const Inst& inst) {
    using Operations = std::make_integer_sequence<std::uint32_t, part_operations>;
    static constexpr auto of_bytes = video_of<8>(Operations{}), of_halves = video_of<16>(Operations{});
    const std::uint32_t named = inst.mode & 7U;
    const std::uint32_t operation = named < first_comparison ? named : first_comparison + inst.bytes;
    ((inst.mode & 8U) != 0 ? of_bytes : of_halves).at(operation)(warp, inst);
}

/// mode bits: 1: a signed, 2: b signed; dp2a: 4: high half of b.
void dp4a(Warp& warp, const Inst& inst) {
    const u32* a = source<u32>(warp, inst.a);
    const u32* b = source<u32>(warp, inst.b);
    const u32* c = source<u32>(warp, inst.c);
    alignas(64) u32 out[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        s64 sum = 0;
        for (int i = 0; i < 4; ++i) {
            const u32 x = (a[lane] >> (8 * i)) & 0xFF, y = (b[lane] >> (8 * i)) & 0xFF;
            sum += s64{(inst.mode & 1U) != 0 ? static_cast<std::int8_t>(x) : static_cast<s32>(x)} *
                   ((inst.mode & 2U) != 0 ? static_cast<std::int8_t>(y) : static_cast<s32>(y));
        }
        out[lane] = c[lane] + static_cast<u32>(sum);
    }
    commit(destination<u32>(warp, inst.d), out, warp.exec);
}
void dp2a(Warp& warp, const Inst& inst) {
    const u32* a = source<u32>(warp, inst.a);
    const u32* b = source<u32>(warp, inst.b);
    const u32* c = source<u32>(warp, inst.c);
    alignas(64) u32 out[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
        s64 sum = 0;
        const u32 half = (inst.mode & 4U) != 0 ? b[lane] >> 16 : b[lane];
        for (int i = 0; i < 2; ++i) {
            const u32 x = (a[lane] >> (16 * i)) & 0xFFFF, y = (half >> (8 * i)) & 0xFF;
            sum += s64{(inst.mode & 1U) != 0 ? static_cast<s16>(x) : static_cast<s32>(x)} *
                   ((inst.mode & 2U) != 0 ? static_cast<std::int8_t>(y) : static_cast<s32>(y));
        }
        out[lane] = c[lane] + static_cast<u32>(sum);
    }
    commit(destination<u32>(warp, inst.d), out, warp.exec);
}

/// Bits of a word with their sign.
std::int32_t signed_part(std::uint32_t word, std::uint32_t first, std::uint32_t count, bool is_signed) {
    const std::uint32_t up = 32 - first - count, down = 32 - count;
    return is_signed ? static_cast<std::int32_t>(word << up) >> down : static_cast<std::int32_t>(word << up >> down);
}
/// vmad: imm the parts of a and b; mode as the decoder says. Since GPUs have no such instruction, they multiply and add
/// with one of signed words that gives 64 bits: whole words of u32 count as signed, and c always.
void multiply_add_parts(Warp& warp, const Inst& inst) {
    const auto* a = source<std::uint32_t>(warp, inst.a);
    const auto* b = source<std::uint32_t>(warp, inst.b);
    const auto* c = source<std::int32_t>(warp, inst.c);
    const auto parts = static_cast<std::uint32_t>(inst.imm);
    const bool signed_result = (inst.mode & 15U) != 0;
    const auto result = [&](int lane) {
        // 2^62 + 2^31 + 1 at most
        std::int64_t sum = std::int64_t{signed_part(a[lane], parts & 0xFF, parts >> 8 & 0xFF, (inst.mode & 1U) != 0)} *
                           signed_part(b[lane], parts >> 16 & 0xFF, parts >> 24, (inst.mode & 2U) != 0);
        const std::int64_t addend = c[lane];
        if ((inst.mode & 4U) != 0) sum = -sum;
        sum += (inst.mode & 8U) != 0 ? -addend : addend;
        if ((inst.mode & 16U) != 0) sum += 1;
        const int shift = (inst.mode & 64U) != 0 ? 7 : (inst.mode & 128U) != 0 ? 15 : 0;
        sum = signed_result ? sum >> shift : static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) >> shift);
        if ((inst.mode & 32U) != 0) {
            const std::int64_t low = signed_result ? INT32_MIN : 0, high = signed_result ? INT32_MAX : UINT32_MAX;
            sum = sum < low ? low : sum > high ? high : sum;
        }
        return static_cast<std::uint32_t>(sum);
    };
    each_lane(destination<std::uint32_t>(warp, inst.d), warp.exec, result);
}

}  // namespace

Handler select_integer_parts(const Spec& spec) {
    switch (spec.op) {
        case Op::dp4a:
            return dp4a;
        case Op::dp2a:
            return dp2a;
        case Op::vmad:
            return multiply_add_parts;
        case Op::video:
            return video;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
