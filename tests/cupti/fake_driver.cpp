// In place of the driver: names two GPUs, and says of streams what their handles tell (fake_cupti.hpp).
#include <cuda.h>

#include <cstdint>
#include <cstdio>

#include "tests/cupti/fake_cupti.hpp"

extern "C" {

CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
    std::snprintf(name, static_cast<std::size_t>(bytes), "GPU %d", device);
    return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
    const bool captured = reinterpret_cast<std::uintptr_t>(stream) == gpuproj::test::captured_stream;
    *status = captured ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}
}
