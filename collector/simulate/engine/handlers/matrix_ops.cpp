// Matrix instructions: fragments are gathered from the lanes, multiplied, and scattered. Products of 16-bit inputs are
// exact in double; sums are rounded once, to the type of the accumulator.
#include <array>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "collector/simulate/engine/handlers/access.hpp"
#include "collector/simulate/engine/handlers/addresses.hpp"
#include "collector/simulate/engine/handlers/half.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/small_float.hpp"
#include "collector/simulate/engine/matrix.hpp"

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
        for (std::uint32_t i = 0; i < count; ++i) {
            T raw;
            std::memcpy(&raw, from + i * sizeof(T), sizeof(T));
            to[i] = static_cast<double>(value(raw));
        }
    };
    const auto itself = [](auto raw) { return raw; };
    switch (type) {
        case f16:
#ifdef __F16C__
            for (std::uint32_t i = 0; i < count; i += 4) {  // a register of all lanes has a multiple of that
                std::uint64_t four = 0;
                std::memcpy(&four, from + i * sizeof(Half), sizeof(four));
                const __m128 floats = _mm_cvtph_ps(_mm_cvtsi64_si128(static_cast<long long>(four)));
                _mm256_storeu_pd(to + i, _mm256_cvtps_pd(floats));
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
void encode(std::byte* at, ptx::Type type, double value, bool saturate) {
    using enum ptx::Type;
    const auto put = [&](auto x) { std::memcpy(at, &x, sizeof(x)); };
    switch (type) {
        case f16:
            return put(half_from<Half>(value));
        case bf16:
            return put(half_from<BFloat>(value));
        case f32:
        case tf32:
            return put(static_cast<float>(value));
        case f64:
            return put(value);
        default:
            if (saturate && value > INT32_MAX) return put(INT32_MAX);
            if (saturate && value < INT32_MIN) return put(INT32_MIN);
            return put(static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(value))));
    }
}

/// Where lane 0 has element `index`; the next lane's is a register further.
std::byte* element_place(const Warp& warp, const MatrixFragment& fragment, std::uint32_t index) {
    const std::uint32_t e = fragment.per_register();
    const Ref ref = warp.code->lists[fragment.first + index / e];
    auto* base = const_cast<std::byte*>(source<std::byte>(warp, ref));
    return base + (index % e) * bit_count(fragment.type) / 8;
}

constexpr std::uint32_t largest = 16 * 256;  // elements of a matrix
constexpr std::uint32_t most_per_register = 32;

void gather(const Warp& warp, const MatrixFragment& fragment, double* matrix) {
    const std::uint32_t per_register = fragment.per_register(), per_lane = fragment.per_lane();
    // Where lanes hold copies of each other's elements, the last of them speak.
    const std::uint32_t held = per_lane * lanes, elements = fragment.rows * fragment.cols;
    const std::uint32_t first_lane = lanes - lanes * elements / held;
    if (fragment.layout == FragmentLayout::wmma && !fragment.by_columns() && fragment.register_bytes == 4) {
        // Their numbers are their places.
        std::array<std::uint32_t, largest> numbered;  // NOLINT(*-member-init): as many as are read are written
        for (std::uint32_t reg = 0; reg < fragment.registers; ++reg) {
            const auto* from = source<std::uint32_t>(warp, warp.code->lists[fragment.first + reg]);
            std::uint32_t* to = numbered.data() + reg;
            for (std::uint32_t lane = first_lane; lane < lanes; ++lane)
                to[std::size_t{lane - first_lane} * fragment.registers] = from[lane];
        }
        decode(reinterpret_cast<const std::byte*>(numbered.data()), fragment.type, elements, matrix);
        return;
    }
    for (std::uint32_t reg = 0; reg < fragment.registers; ++reg) {
        const auto* from = source<std::byte>(warp, warp.code->lists[fragment.first + reg]);
        std::array<double, lanes * most_per_register> values;  // NOLINT(*-member-init): as many as are read are written
        decode(from, fragment.type, lanes * per_register, values.data());
        for (std::uint32_t lane = first_lane; lane < lanes; ++lane) {
            const std::uint16_t* place = &fragment.places[lane * per_lane + reg * per_register];
            for (std::uint32_t part = 0; part < per_register; ++part)
                matrix[place[part]] = values[lane * per_register + part];
        }
    }
}

