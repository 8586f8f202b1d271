// cudaMemcpy* and cudaMemset*; the asynchronous ones are done when they return.
#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/array.hpp"
#include "collector/simulate/runtime/work.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::CopyKind;
using cuda::CudaError;

Block block(const void* begin, std::size_t pitch) {
    return {const_cast<void*>(begin), pitch, 0};
}

// Where a 3D copy begins in a pitched allocation.
Block block(const cuda::PitchedPointer& pointer, const cuda::Position& position) {
    const std::size_t slice = pointer.pitch * pointer.height;
    return {static_cast<char*>(pointer.pointer) + position.z * slice + position.y * pointer.pitch + position.x,
            pointer.pitch, slice};
}

}  // namespace

bool fits_arrays(const CopyWork& work) {
    const auto& [width, height, depth] = work.shape;
    if (width == 0 || height == 0 || depth == 0) return true;
    const auto has_room = [&](const Block& block) {
        return width <= block.width && height <= block.height && depth <= block.depth;
    };
    return has_room(work.to) && has_room(work.from);
}

CudaError make_copy_work(const cuda::Copy3D* p, CopyWork& work) {
    if (p == nullptr) return cuda::invalid_value;
    const void* to_array = p->destination_array;
    const void* from_array = p->source_array;
    if ((to_array == nullptr && p->destination.pointer == nullptr) ||
        (from_array == nullptr && p->source.pointer == nullptr)) {
        return cuda::invalid_value;
    }
    // Where an array takes part, widths count its elements.
    const void* array = to_array != nullptr ? to_array : from_array;
    const std::size_t unit = array == nullptr ? 1 : array_texel_bytes(array);
    work.to = to_array != nullptr ? array_block(to_array, p->destination_position)
                                  : block(p->destination, p->destination_position);
    work.from =
        from_array != nullptr ? array_block(from_array, p->source_position) : block(p->source, p->source_position);
    work.shape = {p->extent.width * unit, p->extent.height, p->extent.depth};
    work.kind = p->kind;
    return fits_arrays(work) ? cuda::success : cuda::invalid_value;
}

namespace {

CudaError copy_3d(Runtime& runtime, const cuda::Copy3D* p, void* stream) {
    CopyWork work;
    const CudaError code = make_copy_work(p, work);
    return code == cuda::success ? submit(runtime, stream, work) : code;
}

Work linear(void* to, const void* from, std::size_t bytes, CopyKind kind) {
    return CopyWork{block(to, bytes), block(from, bytes), {bytes, 1, 1}, kind};
}

Work filling(const Block& to, int value, const Shape& shape) {
    return FillWork{to, static_cast<std::uint32_t>(value), 1, shape};
}

CudaError copy_3d_peer(Runtime& runtime, const cuda::Copy3DPeer* p, void* stream) {
    if (p == nullptr) return cuda::invalid_value;
    const cuda::Copy3D plain{p->source_array,         p->source_position, p->source, p->destination_array,
                             p->destination_position, p->destination,     p->extent, CopyKind::device_to_device};
    return copy_3d(runtime, &plain, stream);
}

}  // namespace

GPUPROJ_CUDA_API CudaError cudaMemcpy(void* to, const void* from, std::size_t bytes, CopyKind kind) {
    return api(__func__, [&](Runtime& runtime) { return submit(runtime, nullptr, linear(to, from, bytes, kind)); });
}
GPUPROJ_CUDA_ALIAS(cudaMemcpy_ptds, cudaMemcpy);

GPUPROJ_CUDA_API CudaError cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, CopyKind kind, void* stream) {
    return api(__func__, [&](Runtime& runtime) { return submit(runtime, stream, linear(to, from, bytes, kind)); });
}
GPUPROJ_CUDA_ALIAS(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

GPUPROJ_CUDA_API CudaError cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
    return api(__func__, [&](Runtime& runtime) {
        return submit(runtime, nullptr, linear(to, from, bytes, CopyKind::device_to_device));
    });
}

GPUPROJ_CUDA_API CudaError cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, void* stream) {
    return api(__func__, [&](Runtime& runtime) {
        return submit(runtime, stream, linear(to, from, bytes, CopyKind::device_to_device));
    });
}

