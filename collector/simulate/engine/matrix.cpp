#include "collector/simulate/engine/matrix.hpp"

#include <algorithm>

namespace gpuproj::simulate {

namespace {

constexpr std::uint32_t lanes = 32, group_lanes = 8;  // groups: of four lanes

Spread spread_of(const MatrixFragment& fragment) {
    if (fragment.layout == FragmentLayout::wmma) return fragment.by_columns() ? Spread::anywhere : Spread::stretch;
    if (fragment.layout != FragmentLayout::mma) return Spread::anywhere;
    switch (fragment.fragment) {
        case Fragment::a:
            return Spread::blocks;
        case Fragment::b:
            return fragment.cols % group_lanes == 0 ? Spread::columns : Spread::anywhere;
        case Fragment::c:
            break;
    }
    if (fragment.cols % group_lanes != 0 || fragment.per_register() > 2) return Spread::anywhere;
    if (fragment.per_register() == 1) return Spread::pairs;
    return fragment.cols == group_lanes ? Spread::stretch : Spread::blocks;
}

// MatrixPlan::fours.
std::vector<std::uint16_t> fours_of(const MatrixFragment& fragment) {
    std::vector<std::uint16_t> fours;
    for (std::uint32_t reg = 0; reg < fragment.registers; ++reg) {
        for (std::uint32_t lane = 0; lane < lanes; lane += 4) {
            const Element at = element_of(fragment, lane, reg * fragment.per_register());
            const std::uint32_t number =
                fragment.by_columns() ? at.col * fragment.rows + at.row : at.row * fragment.cols + at.col;
            fours.push_back(static_cast<std::uint16_t>(number / fragment.per_register()));
        }
    }
    return fours;
}

// PTX ISA 9.7.14.5.1: lanes 4 q to 4 q + 3 and those 16 above them have the matrices of product q.
Element element_of_quarters(const MatrixFragment& fragment, std::uint32_t lane, std::uint32_t index) {
    const std::uint32_t in_group = lane % 4, quarter = lane / 4 % 4, upper = lane / 16 * 4;
    const bool turned = fragment.layout == FragmentLayout::of_quarters_turned;
    switch (fragment.fragment) {
        case Fragment::a:
            return turned ? Element{8 * quarter + index + upper, in_group}
                          : Element{8 * quarter + in_group + upper, index};
        case Fragment::b:
            return turned ? Element{4 * quarter + index, in_group + upper}
                          : Element{4 * quarter + in_group, index + upper};
        case Fragment::c:
            break;
    }
    if (fragment.per_register() == 2) return {8 * quarter + in_group + upper, index};
    return {8 * quarter + (lane & 1U) + (index & 2U) + upper, (index & 4U) + (lane & 2U) + (index & 1U)};
}

}  // namespace

Element element_of(const MatrixFragment& fragment, std::uint32_t lane, std::uint32_t index) {
    if (fragment.layout == FragmentLayout::wmma) {
        const std::uint32_t in_register = fragment.per_register();
        const std::uint32_t place = (index / in_register * lanes + lane) * in_register + index % in_register;
        const std::uint32_t number = place % (fragment.rows * fragment.cols);
        if (fragment.by_columns()) return {number % fragment.rows, number / fragment.rows};
        return {number / fragment.cols, number % fragment.cols};
    }
    if (fragment.layout != FragmentLayout::mma) return element_of_quarters(fragment, lane, index);
    // PTX ISA 9.7.14.5: lanes in groups of four; `e` elements share a register.
    const std::uint32_t group = lane / 4, in_group = lane % 4;
    const std::uint32_t e = fragment.per_register(), unlike = fragment.rows * fragment.cols / lanes;
    const std::uint32_t reg = index % unlike / e, part = index % e;
    switch (fragment.fragment) {
        case Fragment::a:
            if (fragment.rows == 8) return {group, in_group * e + part + 4 * e * reg};
            return {group + 8 * (reg & 1U), in_group * e + part + 4 * e * (reg >> 1)};
        case Fragment::b: {
            const std::uint32_t of_columns = fragment.rows / (4 * e);  // registers
            return {in_group * e + part + 4 * e * (reg % of_columns), group + group_lanes * (reg / of_columns)};
        }
        case Fragment::c:
            break;
    }
    const std::uint32_t of_columns = fragment.rows * group_lanes / lanes, i = index % unlike % of_columns;
    return {group + 8 * (i >> 1), in_group * 2 + (i & 1U) + group_lanes * (index % unlike / of_columns)};
}

bool lies_as_mma(const MatrixFragment& fragment) {
    constexpr std::uint32_t side = 16;
    if (fragment.rows != side || fragment.cols != side || fragment.register_bytes != 4) return false;
    return fragment.fragment == Fragment::c || fragment.bits == 16;
}

MatrixAccess access_of(const MatrixFragment& fragment, bool known_shared) {
    const std::uint32_t bits = fragment.bits, all = fragment.rows * fragment.cols * bits / 8;
    MatrixAccess access;
    if (known_shared && fragment.fragment != Fragment::c && bits <= 16)
        access.bytes = 16;
    else
        access.bytes = std::min(std::max(4U, 2 * bits / 8), std::max({all / lanes, bits / 8, 4U}));
    access.count = (all / access.bytes + lanes - 1) / lanes;
    return access;
}

std::vector<MatrixAccess::Piece> pieces_of(const MatrixPlan& plan, const MatrixAccess& access) {
    const MatrixFragment& matrix = plan.d;
    const std::uint32_t lines = plan.column_major ? matrix.cols : matrix.rows;
    const std::uint32_t all = matrix.rows * matrix.cols * matrix.bits / 8 / access.bytes;
    std::vector<MatrixAccess::Piece> pieces;
    for (std::uint32_t number = 0; number < all; ++number) pieces.push_back(access.piece(number, lines, all / lines));
    return pieces;
}

void place_elements(MatrixPlan& plan) {
    for (MatrixFragment* fragment : {&plan.a, &plan.b, &plan.c, &plan.d}) {
        fragment->spread = spread_of(*fragment);
        fragment->places.clear();
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            for (std::uint32_t i = 0; i < fragment->per_lane(); ++i) {
                const Element at = element_of(*fragment, lane, i);
                fragment->places.push_back(static_cast<std::uint16_t>(at.row * fragment->cols + at.col));
            }
        }
    }
    if (lies_as_mma(plan.d)) plan.fours = fours_of(plan.d);
}

}  // namespace gpuproj::simulate
