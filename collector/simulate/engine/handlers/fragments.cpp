// What the registers of all lanes hold of a matrix, as numbers by rows, and back.
#include "collector/simulate/engine/handlers/fragments.hpp"

#include <array>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "collector/simulate/engine/handlers/half.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/small_float.hpp"

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

/// `count` neighbouring elements of a register's lanes.
void decode(const std::byte* from, ptx::Type type, std::uint32_t count, double* to) {
    using enum ptx::Type;
    const auto all = [&]<class T>(T, auto&& value) {
        constexpr std::uint32_t together = 8;  // a register of all lanes has a multiple of that
        for (std::uint32_t i = 0; i < count; i += together) {
            std::array<T, together> raw;  // NOLINT(*-member-init): filled at once
            std::memcpy(raw.data(), from + i * sizeof(T), sizeof(raw));
            for (std::uint32_t k = 0; k < together; ++k) to[i + k] = static_cast<double>(value(raw[k]));
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
            const SmallFormat format = small_format(type);
            return all(std::uint8_t{}, [&](std::uint8_t raw) { return small_value(format, raw); });
        }
        case s4:
        case u4:
        case b1:
            return decode_bits(from, type, count, to);
        default:
            return all(std::int32_t{}, itself);
    }
}
/// As half_from, all lanes of a register at a time.
template <class H>
void encode_halves(const double* from, std::uint32_t count, std::byte* to) {
    for (std::uint32_t first = 0; first < count; first += lanes) {
        alignas(64) std::array<float, lanes> odd;  // NOLINT(*-member-init): filled at once
        std::array<H, lanes> halves;
        for (std::uint32_t lane = 0; lane < lanes; ++lane) odd[lane] = to_odd(from[first + lane]);
        from_floats<lanes>(odd.data(), halves.data());
        std::memcpy(to + std::size_t{first} * sizeof(H), halves.data(), sizeof(halves));
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
            return encode_halves<Half>(from, count, to);
        case bf16:
            return encode_halves<BFloat>(from, count, to);
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

/// Where the elements of a register, lane after lane, are in the matrix (element_of says so of each).
enum class Spread : std::uint8_t {
    stretch,   // side by side
    pairs,     // every other element, the register after it has those in between
    blocks,    // eight rows, of four lanes' elements each
    columns,   // eight columns, of four lanes' elements each
    anywhere,  // MatrixFragment::places
};
Spread spread_of(const MatrixFragment& fragment) {
    if (fragment.layout == FragmentLayout::wmma) return fragment.by_columns() ? Spread::anywhere : Spread::stretch;
    switch (fragment.fragment) {
        case Fragment::a:
            return Spread::blocks;
        case Fragment::b:
            return fragment.cols == group_lanes ? Spread::columns : Spread::anywhere;
        case Fragment::c:
            break;
    }
    if (fragment.cols != group_lanes || fragment.per_register() > 2) return Spread::anywhere;
    return fragment.per_register() == 1 ? Spread::pairs : Spread::stretch;
}

constexpr std::size_t most_per_register = 32;

void place_block(const MatrixFragment& fragment, std::uint32_t reg, const double* values, double* matrix) {
    constexpr std::uint32_t together = 4;
    const std::uint32_t width = together * fragment.per_register();
    const bool low = fragment.rows == group_lanes;  // one register after the other, not two above each other
    const std::uint32_t first_row = low ? 0 : (reg & 1U) * group_lanes, first_col = (low ? reg : reg >> 1) * width;
    double* to = matrix + std::size_t{first_row} * fragment.cols + first_col;
    for (std::uint32_t row = 0; row < group_lanes; ++row, to += fragment.cols, values += width)
        for (std::uint32_t i = 0; i < width; i += together) std::memcpy(to + i, values + i, together * sizeof(double));
}
void place_columns(const MatrixFragment& fragment, std::uint32_t reg, const double* values, double* matrix) {
    const std::uint32_t height = 4 * fragment.per_register();
    double* to = matrix + std::size_t{reg} * height * group_lanes;
    for (std::uint32_t row = 0; row < height; ++row)
        for (std::uint32_t col = 0; col < group_lanes; ++col) to[row * group_lanes + col] = values[col * height + row];
}
/// First element of a register whose neighbours lie side by side or in pairs.
std::uint32_t begin_of(const MatrixFragment& fragment, Spread spread, std::uint32_t reg) {
    if (spread == Spread::pairs) return reg / 2 * 2 * lanes + reg % 2;
    return reg * lanes * fragment.per_register() % (fragment.rows * fragment.cols);
}

}  // namespace

void gather(const Warp& warp, const MatrixFragment& fragment, double* matrix) {
    const std::uint32_t per_register = fragment.per_register(), in_register = lanes * per_register;
    const Spread spread = spread_of(fragment);
    // Registers beyond the matrix hold copies.
    const std::uint32_t elements = fragment.rows * fragment.cols;
    const std::uint32_t registers = std::min(fragment.registers, elements / in_register);
    for (std::uint32_t reg = 0; reg < registers; ++reg) {
        const auto* from = source<std::byte>(warp, warp.code->lists[fragment.first + reg]);
        if (spread == Spread::stretch) {
            decode(from, fragment.type, in_register, matrix + begin_of(fragment, spread, reg));
            continue;
        }
        std::array<double, lanes * most_per_register> values;  // NOLINT(*-member-init): as many as are read are written
        decode(from, fragment.type, in_register, values.data());
        if (spread == Spread::pairs) {
            double* to = matrix + begin_of(fragment, spread, reg);
            for (std::size_t lane = 0; lane < lanes; ++lane) to[lane * 2] = values[lane];
        } else if (spread == Spread::blocks) {
            place_block(fragment, reg, values.data(), matrix);
        } else if (spread == Spread::columns) {
            place_columns(fragment, reg, values.data(), matrix);
        } else {
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                const std::uint16_t* place = fragment.place(lane, reg * per_register);
                for (std::uint32_t part = 0; part < per_register; ++part)
                    matrix[place[part]] = values[std::size_t{lane} * per_register + part];
            }
        }
    }
}

