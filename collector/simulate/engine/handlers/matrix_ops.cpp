// Matrix instructions: fragments are gathered from the lanes, multiplied, and scattered. Products of 16-bit inputs are
// exact in double; sums are rounded once, to the type of the accumulator.
#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <utility>

#include "collector/simulate/engine/handlers/access.hpp"
#include "collector/simulate/engine/handlers/addresses.hpp"
#include "collector/simulate/engine/handlers/block_scale.hpp"
#include "collector/simulate/engine/handlers/double_products.hpp"
#include "collector/simulate/engine/handlers/fragments.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/products.hpp"
#include "collector/simulate/engine/handlers/vectors.hpp"
#include "collector/simulate/engine/paths.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

/// c += the number of places where the bits of a and b differ, each of which is a + (1 - 2 a) b.
void add_differences(const MatrixPlan& plan, const double* a, const double* b, double* c) {
    alignas(64) double signs[largest_matrix];
    for (std::uint32_t i = 0; i < plan.m * plan.k; ++i) signs[i] = 1 - 2 * a[i];
    for (std::uint32_t row = 0; row < plan.m; ++row) {
        double ones = 0;
        for (std::uint32_t k = 0; k < plan.k; ++k) ones += a[row * plan.k + k];
        for (std::uint32_t col = 0; col < plan.n; ++col) c[row * plan.n + col] += ones;
    }
    add_product<true>(plan, signs, b, c);
}

void multiply_doubles(Warp& warp, const MatrixPlan& plan) {
    const auto in = [&](const MatrixFragment& fragment, std::uint32_t i) {
        return source<double>(warp, warp.code->lists[fragment.first + i]);
    };
    const auto out = [&](std::uint32_t i) { return destination<double>(warp, warp.code->lists[plan.d.first + i]); };
    add_double_product(plan, in(plan.a, 0), in(plan.b, 0), {in(plan.c, 0), in(plan.c, 1)}, {out(0), out(1)});
}

/// list: an index of Code::matrices; a: metadata of a sparse A.
void multiply(Warp& warp, const Inst& inst) {
    if (!all_here(warp, inst)) return;
    const MatrixPlan& plan = warp.code->matrices[inst.list];
    if (are_plain_doubles(plan) && warp.exec == full_mask) return multiply_doubles(warp, plan);
    const double *a = gathered(warp, plan.a, 0), *b = gathered(warp, plan.b, 1);
    alignas(64) double c[largest_matrix];
    gather(warp, plan.c, c);
    // NOLINTNEXTLINE(*-member-init): filled where they are used
    alignas(64) std::array<double, largest_scaled> scaled_a, scaled_b;
    if (plan.scale.parts > 0) {
        std::copy_n(a, plan.m * plan.a.cols, scaled_a.data());
        std::copy_n(b, plan.k * plan.n, scaled_b.data());
        scale_blocks(warp, plan, scaled_a.data(), scaled_b.data());
        a = scaled_a.data();
        b = scaled_b.data();
    }
    if (plan.sparse) {
        alignas(64) std::uint8_t columns[largest_matrix] = {};
        place_stored(plan, source<std::uint32_t>(warp, inst.a), columns);
        add_sparse_product(plan, a, columns, b, c);
    } else if (plan.exclusive_or)
        add_differences(plan, a, b, c);
    else if (plan.a.type == ptx::Type::f64)
        add_product<false>(plan, a, b, c);
    else
        for (std::size_t i = 0; i < plan.products; ++i)
            add_product<true>(plan, a + i * plan.m * plan.k, b + i * plan.k * plan.n, c + i * plan.m * plan.n);
    scatter(warp, plan.d, c, plan.saturate);
}

/// A matrix in memory: lines of neighbouring elements, `pitch` bytes apart.
struct MatrixInMemory {
    std::uint32_t lines, line_bytes;
    std::uint64_t pitch;
};

