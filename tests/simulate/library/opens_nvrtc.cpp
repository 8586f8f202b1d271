// Opens NVRTC by its path and asks it by dlsym, as Python's packages do, for the machine code of a kernel: opens_nvrtc
// LIBNVRTC. What it gets is PTX, which the driver loads as well.
#include <dlfcn.h>

#include <cstdio>
#include <vector>

#include "tests/simulate/checks.hpp"

namespace {

template <class Function>
Function* function_of(const char* library, const char* name) {
    void* opened = dlopen(library, RTLD_NOW);
    return opened == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(opened, name));
}

void check_nvrtc(const char* nvrtc) {
    using Create = int(void**, const char*, const char*, int, const char**, const char**);
    void* program = nullptr;
    const char* const source = "extern \"C\" __global__ void twice(int* values) { values[threadIdx.x] *= 2; }";
    CHECK(function_of<Create>(nvrtc, "nvrtcCreateProgram")(&program, source, "twice.cu", 0, nullptr, nullptr) == 0);
    const char* option = "-arch=sm_80";
    CHECK(function_of<int(void*, int, const char**)>(nvrtc, "nvrtcCompileProgram")(program, 1, &option) == 0);
    std::size_t bytes = 0;
    CHECK(function_of<int(void*, std::size_t*)>(nvrtc, "nvrtcGetCUBINSize")(program, &bytes) == 0);
    std::vector<char> code(bytes);
    CHECK(function_of<int(void*, char*)>(nvrtc, "nvrtcGetCUBIN")(program, code.data()) == 0);

    void* module = nullptr;
    void* kernel = nullptr;
    unsigned long long values = 0;
    using Launch =
        int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
    void* context = nullptr;
    CHECK(function_of<int(unsigned)>("libcuda.so.1", "cuInit")(0) == 0);
    CHECK(function_of<int(void**, int)>("libcuda.so.1", "cuDevicePrimaryCtxRetain")(&context, 0) == 0);
    CHECK(function_of<int(void*)>("libcuda.so.1", "cuCtxSetCurrent")(context) == 0);
    CHECK(function_of<int(void**, const void*)>("libcuda.so.1", "cuModuleLoadData")(&module, code.data()) == 0);
    CHECK(function_of<int(void**, void*, const char*)>("libcuda.so.1", "cuModuleGetFunction")(&kernel, module,
                                                                                              "twice") == 0);
    CHECK(function_of<int(unsigned long long*, std::size_t)>("libcuda.so.1", "cuMemAlloc_v2")(&values, 128) == 0);
    void* arguments[]{&values};
    CHECK(function_of<Launch>("libcuda.so.1", "cuLaunchKernel")(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments,
                                                                nullptr) == 0);
}

}  // namespace

int main(int, char** words) {
    check_nvrtc(words[1]);
    return failures;
}
