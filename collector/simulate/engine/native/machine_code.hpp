// Runs of arithmetic, with what they load or store, as machine code of this processor.
//
// A handler takes an instruction for all 32 lanes, and every result passes through memory. Code made for a whole run of
// instructions keeps what it works on in registers: eight lanes at a time, all instructions of the run, then the next
// eight (docs/decisions/0018-machine-code.md, 0023-accesses-in-machine-code.md). It gives the same bits as the
// handlers, and counts the same.
#pragma once

#include <memory>

#include "collector/simulate/engine/engine.hpp"

namespace gpuproj::simulate {

struct Draft;
struct Uncoded;
struct Code;

/// What machine code of a function is made of besides its Code, whose registers have places; nullptr: none is to be
/// made. Modules have hundreds of kernels of which a program launches a few, so that it is made when one is launched.
std::shared_ptr<const Uncoded> before_machine_code(Draft& draft, MachineCode wanted);

/// Makes machine code of the runs of a function, and puts it in front: the first instruction of a run executes all of
/// them. Code::machine_code owns it. Nothing where it has been made.
void make_machine_code(Code& code);

}  // namespace gpuproj::simulate
