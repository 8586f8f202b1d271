// gpuproj-bench-cuda and gpuproj-bench-hip: the micro-benchmarks through CUDA or HIP, from this one source.
#ifdef __HIP__
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#define cudaDeviceAttributeClock hipDeviceAttributeClockRate
#define cudaDeviceGetAttribute hipDeviceGetAttribute
#define cudaDeviceProp hipDeviceProp_t
#define cudaDeviceSynchronize hipDeviceSynchronize
#define cudaDriverGetVersion hipDriverGetVersion
#define cudaErrorDevicesUnavailable hipErrorNoDevice
#define cudaErrorMemoryAllocation hipErrorOutOfMemory
#define cudaError_t hipError_t
#define cudaEventCreate hipEventCreate
#define cudaEventElapsedTime hipEventElapsedTime
#define cudaEventRecord hipEventRecord
#define cudaEventSynchronize hipEventSynchronize
#define cudaEvent_t hipEvent_t
#define cudaFree hipFree
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaGetDeviceProperties hipGetDeviceProperties
#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError
#define cudaHostAlloc hipHostMalloc
#define cudaHostAllocDefault hipHostMallocDefault
#define cudaLaunchKernel hipLaunchKernel
#define cudaMalloc hipMalloc
#define cudaMemcpy hipMemcpy
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemset hipMemset
#define cudaSetDevice hipSetDevice
#define cudaSuccess hipSuccess
static const char* const interface_name = "HIP";
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#define cudaDeviceAttributeClock cudaDevAttrClockRate
static const char* const interface_name = "CUDA";
#endif

#include <chrono>
#include <cstring>
#include <map>

#include "program.hpp"

#include "dialect.h"
// after dialect.h
#include "kernels.h"

// Cycles of the multiprocessor's clock while it does what mad_float does. A block's warps end together: hardware that
// prefers some of them would tell the time of these.
extern "C" __global__ void cycles_of_mad(unsigned long long* out, float a, float b, int turns) {
    float x0 = static_cast<float>(threadIdx.x), x1 = x0 + a, x2 = x1 + a, x3 = x2 + a;
    __syncthreads();
    const auto start = clock64();
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int round = 0; round < 32; ++round) {
            x0 = fma(x0, a, b);
            x1 = fma(x1, a, b);
            x2 = fma(x2, a, b);
            x3 = fma(x3, a, b);
        }
    }
    __syncthreads();
    const auto cycles = static_cast<unsigned long long>(clock64() - start);
    // Never true: keeps the sums alive.
    out[static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = x0 + x1 + x2 + x3 == 1.0F ? 0 : cycles;
}

#ifndef __HIP__
// --- Tensor units: four independent accumulators per warp; A holds ones, B 1/k, so that every product adds one.
template <int M, int N, int K, class In, class Out, class Precision>
__device__ void tensor(float* out, int turns) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, M, N, K, Precision, row_major> a;
    fragment<matrix_b, M, N, K, Precision, col_major> b;
    fragment<accumulator, M, N, K, Out> c[4];
    fill_fragment(a, In(1.0F));
    // Integers cannot hold 1/k; one entry out of k does as well, but costs a store. They add k instead.
    fill_fragment(b, sizeof(In) == 1 ? In(1.0F) : In(1.0F / K));
    // No two entries begin alike, and all are used: of products with the same operands the compiler would compute one,
    // of unused ones none.
    for (int n = 0; n < 4; ++n) {
        for (int i = 0; i < c[n].num_elements; ++i) c[n].x[i] = Out(n * c[n].num_elements + i);
    }
    for (int turn = 0; turn < turns; ++turn) {
        for (auto& sum : c) mma_sync(sum, a, b, sum);
    }
    float total = 0;
    for (int n = 0; n < 4; ++n) {
        for (int i = 0; i < c[n].num_elements; ++i) {
            total += static_cast<float>(c[n].x[i] - Out(n * c[n].num_elements + i));
        }
    }
    total /= sizeof(In) == 1 ? K * c[0].num_elements : c[0].num_elements;
    out[static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = total;
}
#define TENSOR(NAME, CAPABILITY, M, N, K, IN, OUT, PRECISION)                      \
    extern "C" __global__ void NAME(float* out, int turns) {                       \
        if constexpr (CAPABILITY) tensor<M, N, K, IN, OUT, PRECISION>(out, turns); \
    }