/// c += a b. Exact: the products of the type are exact in double, so that a fused multiply-add changes nothing.
template <std::uint32_t Columns, bool Exact>
void add_product(const MatrixPlan& plan, const double* a, const double* b, double* c) {
    for (std::uint32_t row = 0; row < plan.m; ++row) {
        double sum[Columns];
        std::memcpy(sum, c + row * Columns, sizeof(sum));
        for (std::uint32_t k = 0; k < plan.k; ++k) {
            const double factor = a[row * plan.k + k];
            for (std::uint32_t col = 0; col < Columns; ++col) {
                if constexpr (Exact)
                    sum[col] = __builtin_fma(factor, b[k * Columns + col], sum[col]);
                else
                    sum[col] += factor * b[k * Columns + col];
            }
        }
        std::memcpy(c + row * Columns, sum, sizeof(sum));
    }
}
template <bool Exact>
void add_product(const MatrixPlan& plan, const double* a, const double* b, double* c) {
    switch (plan.n) {
        case 8:
            return add_product<8, Exact>(plan, a, b, c);
        case 16:
            return add_product<16, Exact>(plan, a, b, c);
        default:
            return add_product<32, Exact>(plan, a, b, c);
    }
}

/// In which column of A each stored element of a sparse one is, row by row. Of every four neighbours two are stored,
/// and four bits of metadata are their places, the first one's the lower two. For 4-bit types the neighbours are pairs,
/// and for tf32 halves, so that one of two elements is stored (PTX ISA 9.7.14.6.1). Which lane has whose places is only
/// drawn there; here it is as CUTLASS gives them to the deepest shape of each type (reorder_meta in host_reorder.h;
/// ELayout of SM120_SPARSE_16x8x64_TN), whose halves the other shapes are, and ptxas for sm_90 makes bytes of 4-bit
/// numbers and leaves the metadata. Row r is in the lanes 4 (r mod 8) to 4 (r mod 8) + 3. Types of 16 bits and more: a
/// lane has four times four bits of a row, and above them those of the row eight below; the next columns are in the
/// next lane. Others: a lane has eight times four bits of a row, the next lane those of the row eight below, and the
/// next columns are two lanes further. The selector says which lanes of those of a shape are the first.
void place_stored(const MatrixPlan& plan, const std::uint32_t* metadata, std::uint8_t* columns) {
    const std::uint32_t bits = bit_count(plan.a.type), stored = plan.a.cols;
    const std::uint32_t each = bits == 32 ? 1 : bits == 4 ? 4 : 2;  // stored elements to four bits of metadata
    const std::uint32_t per_row = stored / each;
    const bool small = bits <= 8;
    for (std::uint32_t row = 0; row < plan.m; ++row) {
        const std::uint32_t group = row % 8 * 4, lower = row / 8;
        for (std::uint32_t i = 0; i < per_row; ++i) {
            const std::uint32_t lane =
                small ? group + 2 * plan.selector + i / 8 * 2 + lower : group + per_row / 4 * plan.selector + i / 4;
            const std::uint32_t code = metadata[lane] >> (small ? 4 * (i % 8) : 16 * lower + 4 * (i % 4)) & 0xFU;
            const std::array<std::uint32_t, 2> place{code & 3U, code >> 2};
            std::uint8_t* to = columns + std::size_t{row} * stored + std::size_t{i} * each;
            for (std::uint32_t part = 0; part < each; ++part) {
                const std::uint32_t in_chunk = bits == 32  ? place[0] / 2
                                               : bits == 4 ? 2 * place[part / 2] + part % 2
                                                           : place[part];
                to[part] = static_cast<std::uint8_t>(2 * each * i + in_chunk);
            }
        }
    }
}
/// c += a b, where a has the elements that are stored of A, in these columns. The others are not multiplied at all,
/// even by what is infinite.
void add_sparse_product(const MatrixPlan& plan, const double* a, const std::uint8_t* columns, const double* b,
                        double* c) {
    constexpr std::uint32_t width = 8;
    const std::uint32_t stored = plan.a.cols;
    for (std::uint32_t row = 0; row < plan.m; ++row) {
        double sum[width];
        std::memcpy(sum, c + std::size_t{row} * width, sizeof(sum));
        for (std::uint32_t i = 0; i < stored; ++i) {
            const double factor = a[row * stored + i];
            const double* line = b + std::size_t{columns[row * stored + i]} * width;
            for (std::uint32_t col = 0; col < width; ++col) sum[col] += factor * line[col];
        }
        std::memcpy(c + std::size_t{row} * width, sum, sizeof(sum));
    }
}

