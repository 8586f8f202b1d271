// How a program uses CUDA, as far as its files tell: found out before the launch, so that what cannot work is said
// then.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/simulate/fatbin/elf.hpp"

namespace gpuproj::simulate {

/// One file: the program or a library.
struct CudaUse {
    std::string file;
    bool fat_binary = false;           // has kernels compiled in
    bool ptx = false;                  // as PTX
    std::vector<int> machine_targets;  // as machine code, 80 for sm_80
    bool static_runtime = false;       // and its names are there
    bool shared_runtime = false;       // asks a library for it
    bool driver_api = false;           // libcuda.so.1 is needed
    bool stripped = false;
};
CudaUse cuda_use(const std::string& file, const ElfFile& elf);

/// Why a program made of these files cannot be simulated, and what to do; nullopt if nothing speaks against it.
/// `files`: the program first, then its libraries; `libraries`: names of all that it loads.
std::optional<std::string> objection(const std::vector<CudaUse>& files, const std::vector<std::string>& libraries);

/// Looks at the program and the libraries the loader finds for it. Throws ProfilingError with the objection. Scripts
/// and what else is no ELF file are let through: what they start is seen when it runs.
void check_program(const std::string& program);

}  // namespace gpuproj::simulate
