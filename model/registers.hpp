// Registers per thread that the assembler gives a kernel for one GPU, from those that it gave it for another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "model/occupancy.hpp"
#include "model/profile.hpp"

namespace gpuproj {

/// What decides how many registers ptxas takes, beside the kernel's instructions.
struct RegisterAim {
    std::uint32_t full = 0;  // per thread, with which an SM can hold all the threads it may; 0: nothing is known
    bool since_volta = false;
    std::uint32_t most = 255;  // that it may take

    bool operator==(const RegisterAim&) const = default;
};

/// Of a compute capability, for a kernel that is bounded so. `full` 0 for a GPU of another maker.
RegisterAim register_aim(const OccupancyRules& rules, const RegisterBounds& bounds = {});

/// Of a kernel's machine code, per thread.
struct TakenRegisters {
    std::uint32_t taken = 0;
    std::optional<std::uint32_t> most;  // that ptxas was allowed to take, if it was told

    bool operator==(const TakenRegisters&) const = default;
};
using RegistersByKernel = std::map<std::string, TakenRegisters>;

/// As many as a kernel wants for a GPU since Volta where nothing keeps it from having them.
inline constexpr RegisterAim register_wish{64, true};

/// Registers per thread of machine code for a GPU of `to`, from those for one of `from`. Since Volta a kernel takes
/// some three more; and ptxas leaves out what is a little beyond `full`. Found by asking ptxas 11.8 and 13.0:
/// docs/machine_code.md has how far it is off, tools/dev/registers.py makes the table. Unchanged where both are alike
/// or one is not known.
std::uint32_t registers_on(std::uint32_t registers, const RegisterAim& from, const RegisterAim& to);
/// Of a record whose counters are from `reference` (nullptr: not known), on `target`. 0 where the record has none.
std::uint32_t registers_on(const KernelRecord& kernel, const Gpu* reference, const Gpu& target);

}  // namespace gpuproj
