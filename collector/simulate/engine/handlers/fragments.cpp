// What the registers of all lanes hold of a matrix, as numbers by rows, and back.
#include "collector/simulate/engine/handlers/fragments.hpp"

#include <array>
#include <cstring>
#include <optional>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "collector/simulate/engine/handlers/fours.hpp"
#include "collector/simulate/engine/handlers/half.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/small_float.hpp"
#include "collector/simulate/engine/of_thread.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// Of types of less than a byte, the lowest bits first.
void decode_bits(const std::byte* from, ptx::Type type, std::uint32_t count, double* to) {
    const std::uint32_t bits = bit_count(type), per_byte = 8 / bits, mask = (1U << bits) - 1;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t raw = static_cast<std::uint32_t>(from[i / per_byte]) >> (i % per_byte * bits) & mask;
        const bool negative = type == ptx::Type::s4 && (raw & 8U) != 0;
        to[i] = static_cast<double>(static_cast<std::int32_t>(raw) - (negative ? 16 : 0));
    }
}

/// Of pairs of e2m1, the lower bits first.
void decode_pairs(const std::byte* from, std::uint32_t count, double* to) {
    const SmallFormat format = small_format(ptx::Type::e2m1);
    for (std::uint32_t i = 0; i < count; ++i)
        to[i] = small_value(format, static_cast<std::uint32_t>(from[i / 2]) >> (i % 2 * 4));
}

/// Of what has 8 bits or fewer in a byte, the value of each byte: 6 bits are the lower ones, 4 bits those in the middle
/// (CUTLASS shifts what ldmatrix gives: fp4_shift_A in mma_traits_sm120.hpp).
const std::array<double, 256>& small_values(ptx::Type type) {
    using enum ptx::Type;
    const auto values_of = [](ptx::Type of) {
        const std::uint32_t below = of == e2m1 ? 2 : 0;
        std::array<double, 256> values{};
        for (std::uint32_t raw = 0; raw < values.size(); ++raw)
            values[raw] = small_value(small_format(of), raw >> below);
        return values;
    };
    static const std::array tables{values_of(e4m3), values_of(e5m2), values_of(e2m3), values_of(e3m2), values_of(e2m1)};
    return tables.at(static_cast<std::size_t>(type) - static_cast<std::size_t>(e4m3));
}

}  // namespace

void decode(const std::byte* from, ptx::Type type, std::uint32_t count, double* to) {
    using enum ptx::Type;
    // One element after the other: what was put together by narrow stores, a wide load would wait for.
    const auto all = [&]<class T>(T, auto&& value) {
        for (std::uint32_t i = 0; i < count; ++i) {
            T raw;  // NOLINT(*-init-variables): filled at once
            std::memcpy(&raw, from + i * sizeof(T), sizeof(raw));
            to[i] = static_cast<double>(value(raw));
        }
    };
    const auto itself = [](auto raw) { return raw; };
    switch (type) {
        case f16:
#ifdef __F16C__
            for (std::uint32_t i = 0; i < count; i += 8) {
                const auto* eight = reinterpret_cast<const __m128i*>(from + i * sizeof(Half));
                const __m256 floats = _mm256_cvtph_ps(_mm_loadu_si128(eight));
                _mm256_storeu_pd(to + i, _mm256_cvtps_pd(_mm256_castps256_ps128(floats)));
                _mm256_storeu_pd(to + i + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(floats, 1)));
            }
            return;
#else
            return all(Half{}, [](Half raw) { return to_float(raw); });
#endif
        case bf16:
            return all(BFloat{}, [](BFloat raw) { return to_float(raw); });
        case tf32:
            return all(std::uint32_t{}, [](std::uint32_t raw) { return std::bit_cast<float>(raw & 0xFFFFE000U); });
        case f32:
            return all(0.0F, itself);
        case f64:
            return all(0.0, itself);
        case s8:
            return all(std::int8_t{}, itself);
        case u8:
            return all(std::uint8_t{}, itself);
        case e4m3:
        case e5m2:
        case e2m3:
        case e3m2:
        case e2m1: {
            const std::array<double, 256>& values = small_values(type);
            return all(std::uint8_t{}, [&](std::uint8_t raw) { return values[raw]; });
        }
        case s4:
        case u4:
        case b1:
            return decode_bits(from, type, count, to);
        default:
            return all(std::int32_t{}, itself);
    }
}