/// c += the number of places where the bits of a and b differ.
void add_differences(const MatrixPlan& plan, const double* a, const double* b, double* c) {
    for (std::uint32_t row = 0; row < plan.m; ++row) {
        for (std::uint32_t col = 0; col < plan.n; ++col) {
            for (std::uint32_t k = 0; k < plan.k; ++k)
                c[row * plan.n + col] += a[row * plan.k + k] != b[k * plan.n + col] ? 1 : 0;
        }
    }
}

/// list: an index of Code::matrices; a: metadata of a sparse A.
void multiply(Warp& warp, const Inst& inst) {
    const MatrixPlan& plan = warp.code->matrices[inst.list];
    alignas(64) double a[largest], b[largest], c[largest];
    gather(warp, plan.a, a);
    gather(warp, plan.b, b);
    gather(warp, plan.c, c);
#ifdef __FMA__
    constexpr bool fused = true;  // elsewhere it is a call for each
#else
    constexpr bool fused = false;
#endif
    if (plan.sparse) {
        alignas(64) std::uint8_t columns[largest];
        place_stored(plan, source<std::uint32_t>(warp, inst.a), columns);
        add_sparse_product(plan, a, columns, b, c);
    } else if (plan.exclusive_or)
        add_differences(plan, a, b, c);
    else if (plan.a.type == ptx::Type::f64)
        add_product<false>(plan, a, b, c);
    else
        add_product<fused>(plan, a, b, c);
    const std::uint32_t per_lane = plan.d.per_lane(), stride = plan.d.register_bytes;
    for (std::uint32_t i = 0; i < per_lane; ++i) {
        std::byte* first = element_place(warp, plan.d, i);
        const std::uint16_t* places = &plan.d.places[i];
        for_lanes(warp.exec, [&](std::uint32_t lane) {
            const double value = c[places[std::size_t{lane} * per_lane]];
            if (plan.d.type == ptx::Type::f32) {
                const auto single = static_cast<float>(value);
                std::memcpy(first + std::size_t{lane} * stride, &single, sizeof(single));
            } else {
                encode(first + std::size_t{lane} * stride, plan.d.type, value, plan.saturate);
            }
        });
    }
}

/// A matrix in memory: lines of neighbouring elements, `pitch` bytes apart.
struct MatrixInMemory {
    std::uint32_t lines, line_bytes;
    std::uint64_t pitch;
};

