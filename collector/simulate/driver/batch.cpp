// Several copies by one call, by the driver API and by the runtime's. CUDA 12 also asks which of them failed.
#include <algorithm>

#include "collector/simulate/driver/batch.hpp"
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

// Places are hints here, like orders.
bool makes_sense(const Batch& batch) {
    if (batch.to == nullptr || batch.from == nullptr || batch.bytes == nullptr || batch.attributes == nullptr)
        return false;
    return is_split(batch.first_copies, batch.attribute_count, batch.count) &&
           std::all_of(batch.attributes, batch.attributes + batch.attribute_count,
                       [](const CopyAttributes& a) { return is_source_order(a.source_order); });
}

CudaError copy(Runtime& runtime, const Batch& batch, std::size_t* failed, void* stream) {
    if (failed != nullptr) *failed = none_failed;
    if (!takes_batches(stream) || !makes_sense(batch)) return cuda::invalid_value;
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
