// In place of CUPTI's Activity API: records that a test makes, handed over in buffers as the real one does.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace gpuproj::test {

/// Of a kernel of 2 x 64 threads; times in nanoseconds. Records are delivered in the order of these calls.
void kernel_ran(const std::string& name, std::uint32_t correlation, std::uint64_t start, std::uint64_t end,
                std::uint32_t graph = 0);
void copied(CUpti_ActivityMemcpyKind kind, std::uint64_t bytes, std::uint64_t start, std::uint64_t end);
void was_set(std::uint64_t bytes, std::uint64_t start, std::uint64_t end);
void memory_changed(CUpti_ActivityMemoryKind kind, CUpti_ActivityMemoryOperationType what, std::uint64_t bytes,
                    std::uint64_t time);
/// Hands over what there is, as CUPTI's own thread does from time to time, with so many records lost.
void deliver(std::size_t dropped = 0);

}  // namespace gpuproj::test
