// Relocatable PTX (nvcc -rdc=true) made one module, as nvlink would of the machine code.
#pragma once

#include <span>
#include <string>

namespace gpuproj::simulate::ptx {

/// The units' text as one: variables first, then functions. Each definition once (.weak and .common: the first), names
/// that are private to a unit made unique where units share them, debug sections left out. Throws PtxError for text
/// that is no PTX and for a symbol defined twice.
std::string link(std::span<const std::string> units);

}  // namespace gpuproj::simulate::ptx
