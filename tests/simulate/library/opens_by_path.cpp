// Opens CUDA's libraries by their paths, as packages do that find a toolkit themselves: opens_by_path LIBCUDA LIBCUDART
// PTX. What NVIDIA's answer without a driver is an error.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace {

template <class Function>
Function* from(void* library, const char* name) {
    return reinterpret_cast<Function*>(dlsym(library, name));
}

void* opened(const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) std::printf("%s\n", dlerror());
    return library;
}

// As Python's ctypes looks for it.
bool driver_is_in_library_path() {
    const char* const path = std::getenv("LD_LIBRARY_PATH");
    std::stringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');)
        if (std::ifstream(folder + "/libcuda.so.1").good() && std::ifstream(folder + "/libcuda.so").good()) return true;
    return false;
}

}  // namespace

int main(int, char** words) {
    if (!driver_is_in_library_path()) return 18;
    void* driver = opened(words[1]);
    void* runtime = opened(words[2]);
    if (driver == nullptr || runtime == nullptr) return 10;
    int version = 0;
    if (from<int(int*)>(runtime, "cudaRuntimeGetVersion")(&version) != 0 || version < 11000) return 11;
    void* memory = nullptr;
    if (from<int(void**, std::size_t)>(runtime, "cudaMalloc")(&memory, 4 * sizeof(int)) != 0) return 12;
    int values[4] = {1, 2, 3, 4};
    const auto copy = from<int(void*, const void*, std::size_t, int)>(runtime, "cudaMemcpy");
    if (copy(memory, values, sizeof values, 1) != 0) return 13;

    std::stringstream ptx;
    ptx << std::ifstream(words[3]).rdbuf();
    void *module = nullptr, *kernel = nullptr;
    if (from<int(void**, const void*)>(driver, "cuModuleLoadData")(&module, ptx.str().c_str()) != 0) return 14;
    if (from<int(void**, void*, const char*)>(driver, "cuModuleGetFunction")(&kernel, module, "reverse") != 0)
        return 15;
    using Launch =
        int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
    void* arguments[] = {&memory};
    if (from<Launch>(driver, "cuLaunchKernel")(kernel, 1, 1, 1, 4, 1, 1, 16, nullptr, arguments, nullptr) != 0)
        return 16;
    if (copy(values, memory, sizeof values, 2) != 0) return 17;
    const bool right = values[0] == 4 && values[1] == 3 && values[2] == 2 && values[3] == 1;
    std::puts(right ? "PASSED" : "FAILED");
    return right ? 0 : 1;
}
