// Compiles its kernel by NVRTC to the machine code of the device, and launches it by the driver API.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <string>
#include <vector>

#define OK(call)                                  \
    do {                                          \
        if (const int code = (call); code != 0) { \
            std::printf("%s: %d\n", #call, code); \
            return 1;                             \
        }                                         \
    } while (false)

int main() {
    const char* source = "extern \"C\" __global__ void twice(int* v) { v[threadIdx.x] *= 2; }";
    CUdevice device;
    CUcontext context;
    int major = 0, minor = 0;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    OK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    nvrtcProgram program;
    OK(nvrtcCreateProgram(&program, source, "twice.cu", 0, nullptr, nullptr));
    const std::string target = "--gpu-architecture=sm_" + std::to_string(10 * major + minor);
    const char* options[] = {target.c_str()};
    OK(nvrtcCompileProgram(program, 1, options));
    size_t bytes = 0;
    OK(nvrtcGetCUBINSize(program, &bytes));
    std::vector<char> image(bytes);
    OK(nvrtcGetCUBIN(program, image.data()));
    CUmodule module;
    CUfunction twice;
    OK(cuModuleLoadData(&module, image.data()));
    OK(cuModuleGetFunction(&twice, module, "twice"));
    int values[32];
    for (int i = 0; i < 32; ++i) values[i] = i;
    CUdeviceptr memory;
    OK(cuMemAlloc(&memory, sizeof values));
    OK(cuMemcpyHtoD(memory, values, sizeof values));
    void* arguments[] = {&memory};
    OK(cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuMemcpyDtoH(values, memory, sizeof values));
    for (int i = 0; i < 32; ++i)
        if (values[i] != 2 * i) return 1;
    std::puts("PASSED");
    return 0;
}