void scatter(Warp& warp, const MatrixFragment& fragment, const double* matrix, bool saturate) {
    const std::uint32_t per_register = fragment.per_register(), in_register = lanes * per_register;
    const Spread spread = spread_of(fragment);
    for (std::uint32_t reg = 0; reg < fragment.registers; ++reg) {
        std::array<double, lanes * most_per_register> values;  // NOLINT(*-member-init): as many as are read are written
        if (spread == Spread::stretch) {
            std::memcpy(values.data(), matrix + begin_of(fragment, spread, reg), in_register * sizeof(double));
        } else if (spread == Spread::pairs) {
            const double* from = matrix + begin_of(fragment, spread, reg);
            for (std::size_t lane = 0; lane < lanes; ++lane) values[lane] = from[lane * 2];
        } else {
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                const std::uint16_t* place = fragment.place(lane, reg * per_register);
                for (std::uint32_t part = 0; part < per_register; ++part)
                    values[std::size_t{lane} * per_register + part] = matrix[place[part]];
            }
        }
        alignas(64) std::array<std::byte, lanes * sizeof(double)> coded;  // NOLINT(*-member-init): the same
        encode(values.data(), fragment.type, in_register, saturate, coded.data());
        const Ref ref = warp.code->lists[fragment.first + reg];
        if (fragment.register_bytes == sizeof(std::uint64_t))
            commit(destination<std::uint64_t>(warp, ref), reinterpret_cast<const std::uint64_t*>(coded.data()),
                   warp.exec);
        else
            commit(destination<std::uint32_t>(warp, ref), reinterpret_cast<const std::uint32_t*>(coded.data()),
                   warp.exec);
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
