// Several copies by one call, by the driver API and by the runtime's. CUDA 12 also asks which of them failed.
#include <cstdint>

#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/runtime/graph_parameters.hpp"

namespace gpuproj::simulate::driver {

namespace {

struct CopyAttributes {  // CUmemcpyAttributes
    int source_order;
    cuda::Location source_hint, destination_hint;
    unsigned flags;
};

struct Batch {
    void* const* to;
    const void* const* from;
    const std::size_t* bytes;
    std::size_t count;
    const CopyAttributes* attributes;
    const std::size_t* first_copies;  // of each of the attributes
    std::size_t attribute_count;
};

// Orders and places are hints here: the copies are done in turn.
bool makes_sense(const Batch& batch) {
    constexpr int first_order = 1, last_order = 3;
    if (batch.to == nullptr || batch.from == nullptr || batch.bytes == nullptr || batch.count == 0) return false;
    if (batch.attributes == nullptr || batch.first_copies == nullptr) return false;
    if (batch.attribute_count == 0 || batch.attribute_count > batch.count || batch.first_copies[0] != 0) return false;
    for (std::size_t i = 0; i < batch.attribute_count; ++i) {
        const int order = batch.attributes[i].source_order;
        if (order < first_order || order > last_order || batch.first_copies[i] >= batch.count) return false;
        if (i > 0 && batch.first_copies[i] <= batch.first_copies[i - 1]) return false;
    }
    return true;
}

CudaError copy(Runtime& runtime, const Batch& batch, std::size_t* failed, void* stream) {
    if (failed != nullptr) *failed = SIZE_MAX;  // none of them
    constexpr std::uintptr_t legacy = 1;        // 0 is it, too
    if (reinterpret_cast<std::uintptr_t>(stream) <= legacy || !makes_sense(batch)) return cuda::invalid_value;
    for (std::size_t i = 0; i < batch.count; ++i) {
        const Work work = linear_copy(batch.to[i], batch.from[i], batch.bytes[i], cuda::CopyKind::automatic);
        if (const CudaError code = submit(runtime, stream, work); code != cuda::success) {
            if (failed != nullptr) *failed = i;
            return code;
        }
    }
    return cuda::success;
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* bytes,
                                              std::size_t count, const CopyAttributes* attributes,
                                              const std::size_t* first_copies, std::size_t attribute_count,
                                              std::size_t* failed, void* stream) {
    return call(__func__, [&](Runtime& runtime) {
        return copy(runtime, {to, from, bytes, count, attributes, first_copies, attribute_count}, failed, stream);
    });
}
GPUPROJ_CUDA_ALIAS(cuMemcpyBatchAsync_ptsz, cuMemcpyBatchAsync);
GPUPROJ_CUDA_API CudaError cuMemcpyBatchAsync_v2(void* const* to, const void* const* from, const std::size_t* bytes,
                                                 std::size_t count, const CopyAttributes* attributes,
                                                 const std::size_t* first_copies, std::size_t attribute_count,
                                                 void* stream) {
    return cuMemcpyBatchAsync(to, from, bytes, count, attributes, first_copies, attribute_count, nullptr, stream);
}
GPUPROJ_CUDA_ALIAS(cuMemcpyBatchAsync_v2_ptsz, cuMemcpyBatchAsync_v2);

GPUPROJ_CUDA_API CudaError gpuproj_v12_cudaMemcpyBatchAsync(void* const* to, const void* const* from,
                                                            const std::size_t* bytes, std::size_t count,
                                                            const CopyAttributes* attributes,
                                                            const std::size_t* first_copies,
                                                            std::size_t attribute_count, std::size_t* failed,
                                                            void* stream) {
    return api("cudaMemcpyBatchAsync", [&](Runtime& runtime) {
        return copy(runtime, {to, from, bytes, count, attributes, first_copies, attribute_count}, failed, stream);
    });
}
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaMemcpyBatchAsync_ptsz, gpuproj_v12_cudaMemcpyBatchAsync);
GPUPROJ_CUDA_API CudaError gpuproj_v13_cudaMemcpyBatchAsync(void* const* to, const void* const* from,
                                                            const std::size_t* bytes, std::size_t count,
                                                            const CopyAttributes* attributes,
                                                            const std::size_t* first_copies,
                                                            std::size_t attribute_count, void* stream) {
    return gpuproj_v12_cudaMemcpyBatchAsync(to, from, bytes, count, attributes, first_copies, attribute_count, nullptr,
                                            stream);
}
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaMemcpyBatchAsync_ptsz, gpuproj_v13_cudaMemcpyBatchAsync);

}  // namespace gpuproj::simulate::driver
