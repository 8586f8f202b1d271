// What the stand-in for NCCL is made of: its numbers (of the public nccl.h) and communicators.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/simulate/libraries/host_library.hpp"
#include "collector/simulate/libraries/library_handle.hpp"

extern "C" {
// Of the CUDA runtime's stand-in.
int cudaMalloc(void**, std::size_t);
int cudaMemcpyAsync(void*, const void*, std::size_t, int kind, void* stream);
}

namespace gpuproj::simulate::libraries::nccl {

inline constexpr const char* library = "NCCL";

/// ncclResult_t, the codes that are given here.
enum Status : int {
    success = 0,
    unhandled_cuda_error = 1,
    system_error = 2,
    invalid_argument = 4,
    invalid_usage = 5,
};

/// What an ncclComm_t points to. There is one GPU, so that each has one rank, number 0.
struct Communicator : LibraryHandle {
    static constexpr std::uint64_t alive = 0x6E63636C636F6D6DULL;  // "ncclcomm"
    static constexpr HandleCodes codes{success, unhandled_cuda_error, system_error, invalid_argument,
                                       unhandled_cuda_error};
};

/// Bytes of an ncclDataType_t; 0: there is no such type.
std::size_t bytes_of(int type) noexcept;

/// `call(communicator)` if there is one.
template <class Call>
int with_communicator(void* handle, Call&& call) noexcept {
    auto* const known = live_handle<Communicator>(handle);
    return known == nullptr ? invalid_argument : call(*known);
}

/// Moves the numbers of the only rank to where it wants them, in the order of `stream`.
int move(void* to, const void* from, std::size_t count, int type, void* stream) noexcept;

}  // namespace gpuproj::simulate::libraries::nccl
