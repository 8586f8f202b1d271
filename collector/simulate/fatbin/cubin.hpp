// What machine code for a GPU says of its kernels (an ELF file of NVIDIA's).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "collector/simulate/fatbin/fatbin.hpp"
#include "model/registers.hpp"

namespace gpuproj::simulate {

/// Registers as ptxas assigned them, by kernel and function: attribute EIATTR_REGCOUNT of section .nv.info, and
/// EIATTR_MAXREG_COUNT of the kernel's own. Empty for what is no such file; never throws for bad input, never reads
/// outside.
RegistersByKernel registers_of(std::span<const std::byte> cubin);

/// The same of an entry of machine code, decompressed.
RegistersByKernel registers_of(const FatbinEntry& entry);

}  // namespace gpuproj::simulate