GPUPROJ_CUDA_API CudaError cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                        std::size_t width, std::size_t height, CopyKind kind) {
    return api(__func__, [&](Runtime& runtime) {
        return submit(runtime, nullptr,
                      CopyWork{block(to, to_pitch), block(from, from_pitch), {width, height, 1}, kind});
    });
}
GPUPROJ_CUDA_ALIAS(cudaMemcpy2D_ptds, cudaMemcpy2D);

GPUPROJ_CUDA_API CudaError cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                             std::size_t width, std::size_t height, CopyKind kind, void* stream) {
    return api(__func__, [&](Runtime& runtime) {
        return submit(runtime, stream,
                      CopyWork{block(to, to_pitch), block(from, from_pitch), {width, height, 1}, kind});
    });
}
GPUPROJ_CUDA_ALIAS(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);

GPUPROJ_CUDA_API CudaError cudaMemcpy3D(const cuda::Copy3D* parameters) {
    return api(__func__, [&](Runtime& runtime) { return copy_3d(runtime, parameters, nullptr); });
}
GPUPROJ_CUDA_ALIAS(cudaMemcpy3D_ptds, cudaMemcpy3D);

GPUPROJ_CUDA_API CudaError cudaMemcpy3DAsync(const cuda::Copy3D* parameters, void* stream) {
    return api(__func__, [&](Runtime& runtime) { return copy_3d(runtime, parameters, stream); });
}
GPUPROJ_CUDA_ALIAS(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);

GPUPROJ_CUDA_API CudaError cudaMemcpy3DPeer(const cuda::Copy3DPeer* parameters) {
    return api(__func__, [&](Runtime& runtime) { return copy_3d_peer(runtime, parameters, nullptr); });
}
GPUPROJ_CUDA_ALIAS(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer);

GPUPROJ_CUDA_API CudaError cudaMemcpy3DPeerAsync(const cuda::Copy3DPeer* parameters, void* stream) {
    return api(__func__, [&](Runtime& runtime) { return copy_3d_peer(runtime, parameters, stream); });
}
GPUPROJ_CUDA_ALIAS(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync);

GPUPROJ_CUDA_API CudaError cudaMemset(void* to, int value, std::size_t bytes) {
    return api(__func__, [&](Runtime& runtime) {
        return submit(runtime, nullptr, filling(block(to, bytes), value, {bytes, 1, 1}));
    });
}
GPUPROJ_CUDA_ALIAS(cudaMemset_ptds, cudaMemset);

GPUPROJ_CUDA_API CudaError cudaMemsetAsync(void* to, int value, std::size_t bytes, void* stream) {
    return api(__func__, [&](Runtime& runtime) {
        return submit(runtime, stream, filling(block(to, bytes), value, {bytes, 1, 1}));
    });
}
GPUPROJ_CUDA_ALIAS(cudaMemsetAsync_ptsz, cudaMemsetAsync);

GPUPROJ_CUDA_API CudaError cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return api(__func__, [&](Runtime& runtime) {
        return submit(runtime, nullptr, filling(block(to, pitch), value, {width, height, 1}));
    });
}
GPUPROJ_CUDA_ALIAS(cudaMemset2D_ptds, cudaMemset2D);

GPUPROJ_CUDA_API CudaError cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                                             std::size_t height, void* stream) {
    return api(__func__, [&](Runtime& runtime) {
        return submit(runtime, stream, filling(block(to, pitch), value, {width, height, 1}));
    });
}
GPUPROJ_CUDA_ALIAS(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);

GPUPROJ_CUDA_API CudaError cudaMemset3D(cuda::PitchedPointer to, int value, cuda::Extent extent) {
    return api(__func__, [&](Runtime& runtime) {
        return submit(runtime, nullptr, filling(block(to, {}), value, {extent.width, extent.height, extent.depth}));
    });
}
GPUPROJ_CUDA_ALIAS(cudaMemset3D_ptds, cudaMemset3D);

GPUPROJ_CUDA_API CudaError cudaMemset3DAsync(cuda::PitchedPointer to, int value, cuda::Extent extent, void* stream) {
    return api(__func__, [&](Runtime& runtime) {
        return submit(runtime, stream, filling(block(to, {}), value, {extent.width, extent.height, extent.depth}));
    });
}
GPUPROJ_CUDA_ALIAS(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);

}  // namespace gpuproj::simulate