namespace {

/// to_odd of 32 numbers at a time, for what is rounded to halves: of what is too small for a normal float they are zero
/// anyway.
void to_odd_floats(const double* from, float* to) {
#ifdef __AVX2__
    const __m256i dropped = _mm256_set1_epi64x((1LL << 29) - 1), odd = _mm256_set1_epi64x(1LL << 29);
    for (std::uint32_t lane = 0; lane < lanes; lane += 4) {
        const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + lane));
        const __m256i inexact = _mm256_cmpgt_epi64(_mm256_and_si256(bits, dropped), _mm256_setzero_si256());
        const __m256i rounded = _mm256_or_si256(_mm256_andnot_si256(dropped, bits), _mm256_and_si256(inexact, odd));
        _mm_storeu_ps(to + lane, _mm256_cvtpd_ps(_mm256_castsi256_pd(rounded)));
    }
#else
    for (std::uint32_t lane = 0; lane < lanes; ++lane) to[lane] = to_odd(from[lane]);
#endif
}
/// As half_from, all lanes of a register at a time.
void encode_halves(const double* from, std::uint32_t count, std::byte* to) {
    for (std::uint32_t first = 0; first < count; first += lanes) {
        alignas(64) std::array<float, lanes> odd;  // NOLINT(*-member-init): filled at once
        std::array<Half, lanes> halves;
        to_odd_floats(from + first, odd.data());
        from_floats<lanes>(odd.data(), halves.data());
        std::memcpy(to + std::size_t{first} * sizeof(Half), halves.data(), sizeof(halves));
    }
}
/// The same for what accumulators hold, back into a register.
void encode(const double* from, ptx::Type type, std::uint32_t count, bool saturate, std::byte* to) {
    using enum ptx::Type;
    const auto all = [&](auto&& coded) {
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto raw = coded(from[i]);
            std::memcpy(to + i * sizeof(raw), &raw, sizeof(raw));
        }
    };
    switch (type) {
        case f16:
            return encode_halves(from, count, to);
        case bf16:
            return all([](double value) { return half_from<BFloat>(value); });
        case f32:
        case tf32:
            return all([](double value) { return static_cast<float>(value); });
        case f64:
            return all([](double value) { return value; });
        default:
            return all([&](double value) {
                if (saturate && value > INT32_MAX) return INT32_MAX;
                if (saturate && value < INT32_MIN) return INT32_MIN;
                return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(value)));
            });
    }
}

constexpr std::size_t most_per_register = 32;

/// Of two times four, first the lower halves of each and then the upper ones, one and the other by turns; and back.
void interleave(const double* even, const double* odd, double* to) {
    const Four a = four_of(even), b = four_of(odd);
    put(__builtin_shufflevector(a, b, 0, 4, 1, 5), to);
    put(__builtin_shufflevector(a, b, 2, 6, 3, 7), to + 4);
}
void separate(const double* from, double* even, double* odd) {
    const Four a = four_of(from), b = four_of(from + 4);
    put(__builtin_shufflevector(a, b, 0, 2, 4, 6), even);
    put(__builtin_shufflevector(a, b, 1, 3, 5, 7), odd);
}
/// The same from and to registers of floats, which most accumulators are.
void interleave_floats(const std::byte* even, const std::byte* odd, double* to) {
    using Floats [[gnu::vector_size(4 * sizeof(float))]] = float;
    Floats a, b;  // NOLINT(*-init-variables): filled at once
    std::memcpy(&a, even, sizeof(a));
    std::memcpy(&b, odd, sizeof(b));
    put(__builtin_convertvector(__builtin_shufflevector(a, b, 0, 4, 1, 5), Four), to);
    put(__builtin_convertvector(__builtin_shufflevector(a, b, 2, 6, 3, 7), Four), to + 4);
}
void separate_floats(const double* from, std::byte* even, std::byte* odd) {
    using Floats [[gnu::vector_size(4 * sizeof(float))]] = float;
    const auto a = __builtin_convertvector(four_of(from), Floats),
               b = __builtin_convertvector(four_of(from + 4), Floats);
    const Floats evens = __builtin_shufflevector(a, b, 0, 2, 4, 6), odds = __builtin_shufflevector(a, b, 1, 3, 5, 7);
    std::memcpy(even, &evens, sizeof(evens));
    std::memcpy(odd, &odds, sizeof(odds));
}
/// Where a register of Spread::blocks begins in the matrix.
std::size_t begin_of_block(const MatrixFragment& fragment, std::uint32_t reg, std::uint32_t width) {
    const bool low = fragment.rows == group_lanes;  // one register after the other, not two above each other
    const std::size_t first_row = low ? 0 : (reg & 1U) * group_lanes;
    return first_row * fragment.cols + std::size_t{low ? reg : reg >> 1} * width;
}
void place_block(const MatrixFragment& fragment, std::uint32_t reg, const double* values, double* matrix) {
    constexpr std::uint32_t together = 4;
    const std::uint32_t width = together * fragment.per_register();
    double* to = matrix + begin_of_block(fragment, reg, width);
    for (std::uint32_t row = 0; row < group_lanes; ++row, to += fragment.cols, values += width)
        for (std::uint32_t i = 0; i < width; i += together) put(four_of(values + i), to + i);
}
void take_block(const MatrixFragment& fragment, std::uint32_t reg, const double* matrix, double* values) {
    constexpr std::uint32_t together = 4;
    const std::uint32_t width = together * fragment.per_register();
    const double* from = matrix + begin_of_block(fragment, reg, width);
    for (std::uint32_t row = 0; row < group_lanes; ++row, from += fragment.cols, values += width)
        for (std::uint32_t i = 0; i < width; i += together) put(four_of(from + i), values + i);
}
void place_columns(const MatrixFragment& fragment, std::uint32_t reg, const double* values, double* matrix) {
    constexpr std::size_t together = 4;
    const std::size_t height = together * fragment.per_register(), of_columns = fragment.rows / height;
    double* to = matrix + reg % of_columns * height * fragment.cols + reg / of_columns * group_lanes;
    // Always inline: of a known length it is a few moves.
    const auto place = [&](std::size_t cols) __attribute__((always_inline)) {
        for (std::size_t row = 0; row < height; row += together)
            for (std::size_t col = 0; col < group_lanes; col += together)
                turn_four(values + col * height + row, height, to + row * cols + col, cols);
    };
    if (fragment.cols == group_lanes)
        place(group_lanes);
    else
        place(fragment.cols);
}
/// Two registers of accumulators have every other element of eight rows and columns: where these are in the matrix.
std::size_t begin_of_pair(const MatrixFragment& fragment, std::uint32_t reg) {
    const std::uint32_t of_columns = fragment.rows / 4;  // registers
    return std::size_t{reg % of_columns / 2} * group_lanes * fragment.cols +
           std::size_t{reg / of_columns} * group_lanes;
}
/// First element of a register whose neighbours lie side by side.
std::size_t begin_of(const MatrixFragment& fragment, std::uint32_t reg) {
    const std::size_t elements = std::size_t{fragment.rows} * fragment.cols;  // a power of two
    return std::size_t{reg} * lanes * fragment.per_register() & (elements - 1);
}

}  // namespace

