#include "collector/simulate/runtime/transfers.hpp"

#include <cstring>

namespace gpuproj::simulate {

namespace {

using cuda::CopyKind;
using cuda::CudaError;

std::uint64_t address_of(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}

bool is_empty(const Shape& shape) {
    return shape.width == 0 || shape.height == 0 || shape.depth == 0;
}

// From the first to the last byte touched.
std::size_t span_of(const Block& block, const Shape& shape) {
    return (shape.depth - 1) * block.slice_pitch + (shape.height - 1) * block.row_pitch + shape.width;
}

// All of it in one allocation? Device memory is checked; memory of the host alone is the host's business.
bool within(Runtime& runtime, const Block& block, const Shape& shape) {
    const auto range = runtime.memory().find(address_of(block.begin));
    return range && range->contains(address_of(block.begin), span_of(block, shape));
}

bool is_device(Runtime& runtime, const void* pointer) {
    const auto allocation = runtime.allocations().find(pointer);
    if (allocation) return allocation->type != cuda::PointerType::host;
    return runtime.memory().find(address_of(pointer)).has_value();  // a module's variable
}

CopyKind kind_of(Runtime& runtime, const void* destination, const void* source) {
    const bool to = is_device(runtime, destination), from = is_device(runtime, source);
    if (to) return from ? CopyKind::device_to_device : CopyKind::host_to_device;
    return from ? CopyKind::device_to_host : CopyKind::host_to_host;
}

const char* direction_of(CopyKind kind) {
    switch (kind) {
        case CopyKind::host_to_device:
            return "host_to_device";
        case CopyKind::device_to_host:
            return "device_to_host";
        case CopyKind::device_to_device:
            return "device_to_device";
        case CopyKind::host_to_host:
        case CopyKind::automatic:
            break;
    }
    return "host_to_host";
}

template <class Row>
void each_row(const Shape& shape, Row&& row) {
    for (std::size_t z = 0; z < shape.depth; ++z)
        for (std::size_t y = 0; y < shape.height; ++y) row(y, z);
}

char* row_of(const Block& block, std::size_t y, std::size_t z) {
    return static_cast<char*>(block.begin) + z * block.slice_pitch + y * block.row_pitch;
}

}  // namespace

CudaError copy(Runtime& runtime, const Block& destination, const Block& source, const Shape& shape, CopyKind kind) {
    if (is_empty(shape)) return cuda::success;
    if (destination.begin == nullptr || source.begin == nullptr) return cuda::invalid_value;
    if (kind < CopyKind::host_to_host || kind > CopyKind::automatic) return cuda::invalid_memcpy_direction;
    if (shape.height > 1 && (shape.width > destination.row_pitch || shape.width > source.row_pitch))
        return cuda::invalid_pitch_value;
    if (kind == CopyKind::automatic) kind = kind_of(runtime, destination.begin, source.begin);
    const bool on_device = kind == CopyKind::device_to_device;
    const bool to_device = on_device || kind == CopyKind::host_to_device;
    const bool from_device = on_device || kind == CopyKind::device_to_host;
    if (to_device && !within(runtime, destination, shape)) return cuda::invalid_value;
    if (from_device && !within(runtime, source, shape)) return cuda::invalid_value;

    if (on_device) runtime.device_access(source.begin, span_of(source, shape), false);
    each_row(shape, [&](std::size_t y, std::size_t z) {
        std::memmove(row_of(destination, y, z), row_of(source, y, z), shape.width);
    });
    if (on_device)
        runtime.device_access(destination.begin, span_of(destination, shape), true);
    else if (to_device)
        runtime.host_wrote(destination.begin, span_of(destination, shape));
    else
        runtime.memory().wrote(address_of(destination.begin), span_of(destination, shape));
    runtime.recorder().transfer(direction_of(kind), shape.width * shape.height * shape.depth);
    return cuda::success;
}

CudaError copy(Runtime& runtime, void* destination, const void* source, std::size_t bytes, CopyKind kind) {
    return copy(runtime, Block{destination, bytes, bytes}, Block{const_cast<void*>(source), bytes, bytes},
                Shape{bytes, 1, 1}, kind);
}

CudaError fill(Runtime& runtime, const Block& destination, std::uint32_t value, std::uint32_t element_bytes,
               const Shape& shape) {
    if (is_empty(shape)) return cuda::success;
    if (shape.height > 1 && shape.width > destination.row_pitch) return cuda::invalid_pitch_value;
    if (!within(runtime, destination, shape)) return cuda::invalid_value;
    each_row(shape, [&](std::size_t y, std::size_t z) {
        char* const row = row_of(destination, y, z);
        if (element_bytes == 1) {
            std::memset(row, static_cast<int>(value & 0xFFU), shape.width);
        } else {
            for (std::size_t x = 0; x + element_bytes <= shape.width; x += element_bytes)
                std::memcpy(row + x, &value, element_bytes);
        }
    });
    runtime.device_access(destination.begin, span_of(destination, shape), true);
    runtime.recorder().transfer("memset", shape.width * shape.height * shape.depth);
    return cuda::success;
}

}  // namespace gpuproj::simulate
