// Values in memory that streams write, or wait for until the host, another stream or a kernel has written them.
#include <atomic>
#include <functional>

#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/runtime/work.hpp"

namespace gpuproj::simulate::driver {

namespace {

enum class Until : unsigned { at_least, equal, some_bit, not_all_bits };  // CUstreamWaitValue_flags

constexpr unsigned flush = 1U << 30;  // of the same: writes from outside are seen anyway

struct Operation {  // CUstreamBatchMemOpParams
    enum class Kind : int { wait_32 = 1, write_32, flush_writes, wait_64, write_64, barrier };
    Kind kind;
    DevicePointer address;
    std::uint64_t value;
    unsigned flags;
    std::uint64_t alias, padding;
};
static_assert(sizeof(Operation) == 48);

template <class T>
bool reachable(Runtime& runtime, DevicePointer address) {
    const auto range = runtime.memory().find(address);
    return range && address % sizeof(T) == 0 && range->contains(address, sizeof(T));
}

template <class T>
std::atomic_ref<T> at(DevicePointer address) {
    return std::atomic_ref<T>(*static_cast<T*>(pointer(address)));
}

template <class T>
bool holds(Until until, T found, T value) {
    switch (until) {
        case Until::at_least:  // as one counter is ahead of another, which may wrap around
            return static_cast<std::make_signed_t<T>>(found - value) >= 0;
        case Until::equal:
            return found == value;
        case Until::some_bit:
            return (found & value) != 0;
        case Until::not_all_bits:
            return ~(found | value) != 0;
    }
    return false;
}

template <class T>
CudaError write(Runtime& runtime, void* stream, DevicePointer address, T value) {
    if (!reachable<T>(runtime, address)) return cuda::invalid_value;
    return submit(runtime, stream, FunctionWork{[&runtime, address, value] {
                      at<T>(address).store(value);
                      runtime.host_wrote(pointer(address), sizeof value);
                  }});
}

template <class T>
CudaError wait(Runtime& runtime, void* stream, DevicePointer address, T value, unsigned flags) {
    const auto until = static_cast<Until>(flags & ~flush);
    if (until > Until::not_all_bits || !reachable<T>(runtime, address)) return cuda::invalid_value;
    return submit_wait(runtime, stream, [=] { return holds<T>(until, at<T>(address).load(), value); });
}

CudaError perform(Runtime& runtime, void* stream, const Operation& operation) {
    const auto word = static_cast<std::uint32_t>(operation.value);
    switch (operation.kind) {
        case Operation::Kind::wait_32:
            return wait(runtime, stream, operation.address, word, operation.flags);
        case Operation::Kind::wait_64:
            return wait(runtime, stream, operation.address, operation.value, operation.flags);
        case Operation::Kind::write_32:
            return write(runtime, stream, operation.address, word);
        case Operation::Kind::write_64:
            return write(runtime, stream, operation.address, operation.value);
        case Operation::Kind::flush_writes:
        case Operation::Kind::barrier:
            return cuda::success;
    }
    throw Refused(cuda::not_supported, "operation " + std::to_string(static_cast<int>(operation.kind)) + " on memory",
                  "");
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuStreamWriteValue32_v2(void* stream, DevicePointer address, std::uint32_t value, unsigned) {
    return call(__func__, [&](Runtime& runtime) { return write(runtime, stream, address, value); });
}
GPUPROJ_CUDA_API CudaError cuStreamWriteValue64_v2(void* stream, DevicePointer address, std::uint64_t value, unsigned) {
    return call(__func__, [&](Runtime& runtime) { return write(runtime, stream, address, value); });
}
GPUPROJ_CUDA_API CudaError cuStreamWaitValue32_v2(void* stream, DevicePointer address, std::uint32_t value,
                                                  unsigned flags) {
    return call(__func__, [&](Runtime& runtime) { return wait(runtime, stream, address, value, flags); });
}
GPUPROJ_CUDA_API CudaError cuStreamWaitValue64_v2(void* stream, DevicePointer address, std::uint64_t value,
                                                  unsigned flags) {
    return call(__func__, [&](Runtime& runtime) { return wait(runtime, stream, address, value, flags); });
}
// One after the other, which is one of the orders a GPU may take.
GPUPROJ_CUDA_API CudaError cuStreamBatchMemOp_v2(void* stream, unsigned count, const Operation* operations, unsigned) {
    return call(__func__, [&](Runtime& runtime) {
        if (operations == nullptr && count > 0) return cuda::invalid_value;
        for (unsigned i = 0; i < count; ++i)
            if (const CudaError code = perform(runtime, stream, operations[i]); code != cuda::success) return code;
        return cuda::success;
    });
}

// The first version, of CUDA 8, is called in the same way.
GPUPROJ_CUDA_ALIAS(cuStreamWriteValue32, cuStreamWriteValue32_v2);
GPUPROJ_CUDA_ALIAS(cuStreamWriteValue32_ptsz, cuStreamWriteValue32_v2);
GPUPROJ_CUDA_ALIAS(cuStreamWriteValue32_v2_ptsz, cuStreamWriteValue32_v2);
GPUPROJ_CUDA_ALIAS(cuStreamWriteValue64, cuStreamWriteValue64_v2);
GPUPROJ_CUDA_ALIAS(cuStreamWriteValue64_ptsz, cuStreamWriteValue64_v2);
GPUPROJ_CUDA_ALIAS(cuStreamWriteValue64_v2_ptsz, cuStreamWriteValue64_v2);
GPUPROJ_CUDA_ALIAS(cuStreamWaitValue32, cuStreamWaitValue32_v2);
GPUPROJ_CUDA_ALIAS(cuStreamWaitValue32_ptsz, cuStreamWaitValue32_v2);
GPUPROJ_CUDA_ALIAS(cuStreamWaitValue32_v2_ptsz, cuStreamWaitValue32_v2);
GPUPROJ_CUDA_ALIAS(cuStreamWaitValue64, cuStreamWaitValue64_v2);
GPUPROJ_CUDA_ALIAS(cuStreamWaitValue64_ptsz, cuStreamWaitValue64_v2);
GPUPROJ_CUDA_ALIAS(cuStreamWaitValue64_v2_ptsz, cuStreamWaitValue64_v2);
GPUPROJ_CUDA_ALIAS(cuStreamBatchMemOp, cuStreamBatchMemOp_v2);
GPUPROJ_CUDA_ALIAS(cuStreamBatchMemOp_ptsz, cuStreamBatchMemOp_v2);
GPUPROJ_CUDA_ALIAS(cuStreamBatchMemOp_v2_ptsz, cuStreamBatchMemOp_v2);

}  // namespace gpuproj::simulate::driver
