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

// All of CUDA 13, by code: programs print tables of them, and what libraries beside this one give.
constexpr std::array errors{
    ErrorRow{0, "cudaSuccess", "no error"},
    ErrorRow{1, "cudaErrorInvalidValue", "invalid argument"},
    ErrorRow{2, "cudaErrorMemoryAllocation", "out of memory"},
    ErrorRow{3, "cudaErrorInitializationError", "initialization error"},
    ErrorRow{4, "cudaErrorCudartUnloading", "driver shutting down"},
    ErrorRow{5, "cudaErrorProfilerDisabled", "profiler disabled while using external profiling tool"},
    ErrorRow{6, "cudaErrorProfilerNotInitialized", "profiler not initialized: call cudaProfilerInitialize()"},
    ErrorRow{7, "cudaErrorProfilerAlreadyStarted", "profiler already started"},
    ErrorRow{8, "cudaErrorProfilerAlreadyStopped", "profiler already stopped"},
    ErrorRow{9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    ErrorRow{12, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    ErrorRow{13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    ErrorRow{16, "cudaErrorInvalidHostPointer", "invalid host pointer"},
    ErrorRow{17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    ErrorRow{18, "cudaErrorInvalidTexture", "invalid texture reference"},
    ErrorRow{19, "cudaErrorInvalidTextureBinding", "texture is not bound to a pointer"},
    ErrorRow{20, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"},
    ErrorRow{21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    ErrorRow{22, "cudaErrorAddressOfConstant", "invalid address of constant"},
    ErrorRow{23, "cudaErrorTextureFetchFailed", "fetch from texture failed"},
    ErrorRow{24, "cudaErrorTextureNotBound", "cannot fetch from a texture that is not bound"},
    ErrorRow{25, "cudaErrorSynchronizationError", "incorrect use of __syncthreads()"},
    ErrorRow{26, "cudaErrorInvalidFilterSetting", "linear filtering not supported for non-float type"},
    ErrorRow{27, "cudaErrorInvalidNormSetting", "read as normalized float not supported for data type"},
    ErrorRow{28, "cudaErrorMixedDeviceExecution", "device emulation mode and device execution mode cannot be mixed"},
    ErrorRow{31, "cudaErrorNotYetImplemented", "feature not yet implemented"},
    ErrorRow{32, "cudaErrorMemoryValueTooLarge", "memory size or pointer value too large to fit in 32 bit"},
    ErrorRow{34, "cudaErrorStubLibrary", "CUDA driver is a stub library"},
    ErrorRow{35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
    ErrorRow{36, "cudaErrorCallRequiresNewerDriver", "API call is not supported in the installed CUDA driver"},
    ErrorRow{37, "cudaErrorInvalidSurface", "invalid surface reference"},
    ErrorRow{43, "cudaErrorDuplicateVariableName", "duplicate global variable looked up by string name"},
    ErrorRow{44, "cudaErrorDuplicateTextureName", "duplicate texture looked up by string name"},
    ErrorRow{45, "cudaErrorDuplicateSurfaceName", "duplicate surface looked up by string name"},
    ErrorRow{46, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    ErrorRow{49, "cudaErrorIncompatibleDriverContext", "incompatible driver context"},
    ErrorRow{52, "cudaErrorMissingConfiguration", "__global__ function call is not configured"},
    ErrorRow{53, "cudaErrorPriorLaunchFailure", "unspecified launch failure in prior launch"},
    ErrorRow{65, "cudaErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth of nested launches"},
    ErrorRow{66, "cudaErrorLaunchFileScopedTex",
             "launch failed because kernel uses unsupported, file-scoped textures (texture objects are supported)"},
    ErrorRow{67, "cudaErrorLaunchFileScopedSurf",
             "launch failed because kernel uses unsupported, file-scoped surfaces (surface objects are supported)"},
    ErrorRow{68, "cudaErrorSyncDepthExceeded",
             "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth"},
    ErrorRow{69, "cudaErrorLaunchPendingCountExceeded",
             "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"},
    ErrorRow{98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    ErrorRow{100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    ErrorRow{101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    ErrorRow{102, "cudaErrorDeviceNotLicensed", "device doesn't have valid Grid license"},
    ErrorRow{103, "cudaErrorSoftwareValidityNotEstablished", "integrity checks failed"},
    ErrorRow{127, "cudaErrorStartupFailure", "startup failure in cuda runtime"},
    ErrorRow{200, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    ErrorRow{201, "cudaErrorDeviceUninitialized", "invalid device context"},
    ErrorRow{205, "cudaErrorMapBufferObjectFailed", "mapping of buffer object failed"},
    ErrorRow{206, "cudaErrorUnmapBufferObjectFailed", "unmapping of buffer object failed"},
    ErrorRow{207, "cudaErrorArrayIsMapped", "array is mapped"},
    ErrorRow{208, "cudaErrorAlreadyMapped", "resource already mapped"},
    ErrorRow{209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"},
    ErrorRow{210, "cudaErrorAlreadyAcquired", "resource already acquired"},
    ErrorRow{211, "cudaErrorNotMapped", "resource not mapped"},
    ErrorRow{212, "cudaErrorNotMappedAsArray", "resource not mapped as array"},
    ErrorRow{213, "cudaErrorNotMappedAsPointer", "resource not mapped as pointer"},
    ErrorRow{214, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    ErrorRow{215, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture"},
    ErrorRow{216, "cudaErrorDeviceAlreadyInUse", "exclusive-thread device already in use by a different thread"},
    ErrorRow{217, "cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"},
    ErrorRow{218, "cudaErrorInvalidPtx", "a PTX JIT compilation failed"},
    ErrorRow{219, "cudaErrorInvalidGraphicsContext", "invalid OpenGL or DirectX context"},
    ErrorRow{220, "cudaErrorNvlinkUncorrectable", "uncorrectable NVLink error detected during the execution"},
    ErrorRow{221, "cudaErrorJitCompilerNotFound", "PTX JIT compiler library not found"},
    ErrorRow{222, "cudaErrorUnsupportedPtxVersion", "the provided PTX was compiled with an unsupported toolchain."},
    ErrorRow{223, "cudaErrorJitCompilationDisabled", "PTX JIT compilation was disabled"},
    ErrorRow{224, "cudaErrorUnsupportedExecAffinity", "the provided execution affinity is not supported"},
    ErrorRow{225, "cudaErrorUnsupportedDevSideSync",
             "the provided PTX contains unsupported call to cudaDeviceSynchronize"},
    ErrorRow{226, "cudaErrorContained", "Invalid access of peer GPU memory over nvlink or a hardware error"},
    ErrorRow{300, "cudaErrorInvalidSource", "device kernel image is invalid"},
    ErrorRow{301, "cudaErrorFileNotFound", "file not found"},
    ErrorRow{302, "cudaErrorSharedObjectSymbolNotFound", "shared object symbol not found"},
    ErrorRow{303, "cudaErrorSharedObjectInitFailed", "shared object initialization failed"},
    ErrorRow{304, "cudaErrorOperatingSystem", "OS call failed or operation not supported on this OS"},
    ErrorRow{400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    ErrorRow{401, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
    ErrorRow{402, "cudaErrorLossyQuery", "attempted introspection would be semantically lossy"},
    ErrorRow{500, "cudaErrorSymbolNotFound", "named symbol not found"},
    ErrorRow{600, "cudaErrorNotReady", "device not ready"},
    ErrorRow{700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    ErrorRow{701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    ErrorRow{702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    ErrorRow{703, "cudaErrorLaunchIncompatibleTexturing", "launch uses incompatible texturing mode"},
    ErrorRow{704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    ErrorRow{705, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    ErrorRow{708, "cudaErrorSetOnActiveProcess", "cannot set while device is active in this process"},
    ErrorRow{709, "cudaErrorContextIsDestroyed", "context is destroyed"},
    ErrorRow{710, "cudaErrorAssert", "device-side assert triggered"},
    ErrorRow{711, "cudaErrorTooManyPeers", "peer mapping resources exhausted"},
    ErrorRow{712, "cudaErrorHostMemoryAlreadyRegistered",
             "part or all of the requested memory range is already mapped"},
    ErrorRow{713, "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"},
    ErrorRow{714, "cudaErrorHardwareStackError", "hardware stack error"},
    ErrorRow{715, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
    ErrorRow{716, "cudaErrorMisalignedAddress", "misaligned address"},
    ErrorRow{717, "cudaErrorInvalidAddressSpace", "operation not supported on global/shared address space"},
    ErrorRow{718, "cudaErrorInvalidPc", "invalid program counter"},
    ErrorRow{719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    ErrorRow{720, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    ErrorRow{721, "cudaErrorTensorMemoryLeak", "tensor memory not completely freed"},
    ErrorRow{800, "cudaErrorNotPermitted", "operation not permitted"},
    ErrorRow{801, "cudaErrorNotSupported", "operation not supported"},
    ErrorRow{802, "cudaErrorSystemNotReady", "system not yet initialized"},
    ErrorRow{803, "cudaErrorSystemDriverMismatch", "system has unsupported display driver / cuda driver combination"},
    ErrorRow{804, "cudaErrorCompatNotSupportedOnDevice", "forward compatibility was attempted on non supported HW"},
    ErrorRow{805, "cudaErrorMpsConnectionFailed",
             "MPS client failed to connect to the MPS control daemon or the MPS server"},
    ErrorRow{806, "cudaErrorMpsRpcFailure",
             "the remote procedural call between the MPS server and the MPS client failed"},
    ErrorRow{807, "cudaErrorMpsServerNotReady", "MPS server is not ready to accept new MPS client requests"},
    ErrorRow{808, "cudaErrorMpsMaxClientsReached",
             "the hardware resources required to create MPS client have been exhausted"},
    ErrorRow{809, "cudaErrorMpsMaxConnectionsReached",
             "the hardware resources required to support device connections have been exhausted"},
    ErrorRow{810, "cudaErrorMpsClientTerminated", "the MPS client has been terminated by the server"},
    ErrorRow{811, "cudaErrorCdpNotSupported",
             "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it"},
    ErrorRow{812, "cudaErrorCdpVersionMismatch",
             "unsupported interaction between different versions of CUDA Dynamic Parallelism"},
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
    ErrorRow{909, "cudaErrorTimeout", "wait operation timed out"},
    ErrorRow{910, "cudaErrorGraphExecUpdateFailure",
             "the graph update was not performed because it included changes which violated constraints specific to "
             "instantiated graph update"},
    ErrorRow{911, "cudaErrorExternalDevice", "an async error has occured in external entity outside of CUDA"},
    ErrorRow{912, "cudaErrorInvalidClusterSize", "a kernel launch error has occurred due to cluster misconfiguration"},
    ErrorRow{913, "cudaErrorFunctionNotLoaded",
             "the function handle is not loaded when calling an API that requires a loaded function"},
    ErrorRow{914, "cudaErrorInvalidResourceType",
             "one or more resources passed in are not valid resource types for the operation"},
    ErrorRow{915, "cudaErrorInvalidResourceConfiguration",
             "one or more resources are insufficient or non-applicable for the operation"},
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
