// A program of CUDA 11: own declarations, as its headers have them.
#include <cstddef>
#include <cstring>

extern "C" {
int cudaRuntimeGetVersion(int* version);
int cudaGetDeviceProperties(void* properties, int device);
int cudaFuncGetAttributes(void* attributes, const void* function);
}

int main() {
    constexpr std::size_t bytes = 728;  // sizeof(cudaDeviceProp)
    constexpr unsigned char untouched = 0xEE;
    alignas(8) unsigned char properties[bytes + 64];
    std::memset(properties, untouched, sizeof properties);
    int version = 0;
    if (cudaRuntimeGetVersion(&version) != 0 || version / 1000 != 11) return 1;
    if (cudaGetDeviceProperties(properties, 0) != 0) return 2;
    for (std::size_t i = bytes; i < sizeof properties; ++i)
        if (properties[i] != untouched) return 3;
    int warp = 0, multiprocessors = 0;
    std::memcpy(&warp, properties + 308, sizeof warp);                        // warpSize
    std::memcpy(&multiprocessors, properties + 388, sizeof multiprocessors);  // multiProcessorCount
    if (warp != 32 || multiprocessors != 15) return 4;
    constexpr int invalid_device_function = 98;
    return cudaFuncGetAttributes(properties, &version) == invalid_device_function ? 0 : 5;
}