/// Checks and counts the accesses of wmma.load and .store, as the machine makes them (MatrixAccess).
template <bool Store>
void access_matrix(Warp& warp, const Inst& inst, const MatrixFragment& fragment, std::uint64_t base,
                   const MatrixInMemory& matrix, bool shared) {
    const MatrixAccess access = access_of(fragment, inst.mode == matrix_in_shared);
    const std::uint32_t per_line = matrix.line_bytes / access.bytes, pieces = matrix.lines * per_line;
    alignas(64) std::uint64_t address[lanes] = {};
    alignas(64) std::uint32_t offset[lanes] = {};
    for (std::uint32_t i = 0; i < access.count; ++i) {
        std::uint32_t mask = 0;
        for (std::uint32_t lane = 0; lane < lanes && i * lanes + lane < pieces; ++lane) {
            const MatrixAccess::Piece piece = access.piece(i * lanes + lane, matrix.lines, per_line);
            address[lane] = base + piece.line * matrix.pitch + std::uint64_t{piece.place} * access.bytes;
            offset[lane] = static_cast<std::uint32_t>(address[lane]);
            mask |= 1U << lane;
        }
        if (shared) {
            access_shared(warp, inst, offset, mask, access.bytes, Store, i);
        } else {
            check_global(warp, inst, address, mask, access.bytes);
            count_global(warp, inst, address, mask, access.bytes, Store ? AccessKind::store : AccessKind::load);
        }
    }
}

/// Between memory and a matrix by the numbers of its elements (FragmentLayout::wmma).
template <bool Store>
void move_matrix(const MatrixPlan& plan, std::byte* memory, const MatrixInMemory& matrix, std::byte* numbered) {
    const auto move = [](std::byte* in_memory, std::byte* here, std::size_t bytes) {
        std::memcpy(Store ? in_memory : here, Store ? here : in_memory, bytes);
    };
    if (plan.column_major == plan.d.by_columns()) {
        constexpr std::uint32_t piece = 16;  // of a known length, so that it is a move and no call
        for (std::uint32_t line = 0; line < matrix.lines; ++line) {
            std::byte *there = memory + line * matrix.pitch, *here = numbered + std::size_t{line} * matrix.line_bytes;
            std::uint32_t done = 0;
            for (; done + piece <= matrix.line_bytes; done += piece) move(there + done, here + done, piece);
            if (done < matrix.line_bytes) move(there + done, here + done, matrix.line_bytes - done);
        }
        return;
    }
    const std::uint32_t bytes = size_of(plan.d.type), across = matrix.line_bytes / bytes;
    for (std::uint32_t line = 0; line < matrix.lines; ++line) {
        for (std::uint32_t i = 0; i < across; ++i)
            move(memory + line * matrix.pitch + std::size_t{i} * bytes,
                 numbered + (std::size_t{i} * matrix.lines + line) * bytes, bytes);
    }
}

/// wmma.load and wmma.store: all lanes together move a matrix with a stride (in elements) in `b`.
template <bool Store>
void fragment_memory(Warp& warp, const Inst& inst) {
    const MatrixPlan& plan = warp.code->matrices[inst.list];
    const MatrixFragment& fragment = plan.d;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(warp.exec));
    alignas(64) std::uint64_t addresses[lanes];
    lane_addresses(warp, inst, addresses);
    const bool shared = inst.mode == matrix_in_shared ||
                        (inst.mode == matrix_anywhere && (addresses[first] & window_mask) == shared_window);
    const std::uint64_t base = shared ? static_cast<std::uint32_t>(addresses[first]) : addresses[first];
    const std::uint32_t bits = bit_count(fragment.type);
    const MatrixInMemory matrix{
        .lines = plan.column_major ? fragment.cols : fragment.rows,
        .line_bytes = (plan.column_major ? fragment.rows : fragment.cols) * bits / 8,
        .pitch = std::uint64_t{source<std::uint32_t>(warp, inst.b)[first]} * bits / 8,
    };
    access_matrix<Store>(warp, inst, fragment, base, matrix, shared);
    std::byte* memory = shared ? warp.block->shared.data() + base : reinterpret_cast<std::byte*>(base);  // NOLINT
    alignas(64) std::array<std::byte, largest * sizeof(float)> numbered;  // NOLINT(*-member-init): as far as is used
    const std::uint32_t all = fragment.rows * fragment.cols * bits / 8;   // a power of two
    const std::uint32_t of_lane = fragment.registers * fragment.register_bytes;
    const auto move_registers = [&]<class Register>(Register) {
        for (std::uint32_t r = 0; r < fragment.registers; ++r) {
            auto* reg = const_cast<Register*>(source<Register>(warp, warp.code->lists[fragment.first + r]));
            for_lanes(warp.exec, [&](std::uint32_t lane) {
                std::byte* at = numbered.data() + ((lane * of_lane + r * sizeof(Register)) & (all - 1));
                std::memcpy(Store ? static_cast<void*>(at) : reg + lane, Store ? static_cast<void*>(reg + lane) : at,
                            sizeof(Register));
            });
        }
    };
    if constexpr (!Store) move_matrix<Store>(plan, memory, matrix, numbered.data());
    if (fragment.register_bytes == sizeof(std::uint64_t))
        move_registers(std::uint64_t{});
    else
        move_registers(std::uint32_t{});
    if constexpr (Store) move_matrix<Store>(plan, memory, matrix, numbered.data());
    if (!shared) give_way_to_block(warp);
}

