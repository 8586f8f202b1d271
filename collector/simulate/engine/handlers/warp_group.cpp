// Products of matrices by warp groups (wgmma): each warp does its 16 rows of the 64 when it comes to the instruction,
// which an asynchronous operation may, and waits at wgmma.wait_group until the others have done theirs: then shared
// memory may be overwritten. Products are exact and sums rounded once, as those of mma (matrix_ops.cpp).
#include "collector/simulate/engine/warp_group.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "collector/simulate/engine/checks.hpp"
#include "collector/simulate/engine/handlers/fragments.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/products.hpp"
#include "collector/simulate/engine/of_thread.hpp"
#include "collector/simulate/engine/paths.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

constexpr std::uint32_t side = SharedMatrix::lines;  // rows of A, or columns of B, that are read at once

/// An operand in shared memory.
struct Operand {
    SharedMatrix matrix;
    ptx::Type type;
    std::uint32_t depth;  // elements along K
    bool turned;          // neighbours are not along K
    std::uint32_t lane;   // that faults are told of
};

/// Reads the `number`th eight rows of A or columns of B as doubles; gives where those of one row or column, or of one k
/// where the operand is turned, are side by side.
void read_side(Warp& warp, const Inst& inst, const Operand& operand, std::uint32_t number, double* numbers) {
    constexpr std::uint32_t bytes = SharedMatrix::piece_bytes;
    // NOLINTNEXTLINE(*-member-init): as far as is read it is written
    alignas(64) std::array<std::byte, std::size_t{side} * side * bytes> raw;
    const std::byte* shared = warp.block->shared.data();
    const std::uint64_t size = warp.block->shared.size();
    std::byte* to = raw.data();
    const auto read = [&](std::uint32_t at) {
        if (std::uint64_t{at} + bytes > size) {
            alignas(64) std::array<std::uint32_t, lanes> offset;  // NOLINT(*-member-init): filled at once
            offset.fill(at);
            check_shared(warp, inst, offset.data(), 1U << operand.lane, bytes);
        }
        std::memcpy(to, shared + at, bytes);
        to += bytes;
    };
    if (operand.turned) {
        for (std::uint32_t k = 0; k < operand.depth; ++k) read(operand.matrix.across_k(number, k));
    } else {
        const std::uint32_t pieces = operand.depth * bit_count(operand.type) / (8 * bytes);
        // Of sparse products B has four; in which order, is not said for lines of two.
        if (operand.matrix.in_line > 1 && pieces > operand.matrix.in_line)
            fault(warp, inst, FaultKind::unsupported, "a product whose lines are longer than those of its swizzle",
                  static_cast<int>(operand.lane));
        for (std::uint32_t line = number * side; line < (number + 1) * side; ++line)
            for (std::uint32_t piece = 0; piece < pieces; ++piece) read(operand.matrix.along_k(line, piece));
    }
    decode(raw.data(), operand.type, side * operand.depth, numbers);
}
/// `rows` x `cols` become `cols` x `rows`.
void turn_all(const double* from, std::uint32_t rows, std::uint32_t cols, double* to) {
    for (std::size_t row = 0; row < rows; row += 4)
        for (std::size_t col = 0; col < cols; col += 4)
            turn_four(from + row * cols + col, cols, to + col * rows + row, rows);
}

/// The warp's 16 rows of A.
void read_rows(Warp& warp, const Inst& inst, const Operand& a, double* rows) {
    alignas(64) std::array<double, largest_matrix> read;  // NOLINT(*-member-init): the same
    const std::uint32_t first = warp.index % warps_of_group * 2;
    for (std::uint32_t i = 0; i < 2; ++i) {
        double* to = rows + std::size_t{i} * side * a.depth;
        read_side(warp, inst, a, first + i, a.turned ? read.data() : to);
        if (a.turned) turn_all(read.data(), a.depth, side, to);
    }
}

