// Where several pieces of managed memory should be, or that nobody needs what they hold: hints, for there is only one
// place. What is asked for is checked; memory whose contents are given up keeps them, as it may.
#include <algorithm>

#include "collector/simulate/driver/batch.hpp"
#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/runtime/advice.hpp"
#include "collector/simulate/runtime/kernels.hpp"

namespace gpuproj::simulate::driver {

namespace {

struct Pieces {
    const DevicePointer* begins;
    const std::size_t* bytes;
    std::size_t count;
};

struct Places {
    const cuda::Location* all;
    const std::size_t* first_pieces;  // of each of them
    std::size_t count;
};

bool is_managed(Runtime& runtime, DevicePointer begin, std::size_t bytes) {
    const auto found = runtime.allocations().find(pointer(begin));
    return found && found->type == cuda::PointerType::managed && bytes > 0 &&
           bytes <= found->bytes - (begin - found->begin);
}

bool is_place(const cuda::Location& place) {
    constexpr int device = 1, last_of_host = 4;  // cudaMemLocationType
    return place.type == device ? place.id == 0 : place.type > device && place.type <= last_of_host;
}

CudaError check(Runtime& runtime, const Pieces& pieces, unsigned long long flags, void* stream) {
    if (pieces.begins == nullptr || pieces.bytes == nullptr || pieces.count == 0) return cuda::invalid_value;
    if (flags != 0 || !takes_batches(stream)) return cuda::invalid_value;
    if (!is_stream(runtime, stream)) return cuda::invalid_resource_handle;
    for (std::size_t i = 0; i < pieces.count; ++i)
        if (!is_managed(runtime, pieces.begins[i], pieces.bytes[i])) return cuda::invalid_value;
    return cuda::success;
}

CudaError prefetch_all(Runtime& runtime, const Pieces& pieces, const Places& places, unsigned long long flags,
                       void* stream) {
    if (places.all == nullptr || !is_split(places.first_pieces, places.count, pieces.count)) return cuda::invalid_value;
    if (!std::all_of(places.all, places.all + places.count, is_place)) return cuda::invalid_device;
    if (const CudaError code = check(runtime, pieces, flags, stream); code != cuda::success) return code;
    std::size_t place = 0;
    for (std::size_t i = 0; i < pieces.count; ++i) {
        while (place + 1 < places.count && places.first_pieces[place + 1] <= i) ++place;
        const CudaError code = prefetch(runtime, pointer(pieces.begins[i]), pieces.bytes[i], places.all[place]);
        if (code != cuda::success) return code;
    }
    return cuda::success;
}

}  // namespace

GPUPROJ_BOTH_INTERFACES(MemPrefetchBatchAsync,
                        (const DevicePointer* begins, const std::size_t* bytes, std::size_t count,
                         const cuda::Location* places, const std::size_t* first_pieces, std::size_t place_count,
                         unsigned long long flags, void* stream),
                        prefetch_all(runtime, Pieces{begins, bytes, count}, Places{places, first_pieces, place_count},
                                     flags, stream))
GPUPROJ_CUDA_ALIAS(cuMemPrefetchBatchAsync_ptsz, cuMemPrefetchBatchAsync);
GPUPROJ_CUDA_ALIAS(cuMemDiscardAndPrefetchBatchAsync, cuMemPrefetchBatchAsync);
GPUPROJ_CUDA_ALIAS(cuMemDiscardAndPrefetchBatchAsync_ptsz, cuMemPrefetchBatchAsync);
GPUPROJ_CUDA_ALIAS(cudaMemPrefetchBatchAsync_ptsz, cudaMemPrefetchBatchAsync);
GPUPROJ_CUDA_ALIAS(cudaMemDiscardAndPrefetchBatchAsync, cudaMemPrefetchBatchAsync);
GPUPROJ_CUDA_ALIAS(cudaMemDiscardAndPrefetchBatchAsync_ptsz, cudaMemPrefetchBatchAsync);
GPUPROJ_BOTH_INTERFACES(MemDiscardBatchAsync,
                        (const DevicePointer* begins, const std::size_t* bytes, std::size_t count,
                         unsigned long long flags, void* stream),
                        check(runtime, Pieces{begins, bytes, count}, flags, stream))
GPUPROJ_CUDA_ALIAS(cuMemDiscardBatchAsync_ptsz, cuMemDiscardBatchAsync);
GPUPROJ_CUDA_ALIAS(cudaMemDiscardBatchAsync_ptsz, cudaMemDiscardBatchAsync);

}  // namespace gpuproj::simulate::driver
