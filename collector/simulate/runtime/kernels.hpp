// What several topics ask of kernels and streams.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>

#include "collector/simulate/runtime/runtime.hpp"

namespace gpuproj::simulate {

/// Throws Refused if the module has no such kernel, or the engine cannot run it.
const KernelInfo& info_of(const Module& module, const Kernel& kernel);

/// Blocks of a kernel that an SM of the reference GPU holds at once; nullopt: its limits are not known.
std::optional<int> resident_blocks(const Runtime& runtime, const KernelInfo& info, int threads,
                                   std::size_t dynamic_shared_bytes);

/// The value of a cudaDeviceAttr; nullopt: no such attribute.
std::optional<int> device_attribute(const Runtime& runtime, int number);

/// Is it the stream that all blocking streams wait for, and that waits for them? 0 is, unless the program was compiled
/// with a default stream for each thread; that shows when it calls functions made for such programs.
bool is_legacy(const void* stream) noexcept;
void note_default_stream_per_thread() noexcept;

/// What tells streams apart: the default stream of each thread is one of its own.
const void* identity_of(const void* stream) noexcept;

/// How `stream` waits for others; nullopt if there is no such stream.
std::optional<StreamOrder> order_of(Runtime& runtime, void* stream);

/// The default streams (0, legacy, per thread) and those made and not destroyed.
bool is_stream(Runtime& runtime, void* stream);

/// The driver API's current context of the calling thread; the primary one where it has none.
void* current_context() noexcept;

/// Adds those of a stream, its priority among them, that `attributes` has not.
void inherit_attributes(Runtime& runtime, void* stream, std::map<int, std::array<std::byte, 64>>& attributes);

/// A stream made later may get the same address.
void forget_attributes(const void* stream);

/// Frees what the application allocated of the device's memory and has not freed, but no arrays.
void release_all(Runtime& runtime);

/// Notes the time; invalid_resource_handle: no such event.
cuda::CudaError record_event(Runtime& runtime, void* event);

}  // namespace gpuproj::simulate