/// B of a product, eight columns after the other: each `depth` lines of eight. The first warp of the group that comes
/// to the product reads it; until all have, the program may not change what is there.
struct Tile {
    std::uint64_t serial = 0;  // of the block; 0: there is none
    const Inst* inst = nullptr;
    std::uint32_t group = 0, product = 0;
    std::uint64_t descriptor = 0;
    std::vector<double> numbers;
};
const double* read_columns(Warp& warp, const Inst& inst, const Operand& b, std::uint32_t panels,
                           std::uint64_t descriptor) {
    // As many products as a warp has under way before the next warp has its turn, mostly.
    auto& tiles = of_thread<std::array<Tile, 8>>();
    Tile& tile = tiles[(warp.products + warp.index / warps_of_group) % tiles.size()];
    const std::uint32_t group = warp.index / warps_of_group;
    if (tile.serial == warp.block->serial && tile.inst == &inst && tile.group == group &&
        tile.product == warp.products && tile.descriptor == descriptor)
        return tile.numbers.data();
    tile.serial = 0;
    const std::size_t panel = std::size_t{side} * b.depth;
    tile.numbers.resize(panels * panel);
    alignas(64) std::array<double, std::size_t{side} * 256> read;  // NOLINT(*-member-init): the same
    for (std::uint32_t i = 0; i < panels; ++i) {
        double* to = tile.numbers.data() + i * panel;
        read_side(warp, inst, b, i, b.turned ? to : read.data());
        if (!b.turned) turn_all(read.data(), side, b.depth, to);
    }
    tile.group = group;
    tile.product = warp.products;
    tile.inst = &inst;
    tile.descriptor = descriptor;
    tile.serial = warp.block->serial;
    return tile.numbers.data();
}

/// wgmma.mma_async. list: an index of Code::matrices, whose fragments are of the first eight columns; a: the
/// descriptor of A, where it is not in registers; b: that of B; c: metadata of a sparse A; e: whether D is added.
void multiply(Warp& warp, const Inst& inst) {
    if (!all_here(warp, inst)) return;
    const MatrixPlan& plan = warp.code->matrices[inst.list];
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(warp.exec));
    alignas(64) std::array<double, largest_matrix> rows;  // NOLINT(*-member-init): the same
    const double* a = rows.data();
    if (inst.a == no_ref) {
        a = gathered(warp, plan.a, 0);
    } else {
        const SharedMatrix matrix = SharedMatrix::from_bits(source<std::uint64_t>(warp, inst.a)[lane]);
        const bool turned = (inst.mode & group_turns_a) != 0;
        read_rows(warp, inst, {matrix, plan.a.type, plan.a.cols, turned, lane}, rows.data());
    }
    if ((inst.mode & group_subtracts) != 0) {
        std::transform(a, a + std::size_t{plan.m} * plan.a.cols, rows.data(), [](double x) { return -x; });
        a = rows.data();
    }
    const std::uint64_t of_b = source<std::uint64_t>(warp, inst.b)[lane];
    const Operand in_b{SharedMatrix::from_bits(of_b), plan.b.type, plan.k, (inst.mode & group_turns_b) != 0, lane};
    const double* b = read_columns(warp, inst, in_b, plan.panels, of_b);
    alignas(64) std::array<std::uint8_t, largest_matrix> columns;  // NOLINT(*-member-init): the same
    if (plan.sparse) place_stored(plan, source<std::uint32_t>(warp, inst.c), columns.data());
    const bool adds = (predicate(warp, inst.e) >> lane & 1U) != 0;
    for (std::uint32_t panel = 0; panel < plan.panels; ++panel, b += std::size_t{side} * plan.k) {
        alignas(64) std::array<double, std::size_t{16} * side> c;  // NOLINT(*-member-init): filled at once
        if (adds)
            gather(warp, plan.c, c.data(), panel * plan.c.registers);
        else
            c.fill(0);
        if (plan.sparse)
            add_sparse_product(plan, a, columns.data(), b, c.data());
        else
            add_product<side, true>(plan, a, b, c.data());
        scatter(warp, plan.d, c.data(), plan.saturate, panel * plan.d.registers);
    }
    warp.products += 1;
}

/// wgmma.commit_group: the products since the last one are a group.
void commit_group(Warp& warp, const Inst&) {
    warp.product_groups.push_back(warp.products);
}

/// wgmma.wait_group: all groups but the last `imm` are over when all warps have done what they have of them.
void wait_group(Warp& warp, const Inst& inst) {
    if (!all_here(warp, inst)) return;
    std::vector<std::uint32_t>& groups = warp.product_groups;
    const auto left = static_cast<std::size_t>(inst.imm);
    if (groups.size() <= left) return;
    const auto last = groups.end() - static_cast<std::ptrdiff_t>(left) - 1;
    warp.awaited_products = *last;
    groups.erase(groups.begin(), last + 1);
    if (group_has_come(*warp.block, warp.index, warp.awaited_products)) return;
    warp.state() = WarpState::behind_warp_group;
    warp.block->behind_groups += 1;
    warp.pause = true;
}

}  // namespace

Handler select_warp_group(const Spec& spec) {
    switch (spec.op) {
        case Op::group_multiply:
            return multiply;
        case Op::group_commit:
            return commit_group;
        case Op::group_wait:
            return wait_group;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
