// NCCL: communicators, and what they say of themselves. Those of several ranks are refused, as NCCL refuses two ranks
// on one GPU.
#include <array>
#include <atomic>
#include <cstring>

#include "collector/simulate/libraries/nccl_types.hpp"

namespace gpuproj::simulate::libraries::nccl {

namespace {

/// ncclUniqueId, which is given by value.
struct UniqueId {
    std::array<char, 128> bytes;
};

constexpr int version = 22809;  // 2.28.9: major x 10,000 + minor x 100 + patch
constexpr int no_color = -1;
std::atomic<std::uint64_t> ids{0};

int create(void** communicator, int ranks, int rank) noexcept {
    if (communicator == nullptr || ranks < 1 || rank < 0 || rank >= ranks) return invalid_argument;
    if (ranks > 1) {
        *communicator = nullptr;
        gpuproj_library_refuses(library, "communicators of several ranks (there is one GPU)");
        return invalid_usage;
    }
    return create_handle<Communicator>(communicator);
}

template <class T>
int give(void* communicator, T value, T* out) noexcept {
    return with_communicator(communicator, [&](const Communicator&) -> int {
        if (out == nullptr) return invalid_argument;
        *out = value;
        return success;
    });
}

}  // namespace

GPUPROJ_LIBRARY_API int ncclGetVersion(int* out) {
    if (out == nullptr) return invalid_argument;
    *out = version;
    return success;
}

GPUPROJ_LIBRARY_API int ncclGetUniqueId(UniqueId* out) {
    if (out == nullptr) return invalid_argument;
    *out = {};
    const std::uint64_t id = ++ids;
    std::memcpy(out->bytes.data(), &id, sizeof id);
    return success;
}

/// Give a communicator; what others have to know to find it is not looked at.
GPUPROJ_LIBRARY_API int ncclCommInitRank(void** communicator, int ranks, UniqueId, int rank) {
    return create(communicator, ranks, rank);
}
GPUPROJ_LIBRARY_API int ncclCommInitRankConfig(void** communicator, int ranks, UniqueId, int rank, const void*) {
    return create(communicator, ranks, rank);
}
GPUPROJ_LIBRARY_API int ncclCommInitRankScalable(void** communicator, int ranks, int rank, int, const void*,
                                                 const void*) {
    return create(communicator, ranks, rank);
}
/// One for each device of a list, or of the first `devices`.
GPUPROJ_LIBRARY_API int ncclCommInitAll(void** communicators, int devices, const int* list) {
    if (devices == 1 && list != nullptr && list[0] != 0) return invalid_argument;
    return create(communicators, devices, 0);
}

GPUPROJ_LIBRARY_API int ncclCommSplit(void* communicator, int color, int, void** out, const void*) {
    return with_communicator(communicator, [&](const Communicator&) -> int {
        if (out == nullptr || color < no_color) return invalid_argument;
        *out = nullptr;
        return color == no_color ? success : create(out, 1, 0);
    });
}

/// What was put into streams already is still done, as streams know nothing of communicators.
GPUPROJ_LIBRARY_API int ncclCommDestroy(void* communicator) {
    if (communicator == nullptr) return success;
    return with_communicator(communicator, [](Communicator& known) { return destroy_handle<Communicator>(&known); });
}
GPUPROJ_LIBRARY_API int ncclCommAbort(void* communicator) {
    return ncclCommDestroy(communicator);
}
GPUPROJ_LIBRARY_API int ncclCommFinalize(void* communicator) {
    return with_communicator(communicator, [](const Communicator&) -> int { return success; });
}

GPUPROJ_LIBRARY_API int ncclCommCount(void* communicator, int* out) {
    return give(communicator, 1, out);
}
GPUPROJ_LIBRARY_API int ncclCommUserRank(void* communicator, int* out) {
    return give(communicator, 0, out);
}
GPUPROJ_LIBRARY_API int ncclCommCuDevice(void* communicator, int* out) {
    return give(communicator, 0, out);
}
GPUPROJ_LIBRARY_API int ncclCommGetAsyncError(void* communicator, int* out) {
    return give(communicator, int{success}, out);
}

/// Memory that is known beforehand is not faster here.
GPUPROJ_LIBRARY_API int ncclCommRegister(void* communicator, void* memory, std::size_t, void** out) {
    return give(communicator, memory, out);
}
GPUPROJ_LIBRARY_API int ncclCommDeregister(void* communicator, void*) {
    return with_communicator(communicator, [](const Communicator&) -> int { return success; });
}
GPUPROJ_LIBRARY_API int ncclMemAlloc(void** out, std::size_t bytes) {
    return cudaMalloc(out, bytes) == 0 ? success : unhandled_cuda_error;
}
GPUPROJ_LIBRARY_API int ncclMemFree(void* memory) {
    return cudaFree(memory) == 0 ? success : unhandled_cuda_error;
}

GPUPROJ_LIBRARY_API const char* ncclGetErrorString(int status) {
    constexpr std::array texts{"no error",         "unhandled cuda error", "unhandled system error", "internal error",
                               "invalid argument", "invalid usage",        "remote error",           "in progress"};
    return status >= 0 && static_cast<std::size_t>(status) < texts.size() ? texts.at(static_cast<std::size_t>(status))
                                                                          : "unknown result code";
}
GPUPROJ_LIBRARY_API const char* ncclGetLastError(void*) {
    return "";
}

}  // namespace gpuproj::simulate::libraries::nccl
