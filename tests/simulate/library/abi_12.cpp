// A program of CUDA 12: own declarations, as its headers have them.
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" {
int cudaRuntimeGetVersion(int* version);
int cudaGetDeviceProperties_v2(void* properties, int device);
int cudaFuncGetAttributes(void* attributes, const void* function);
int cudaStreamCreate(void** stream);
int cudaMemcpy3DBatchAsync(std::size_t count, const void* copies, std::size_t* failed, unsigned long long flags,
                           void* stream);
}

// Which of several copies failed is told by CUDA 12 alone.
static bool tells_what_failed() {
    struct Side {
        int kind = 1;  // cudaMemcpyOperandTypePointer
        void* begin = nullptr;
        std::size_t row = 0, rows = 0;
        int hint[2] = {};
    };
    struct {
        Side from, to;
        std::size_t width = sizeof(int), height = 1, depth = 1;
        int order = 1;  // cudaMemcpySrcAccessOrderStream
        unsigned flags = 0;
    } copies[2];
    int from = 5, to = 0;
    for (auto& copy : copies) copy.from.begin = &from, copy.to.begin = &to;
    void* stream = nullptr;
    std::size_t failed = 0;
    if (cudaStreamCreate(&stream) != 0) return false;
    if (cudaMemcpy3DBatchAsync(2, copies, &failed, 0, stream) != 0 || to != 5 || failed != SIZE_MAX) return false;
    copies[1].depth = 0;
    return cudaMemcpy3DBatchAsync(2, copies, &failed, 0, stream) == 1 && failed == 1;
}

int main() {
    constexpr std::size_t bytes = 1032;  // sizeof(cudaDeviceProp)
    constexpr unsigned char untouched = 0xEE;
    alignas(8) unsigned char properties[bytes + 64];
    std::memset(properties, untouched, sizeof properties);
    int version = 0;
    if (cudaRuntimeGetVersion(&version) != 0 || version / 1000 != 12) return 1;
    if (cudaGetDeviceProperties_v2(properties, 0) != 0) return 2;
    for (std::size_t i = bytes; i < sizeof properties; ++i)
        if (properties[i] != untouched) return 3;
    int warp = 0, multiprocessors = 0;
    std::memcpy(&warp, properties + 308, sizeof warp);                        // warpSize
    std::memcpy(&multiprocessors, properties + 388, sizeof multiprocessors);  // multiProcessorCount
    if (warp != 32 || multiprocessors != 15) return 4;
    if (!tells_what_failed()) return 6;
    constexpr int invalid_device_function = 98;
    return cudaFuncGetAttributes(properties, &version) == invalid_device_function ? 0 : 5;
}
