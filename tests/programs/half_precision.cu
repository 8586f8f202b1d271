// fp16 and bf16: scalars and pairs, conversions, comparison; results that are exact in both types.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "verify.hpp"

constexpr int results = 8;

__global__ void halves(const float* in, float* out) {
    const int i = threadIdx.x;
    const half a = __float2half(in[2 * i]), b = __float2half(in[2 * i + 1]);
    const half2 pair = __halves2half2(a, b), other = __half2half2(b);
    const half2 fused = __hfma2(pair, other, __float2half2_rn(0.5F));
    float* const own = out + i * results;
    own[0] = __half2float(__hadd(a, b));
    own[1] = __half2float(__hmul(a, b));
    own[2] = __low2float(fused);
    own[3] = __high2float(fused);
    own[4] = __hgt(a, b) ? 1 : 0;
    own[5] = __half2float(__hmax(a, __hneg(b)));
    own[6] = __half2int_rn(a) + __half2float(__int2half_rn(i));
    own[7] = __half2float(__hsub(pair.x, pair.y));
}

__global__ void brains(const float* in, float* out) {
    const int i = threadIdx.x;
    const __nv_bfloat16 a = __float2bfloat16(in[2 * i]), b = __float2bfloat16(in[2 * i + 1]);
    const __nv_bfloat162 pair = __halves2bfloat162(a, b);
    const __nv_bfloat162 fused = __hfma2(pair, pair, __float2bfloat162_rn(1));
    float* const own = out + i * results;
    own[0] = __bfloat162float(__hadd(a, b));
    own[1] = __bfloat162float(__hmul(a, b));
    own[2] = __low2float(fused);
    own[3] = __high2float(fused);
    own[4] = __hlt(a, b) ? 1 : 0;
    own[5] = __bfloat162float(__hmin(a, b));
    own[6] = __bfloat162float(__hfma(a, b, a));
    own[7] = __bfloat162float(__hneg(a));
}

int main() {
    constexpr int n = 96;
    Random random;
    std::vector<float> in(2 * n), half_expected(n * results), brain_expected(n * results);
    for (float& value : in) value = static_cast<float>(random.next() % 16) - 6;  // squares fit bf16's 8 bits
    for (int i = 0; i < n; ++i) {
        const float a = in[2 * i], b = in[2 * i + 1];
        const float h[] = {a + b, a * b, a * b + 0.5F, b * b + 0.5F, a > b ? 1.0F : 0.0F, std::fmax(a, -b),
                           a + i, a - b};
        const float g[] = {a + b, a * b, a * a + 1, b * b + 1, a < b ? 1.0F : 0.0F, std::fmin(a, b), a * b + a, -a};
        for (int k = 0; k < results; ++k) {
            half_expected[i * results + k] = h[k];
            brain_expected[i * results + k] = g[k];
        }
    }
    const Device<float> d_in(in);
    Device<float> out(half_expected.size());
    halves<<<1, n>>>(d_in, out);
    bool right = agree("fp16", out.host(), half_expected);
    brains<<<1, n>>>(d_in, out);
    right &= agree("bf16", out.host(), brain_expected);
    return verdict(right);
}
