// Error state, names and texts; versions; switching profilers.
#include <algorithm>
#include <array>

#include "collector/simulate/runtime/api.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::CudaError;

struct ErrorRow {
    int code;
    const char* name;
    const char* text;
};

// The codes this library gives and those that programs of any kind compare with; by code.
constexpr std::array errors{
    ErrorRow{0, "cudaSuccess", "no error"},
    ErrorRow{1, "cudaErrorInvalidValue", "invalid argument"},
    ErrorRow{2, "cudaErrorMemoryAllocation", "out of memory"},
    ErrorRow{3, "cudaErrorInitializationError", "initialization error"},
    ErrorRow{4, "cudaErrorCudartUnloading", "driver shutting down"},
    ErrorRow{9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    ErrorRow{12, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    ErrorRow{13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    ErrorRow{18, "cudaErrorInvalidTexture", "invalid texture reference"},
    ErrorRow{16, "cudaErrorInvalidHostPointer", "invalid host pointer"},
    ErrorRow{17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    ErrorRow{20, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"},
    ErrorRow{21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    ErrorRow{26, "cudaErrorInvalidFilterSetting", "linear filtering not supported for non-float type"},
    ErrorRow{27, "cudaErrorInvalidNormSetting", "read as normalized float not supported for data type"},
    ErrorRow{35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
    ErrorRow{52, "cudaErrorMissingConfiguration", "__global__ function call is not configured"},
    ErrorRow{98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    ErrorRow{100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    ErrorRow{101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    ErrorRow{200, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    ErrorRow{209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"},
    ErrorRow{215, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture"},
    ErrorRow{217, "cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"},
    ErrorRow{218, "cudaErrorInvalidPtx", "a PTX JIT compilation failed"},
    ErrorRow{400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    ErrorRow{401, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
    ErrorRow{500, "cudaErrorSymbolNotFound", "named symbol not found"},
    ErrorRow{600, "cudaErrorNotReady", "device not ready"},
    ErrorRow{700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    ErrorRow{701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    ErrorRow{702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    ErrorRow{704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    ErrorRow{705, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    ErrorRow{710, "cudaErrorAssert", "device-side assert triggered"},
    ErrorRow{712, "cudaErrorHostMemoryAlreadyRegistered",
             "part or all of the requested memory range is already mapped"},
    ErrorRow{713, "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"},
    ErrorRow{715, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
    ErrorRow{716, "cudaErrorMisalignedAddress", "misaligned address"},
    ErrorRow{719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    ErrorRow{720, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    ErrorRow{800, "cudaErrorNotPermitted", "operation not permitted"},
    ErrorRow{801, "cudaErrorNotSupported", "operation not supported"},
    ErrorRow{900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    ErrorRow{901, "cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"},
    ErrorRow{902, "cudaErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences"},
    ErrorRow{903, "cudaErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"},
    ErrorRow{904, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    ErrorRow{905, "cudaErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"},
    ErrorRow{906, "cudaErrorStreamCaptureImplicit",
             "operation would make the legacy stream depend on a capturing blocking stream"},
    ErrorRow{907, "cudaErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"},
    ErrorRow{908, "cudaErrorStreamCaptureWrongThread",
             "attempt to terminate a thread-local capture sequence from another thread"},
    ErrorRow{910, "cudaErrorGraphExecUpdateFailure",
             "the graph update was not performed because it included changes which violated constraints specific to "
             "instantiated graph update"},
    ErrorRow{912, "cudaErrorInvalidClusterSize", "a kernel launch error has occurred due to cluster misconfiguration"},
    ErrorRow{914, "cudaErrorInvalidResourceType", "invalid resource type"},
    ErrorRow{915, "cudaErrorInvalidResourceConfiguration", "invalid resource configuration"},
    ErrorRow{999, "cudaErrorUnknown", "unknown error"},
};

constexpr const char* unrecognized = "unrecognized error code";

const ErrorRow* row_of(int code) {
    const auto* const found =
        std::find_if(errors.begin(), errors.end(), [code](const ErrorRow& row) { return row.code == code; });
    return found == errors.end() ? nullptr : &*found;
}

CudaError sticky() noexcept {
    const auto* runtime = Runtime::existing();
    return runtime == nullptr ? cuda::success : runtime->sticky_error();
}

}  // namespace

GPUPROJ_CUDA_API CudaError cudaGetLastError() {
    if (const auto error = sticky(); error != cuda::success) return error;
    const CudaError error = last_error();
    last_error() = cuda::success;
    return error;
}

GPUPROJ_CUDA_API CudaError cudaPeekAtLastError() {
    const auto error = sticky();
    return error != cuda::success ? error : last_error();
}

GPUPROJ_CUDA_API const char* cudaGetErrorName(int code) {
    const auto* row = row_of(code);
    return row == nullptr ? unrecognized : row->name;
}

GPUPROJ_CUDA_API const char* cudaGetErrorString(int code) {
    const auto* row = row_of(code);
    return row == nullptr ? unrecognized : row->text;
}

GPUPROJ_CUDA_API CudaError cudaProfilerStart() {
    return cuda::success;
}
GPUPROJ_CUDA_API CudaError cudaProfilerStop() {
    return cuda::success;
}

namespace {

CudaError give_version(int* version, int value) {
    if (version == nullptr) return remember(cuda::invalid_value);
    *version = value;
    return cuda::success;
}

}  // namespace

// As new as any program we serve: programs ask whether the driver is new enough for them.
GPUPROJ_CUDA_API CudaError cudaDriverGetVersion(int* version) {
    return give_version(version, 13000);
}

GPUPROJ_CUDA_API CudaError gpuproj_v5_cudaRuntimeGetVersion(int* version) {
    return give_version(version, 5050);
}
GPUPROJ_CUDA_API CudaError gpuproj_v6_cudaRuntimeGetVersion(int* version) {
    return give_version(version, 7050);
}
GPUPROJ_CUDA_API CudaError gpuproj_v8_cudaRuntimeGetVersion(int* version) {
    return give_version(version, 8000);
}
GPUPROJ_CUDA_API CudaError gpuproj_v9_cudaRuntimeGetVersion(int* version) {
    return give_version(version, 9020);
}
GPUPROJ_CUDA_API CudaError gpuproj_v10_cudaRuntimeGetVersion(int* version) {
    return give_version(version, 10020);
}
GPUPROJ_CUDA_API CudaError gpuproj_v11_cudaRuntimeGetVersion(int* version) {
    return give_version(version, 11080);
}
GPUPROJ_CUDA_API CudaError gpuproj_v12_cudaRuntimeGetVersion(int* version) {
    return give_version(version, 12080);
}
GPUPROJ_CUDA_API CudaError gpuproj_v13_cudaRuntimeGetVersion(int* version) {
    return give_version(version, 13000);
}

}  // namespace gpuproj::simulate
