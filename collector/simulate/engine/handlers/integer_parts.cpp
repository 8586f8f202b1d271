// Arithmetic of the bytes and halves of words: video instructions and dot products (PTX ISA 9.7.1, 9.7.16).
#include "collector/simulate/engine/handlers/integers.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// Bytes or halves of two words (PTX ISA 9.7.16). mode: bits 0 to 2 the operation, 8: bytes, 16, 32, 64: a, b, d
/// signed, 128: saturated. imm: 1 where the results' sum is added to c. bytes: the comparison of vset.
void video(Warp& warp, const Inst& inst) {
    const auto* a = source<std::uint32_t>(warp, inst.a);
    const auto* b = source<std::uint32_t>(warp, inst.b);
    const auto* c = source<std::uint32_t>(warp, inst.c);
    const std::uint32_t bits = (inst.mode & 8U) != 0 ? 8 : 16, mask = (1U << bits) - 1;
    const bool to_signed = (inst.mode & 64U) != 0, saturated = (inst.mode & 128U) != 0;
    const std::int32_t low = to_signed ? -(1 << (bits - 1)) : 0,
                       high = static_cast<std::int32_t>(mask) + (to_signed ? low : 0);
    const auto part = [&](std::uint32_t word, std::uint32_t at, bool is_signed) {
        const auto raw = static_cast<std::int32_t>(word >> at & mask);
        return is_signed && (raw >> (bits - 1)) != 0 ? raw - static_cast<std::int32_t>(mask) - 1 : raw;
    };
    const auto result = [&](std::int32_t x, std::int32_t y) {
        switch (inst.mode & 7U) {
            case 0:
                return x + y;
            case 1:
                return x - y;
            case 2:
                return (x + y + (x + y >= 0 ? 1 : 0)) >> 1;
            case 3:
                return x > y ? x - y : y - x;
            case 4:
                return x < y ? x : y;
            case 5:
                return x > y ? x : y;
            default:
                break;
        }
        switch (inst.bytes) {
            case 0:
                return x == y ? 1 : 0;
            case 1:
                return x != y ? 1 : 0;
            case 2:
                return x < y ? 1 : 0;
            case 3:
                return x <= y ? 1 : 0;
            case 4:
                return x > y ? 1 : 0;
            default:
                return x >= y ? 1 : 0;
        }
    };
    each_lane(destination<std::uint32_t>(warp, inst.d), warp.exec, [&](int lane) {
        std::uint32_t packed = 0, sum = c[lane];
        for (std::uint32_t at = 0; at < 32; at += bits) {
            std::int32_t value =
                result(part(a[lane], at, (inst.mode & 16U) != 0), part(b[lane], at, (inst.mode & 32U) != 0));
            if (saturated) value = value < low ? low : value > high ? high : value;
            packed |= (static_cast<std::uint32_t>(value) & mask) << at;
            sum += static_cast<std::uint32_t>(value);
        }
        return inst.imm != 0 ? sum : packed;
    });
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
