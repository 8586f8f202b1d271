// What machine code for a GPU says of its kernels (an ELF file of NVIDIA's).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "collector/simulate/fatbin/fatbin.hpp"

namespace gpuproj::simulate {

/// Registers per thread as ptxas assigned them, by kernel and function: attribute EIATTR_REGCOUNT of section .nv.info.
/// Empty for what is no such file; never throws for bad input, never reads outside.
std::map<std::string, std::uint32_t> registers_of(std::span<const std::byte> cubin);

/// The same of an entry of machine code, decompressed.
std::map<std::string, std::uint32_t> registers_of(const FatbinEntry& entry);

/// Machine code says what the registers are on GPUs whose compute capability (86 for 8.6) is within 2.0 of its own:
/// further away neither the code nor the number of registers is alike.
bool tells_of(int machine_code, int capability);

}  // namespace gpuproj::simulate
