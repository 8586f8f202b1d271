// Matrix instructions: fragments are gathered from the lanes, multiplied, and scattered. Products of 16-bit inputs are
// exact in double; sums are rounded once, to the type of the accumulator.
#include "collector/simulate/engine/handlers/addresses.hpp"
#include "collector/simulate/engine/handlers/half.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/matrix.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

double decode(const std::byte* at, ptx::Type type) {
    using enum ptx::Type;
    const auto raw = [&]<class T>(T value) {
        std::memcpy(&value, at, sizeof(T));
        return value;
    };
    switch (type) {
        case f16:
            return static_cast<double>(to_float(raw(Half{})));
        case bf16:
            return static_cast<double>(to_float(raw(BFloat{})));
        case tf32:
            return static_cast<double>(std::bit_cast<float>(raw(std::uint32_t{}) & 0xFFFFE000U));
        case f32:
            return static_cast<double>(raw(0.0F));
        case f64:
            return raw(0.0);
        case s8:
            return raw(std::int8_t{});
        case u8:
            return raw(std::uint8_t{});
        default:
            return raw(std::int32_t{});
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

std::byte* element_place(const Warp& warp, const MatrixFragment& fragment, std::uint32_t lane, std::uint32_t index) {
    const std::uint32_t e = fragment.per_register();
    const Ref ref = warp.code->lists[fragment.first + index / e];
    auto* base = const_cast<std::byte*>(source<std::byte>(warp, ref));
    return base + lane * fragment.register_bytes + (index % e) * size_of(fragment.type);
}

constexpr std::uint32_t largest = 32 * 32;

void gather(const Warp& warp, const MatrixFragment& fragment, double* matrix) {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        for (std::uint32_t i = 0; i < fragment.per_lane(); ++i) {
            const Element at = element_of(fragment, lane, i);
            matrix[at.row * fragment.cols + at.col] = decode(element_place(warp, fragment, lane, i), fragment.type);
        }
    }
}

/// list: an index of Code::matrices.
void multiply(Warp& warp, const Inst& inst) {
    const MatrixPlan& plan = warp.code->matrices[inst.list];
    double a[largest], b[largest], c[largest];
    gather(warp, plan.a, a);
    gather(warp, plan.b, b);
    gather(warp, plan.c, c);
    for (std::uint32_t row = 0; row < plan.m; ++row) {
        for (std::uint32_t k = 0; k < plan.k; ++k) {
            const double factor = a[row * plan.k + k];
            for (std::uint32_t col = 0; col < plan.n; ++col) c[row * plan.n + col] += factor * b[k * plan.n + col];
        }
    }
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        if (((warp.exec >> lane) & 1U) == 0) continue;
        for (std::uint32_t i = 0; i < plan.d.per_lane(); ++i) {
            const Element at = element_of(plan.d, lane, i);
            encode(element_place(warp, plan.d, lane, i), plan.d.type, c[at.row * plan.n + at.col], plan.saturate);
        }
    }
}

/// wmma.load and wmma.store: every lane reads its elements from a matrix with a stride (in elements) in `b`.
template <bool Store>
void fragment_memory(Warp& warp, const Inst& inst) {
    const MatrixPlan& plan = warp.code->matrices[inst.list];
    const MatrixFragment& fragment = plan.d;
    alignas(64) std::uint64_t base[lanes], address[lanes];
    alignas(64) std::uint32_t offset[lanes];
    lane_addresses(warp, inst, base);
    const auto* stride = source<std::uint32_t>(warp, inst.b);
    const std::uint32_t bytes = size_of(fragment.type);
    const bool shared =
        inst.mode == 1 || (inst.mode == 2 && (base[std::countr_zero(warp.exec)] & window_mask) == shared_window);
    for (std::uint32_t i = 0; i < fragment.per_lane(); ++i) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            const Element at = element_of(fragment, lane, i);
            const std::uint64_t number = plan.column_major ? std::uint64_t{at.col} * stride[lane] + at.row
                                                           : std::uint64_t{at.row} * stride[lane] + at.col;
            address[lane] = base[lane] + number * bytes;
            offset[lane] = static_cast<std::uint32_t>(address[lane]);
        }
        if (shared) {
            check_shared(warp, inst, offset, warp.exec, bytes);
            count_shared(warp, inst, offset, warp.exec, bytes, Store);
        } else {
            check_global(warp, inst, address, warp.exec, bytes);
            count_global(warp, inst, address, warp.exec, bytes, Store ? AccessKind::store : AccessKind::load);
        }
        for (std::uint32_t mask = warp.exec; mask != 0; mask &= mask - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
            std::byte* at = shared ? warp.block->shared.data() + offset[lane]
                                   : reinterpret_cast<std::byte*>(address[lane]);  // NOLINT
            std::byte* reg = element_place(warp, fragment, lane, i);
            if constexpr (Store)
                std::memcpy(at, reg, bytes);
            else
                std::memcpy(reg, at, bytes);
        }
    }
    if (!shared) warp.pause = true;
}

/// ldmatrix, stmatrix: 8 x 8 matrices of 16-bit elements; lanes 8 i to 8 i + 7 give the rows of matrix i.
template <bool Store>
void matrix_rows(Warp& warp, const Inst& inst) {
    const MatrixPlan& plan = warp.code->matrices[inst.list];
    alignas(64) std::uint32_t offset[lanes];
    lane_offsets(warp, inst, offset);
    const std::uint32_t rows = plan.matrices * 8;
    const std::uint32_t mask = rows >= lanes ? full_mask : (std::uint32_t{1} << rows) - 1;
    check_shared(warp, inst, offset, mask, 16);
    count_shared(warp, inst, offset, mask, 16, Store);
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
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
