// fp8, fp6 and fp4: conversions on the device (instructions) against the same functions of the headers on the host
// (written out in C++), and a product of matrices of fp8 on the tensor units.
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <cstdint>
#include <cstring>
#include <vector>

#include "verify.hpp"

namespace {

constexpr int variants = 6;

/// What all conversions make of one number.
__host__ __device__ void convert(float x, unsigned* out) {
    const __half_raw half = static_cast<__half_raw>(__float2half_rn(x));
    out[0] = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
    out[1] = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2);
    out[2] = __nv_cvt_halfraw_to_fp8(half, __NV_SATFINITE, __NV_E4M3);
    out[3] = __nv_cvt_halfraw_to_fp8(half, __NV_SATFINITE, __NV_E5M2);
    out[4] = __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E5M2);
    out[5] = __nv_cvt_float2_to_fp8x2(make_float2(x, -x), __NV_SATFINITE, __NV_E4M3);
}
__global__ void to_small(const float* in, unsigned* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) convert(in[i], out + i * variants);
}

__host__ __device__ void back(unsigned code, unsigned* out) {
    const __half_raw a = __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(code), __NV_E4M3);
    const __half_raw b = __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(code), __NV_E5M2);
    out[0] = a.x;
    out[1] = b.x;
}
__global__ void from_small(unsigned* out) {
    back(threadIdx.x, out + 2 * threadIdx.x);
}

bool is_nan(unsigned half) {
    return (half & 0x7FFFU) > 0x7C00U;
}

/// C = A B for 16 x 32 by 32 x 8 by one warp; B by columns. Registers as the PTX ISA draws them.
__global__ void multiply(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, float* c) {
#if __CUDA_ARCH__ >= 890
    const int group = threadIdx.x / 4, lane = threadIdx.x % 4;
    unsigned fa[4], fb[2];
    for (int r = 0; r < 4; ++r) memcpy(&fa[r], a + (group + 8 * (r % 2)) * 32 + lane * 4 + 16 * (r / 2), 4);
    for (int r = 0; r < 2; ++r) memcpy(&fb[r], b + group * 32 + lane * 4 + 16 * r, 4);
    float d[4] = {0, 0, 0, 0};
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    for (int i = 0; i < 4; ++i) c[(group + 8 * (i / 2)) * 8 + lane * 2 + i % 2] = d[i];
#endif
}

}  // namespace

int main() {
    bool good = true;
    // Every half is a number somewhere between those of the small formats.
    std::vector<float> in;
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        __half_raw raw;
        raw.x = static_cast<unsigned short>(bits);
        if (!is_nan(bits)) in.push_back(__half2float(__half(raw)));
    }
    in.push_back(1e30F);
    in.push_back(-1e30F);
    const int count = static_cast<int>(in.size());
    float* device_in = nullptr;
    unsigned* device_out = nullptr;
    check(cudaMalloc(&device_in, count * sizeof(float)));
    check(cudaMalloc(&device_out, count * variants * sizeof(unsigned)));
    check(cudaMemcpy(device_in, in.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    to_small<<<(count + 255) / 256, 256>>>(device_in, device_out, count);
    std::vector<unsigned> got(count * variants), want(count * variants);
    check(cudaMemcpy(got.data(), device_out, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; ++i) convert(in[i], want.data() + i * variants);
    int differ = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (got[i] == want[i]) continue;
        if (++differ < 10)
            std::printf("%g by %zu: %x, on the host %x\n", in[i / variants], i % variants, got[i], want[i]);
    }
    good = holds(differ == 0, "numbers to 8 bits") && good;

    from_small<<<1, 256>>>(device_out);
    check(cudaMemcpy(got.data(), device_out, 512 * sizeof(unsigned), cudaMemcpyDeviceToHost));
    bool same = true;
    for (unsigned code = 0; code < 256; ++code) {
        unsigned host[2];
        back(code, host);
        for (int i = 0; i < 2; ++i)
            same = same && (got[2 * code + i] == host[i] || (is_nan(got[2 * code + i]) && is_nan(host[i])));
    }
    good = holds(same, "8 bits to halves") && good;

    std::vector<__nv_fp8_e4m3> a(16 * 32), b(32 * 8);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = __nv_fp8_e4m3(static_cast<float>(i * 5 % 17) / 4 - 2);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = __nv_fp8_e4m3(static_cast<float>(i * 11 % 13) / 2 - 3);
    __nv_fp8_e4m3 *device_a = nullptr, *device_b = nullptr;
    float* device_c = nullptr;
    check(cudaMalloc(&device_a, a.size()));
    check(cudaMalloc(&device_b, b.size()));
    check(cudaMalloc(&device_c, 128 * sizeof(float)));
    check(cudaMemcpy(device_a, a.data(), a.size(), cudaMemcpyHostToDevice));
    check(cudaMemcpy(device_b, b.data(), b.size(), cudaMemcpyHostToDevice));
    multiply<<<1, 32>>>(device_a, device_b, device_c);
    std::vector<float> c(128);
    check(cudaMemcpy(c.data(), device_c, 128 * sizeof(float), cudaMemcpyDeviceToHost));
    bool right = true;
    for (int row = 0; row < 16; ++row) {
        for (int col = 0; col < 8; ++col) {
            float sum = 0;
            for (int k = 0; k < 32; ++k) sum += float(a[row * 32 + k]) * float(b[col * 32 + k]);
            right = right && sum == c[row * 8 + col];
        }
    }
    good = holds(right, "product of fp8 matrices") && good;
    return verdict(good);
}
