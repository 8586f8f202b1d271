// Links two texts of PTX, and two of intermediate code, by nvJitLink that it opens by its path, and loads what it gets
// as machine code: opens_jit_link LIBNVJITLINK LIBNVRTC.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tests/simulate/checks.hpp"

namespace {

template <class Function>
Function* function_of(const char* library, const char* name) {
    void* opened = dlopen(library, RTLD_NOW);
    return opened == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(opened, name));
}

// What NVRTC makes of `source`: KIND is PTX or LTOIR.
std::string compiled(const char* nvrtc, const char* source, const std::string& kind) {
    using Create = int(void**, const char*, const char*, int, const char**, const char**);
    void* program = nullptr;
    CHECK(function_of<Create>(nvrtc, "nvrtcCreateProgram")(&program, source, "unit.cu", 0, nullptr, nullptr) == 0);
    const char* options[]{"-arch=compute_80", "-rdc=true", "-dlto"};
    CHECK(function_of<int(void*, int, const char**)>(nvrtc, "nvrtcCompileProgram")(program, kind == "LTOIR" ? 3 : 2,
                                                                                   options) == 0);
    std::size_t bytes = 0;
    CHECK(function_of<int(void*, std::size_t*)>(nvrtc, ("nvrtcGet" + kind + "Size").c_str())(program, &bytes) == 0);
    std::string code(bytes, '\0');
    CHECK(function_of<int(void*, char*)>(nvrtc, ("nvrtcGet" + kind).c_str())(program, code.data()) == 0);
    return code;
}

std::vector<char> linked(const char* jit_link, const std::vector<std::string>& units, int type, bool lto) {
    void* link = nullptr;
    const char* options[]{"-arch=sm_80", "-lto"};
    CHECK(function_of<int(void**, unsigned, const char**)>(jit_link, "nvJitLinkCreate")(&link, lto ? 2 : 1, options) ==
          0);
    for (const auto& unit : units)
        CHECK(function_of<int(void*, int, const void*, std::size_t, const char*)>(jit_link, "nvJitLinkAddData")(
                  link, type, unit.data(), unit.size(), "unit") == 0);
    CHECK(function_of<int(void*)>(jit_link, "nvJitLinkComplete")(link) == 0);
    std::size_t bytes = 0;
    CHECK(function_of<int(void*, std::size_t*)>(jit_link, "nvJitLinkGetErrorLogSize")(link, &bytes) == 0);
    std::vector<char> log(bytes);
    CHECK(function_of<int(void*, char*)>(jit_link, "nvJitLinkGetErrorLog")(link, log.data()) == 0);
    CHECK(std::strlen(log.data()) == 0);
    CHECK(function_of<int(void*, std::size_t*)>(jit_link, "nvJitLinkGetLinkedCubinSize")(link, &bytes) == 0);
    std::vector<char> code(bytes);
    CHECK(function_of<int(void*, void*)>(jit_link, "nvJitLinkGetLinkedCubin")(link, code.data()) == 0);
    CHECK(function_of<int(void**)>(jit_link, "nvJitLinkDestroy")(&link) == 0);
    CHECK(link == nullptr);
    return code;
}

// The kernel squares and adds one, of which the one unit has the kernel and the other the function.
void check_code(const std::vector<char>& code) {
    void *module = nullptr, *kernel = nullptr, *context = nullptr;
    unsigned long long values = 0;
    using Launch =
        int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
    const char* const cuda = "libcuda.so.1";
    CHECK(function_of<int(unsigned)>(cuda, "cuInit")(0) == 0);
    CHECK(function_of<int(void**, int)>(cuda, "cuDevicePrimaryCtxRetain")(&context, 0) == 0);
    CHECK(function_of<int(void*)>(cuda, "cuCtxSetCurrent")(context) == 0);
    CHECK(function_of<int(void**, const void*)>(cuda, "cuModuleLoadData")(&module, code.data()) == 0);
    CHECK(function_of<int(void**, void*, const char*)>(cuda, "cuModuleGetFunction")(&kernel, module, "fill") == 0);
    CHECK(function_of<int(unsigned long long*, std::size_t)>(cuda, "cuMemAlloc_v2")(&values, 128) == 0);
    void* arguments[]{&values};
    CHECK(function_of<Launch>(cuda, "cuLaunchKernel")(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) == 0);
    int back[32]{};
    CHECK(function_of<int(void*, unsigned long long, std::size_t)>(cuda, "cuMemcpyDtoH_v2")(back, values, 128) == 0);
    for (int i = 0; i < 32; ++i) CHECK(back[i] == i * i + 1);
}

}  // namespace

int main(int, char** words) {
    const char *jit_link = words[1], *nvrtc = words[2];
    const char* const kernel =
        "extern __device__ int f(int);\n"
        "extern \"C\" __global__ void fill(int* values) { values[threadIdx.x] = f(threadIdx.x); }";
    const char* const function = "__device__ int f(int x) { return x * x + 1; }";
    constexpr int ptx = 2, ltoir = 3;  // nvJitLinkInputType
    check_code(linked(jit_link, {compiled(nvrtc, kernel, "PTX"), compiled(nvrtc, function, "PTX")}, ptx, false));
    check_code(linked(jit_link, {compiled(nvrtc, kernel, "LTOIR"), compiled(nvrtc, function, "LTOIR")}, ltoir, true));
    void* nothing = nullptr;
    CHECK(function_of<int(void**, unsigned, const char**)>(jit_link, "nvJitLinkCreate")(&nothing, 0, nullptr) == 2);
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures;
}