void gather(const Warp& warp, const MatrixFragment& fragment, double* matrix, std::uint32_t further) {
    const std::uint32_t per_register = fragment.per_register(), in_register = lanes * per_register;
    // Registers beyond the matrix hold copies.
    const std::uint32_t elements = fragment.rows * fragment.cols;
    const std::uint32_t registers = std::min(fragment.registers, elements / in_register);
    const auto registers_of = [&](std::uint32_t reg) {
        return source<std::byte>(warp, warp.code->lists[fragment.first + further + reg]);
    };
    const auto decoded = [&](std::uint32_t reg, double* to) {
        if (fragment.type == ptx::Type::e2m1 && fragment.bits == 4)
            return decode_pairs(registers_of(reg), in_register, to);
        decode(registers_of(reg), fragment.type, in_register, to);
    };
    // NOLINTNEXTLINE(*-member-init): as many as are read are written
    alignas(64) std::array<double, lanes * most_per_register> values;
    for (std::uint32_t reg = 0; reg < registers; ++reg) {
        switch (fragment.spread) {
            case Spread::stretch:
                decoded(reg, matrix + begin_of(fragment, reg));
                break;
            case Spread::pairs: {
                double* to = matrix + begin_of_pair(fragment, reg);
                if (fragment.type == ptx::Type::f32) {
                    const auto *even = registers_of(reg), *odd = registers_of(++reg);
                    for (std::size_t at = 0; at < lanes * sizeof(float); at += 4 * sizeof(float), to += fragment.cols)
                        interleave_floats(even + at, odd + at, to);
                    break;
                }
                decoded(reg, values.data());
                decoded(++reg, values.data() + lanes);
                for (std::size_t lane = 0; lane < lanes; lane += 4, to += fragment.cols)
                    interleave(values.data() + lane, values.data() + lanes + lane, to);
                break;
            }
            case Spread::blocks:
                decoded(reg, values.data());
                place_block(fragment, reg, values.data(), matrix);
                break;
            case Spread::columns:
                decoded(reg, values.data());
                place_columns(fragment, reg, values.data(), matrix);
                break;
            case Spread::anywhere:
                decoded(reg, values.data());
                for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                    const std::uint16_t* place = fragment.place(lane, reg * per_register);
                    for (std::uint32_t part = 0; part < per_register; ++part)
                        matrix[place[part]] = values[std::size_t{lane} * per_register + part];
                }
                break;
        }
    }
}