/// ldmatrix, stmatrix: 8 x 8 matrices of 16-bit elements; lanes 8 i to 8 i + 7 give the rows of matrix i.
template <bool Store>
void matrix_rows(Warp& warp, const Inst& inst) {
    const MatrixPlan& plan = warp.code->matrices[inst.list];
    alignas(64) std::uint32_t offset[lanes];
    lane_offsets(warp, inst, offset);
    const std::uint32_t rows = plan.matrices * 8;
    const std::uint32_t mask = rows >= lanes ? full_mask : (std::uint32_t{1} << rows) - 1;
    access_shared(warp, inst, offset, mask, 16, Store);
    std::byte* shared = warp.block->shared.data();
    for (std::uint32_t matrix = 0; matrix < plan.matrices; ++matrix) {
        auto* reg = const_cast<std::uint16_t*>(source<std::uint16_t>(warp, warp.code->lists[plan.d.first + matrix]));
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            for (std::uint32_t part = 0; part < 2; ++part) {
                const std::uint32_t in_row = (lane % 4) * 2 + part, row = lane / 4;
                std::byte* at = plan.transposed ? shared + offset[matrix * 8 + in_row] + std::size_t{row} * 2
                                                : shared + offset[matrix * 8 + row] + std::size_t{in_row} * 2;
                if constexpr (Store)
                    std::memcpy(at, reg + lane * 2 + part, 2);
                else
                    std::memcpy(reg + lane * 2 + part, at, 2);
            }
        }
    }
}

/// movmatrix: an 8 x 8 matrix of 16-bit elements, two of a row in each lane, transposed.
void transpose(Warp& warp, const Inst& inst) {
    alignas(64) std::uint16_t from[2 * lanes], to[2 * lanes];
    std::memcpy(from, source<std::uint16_t>(warp, inst.a), sizeof(from));
    for (std::uint32_t row = 0; row < 8; ++row)
        for (std::uint32_t col = 0; col < 8; ++col) to[row * 8 + col] = from[col * 8 + row];
    alignas(64) std::uint32_t words[lanes];
    std::memcpy(words, to, sizeof(words));
    commit(destination<std::uint32_t>(warp, inst.d), words, warp.exec);
}

}  // namespace

Handler select_matrix(const Spec& spec) {
    switch (spec.op) {
        case Op::mma:
            return multiply;
        case Op::wmma_load:
            return fragment_memory<false>;
        case Op::wmma_store:
            return fragment_memory<true>;
        case Op::ldmatrix:
            return matrix_rows<false>;
        case Op::stmatrix:
            return matrix_rows<true>;
        case Op::movmatrix:
            return transpose;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
