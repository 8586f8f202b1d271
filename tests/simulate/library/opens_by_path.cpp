// Opens the CUDA libraries by paths, as Python's packages do. What lies at these paths is no library: only stand-ins
// can be opened there. With the path of NVRTC: compiles a kernel with that, too, and asks for its machine code.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/simulate/checks.hpp"

namespace fs = std::filesystem;

namespace {

template <class Function>
Function* function_of(const fs::path& library, const char* name) {
    void* opened = dlopen(library.c_str(), RTLD_NOW);
    return opened == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(opened, name));
}

int version_by(const fs::path& library, const char* function) {
    int version = -1;
    auto* const ask = function_of<int(int*)>(library, function);
    return ask == nullptr || ask(&version) != 0 ? -1 : version;
}

void check_paths() {
    std::string made = (fs::temp_directory_path() / "opens_by_path.XXXXXX").string();
    const fs::path directory = mkdtemp(made.data());
    for (const char* file : {"libcudart.so.11.8.89", "libcudart.so.12.9.99", "libcuda.so.1"})
        std::ofstream(directory / file) << "no library";
    fs::create_symlink("libcudart.so.11.8.89", directory / "libcudart.so");
    CHECK(version_by(directory / "libcudart.so.12.9.99", "cudaRuntimeGetVersion") / 1000 == 12);
    CHECK(version_by(directory / "libcudart.so", "cudaRuntimeGetVersion") == 11080);
    CHECK(version_by(directory / "libcuda.so.1", "cuDriverGetVersion") >= 12000);
    CHECK(dlopen((directory / "libcudart.so.99").c_str(), RTLD_NOW) == nullptr);
    fs::remove_all(directory);
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

int main(int count, char** words) {
    check_paths();
    const std::string self = words[0];
    auto* const run = function_of<int()>(self.substr(0, self.rfind('/') + 1) + "libdoubling.so", "run_doubling");
    CHECK(run != nullptr && run() == 0);
    if (count > 1) check_nvrtc(words[1]);
    return failures;
}
