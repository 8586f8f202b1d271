// Tensor copies (PTX ISA 9.7.9.27) and what changes tensor maps (9.7.9.28). What is copied is there at once, which
// every wait allows.
#include <algorithm>
#include <vector>

#include "collector/simulate/engine/handlers/addresses.hpp"
#include "collector/simulate/engine/handlers/lanes.hpp"
#include "collector/simulate/engine/handlers/mbarrier.hpp"
#include "collector/simulate/engine/handlers/reduce.hpp"
#include "collector/simulate/engine/of_thread.hpp"
#include "collector/simulate/engine/tensor_copy.hpp"
#include "collector/simulate/engine/tensor_map.hpp"

namespace gpuproj::simulate::GPUPROJ_ISA {

namespace {

constexpr std::uint32_t unit = 16;           // bytes that a lane would move
constexpr std::uint32_t shared_align = 128;  // of the box in shared memory
constexpr std::uint64_t most_bytes = std::uint64_t{1} << rank_shift;

/// Places of 16 bytes, handed on for as many lanes at a time as a warp has.
template <class Count>
class Pieces {
public:
    explicit Pieces(Count count) : count_(std::move(count)) {}
    void add(std::uint64_t address) {
        address_[used_++] = address;
        if (used_ == lanes) finish();
    }
    void finish() {
        if (used_ != 0) count_(address_, used_ == lanes ? full_mask : (1U << used_) - 1);
        used_ = 0;
    }

private:
    alignas(64) std::uint64_t address_[lanes]{};
    Count count_;
    std::uint32_t used_ = 0;
};

struct Box {
    std::vector<TensorRow> rows;
    std::vector<std::byte> bytes;
};
/// One for each thread of the host: boxes are large, and their memory is kept.
Box& scratch() {
    return of_thread<Box>();
}

TensorMap load_map(Warp& warp, const Inst& inst, std::uint64_t address, int lane) {
    check_stretch(warp, inst, address, sizeof(TensorMap), lane, true);
    TensorMap map;
    std::memcpy(&map, reinterpret_cast<const void*>(address), sizeof map);  // NOLINT
    return map;
}

TensorPlace place_of(const Warp& warp, const Inst& inst, std::uint32_t lane) {
    TensorPlace place;
    const TensorOperands operands = TensorOperands::from_bits(inst.imm);
    const Ref* refs = &warp.code->lists[inst.list];
    for (std::size_t i = 0; i < operands.coordinates; ++i) place.at[i] = source<std::int32_t>(warp, refs[i])[lane];
    for (std::size_t i = 0; i < operands.offsets; ++i)
        place.offsets[i] = source<std::uint16_t>(warp, refs[operands.coordinates + i])[lane];
    place.gathers = (inst.mode & tensor_gathers) != 0;
    return place;
}

/// Faults on what no box of a tensor is, or is not simulated.
void require_box(Warp& warp, const Inst& inst, const TensorMap& map, const TensorPlace& place, int lane) {
    const std::string_view obstacle = obstacle_of(map, place);
    if (!obstacle.empty())
        fault(warp, inst, FaultKind::unsupported, "a tensor copy with " + std::string(obstacle), lane);
    const TensorOperands operands = TensorOperands::from_bits(inst.imm);
    const bool im2col = (inst.mode & tensor_im2col) != 0;
    if (im2col != (map.walk == TensorMap::Walk::im2col) || (!place.gathers && operands.coordinates != map.rank))
        fault(warp, inst, FaultKind::invalid_launch, "a tensor copy of another kind than its tensor map", lane);
    if (box_bytes(map, place) > most_bytes)
        fault(warp, inst, FaultKind::illegal_address, "a tensor copy of more than shared memory holds", lane);
}

/// The memory of a block of the cluster that holds the box; the accesses of its 16-byte pieces are counted.
std::byte* shared_box(Warp& warp, const Inst& inst, const TensorMap& map, std::uint32_t address, std::uint32_t bytes,
                      int lane, bool store) {
    const std::uint32_t offset = address & shared_offset_mask;
    if (offset % shared_align != 0)
        fault(warp, inst, FaultKind::misaligned_address,
              "a tensor copy's address in shared memory that is no multiple of 128", lane);
    cluster_memory(warp, inst, address + bytes - unit, unit, lane);
    Pieces pieces([&](const std::uint64_t* places, std::uint32_t mask) {
        alignas(64) std::uint32_t offsets[lanes];
        for (int i = 0; i < lanes; ++i) offsets[i] = static_cast<std::uint32_t>(places[i]);
        count_shared(warp, inst, offsets, mask, unit, store);
    });
    for (std::uint32_t at = 0; at < bytes; at += unit) pieces.add(swizzled(map.swizzle, offset + at));
    pieces.finish();
    return cluster_memory(warp, inst, address - offset, 0, lane);
}

/// Checks and counts what of the box is in the tensor.
void reach_tensor(Warp& warp, const Inst& inst, const TensorMap& map, const std::vector<TensorRow>& rows, int lane,
                  AccessKind kind) {
    Pieces pieces(
        [&](const std::uint64_t* places, std::uint32_t mask) { count_global(warp, inst, places, mask, unit, kind); });
    for (const TensorRow& row : rows) {
        const std::uint32_t bytes = (row.end - row.first) * map.element_bytes();
        if (bytes == 0) continue;
        check_stretch(warp, inst, row.address, bytes, lane);
        for (std::uint64_t at = row.address / unit * unit; at < row.address + bytes; at += unit) pieces.add(at);
    }
    pieces.finish();
}

/// [a], [b, list], {[e]}, {c}: from the tensor to the block, or to the blocks of the cluster that c names.
void load(Warp& warp, const Inst& inst, std::uint32_t lane, const TensorMap& map) {
    const auto at = static_cast<int>(lane);
    Box& box = scratch();
    reach_tensor(warp, inst, map, box.rows, at, AccessKind::load);
    const std::uint32_t row_bytes = map.row_bytes(), element = map.element_bytes();
    box.bytes.resize(box.rows.size() * row_bytes);
    std::byte* row_begin = box.bytes.data();
    for (const TensorRow& row : box.rows) {
        const std::span<std::byte> all(row_begin, row_bytes);
        if (row.end - row.first != row_bytes / element) fill_outside(map, all);
        const std::span<std::byte> inside =
            all.subspan(std::size_t{row.first} * element, std::size_t{row.end - row.first} * element);
        if (!inside.empty()) {
            std::memcpy(inside.data(), reinterpret_cast<const void*>(row.address), inside.size());  // NOLINT
            round_elements(map.type, inside);
        }
        row_begin += row_bytes;
    }
    const auto bytes = static_cast<std::uint32_t>(box.bytes.size());
    const auto to = static_cast<std::uint32_t>(source<std::uint64_t>(warp, inst.a)[lane]);
    const auto barrier = static_cast<std::uint32_t>(source<std::uint64_t>(warp, inst.e)[lane]);
    const auto put = [&](std::uint32_t address, std::uint32_t told) {
        std::byte* memory = shared_box(warp, inst, map, address, bytes, at, true);
        const std::uint32_t offset = address & shared_offset_mask;
        for (std::uint32_t i = 0; i < bytes; i += unit)
            std::memcpy(memory + swizzled(map.swizzle, offset + i), &box.bytes[i], unit);
        complete(warp, inst, lane, told, bytes);
    };
    if (inst.c == no_ref) return put(to, barrier);
    for_blocks(source<std::uint32_t>(warp, inst.c)[lane], [&](std::uint32_t rank) {
        put((to & shared_offset_mask) | rank, (barrier & shared_offset_mask) | rank);
    });
}

ptx::Type reduced_as(TensorMap::Type type) {
    using enum TensorMap::Type;
    switch (type) {
        case u32:
            return ptx::Type::u32;
        case s32:
            return ptx::Type::s32;
        case u64:
            return ptx::Type::u64;
        case s64:
            return ptx::Type::s64;
        case f16:
            return ptx::Type::f16;
        case bf16:
            return ptx::Type::bf16;
        case f32:
        case f32_ftz:
            return ptx::Type::f32;
        case f64:
            return ptx::Type::f64;
        default:
            return ptx::Type::none;
    }
}

/// [b, list], [a]: what of the box is in the tensor is stored, or combined with what is there.
void store(Warp& warp, const Inst& inst, std::uint32_t lane, const TensorMap& map) {
    const auto at = static_cast<int>(lane);
    Box& box = scratch();
    const bool reduces = (inst.mode & tensor_reduces) != 0;
    const auto operation = static_cast<Atomic>(TensorOperands::from_bits(inst.imm).operation);
    const Reduce reduce = reduces ? reduction(reduced_as(map.type), operation) : nullptr;
    if (reduces && reduce == nullptr)
        fault(warp, inst, FaultKind::unsupported, "a reduction that these elements of a tensor do not have", at);
    const std::uint32_t row_bytes = map.row_bytes(), element = map.element_bytes();
    const auto bytes = static_cast<std::uint32_t>(box.rows.size() * row_bytes);
    const auto from = static_cast<std::uint32_t>(source<std::uint64_t>(warp, inst.a)[lane]);
    const std::byte* memory = shared_box(warp, inst, map, from, bytes, at, false);
    reach_tensor(warp, inst, map, box.rows, at, reduces ? AccessKind::atomic : AccessKind::store);
    box.bytes.resize(bytes);
    for (std::uint32_t i = 0; i < bytes; i += unit)
        std::memcpy(&box.bytes[i], memory + swizzled(map.swizzle, (from & shared_offset_mask) + i), unit);
    const std::byte* row_begin = box.bytes.data();
    for (const TensorRow& row : box.rows) {
        const std::size_t inside = std::size_t{row.end - row.first} * element;
        auto* to = reinterpret_cast<std::byte*>(row.address);  // NOLINT
        const std::byte* values = row_begin + std::size_t{row.first} * element;
        row_begin += row_bytes;
        if (inside == 0) continue;
        if (reduces)
            reduce(to, values, inside);
        else
            std::memcpy(to, values, inside);
    }
}

void copy(Warp& warp, const Inst& inst) {
    const auto* maps = source<std::uint64_t>(warp, inst.b);
    for (std::uint32_t mask = warp.exec; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        const TensorMap map = load_map(warp, inst, maps[lane], static_cast<int>(lane));
        const TensorPlace place = place_of(warp, inst, lane);
        require_box(warp, inst, map, place, static_cast<int>(lane));
        tensor_rows(map, place, scratch().rows);
        (inst.mode & tensor_stores) != 0 ? store(warp, inst, lane, map) : load(warp, inst, lane, map);
    }
    warp.pause = true;
}

/// Where a generic address, or one of shared memory where `shared`, has a tensor map.
std::byte* map_memory(Warp& warp, const Inst& inst, std::uint64_t address, bool shared, std::uint32_t lane) {
    const auto at = static_cast<int>(lane);
    if (shared || (address & window_mask) == shared_window)
        return cluster_memory(warp, inst, static_cast<std::uint32_t>(address), sizeof(TensorMap), at);
    check_stretch(warp, inst, address, sizeof(TensorMap), at);
    return reinterpret_cast<std::byte*>(address);  // NOLINT
}

/// tensormap.replace [a], b: field `mode` of the map, of dimension imm; target 1: in shared memory.
void replace(Warp& warp, const Inst& inst) {
    const auto* maps = source<std::uint64_t>(warp, inst.a);
    const auto* values = source<std::uint64_t>(warp, inst.b);
    for (std::uint32_t mask = warp.exec; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        std::byte* at = map_memory(warp, inst, maps[lane], inst.target == 1, lane);
        TensorMap map;
        std::memcpy(&map, at, sizeof map);
        if (map.mark != TensorMap::made)
            fault(warp, inst, FaultKind::unsupported, "a change of what is no tensor map", static_cast<int>(lane));
        if (!replace_field(map, static_cast<TensorField>(inst.mode), static_cast<std::uint32_t>(inst.imm),
                           values[lane]))
            fault(warp, inst, FaultKind::unsupported, "a tensor map's field of a value that is not simulated",
                  static_cast<int>(lane));
        std::memcpy(at, &map, sizeof map);
    }
    warp.pause = true;
}

/// tensormap.cp_fenceproxy [a], [b]: the lanes copy one map, from shared to global memory.
void copy_map(Warp& warp, const Inst& inst) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(warp.exec));
    const auto* to = source<std::uint64_t>(warp, inst.a);
    const auto* from = source<std::uint64_t>(warp, inst.b);
    const std::byte* read = map_memory(warp, inst, from[lane], true, lane);
    std::byte* written = map_memory(warp, inst, to[lane], false, lane);
    Pieces pieces([&](const std::uint64_t* places, std::uint32_t mask) {
        count_global(warp, inst, places, mask, unit, AccessKind::store);
        alignas(64) std::uint32_t offsets[lanes];
        for (std::uint32_t i = 0; i < lanes; ++i)
            offsets[i] = (static_cast<std::uint32_t>(from[lane]) & shared_offset_mask) + i * unit;
        count_shared(warp, inst, offsets, mask, unit, false);
    });
    for (std::uint32_t at = 0; at < sizeof(TensorMap); at += unit) pieces.add(to[lane] + at);
    pieces.finish();
    std::memcpy(written, read, sizeof(TensorMap));
    warp.pause = true;
}

}  // namespace

Handler select_tensor(const Spec& spec) {
    switch (spec.op) {
        case Op::tensor_copy:
            return copy;
        case Op::tensor_map_replace:
            return replace;
        case Op::tensor_map_copy:
            return copy_map;
        default:
            return nullptr;
    }
}

}  // namespace gpuproj::simulate::GPUPROJ_ISA