#ifdef __CUDA_ARCH__
#define CAPABLE(ARCH) (__CUDA_ARCH__ >= ARCH)
#else
#define CAPABLE(ARCH) false
#endif
TENSOR(tensor_fp16, CAPABLE(700), 16, 16, 16, __half, float, __half)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 720
TENSOR(tensor_int8, CAPABLE(720), 16, 16, 16, signed char, int, signed char)
#else
extern "C" __global__ void tensor_int8(float*, int) {}
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
TENSOR(tensor_bf16, CAPABLE(800), 16, 16, 16, __nv_bfloat16, float, __nv_bfloat16)
TENSOR(tensor_tf32, CAPABLE(800), 16, 16, 8, float, float, nvcuda::wmma::precision::tf32)
TENSOR(tensor_fp64, CAPABLE(800), 8, 8, 4, double, double, double)
#else
extern "C" __global__ void tensor_bf16(float*, int) {}
extern "C" __global__ void tensor_tf32(float*, int) {}
extern "C" __global__ void tensor_fp64(float*, int) {}
#endif
#endif

namespace gpuproj::bench {
namespace {

void check(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    if (status == cudaErrorMemoryAllocation)
        throw BenchError(joined({call, ": the device is out of memory; is another program using it?"}));
    if (status == cudaErrorDevicesUnavailable)
        throw BenchError(joined({call, ": the device is busy or not available"}));
    throw BenchError(joined({call, ": ", cudaGetErrorString(status)}));
}

struct NamedKernel {
    const void* function;
    int capability;  // least compute capability, 70 for 7.0
};

const std::map<std::string, NamedKernel>& kernels() {
#define ENTRY(NAME, CAPABILITY)                             \
    {                                                       \
        #NAME, {                                            \
            reinterpret_cast<const void*>(NAME), CAPABILITY \
        }                                                   \
    }
    static const std::map<std::string, NamedKernel> table{
        ENTRY(mad_float, 0),     ENTRY(mad_double, 0),    ENTRY(mad_half, 53),    ENTRY(mad_int, 0),
        ENTRY(add_int, 0),       ENTRY(special_float, 0), ENTRY(read_all, 0),     ENTRY(write_all, 0),
        ENTRY(copy_all, 0),      ENTRY(read_some, 0),     ENTRY(read_window, 0),  ENTRY(read_window_of_l2, 0),
        ENTRY(mixed, 0),         ENTRY(shared_32, 0),     ENTRY(shared_64, 0),    ENTRY(shared_128, 0),
        ENTRY(read_constant, 0), ENTRY(chase, 0),         ENTRY(chase_shared, 0), ENTRY(chase_warps, 0),
        ENTRY(empty, 0),         ENTRY(cycles_of_mad, 0), ENTRY(logic_int, 0),    ENTRY(shift_int, 0),
        ENTRY(min_int, 0),       ENTRY(count_bits, 0),
#ifndef __HIP__
        ENTRY(tensor_fp16, 70),  ENTRY(tensor_bf16, 80),  ENTRY(tensor_tf32, 80), ENTRY(tensor_fp64, 80),
        ENTRY(tensor_int8, 72),
#endif
    };
#undef ENTRY
    return table;
}

class CudaDevice {
public:
    using Buffer = void*;

    static std::vector<DeviceInfo> devices() {
        int count = 0;
        if (cudaGetDeviceCount(&count) != cudaSuccess) {
            (void)cudaGetLastError();  // no driver: no devices
            return {};
        }
        std::vector<DeviceInfo> infos;
        for (int i = 0; i < count; ++i) infos.push_back(info_of(i));
        return infos;
    }

    explicit CudaDevice(std::size_t index) : info_(info_of(static_cast<int>(index))) {
        check(cudaSetDevice(static_cast<int>(index)), "selecting the device");
        check(cudaEventCreate(&start_), "creating an event");
        check(cudaEventCreate(&stop_), "creating an event");
        measure_clock();
    }

    const DeviceInfo& info() const { return info_; }
    bool has(const char* kernel) const {
        const auto found = kernels().find(kernel);
        return found != kernels().end() && found->second.capability <= capability_;
    }

    Buffer allocate(std::size_t bytes) {
        void* buffer = nullptr;
        check(cudaMalloc(&buffer, bytes), "allocating memory");
        check(cudaMemset(buffer, 0, bytes), "clearing memory");
        return buffer;
    }
    void release(Buffer buffer) { check(cudaFree(buffer), "releasing memory"); }
    void write(Buffer buffer, const void* data, std::size_t bytes) {
        check(cudaMemcpy(buffer, data, bytes, cudaMemcpyHostToDevice), "copying to the device");
    }
    void read(Buffer buffer, void* data, std::size_t bytes) {
        check(cudaMemcpy(data, buffer, bytes, cudaMemcpyDeviceToHost), "copying from the device");
    }

