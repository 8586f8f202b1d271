// The mathematical library, single and double precision, ordinary and large arguments, and directed rounding.
#include "verify.hpp"

constexpr int results = 20;

template <class T>
__host__ __device__ void evaluate(T x, T y, T* out) {
    out[0] = sin(x);
    out[1] = cos(100 * x);
    out[2] = tan(x / 4);
    out[3] = asin(x / 10);
    out[4] = atan2(x, y);
    out[5] = exp(x);
    out[6] = log(y);
    out[7] = pow(y, x / 2);
    out[8] = sqrt(y) / cbrt(y);
    out[9] = erf(x / 3);
    out[10] = tgamma(y);
    out[11] = sinh(x / 2);
    out[12] = tanh(x);
    out[13] = fmod(100 * x, y);
    out[14] = floor(10 * x) + ceil(y) + trunc(x) + rint(3 * x);
    out[15] = fma(x, y, -x * y / 2) + fabs(x) + copysign(y, x);
    out[16] = hypot(x, y) + log1p(y) + expm1(x);
    out[17] = x / y;
    out[18] = 1 / sqrt(y) + exp2(x) + log2(y) + log10(y);
    out[19] = sin(T(1e5) * y) + fmin(x, y) + fmax(x, T(0));
}

template <class T>
__global__ void compute(const T* in, T* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    evaluate(in[2 * i], in[2 * i + 1], out + i * results);
}

// Quotients, roots and conversions rounded to a given side, and a subnormal number.
__global__ void rounded(float* out, float one, float three) {
    out[0] = __fdiv_rd(one, three);
    out[1] = __fdiv_ru(one, three);
    out[2] = __fsqrt_rz(three);
    out[3] = __fadd_ru(one, 1e-20F);
    out[4] = static_cast<float>(__dmul_rd(1.0 / three, 1e-20));
    out[5] = __int2float_rz(33554433);
    out[6] = static_cast<float>(__float2int_ru(three / 2));
    const double subnormal = one * 0x1p-1070;  // doubles are never flushed to zero
    out[7] = static_cast<float>(subnormal * 0x1p1000 * 0x1p74);
}

template <class T>
bool test(const char* name, double tolerance) {
    constexpr int n = 512;
    Random random;
    std::vector<T> in(2 * n), expected(n * results);
    for (int i = 0; i < n; ++i) {
        in[2 * i] = 6 * random.uniform() - 3;
        in[2 * i + 1] = T(0.1) + 8 * random.uniform();
        double exact[results];
        evaluate<double>(in[2 * i], in[2 * i + 1], exact);
        for (int k = 0; k < results; ++k) expected[i * results + k] = static_cast<T>(exact[k]);
        if (sizeof(T) == 4) {  // where rounding the argument matters more than the function: single precision itself
            T single[results];
            evaluate<T>(in[2 * i], in[2 * i + 1], single);
            for (const int k : {1, 13, 14, 19}) expected[i * results + k] = single[k];
        }
    }
    const Device<T> d_in(in);
    Device<T> out(expected.size());
    compute<T><<<n / 128, 128>>>(d_in, out);
    const auto got = out.host();
    for (int k = 0; k < results; ++k)
        for (int i = 0; i < n; ++i) {
            const double e = expected[i * results + k], g = got[i * results + k];
            if (std::abs(g - e) <= tolerance * std::fmax(1.0, std::abs(e))) continue;
            std::printf("%s: function %d of %.9g, %.9g: %.12g instead of %.12g\n", name, k, double(in[2 * i]),
                        double(in[2 * i + 1]), g, e);
            return false;
        }
    return true;
}

int main() {
    Device<float> out(8);
    rounded<<<1, 1>>>(out, 1, 3);
    const std::vector<float> expected = {0x1.555554p-2F,
                                         0x1.555556p-2F,
                                         0x1.bb67aep+0F,
                                         0x1.000002p+0F,
                                         static_cast<float>(1e-20 / 3),
                                         33554432.0F,
                                         2,
                                         16};
    const auto got = out.host();
    bool right = true;
    for (int i = 0; i < 8; ++i)
        if (got[i] != expected[i]) {
            std::printf("rounded[%d]: %a instead of %a\n", i, got[i], expected[i]);
            right = false;
        }
    return verdict(right & test<float>("float", 4e-6) & test<double>("double", 1e-12));
}
