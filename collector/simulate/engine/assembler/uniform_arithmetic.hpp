// Arithmetic with constants alone, which is done once for all lanes.
#pragma once

#include "collector/simulate/engine/decode/draft.hpp"

namespace gpuproj::simulate {

/// Gives it the cost that the table has of that for all lanes at once ("uniform.KEY"), where it has one.
void mark_uniform_arithmetic(Draft& draft);
/// Whether that was done with an instruction.
bool is_uniform_arithmetic(const DraftInst& item);

}  // namespace gpuproj::simulate