    // Seconds by the device's own clock.
    double run(const char* name, std::size_t groups, std::size_t group, std::initializer_list<Argument> arguments) {
        check(cudaEventRecord(start_, nullptr), name);
        launch(name, groups, group, arguments);
        check(cudaEventRecord(stop_, nullptr), name);
        check(cudaEventSynchronize(stop_), name);
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, start_, stop_), name);
        return static_cast<double>(milliseconds) * 1e-3;
    }

    // The constants are the module's own, zero from the start.
    double run_constant(std::size_t groups, std::size_t group, Buffer out, std::uint32_t start, int turns) {
        return run("read_constant", groups, group, {argument(out), argument(start), argument(turns)});
    }

    double empty_launches(int count) {
        const Buffer none = nullptr;
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < count; ++i) launch("empty", 1, 32, {argument(none)});
        check(cudaDeviceSynchronize(), "waiting for the device");
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    double upload_seconds(std::size_t bytes) {
        if (host_ == nullptr) {
            check(cudaHostAlloc(&host_, bytes, cudaHostAllocDefault), "allocating page-locked memory");
            std::memset(host_, 1, bytes);
            upload_ = allocate(bytes);
        }
        const auto start = std::chrono::steady_clock::now();
        write(upload_, host_, bytes);
        check(cudaDeviceSynchronize(), "waiting for the device");
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

private:
    static DeviceInfo info_of(int device) {
        cudaDeviceProp properties{};
        check(cudaGetDeviceProperties(&properties, device), "asking for the device's properties");
        DeviceInfo info;
        info.name = properties.name;
        info.units = properties.multiProcessorCount;
        info.memory_byte = static_cast<double>(properties.totalGlobalMem);
        info.last_cache_byte = properties.l2CacheSize;
        info.shared_per_group_byte = static_cast<double>(properties.sharedMemPerBlock);
        info.group_limit = properties.maxThreadsPerBlock;
        int kilohertz = 0;
        check(cudaDeviceGetAttribute(&kilohertz, cudaDeviceAttributeClock, device), "asking for the clock");
        info.clock_hz = 1e3 * kilohertz;
        int version = 0;
        check(cudaDriverGetVersion(&version), "asking for the driver's version");
        info.driver =
            joined({interface_name, " ", std::to_string(version / 1000), ".", std::to_string(version % 1000 / 10)});
#ifdef __HIP__
        info.vendor = "AMD";
        info.architecture =
            std::string(properties.gcnArchName).substr(0, std::string(properties.gcnArchName).find(':'));
#else
        info.vendor = "NVIDIA";
        info.architecture = joined({std::to_string(properties.major), ".", std::to_string(properties.minor)});
        info.ecc = properties.ECCEnabled != 0 ? 1 : 0;
#endif
        return info;
    }

    void launch(const char* name, std::size_t groups, std::size_t group, std::initializer_list<Argument> arguments) {
        std::vector<void*> pointers;
        for (const Argument& a : arguments) pointers.push_back(const_cast<void*>(a.value));
        check(cudaLaunchKernel(kernels().at(name).function, dim3(static_cast<unsigned>(groups)),
                               dim3(static_cast<unsigned>(group)), pointers.data(), 0, nullptr),
              name);
        check(cudaGetLastError(), name);
    }

    // The clock under load replaces the reported one.
    void measure_clock() {
#ifndef __HIP__
        capability_ = 10 * std::atoi(info_.architecture.c_str()) +
                      std::atoi(info_.architecture.substr(info_.architecture.find('.') + 1).c_str());
#else
        capability_ = 1000;
#endif
        // One block on each multiprocessor: it lasts as long as the kernel.
        const auto groups = static_cast<std::size_t>(info_.units);
        const std::size_t group = 256;
        const Buffer out = allocate(groups * group * 8);
        const float a = 0.5F;
        const float b = 1.0F;
        const int turns = 1 << 16;
        double seconds = 0;
        for (int repetition = 0; repetition < 20; ++repetition) {
            seconds = run("cycles_of_mad", groups, group, {argument(out), argument(a), argument(b), argument(turns)});
        }
        unsigned long long cycles = 0;
        read(out, &cycles, sizeof cycles);
        release(out);
#ifndef __HIP__  // AMD's clock64 counts at a constant rate
        if (cycles > 0 && seconds > 0) {
            info_.clock_hz = static_cast<double>(cycles) / seconds;
            info_.clock_is_measured = true;
        }
#else
        (void)seconds;
#endif
    }

    DeviceInfo info_;
    int capability_ = 0;
    cudaEvent_t start_{};
    cudaEvent_t stop_{};
    void* host_ = nullptr;
    Buffer upload_ = nullptr;
};

}  // namespace
}  // namespace gpuproj::bench

int main(int argc, char** argv) {
    return gpuproj::bench::run_program<gpuproj::bench::CudaDevice>(interface_name, argc, argv);
}
