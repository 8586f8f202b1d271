// NCCL's operations among the ranks of a communicator, of which there is one: each of them moves its numbers to where
// it wants them, as NCCL does then, by a copy that the profile shows. Sums, products, extremes and means of one number
// are that number.
#include <array>

#include "collector/simulate/libraries/nccl_types.hpp"

namespace gpuproj::simulate::libraries::nccl {

namespace {

constexpr int built_in_operations = 5;  // sum, product, maximum, minimum, mean

int among_ranks(const void* from, void* to, std::size_t count, int type, int operation, int root, void* communicator,
                void* stream) noexcept {
    return with_communicator(communicator, [&](const Communicator&) -> int {
        if (operation < 0 || operation >= built_in_operations || root != 0) return invalid_argument;
        return move(to, from, count, type, stream);
    });
}

}  // namespace

std::size_t bytes_of(int type) noexcept {
    // int8, uint8, int32, uint32, int64, uint64, float16, float32, float64, bfloat16, and two of fp8
    constexpr std::array<std::size_t, 12> bytes{1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    return type >= 0 && static_cast<std::size_t>(type) < bytes.size() ? bytes.at(static_cast<std::size_t>(type)) : 0;
}

int move(void* to, const void* from, std::size_t count, int type, void* stream) noexcept {
    constexpr int on_device = 3;  // cudaMemcpyDeviceToDevice
    const std::size_t bytes = count * bytes_of(type);
    if (bytes_of(type) == 0) return invalid_argument;
    if (bytes == 0 || to == from) return success;
    if (to == nullptr || from == nullptr) return invalid_argument;
    return cudaMemcpyAsync(to, from, bytes, on_device, stream) == 0 ? success : unhandled_cuda_error;
}

GPUPROJ_LIBRARY_API int ncclAllReduce(const void* from, void* to, std::size_t count, int type, int operation,
                                      void* communicator, void* stream) {
    return among_ranks(from, to, count, type, operation, 0, communicator, stream);
}
GPUPROJ_LIBRARY_API int ncclReduce(const void* from, void* to, std::size_t count, int type, int operation, int root,
                                   void* communicator, void* stream) {
    return among_ranks(from, to, count, type, operation, root, communicator, stream);
}
GPUPROJ_LIBRARY_API int ncclReduceScatter(const void* from, void* to, std::size_t count, int type, int operation,
                                          void* communicator, void* stream) {
    return among_ranks(from, to, count, type, operation, 0, communicator, stream);
}
GPUPROJ_LIBRARY_API int ncclBroadcast(const void* from, void* to, std::size_t count, int type, int root,
                                      void* communicator, void* stream) {
    return among_ranks(from, to, count, type, 0, root, communicator, stream);
}
GPUPROJ_LIBRARY_API int ncclBcast(void* both, std::size_t count, int type, int root, void* communicator, void* stream) {
    return among_ranks(both, both, count, type, 0, root, communicator, stream);
}
GPUPROJ_LIBRARY_API int ncclAllGather(const void* from, void* to, std::size_t count, int type, void* communicator,
                                      void* stream) {
    return among_ranks(from, to, count, type, 0, 0, communicator, stream);
}
GPUPROJ_LIBRARY_API int ncclAlltoAll(const void* from, void* to, std::size_t count, int type, void* communicator,
                                     void* stream) {
    return among_ranks(from, to, count, type, 0, 0, communicator, stream);
}
GPUPROJ_LIBRARY_API int ncclGather(const void* from, void* to, std::size_t count, int type, int root,
                                   void* communicator, void* stream) {
    return among_ranks(from, to, count, type, 0, root, communicator, stream);
}
GPUPROJ_LIBRARY_API int ncclScatter(const void* from, void* to, std::size_t count, int type, int root,
                                    void* communicator, void* stream) {
    return among_ranks(from, to, count, type, 0, root, communicator, stream);
}

}  // namespace gpuproj::simulate::libraries::nccl