namespace {

/// What makes of the same registers the same matrix.
struct Shape {
    Fragment fragment;
    FragmentLayout layout;
    Spread spread;
    ptx::Type type;
    std::uint32_t bits, rows, cols, registers, register_bytes;
    bool operator==(const Shape&) const = default;
};
Shape shape_of(const MatrixFragment& f) {
    return {f.fragment, f.layout, f.spread, f.type, f.bits, f.rows, f.cols, f.registers, f.register_bytes};
}
/// A matrix that was gathered, and the registers that it was in.
struct Gathered {
    static constexpr std::size_t most_bytes = 2048;
    std::optional<Shape> shape;
    alignas(64) std::array<std::byte, most_bytes> registers;
    alignas(64) std::array<double, largest_matrix> matrix;
};
/// As many of each side as tiles are mostly wide.
struct Recent {
    std::array<std::array<Gathered, 4>, 2> sides;
};

}  // namespace

const double* gathered(const Warp& warp, const MatrixFragment& fragment, int side) {
    auto& slots = of_thread<Recent>().sides.at(static_cast<std::size_t>(side));
    const Ref* refs = &warp.code->lists[fragment.first];
    const std::size_t bytes = std::size_t{lanes} * fragment.register_bytes;
    const std::uint32_t elements = fragment.rows * fragment.cols;
    const std::uint32_t unlike = std::min(fragment.registers, elements / (lanes * fragment.per_register()));
    Gathered& found = slots[*refs / bytes / std::max(unlike, 1U) % slots.size()];
    const bool fits = unlike * bytes <= Gathered::most_bytes;
    const Shape shape = shape_of(fragment);
    bool same = fits && found.shape == shape;
    for (std::uint32_t reg = 0; same && reg < unlike; ++reg)
        same = std::memcmp(found.registers.data() + reg * bytes, source<std::byte>(warp, refs[reg]), bytes) == 0;
    if (same) return found.matrix.data();
    found.shape.reset();
    if (fits) found.shape = shape;
    for (std::uint32_t reg = 0; fits && reg < unlike; ++reg)
        std::memcpy(found.registers.data() + reg * bytes, source<std::byte>(warp, refs[reg]), bytes);
    gather(warp, fragment, found.matrix.data());
    return found.matrix.data();
}

void scatter(Warp& warp, const MatrixFragment& fragment, const double* matrix, bool saturate, std::uint32_t further) {
    const std::uint32_t first = fragment.first + further;
    const std::uint32_t per_register = fragment.per_register(), in_register = lanes * per_register;
    const auto write = [&]<class Register>(Register, std::uint32_t reg, const double* from) {
        auto* to = destination<Register>(warp, warp.code->lists[first + reg]);
        // Into the register at once: what is encoded elsewhere first, in narrow stores, a copy would wait for.
        if (warp.exec == full_mask)
            return encode(from, fragment.type, in_register, saturate, reinterpret_cast<std::byte*>(to));
        alignas(64) std::array<Register, lanes> coded;  // NOLINT(*-member-init): filled at once
        encode(from, fragment.type, in_register, saturate, reinterpret_cast<std::byte*>(coded.data()));
        commit(to, coded.data(), warp.exec);
    };
    const auto encoded = [&](std::uint32_t reg, const double* from) {
        if (fragment.register_bytes == sizeof(std::uint64_t))
            write(std::uint64_t{}, reg, from);
        else
            write(std::uint32_t{}, reg, from);
    };
    // NOLINTNEXTLINE(*-member-init): the same
    alignas(64) std::array<double, lanes * most_per_register> values;
    for (std::uint32_t reg = 0; reg < fragment.registers; ++reg) {
        if (fragment.spread == Spread::stretch) {
            encoded(reg, matrix + begin_of(fragment, reg));
        } else if (fragment.spread == Spread::pairs) {
            const double* from = matrix + begin_of_pair(fragment, reg);
            if (fragment.type == ptx::Type::f32 && warp.exec == full_mask) {
                auto* even = destination<std::byte>(warp, warp.code->lists[first + reg]);
                auto* odd = destination<std::byte>(warp, warp.code->lists[first + ++reg]);
                for (std::size_t at = 0; at < lanes * sizeof(float); at += 4 * sizeof(float), from += fragment.cols)
                    separate_floats(from, even + at, odd + at);
                continue;
            }
            for (std::size_t lane = 0; lane < lanes; lane += 4, from += fragment.cols)
                separate(from, values.data() + lane, values.data() + lanes + lane);
            encoded(reg, values.data());
            encoded(++reg, values.data() + lanes);
        } else if (fragment.spread == Spread::blocks) {
            take_block(fragment, reg, matrix, values.data());
            encoded(reg, values.data());
        } else {
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                const std::uint16_t* place = fragment.place(lane, reg * per_register);
                for (std::uint32_t part = 0; part < per_register; ++part)
                    values[std::size_t{lane} * per_register + part] = matrix[place[part]];
            }
            encoded(reg, values.data());
        }
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
