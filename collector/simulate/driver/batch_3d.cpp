// Several copies of boxes by one call, by the driver API and by the runtime's. CUDA 12 also asks which of them failed.
#include <algorithm>
#include <span>

#include "collector/simulate/driver/batch.hpp"
#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/runtime/array.hpp"
#include "collector/simulate/runtime/work.hpp"

namespace gpuproj::simulate::driver {

namespace {

enum class Kind : int { pointer = 1, array };

struct Side {  // CUmemcpy3DOperand; sizes count elements
    Kind kind;
    union {
        struct {
            void* begin;
            std::size_t row, rows;  // of the memory; 0: those of what is copied
            cuda::Location hint;
        } memory;
        struct {
            const CudaArray* array;
            cuda::Position begin;
        } in_array;
    };
};
struct BoxCopy {  // CUDA_MEMCPY3D_BATCH_OP
    Side from, to;
    cuda::Extent extent;
    int source_order;
    unsigned flags;
};

bool fits(std::size_t begin, std::size_t length, std::size_t whole) {
    return begin <= whole && length <= whole - begin;
}

bool makes_sense(const Side& side, const cuda::Extent& extent) {
    if (side.kind == Kind::array) {
        const auto& [array, begin] = side.in_array;
        return array != nullptr && fits(begin.x, extent.width, array->width) &&
               fits(begin.y, extent.height, array->height) && fits(begin.z, extent.depth, array->depth);
    }
    return side.kind == Kind::pointer && side.memory.begin != nullptr &&
           (side.memory.row == 0 || side.memory.row >= extent.width) &&
           (side.memory.rows == 0 || side.memory.rows >= extent.height);
}

std::size_t element_bytes(const Side& side) {
    return side.kind == Kind::array ? side.in_array.array->texel_bytes : 1;
}

bool makes_sense(const BoxCopy& copy) {
    if (copy.extent.width == 0 || copy.extent.height == 0 || copy.extent.depth == 0) return false;
    if (!makes_sense(copy.from, copy.extent) || !makes_sense(copy.to, copy.extent)) return false;
    const bool of_arrays = copy.from.kind == Kind::array && copy.to.kind == Kind::array;
    return is_source_order(copy.source_order) && (!of_arrays || element_bytes(copy.from) == element_bytes(copy.to));
}

Block block_of(const Side& side, const cuda::Extent& extent, std::size_t unit) {
    if (side.kind == Kind::array) return array_block(side.in_array.array, side.in_array.begin);
    const std::size_t row = (side.memory.row == 0 ? extent.width : side.memory.row) * unit;
    return {side.memory.begin, row, row * (side.memory.rows == 0 ? extent.height : side.memory.rows)};
}

// Elements are an array's where one takes part, else bytes.
Work work_of(const BoxCopy& copy) {
    const std::size_t unit = std::max(element_bytes(copy.from), element_bytes(copy.to));
    return CopyWork{block_of(copy.to, copy.extent, unit),
                    block_of(copy.from, copy.extent, unit),
                    {copy.extent.width * unit, copy.extent.height, copy.extent.depth},
                    cuda::CopyKind::automatic};
}

CudaError copy(Runtime& runtime, std::size_t count, const BoxCopy* copies, std::size_t* failed,
               unsigned long long flags, void* stream) {
    if (failed != nullptr) *failed = none_failed;
    if (count == 0 || copies == nullptr || flags != 0 || !takes_batches(stream)) return cuda::invalid_value;
    const auto fails = [&](std::size_t i, CudaError code) {
        if (failed != nullptr) *failed = i;
        return code;
    };
    for (std::size_t i = 0; i < count; ++i)  // before any is done
        if (!makes_sense(copies[i])) return fails(i, cuda::invalid_value);
    for (std::size_t i = 0; i < count; ++i)
        if (const CudaError code = submit(runtime, stream, work_of(copies[i])); code != cuda::success)
            return fails(i, code);
    return cuda::success;
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuMemcpy3DBatchAsync(std::size_t count, const BoxCopy* copies, std::size_t* failed,
                                                unsigned long long flags, void* stream) {
    return call(__func__, [&](Runtime& runtime) { return copy(runtime, count, copies, failed, flags, stream); });
}
GPUPROJ_CUDA_ALIAS(cuMemcpy3DBatchAsync_ptsz, cuMemcpy3DBatchAsync);
GPUPROJ_CUDA_API CudaError cuMemcpy3DBatchAsync_v2(std::size_t count, const BoxCopy* copies, unsigned long long flags,
                                                   void* stream) {
    return call(__func__, [&](Runtime& runtime) { return copy(runtime, count, copies, nullptr, flags, stream); });
}
GPUPROJ_CUDA_ALIAS(cuMemcpy3DBatchAsync_v2_ptsz, cuMemcpy3DBatchAsync_v2);

GPUPROJ_CUDA_API CudaError gpuproj_v12_cudaMemcpy3DBatchAsync(std::size_t count, const BoxCopy* copies,
                                                              std::size_t* failed, unsigned long long flags,
                                                              void* stream) {
    return api("cudaMemcpy3DBatchAsync",
               [&](Runtime& runtime) { return copy(runtime, count, copies, failed, flags, stream); });
}
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaMemcpy3DBatchAsync_ptsz, gpuproj_v12_cudaMemcpy3DBatchAsync);
GPUPROJ_CUDA_API CudaError gpuproj_v13_cudaMemcpy3DBatchAsync(std::size_t count, const BoxCopy* copies,
                                                              unsigned long long flags, void* stream) {
    return gpuproj_v12_cudaMemcpy3DBatchAsync(count, copies, nullptr, flags, stream);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaMemcpy3DBatchAsync_ptsz, gpuproj_v13_cudaMemcpy3DBatchAsync);

}  // namespace gpuproj::simulate::driver
