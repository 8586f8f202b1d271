// Launches as before CUDA 4.0: shape and parameters are set at the function, one call after the other, and stay there.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/module.hpp"

namespace gpuproj::simulate::driver {

extern "C" CudaError cuLaunchKernel(const void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                    void*, void**, void**);

namespace {

constexpr std::size_t most_bytes = 32764;  // of parameters

struct Steps {
    cuda::Dim block{0, 0, 0};
    unsigned shared = 0;
    std::vector<std::byte> parameters;
};

class AllSteps {
public:
    static AllSteps& instance() {
        static auto* const all = new AllSteps;
        return *all;
    }
    template <class Change>
    CudaError change(const char* name, const void* function, Change&& how) {
        return call(name, [&](Runtime&) -> CudaError {
            if (kernel_of(function) == nullptr) return cuda::invalid_resource_handle;
            const std::lock_guard lock(mutex_);
            return how(of_[function]);
        });
    }

private:
    std::mutex mutex_;
    std::map<const void*, Steps> of_;
};

CudaError set_parameter(const char* name, const void* function, int offset, const void* value, std::size_t bytes) {
    return AllSteps::instance().change(name, function, [&](Steps& steps) {
        if (offset < 0 || value == nullptr || bytes > most_bytes ||
            static_cast<std::size_t>(offset) > most_bytes - bytes)
            return cuda::invalid_value;
        const auto begin = static_cast<std::size_t>(offset);
        steps.parameters.resize(std::max(steps.parameters.size(), begin + bytes));
        std::memcpy(steps.parameters.data() + begin, value, bytes);
        return cuda::success;
    });
}

CudaError launch_steps(const char* name, const void* function, int width, int height, void* stream) {
    Steps now;
    const auto code = AllSteps::instance().change(name, function, [&](const Steps& steps) {
        if (width < 1 || height < 1) return cuda::invalid_value;
        now = steps;
        return cuda::success;
    });
    if (code != cuda::success) return code;
    std::size_t bytes = now.parameters.size();
    constexpr std::uintptr_t buffer_pointer = 1, buffer_size = 2;  // CU_LAUNCH_PARAM_*
    void* packed[] = {reinterpret_cast<void*>(buffer_pointer), now.parameters.data(),
                      reinterpret_cast<void*>(buffer_size), &bytes, nullptr};
    return cuLaunchKernel(function, static_cast<unsigned>(width), static_cast<unsigned>(height), 1, now.block.x,
                          now.block.y, now.block.z, now.shared, stream, nullptr, packed);
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuFuncSetBlockShape(const void* function, int x, int y, int z) {
    return AllSteps::instance().change(__func__, function, [&](Steps& steps) {
        if (x < 1 || y < 1 || z < 1) return cuda::invalid_value;
        steps.block = {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuFuncSetSharedSize(const void* function, unsigned bytes) {
    return AllSteps::instance().change(__func__, function, [&](Steps& steps) {
        steps.shared = bytes;
        return cuda::success;
    });
}
// What was set behind that size is no longer a parameter; what is set later makes room for itself.
GPUPROJ_CUDA_API CudaError cuParamSetSize(const void* function, unsigned bytes) {
    return AllSteps::instance().change(__func__, function, [&](Steps& steps) {
        if (bytes > most_bytes) return cuda::invalid_value;
        steps.parameters.resize(bytes);
        return cuda::success;
    });
}
GPUPROJ_CUDA_API CudaError cuParamSeti(const void* function, int offset, unsigned value) {
    return set_parameter(__func__, function, offset, &value, sizeof value);
}
GPUPROJ_CUDA_API CudaError cuParamSetf(const void* function, int offset, float value) {
    return set_parameter(__func__, function, offset, &value, sizeof value);
}
GPUPROJ_CUDA_API CudaError cuParamSetv(const void* function, int offset, const void* value, unsigned bytes) {
    return set_parameter(__func__, function, offset, value, bytes);
}
GPUPROJ_CUDA_API CudaError cuLaunch(const void* function) {
    return launch_steps(__func__, function, 1, 1, nullptr);
}
GPUPROJ_CUDA_API CudaError cuLaunchGrid(const void* function, int width, int height) {
    return launch_steps(__func__, function, width, height, nullptr);
}
GPUPROJ_CUDA_API CudaError cuLaunchGridAsync(const void* function, int width, int height, void* stream) {
    return launch_steps(__func__, function, width, height, stream);
}

}  // namespace gpuproj::simulate::driver
