// What machine instructions want of constant memory, and of numbers that are no operands.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

/// numbers: of 64 bits, by their place in the pool; scales: factors of an index, by their value; handles: of textures,
/// by the address of the parameter; levels: the finest one of a texture's, which fetches by numbers with fractions
/// name; shared: addresses of variables in shared memory, by their offsets, which have its window (the block's place in
/// its cluster) in them.
enum class ConstantBank : std::uint8_t {
    parameters,
    launch,
    variables,
    numbers,
    scales,
    handles,
    levels,
    shared,
    window
};
using ConstantPlace = std::pair<ConstantBank, std::int64_t>;  // where in it

/// A constant that an instruction wants, or a call, behind which registers have none.
struct ConstantUse {
    ConstantPlace place{};
    std::uint32_t bytes = 0;
    const char* key = nullptr;  // in the expansion table: what brings it to a register, if anything has to
    bool forgets = false;       // a call
    bool by_condition = false;  // some lanes alone bring it there, for nobody else
};

/// What the machine has in its constant banks: parameters, sizes of the launch, variables at a fixed place.
bool is_constant_load(const DraftInst& item);

/// By virtual register: whether it has a constant that some instruction wants in a register of each lane.
std::vector<bool> constants_of_lanes(Draft& draft);

/// By block, in the order of the text: the first use of each constant, and again behind calls.
std::vector<std::vector<ConstantUse>> constant_uses(Draft& draft);

}  // namespace gpuproj::simulate
