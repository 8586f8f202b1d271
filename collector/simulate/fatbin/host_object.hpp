// Code for GPUs in what a host's compiler and linker make: objects, programs and libraries of nvcc -rdc=true, and
// archives (.a) of such objects.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collector/simulate/fatbin/fatbin.hpp"

namespace gpuproj::simulate {

/// The fat binaries of relocatable code in an ELF file for the host, or in the members of an archive of them; views
/// into `file`. Empty where there are none, and for what is no such file. Never throws for bad input, never reads
/// outside.
std::vector<Fatbin> relocatable_fatbins(std::span<const std::byte> file);

}  // namespace gpuproj::simulate