/// Checks and counts the accesses of wmma.load and .store, as the machine makes them (MatrixAccess).
template <bool Store>
void access_matrix(Warp& warp, const Inst& inst, const MatrixPlan& plan, std::uint64_t base,
                   const MatrixInMemory& matrix, bool shared) {
    const MatrixAccess access = access_of(plan.d, inst.mode == matrix_in_shared);
    alignas(64) std::uint64_t address[lanes];
    alignas(64) std::uint32_t offset[lanes];
    for (std::uint32_t i = 0; i < access.count; ++i) {
        const std::span pieces = std::span(plan.pieces).subspan(std::size_t{i} * lanes);
        const std::uint32_t count = std::min<std::uint32_t>(lanes, static_cast<std::uint32_t>(pieces.size()));
        const std::uint32_t mask = full_mask >> (lanes - count);
        for (std::uint32_t lane = 0; lane < count; ++lane)
            address[lane] = base + pieces[lane].line * matrix.pitch + std::uint64_t{pieces[lane].place} * access.bytes;
        std::fill(address + count, address + lanes, base);
        if (shared) {
            for (std::uint32_t lane = 0; lane < lanes; ++lane) offset[lane] = static_cast<std::uint32_t>(address[lane]);
            access_shared(warp, inst, offset, mask, access.bytes, Store, i);
            continue;
        }
        const Lie lie = lie_of(address, mask, access.bytes);
        if (!plainly_alive(warp, inst, address, mask, access.bytes, lie))
            check_global(warp, inst, address, mask, access.bytes);
        count_global(warp, inst, address, mask, access.bytes, Store ? AccessKind::store : AccessKind::load, lie,
                     sector_changes(address, access.bytes));
    }
}

/// The elements of two vectors by turns: of their lower halves, or of their upper ones.
template <bool Upper, class Vector, std::size_t... I>
Vector by_turns(Vector a, Vector b, std::index_sequence<I...>) {
    constexpr std::size_t n = sizeof...(I), first = Upper ? n / 2 : 0;
    return __builtin_shufflevector(a, b, (first + I / 2 + I % 2 * n)...);
}
/// A square of 16 bytes a side: rows of one become columns of the other.
template <class T>
void turn_square(const std::byte* from, std::size_t from_pitch, std::byte* to, std::size_t to_pitch) {
    constexpr std::size_t side = 16 / sizeof(T);
    using Row [[gnu::vector_size(16)]] = T;
    Row rows[side];
    for (std::size_t i = 0; i < side; ++i) std::memcpy(&rows[i], from + i * from_pitch, sizeof(Row));
    for (std::size_t step = 1; step < side; step *= 2) {
        Row next[side];
        for (std::size_t i = 0; i < side / 2; ++i) {
            next[2 * i] = by_turns<false>(rows[i], rows[i + side / 2], std::make_index_sequence<side>{});
            next[2 * i + 1] = by_turns<true>(rows[i], rows[i + side / 2], std::make_index_sequence<side>{});
        }
        std::memcpy(rows, next, sizeof(rows));
    }
    for (std::size_t i = 0; i < side; ++i) std::memcpy(to + i * to_pitch, &rows[i], sizeof(Row));
}
/// `lines` lines of `per_line` elements become `per_line` lines.
template <class T>
void turn(const std::byte* from, std::size_t from_pitch, std::byte* to, std::size_t to_pitch, std::size_t lines,
          std::size_t per_line) {
    constexpr std::size_t side = 16 / sizeof(T);
    const bool squares = lines % side == 0 && per_line % side == 0;
    for (std::size_t line = 0; line < lines; line += squares ? side : 1) {
        for (std::size_t i = 0; i < per_line; i += squares ? side : 1) {
            const std::byte* source = from + line * from_pitch + i * sizeof(T);
            std::byte* target = to + i * to_pitch + line * sizeof(T);
            if (squares)
                turn_square<T>(source, from_pitch, target, to_pitch);
            else
                std::memcpy(target, source, sizeof(T));
        }
    }
}

/// Between memory and a matrix by the numbers of its elements (MatrixFragment::by_columns).
template <bool Store>
void move_matrix(const MatrixPlan& plan, std::byte* memory, const MatrixInMemory& matrix, std::byte* numbered) {
    // Always inline: of a known length it is a move and no call.
    const auto move = [](std::byte * in_memory, std::byte * here, std::size_t bytes) __attribute__((always_inline)) {
        std::memcpy(Store ? in_memory : here, Store ? here : in_memory, bytes);
    };
    if (plan.column_major == plan.d.by_columns()) {
        constexpr std::uint32_t piece = 16;
        for (std::uint32_t line = 0; line < matrix.lines; ++line) {
            std::byte *there = memory + line * matrix.pitch, *here = numbered + std::size_t{line} * matrix.line_bytes;
            std::uint32_t done = 0;
            for (; done + piece <= matrix.line_bytes; done += piece) move(there + done, here + done, piece);
            if (done < matrix.line_bytes) move(there + done, here + done, matrix.line_bytes - done);
        }
        return;
    }
    const auto turned = [&]<class T>(T) {
        const std::size_t per_line = matrix.line_bytes / sizeof(T), row = matrix.lines * sizeof(T);
        if constexpr (Store)
            turn<T>(numbered, row, memory, matrix.pitch, per_line, matrix.lines);
        else
            turn<T>(memory, matrix.pitch, numbered, row, matrix.lines, per_line);
    };
    switch (size_of(plan.d.type)) {
        case 1:
            return turned(std::uint8_t{});
        case 2:
            return turned(std::uint16_t{});
        case 4:
            return turned(std::uint32_t{});
        default:
            return turned(std::uint64_t{});
    }
}

