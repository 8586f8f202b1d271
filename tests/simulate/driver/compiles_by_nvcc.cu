// Compiles kernels.cu by the nvcc in the PATH to machine code, as PyCUDA does, and loads that by the driver API.
// Arguments: kernels.cu, options of nvcc.
#include <cuda.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "driver.hpp"

int main(int count, char** arguments) {
    char place[] = "/tmp/gpuproj-nvcc-XXXXXX";
    CHECK(mkdtemp(place) != nullptr && chdir(place) == 0);
    std::string command = "nvcc --cubin -arch=sm_75";
    for (int i = 2; i < count; ++i) command += std::string(" ") + arguments[i];
    command += std::string(" ") + arguments[1];
    CHECK(std::system(command.c_str()) == 0);
    // Programs look for the rest of the toolkit from there on.
    CHECK(std::system("test -d \"$(dirname \"$(command -v nvcc)\")/../include\"") == 0);
    use_primary_context();
    CUmodule module;
    CUfunction mix;
    OK(cuModuleLoad(&module, "kernels.cubin"));
    CHECK(std::remove("kernels.cubin") == 0 && chdir("/") == 0 && rmdir(place) == 0);
    OK(cuModuleGetFunction(&mix, module, "mix"));
    CUdeviceptr out;
    OK(cuMemAlloc(&out, sizeof(float)));
    char a = 7;
    double b = 2.5;
    short c = 4;
    void* parameters[] = {&a, &b, &c, &out};
    OK(cuLaunchKernel(mix, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    float result = 0;
    OK(cuMemcpyDtoH(&result, out, sizeof result));
    CHECK(result == 17);
    if (failures != 0) return 1;
    std::puts("PASSED");
    return 0;
}
