#include "collector/cupti/driver.hpp"

#include <dlfcn.h>

#include <array>

namespace gpuproj::cupti {

namespace {

/// A function of the driver by its name; nullptr where no driver is loaded, or has none.
template <class Function>
Function driver_function(const char* name) {
    void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver == nullptr) return nullptr;
    const auto function = reinterpret_cast<Function>(dlsym(driver, name));
    dlclose(driver);  // the application holds it
    return function;
}

}  // namespace

std::string device_name(std::uint32_t device) {
    using GetName = CUresult (*)(char*, int, CUdevice);
    const auto get_name = driver_function<GetName>("cuDeviceGetName");
    std::array<char, 256> name{};
    const bool named =
        get_name != nullptr && get_name(name.data(), name.size() - 1, static_cast<CUdevice>(device)) == CUDA_SUCCESS;
    return named ? name.data() : "";
}

bool is_capturing(CUstream stream, bool per_thread) {
    using IsCapturing = CUresult (*)(CUstream, CUstreamCaptureStatus*);
    static const auto ask = driver_function<IsCapturing>("cuStreamIsCapturing");
    if (ask == nullptr) return false;
    if (stream == nullptr && per_thread) stream = CU_STREAM_PER_THREAD;
    // The legacy stream answers with an error while another one is captured, and cannot be captured itself.
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return ask(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

std::string context_error() {
    using Synchronise = CUresult (*)();
    using GetName = CUresult (*)(CUresult, const char**);
    const auto synchronise = driver_function<Synchronise>("cuCtxSynchronize");
    const auto get_name = driver_function<GetName>("cuGetErrorName");
    if (synchronise == nullptr || get_name == nullptr) return {};
    const auto result = synchronise();
    const char* name = nullptr;
    return result != CUDA_SUCCESS && get_name(result, &name) == CUDA_SUCCESS && name != nullptr ? name : "";
}

}  // namespace gpuproj::cupti
