// cuFFT on the host: executing plans, and what is set of them. Sources of facts: the manual of cuFFT (section "cuFFT
// API Reference") for what functions take and give.
#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "collector/simulate/libraries/cufft_plan.hpp"

namespace gpuproj::simulate::libraries::cufft {

namespace {

int execute(const char* function, int handle, int type, void* in, void* out, int direction) {
    std::shared_ptr<Calculation> calculation;
    void* stream = nullptr;
    const int code = with_plan(handle, [&](Plan& plan) -> int {
        if (!plan.layout || plan.layout->type != type) return invalid_plan;
        if (in == nullptr || out == nullptr || (direction != forward && direction != inverse)) return invalid_value;
        auto& made = plan.calculations[direction == forward ? 0 : 1];
        if (!made) made = std::make_shared<Calculation>(*plan.layout, static_cast<Direction>(direction));
        calculation = made;
        stream = plan.stream;
        return success;
    });
    if (code != success) return code;
    return do_in_stream(statuses, library, function, stream, [calculation, in, out] { calculation->run(in, out); });
}

struct Version {
    int major, minor, patch;
};

// Of the toolkit that has a library of the name under which this one was loaded: 11.8, 12.8 or 13.0.
Version version() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&plans), &here) == 0 || here.dli_fname == nullptr) return {12, 0, 0};
    const std::string_view name = here.dli_fname;
    const auto number = name.rfind(".so.");
    if (number == std::string_view::npos) return {12, 0, 0};
    switch (std::atoi(name.data() + number + 4)) {
        case 10:
            return {10, 9, 0};
        case 11:
            return {11, 3, 3};
        default:
            return {12, 0, 0};
    }
}

}  // namespace

/// Transform all items of a plan of that type from `in` to `out`, in the order of its stream; not divided by the number
/// of elements in either direction.
GPUPROJ_LIBRARY_API int cufftExecC2C(int handle, void* in, void* out, int direction) {
    return execute(__func__, handle, c2c, in, out, direction);
}
GPUPROJ_LIBRARY_API int cufftExecZ2Z(int handle, void* in, void* out, int direction) {
    return execute(__func__, handle, z2z, in, out, direction);
}
GPUPROJ_LIBRARY_API int cufftExecR2C(int handle, void* in, void* out) {
    return execute(__func__, handle, r2c, in, out, forward);
}
GPUPROJ_LIBRARY_API int cufftExecD2Z(int handle, void* in, void* out) {
    return execute(__func__, handle, d2z, in, out, forward);
}
GPUPROJ_LIBRARY_API int cufftExecC2R(int handle, void* in, void* out) {
    return execute(__func__, handle, c2r, in, out, inverse);
}
GPUPROJ_LIBRARY_API int cufftExecZ2D(int handle, void* in, void* out) {
    return execute(__func__, handle, z2d, in, out, inverse);
}

/// The same for a plan of any type; a direction matters where both sides are complex.
GPUPROJ_LIBRARY_API int cufftXtExec(int handle, void* in, void* out, int direction) {
    int type = 0;
    const int code = with_plan(handle, [&](Plan& plan) -> int {
        if (!plan.layout) return invalid_plan;
        type = plan.layout->type;
        return success;
    });
    if (code != success) return code;
    if (is_from_real(type)) direction = forward;
    if (is_to_real(type)) direction = inverse;
    return execute(__func__, handle, type, in, out, direction);
}

/// What was put into the stream already is still done.
GPUPROJ_LIBRARY_API int cufftDestroy(int handle) {
    constexpr int null_plan = -1;  // CUFFT_PLAN_NULL, which may be destroyed
    if (handle == null_plan) return success;
    return handle > 0 && plans().remove(static_cast<std::uintptr_t>(handle)) ? success : invalid_plan;
}

/// `stream`: of what is executed from now on.
GPUPROJ_LIBRARY_API int cufftSetStream(int handle, void* stream) {
    return with_plan(handle, [&](Plan& plan) {
        plan.stream = stream;
        return success;
    });
}

/// No work area is needed, so that any is as good as another.
GPUPROJ_LIBRARY_API int cufftSetWorkArea(int handle, void*) {
    return with_plan(handle, [](Plan&) { return success; });
}
GPUPROJ_LIBRARY_API int cufftSetAutoAllocation(int handle, int) {
    return with_plan(handle, [](Plan&) { return success; });
}

/// Properties are about the time that kernels of cuFFT would take to make: kept, and nothing else.
GPUPROJ_LIBRARY_API int cufftSetPlanPropertyInt64(int handle, int property, long long value) {
    return with_plan(handle, [&](Plan& plan) {
        plan.properties[property] = value;
        return success;
    });
}
GPUPROJ_LIBRARY_API int cufftGetPlanPropertyInt64(int handle, int property, long long* value) {
    return with_plan(handle, [&](Plan& plan) -> int {
        if (value == nullptr) return invalid_value;
        const auto kept = plan.properties.find(property);
        *value = kept == plan.properties.end() ? 0 : kept->second;
        return success;
    });
}
GPUPROJ_LIBRARY_API int cufftResetPlanProperty(int handle, int property) {
    return with_plan(handle, [&](Plan& plan) {
        plan.properties.erase(property);
        return success;
    });
}

/// 1000 major + 100 minor + patch.
GPUPROJ_LIBRARY_API int cufftGetVersion(int* number) {
    if (number == nullptr) return invalid_value;
    const auto [major, minor, patch] = version();
    *number = major * 1000 + minor * 100 + patch;
    return success;
}

/// `type`, a libraryPropertyType: 0 to 2 for the parts of the version.
GPUPROJ_LIBRARY_API int cufftGetProperty(int type, int* value) {
    if (value == nullptr) return invalid_value;
    if (type < 0 || type > 2) return invalid_type;
    const auto [major, minor, patch] = version();
    *value = std::array{major, minor, patch}[static_cast<std::size_t>(type)];
    return success;
}

}  // namespace gpuproj::simulate::libraries::cufft