/// Between registers as mma has them and elements by their numbers, by MatrixPlan::fours.
template <bool Store>
void move_fours(Warp& warp, const MatrixPlan& plan, std::byte* numbered) {
    const MatrixFragment& fragment = plan.d;
    constexpr std::uint32_t fours = lanes / 4, bytes = 16;
    const std::uint32_t together = fragment.per_register() == 1 ? 2 : 1;  // registers
    for (std::uint32_t r = 0; r < fragment.registers; r += together) {
        alignas(64) std::array<std::uint32_t, std::size_t{2} * lanes> words;  // NOLINT(*-member-init): filled at once
        const auto reg = [&](std::uint32_t i) {
            return const_cast<std::uint32_t*>(source<std::uint32_t>(warp, warp.code->lists[fragment.first + r + i]));
        };
        for (std::uint32_t i = 0; Store && i < together; ++i)
            std::memcpy(&words[std::size_t{i} * lanes], reg(i), sizeof(*reg(i)) * lanes);
        for (std::uint32_t four = 0; four < fours; ++four) {
            auto* there = reinterpret_cast<__m128i*>(numbered + plan.fours[r * fours + four] * sizeof(std::uint32_t));
            auto* here = reinterpret_cast<__m128i*>(&words[std::size_t{4} * four]);
            if (together == 1) {
                std::memcpy(Store ? there : here, Store ? here : there, bytes);
                continue;
            }
            __m128i* const odd = here + lanes / 4;
            if constexpr (Store) {
                const __m128i a = _mm_loadu_si128(here), b = _mm_loadu_si128(odd);
                _mm_storeu_si128(there, _mm_unpacklo_epi32(a, b));
                _mm_storeu_si128(there + 1, _mm_unpackhi_epi32(a, b));
            } else {
                const WordsApart apart = words_apart(_mm_loadu_si128(there), _mm_loadu_si128(there + 1));
                _mm_storeu_si128(here, apart.even);
                _mm_storeu_si128(odd, apart.odd);
            }
        }
        for (std::uint32_t i = 0; !Store && i < together; ++i)
            commit(reg(i), &words[std::size_t{i} * lanes], warp.exec);
    }
}

/// wmma.load and wmma.store: all lanes together move a matrix with a stride (in elements) in `b`.
template <bool Store>
void fragment_memory(Warp& warp, const Inst& inst) {
    if (!all_here(warp, inst)) return;
    const MatrixPlan& plan = warp.code->matrices[inst.list];
    const MatrixFragment& fragment = plan.d;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(warp.exec));
    const std::uint64_t address = lane_address(warp, inst, first);
    const bool shared =
        inst.mode == matrix_in_shared || (inst.mode == matrix_anywhere && (address & window_mask) == shared_window);
    const std::uint64_t base = shared ? static_cast<std::uint32_t>(address) : address;
    const std::uint32_t bits = fragment.bits;
    const MatrixInMemory matrix{
        .lines = plan.column_major ? fragment.cols : fragment.rows,
        .line_bytes = (plan.column_major ? fragment.rows : fragment.cols) * bits / 8,
        .pitch = std::uint64_t{source<std::uint32_t>(warp, inst.b)[first]} * bits / 8,
    };
    access_matrix<Store>(warp, inst, plan, base, matrix, shared);
    std::byte* memory = shared ? warp.block->shared.data() + base : reinterpret_cast<std::byte*>(base);  // NOLINT
    using Numbered = std::array<std::byte, largest_matrix * sizeof(float)>;
    alignas(64) Numbered numbered;  // NOLINT(*-member-init): as far as is used
    const std::size_t all = std::size_t{fragment.rows} * fragment.cols * bits / 8;  // a power of two
    const auto move_registers = [&]<class Register>(Register) {
        for (std::uint32_t r = 0; r < fragment.registers; ++r) {
            auto* reg = const_cast<Register*>(source<Register>(warp, warp.code->lists[fragment.first + r]));
            auto* at =
                reinterpret_cast<Register*>(numbered.data() + (std::size_t{r} * lanes * sizeof(Register) & (all - 1)));
            commit(Store ? at : reg, Store ? reg : at, warp.exec);
        }
    };
    if constexpr (!Store) move_matrix<Store>(plan, memory, matrix, numbered.data());
    if (!plan.fours.empty())
        move_fours<Store>(warp, plan, numbered.data());
    else if (fragment.register_bytes == sizeof(std::uint64_t))
        move_registers(std::uint64_t{});
    else
        move_registers(std::uint32_t{});
    if constexpr (Store) move_matrix<Store>(plan, memory, matrix, numbered.data());
    if (!shared) give_way_to_block(warp);
}

