// Which of two pipes the moves of a kernel go to.
#pragma once

#include <span>

#include "collector/simulate/engine/program.hpp"

namespace gpuproj::simulate {

/// Adds how often each cost of the program is in the machine code of a function, whatever is executed.
void add_text(const Code& code, std::span<double> by_cost);

/// The instructions of a cost in the machine code: those that it resolves to, but the whole subroutine where it is a
/// slow way.
const Mix& text_of(const Cost& cost, const Mix& resolved, int capability);

using CountsByClass = std::span<double, class_count>;

/// Of the moves in machine code with these instructions, how many go to the pipe that multiplies.
double moves_to_multiplier(std::span<const double, class_count> text);

/// Puts that share of the moves to the integer instructions, and the others to `misc`; of the expansion table they are
/// half and half.
void spread_moves(CountsByClass counts, double to_multiplier);

}  // namespace gpuproj::simulate
