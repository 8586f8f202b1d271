#include "collector/simulate/runtime/api.hpp"

namespace gpuproj::simulate {

cuda::CudaError& last_error() noexcept {
    thread_local cuda::CudaError error = cuda::success;
    return error;
}

bool& used_runtime_api() noexcept {
    thread_local bool used = false;
    return used;
}

cuda::CudaError remember(cuda::CudaError code) noexcept {
    // What is not ready is an answer, and no error.
    if (code != cuda::success && code != cuda::not_ready) last_error() = code;
    return code;
}

void report(const char* function, const Refused& refused) noexcept {
    auto* runtime = Runtime::existing();
    if (runtime == nullptr) return;
    try {
        runtime->recorder().failure({std::string(refused.kind()), std::string(function) + ": " + refused.what(),
                                     std::nullopt, refused.advice()});
    } catch (...) {  // NOLINT(bugprone-empty-catch): no memory to say it with
    }
}

void report(const char* function, const std::exception& error) noexcept {
    report(function, Refused(cuda::unknown, error.what(), "please report this", records::internal));
}

}  // namespace gpuproj::simulate