/// The fours of elements of 6 or 4 bits are three or two bytes; number `four` of a row becomes four bytes.
std::uint32_t unpacked(const std::byte* row, std::uint32_t bits, std::uint32_t four) {
    std::uint32_t packed = 0, word = 0;
    std::memcpy(&packed, row + four * bits / 2, sizeof(packed));
    for (std::uint32_t i = 0; i < 4; ++i) word |= (packed >> i * bits & ((1U << bits) - 1)) << 8 * i;
    return word;
}

/// ldmatrix, stmatrix: 8 x 8 matrices of 16-bit elements; lanes 8 i to 8 i + 7 give the rows of matrix i. ldmatrix also
/// of 8 x 16 small ones, whose rows are 16 bytes as well; those behind the elements are not used.
template <bool Store>
void matrix_rows(Warp& warp, const Inst& inst) {
    if (!all_here(warp, inst)) return;
    const MatrixPlan& plan = warp.code->matrices[inst.list];
    alignas(64) std::uint32_t offset[lanes];
    lane_offsets(warp, inst, offset);
    const std::uint32_t rows = plan.matrices * 8;
    const std::uint32_t mask = rows >= lanes ? full_mask : (std::uint32_t{1} << rows) - 1;
    access_shared(warp, inst, offset, mask, 16, Store);
    std::byte* shared = warp.block->shared.data();
    for (std::size_t matrix = 0; plan.element_bits < 16 && matrix < plan.matrices; ++matrix) {
        auto* reg = destination<std::uint32_t>(warp, warp.code->lists[plan.d.first + matrix]);
        for (std::uint32_t lane = 0; lane < lanes; ++lane)
            reg[lane] = unpacked(shared + offset[matrix * 8 + lane / 4], plan.element_bits, lane % 4);
    }
    // A row is 16 bytes, which four lanes have in four registers; of a transposed matrix they have a column.
    constexpr std::size_t side = 8, row_bytes = 16;
    for (std::size_t matrix = 0; plan.element_bits == 16 && matrix < plan.matrices; ++matrix) {
        auto* reg = const_cast<std::byte*>(source<std::byte>(warp, warp.code->lists[plan.d.first + matrix]));
        const std::uint32_t* row_offset = offset + matrix * side;
        alignas(64) std::array<std::byte, side * row_bytes> turned;  // NOLINT(*-member-init): as far as is used
        std::byte* const rows_here = plan.transposed ? turned.data() : reg;
        if (Store && plan.transposed) turn_square<std::uint16_t>(reg, row_bytes, turned.data(), row_bytes);
        for (std::size_t row = 0; row < side; ++row) {
            std::byte *there = shared + row_offset[row], *here = rows_here + row * row_bytes;
            std::memcpy(Store ? there : here, Store ? here : there, row_bytes);
        }
        if (!Store && plan.transposed) turn_square<std::uint16_t>(turned.data(), row_bytes, reg, row_bytes);
    }
}

/// movmatrix: an 8 x 8 matrix of 16-bit elements, two of a row in each lane, transposed.
void transpose(Warp& warp, const Inst& inst) {
    if (!all_here(warp, inst)) return;
    constexpr std::size_t row_bytes = 16;
    alignas(64) std::uint32_t words[lanes];
    turn_square<std::uint16_t>(source<std::byte>(warp, inst.a), row_bytes, reinterpret_cast<std::byte*>(words),
                               row_bytes);
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
