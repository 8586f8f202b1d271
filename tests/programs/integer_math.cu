// Integer arithmetic and bit intrinsics, the same code on both sides where C++ has it.
#include "verify.hpp"

using Wide = long long;
using Unsigned = unsigned long long;
constexpr int results = 19;

__host__ __device__ void plain(int a, int b, Wide c, Wide d, Unsigned* out) {
    const unsigned ua = a, ub = b;
    const Unsigned uc = c, ud = d;
    out[0] = static_cast<Unsigned>(a / b);
    out[1] = static_cast<Unsigned>(a % b);
    out[2] = ua / (ub | 1) + ua % (ub | 1);
    out[3] = static_cast<Unsigned>(c / d);
    out[4] = static_cast<Unsigned>(c % d);
    out[5] = uc / (ud | 1) ^ uc % (ud | 1);
    out[6] = static_cast<Unsigned>(static_cast<Wide>(a) * b + c);
    out[7] = uc * ud;
    out[8] = static_cast<Unsigned>(c >> (a & 63)) ^ uc << (b & 63) ^ uc >> (b & 31);
    out[9] = static_cast<Unsigned>(a >> (b & 31)) ^ ua >> (a & 31);
    out[10] = static_cast<Unsigned>(static_cast<signed char>(a)) + static_cast<unsigned short>(b);
    out[11] = a < b ? uc & ~ud : c < d ? uc | ud : uc ^ ud;
}

/// nvcc divides numbers of 128 bits by code of its own, with carries.
__host__ __device__ void divide(Unsigned high, Unsigned low, Unsigned c, int a, Unsigned* own) {
    using Wider = unsigned __int128;
    const Wider dividend = static_cast<Wider>(high) << 64 | low;
    const Wider divisor = (static_cast<Wider>(c) << (a & 63)) + 1;
    const Wider quotient = dividend / divisor, rest = dividend % divisor;
    own[0] = static_cast<Unsigned>(quotient) + static_cast<Unsigned>(quotient >> 64);
    own[1] = static_cast<Unsigned>(rest) + static_cast<Unsigned>(rest >> 64);
    const auto negative = static_cast<__int128>(dividend) / -static_cast<__int128>(divisor >> 1 | 1);
    own[2] = static_cast<Unsigned>(negative) + static_cast<Unsigned>(negative >> 64);
}

__global__ void compute(const int* narrow, const Wide* wide, Unsigned* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, a = narrow[2 * i], b = narrow[2 * i + 1];
    const Wide c = wide[2 * i], d = wide[2 * i + 1];
    Unsigned* const own = out + i * results;
    plain(a, b, c, d, own);
    own[12] = __mulhi(a, b) + __umul64hi(c, d);
    own[13] = __popc(a) + 100 * __clz(b) + 10000 * __ffs(a) + 1000000ULL * __popcll(c) + 100000000ULL * __clzll(d);
    own[14] = __brev(a) ^ __byte_perm(a, b, 0x3175) ^ __funnelshift_l(a, b, b);
    own[15] = __brevll(c) + __dp4a(a, b, 7) + __sad(a, b, 3U) + __vadd4(a, b);
    divide(c, d, Unsigned(c) >> 1, a, own + 16);
}

int bits(Unsigned value) {
    return value ? static_cast<int>(value & 1) + bits(value >> 1) : 0;
}
int leading(Unsigned value, int width) {
    int count = 0;
    while (count < width && !(value >> (width - 1 - count) & 1)) ++count;
    return count;
}
Unsigned reversed(Unsigned value, int width) {
    Unsigned result = 0;
    for (int i = 0; i < width; ++i) result |= (value >> i & 1) << (width - 1 - i);
    return result;
}

int main(int argc, char** argv) {
    const int n = static_cast<int>(option(argc, argv, "--size", 1024)) / 128 * 128;
    Random random;
    std::vector<int> narrow(2 * n);
    std::vector<Wide> wide(2 * n);
    for (int& value : narrow) {
        value = static_cast<int>(random.next() << 8 ^ random.next() << 3 ^ random.next());
        value = value >> random.next() % 24 | 1;
    }
    for (Wide& value : wide) {
        value = static_cast<Wide>(Unsigned{random.next()} << 40 ^ Unsigned{random.next()} << 20 ^ random.next());
        value = value >> random.next() % 40 | 1;
    }
    std::vector<Unsigned> expected(n * results);
    for (int i = 0; i < n; ++i) {
        const int a = narrow[2 * i], b = narrow[2 * i + 1];
        const unsigned ua = a, ub = b;
        const Wide c = wide[2 * i], d = wide[2 * i + 1];
        Unsigned* const own = &expected[i * results];
        plain(a, b, c, d, own);
        own[12] = static_cast<int>(static_cast<Wide>(a) * b >> 32) +
                  static_cast<Unsigned>(
                      static_cast<unsigned __int128>(static_cast<Unsigned>(c)) * static_cast<Unsigned>(d) >> 64);
        int first = 0;
        while (!(ua >> first & 1)) ++first;
        own[13] = bits(ua) + 100 * leading(ub, 32) + 10000 * (first + 1) + 1000000ULL * bits(c) +
                  100000000ULL * leading(d, 64);
        const Unsigned both = Unsigned{ub} << 32 | ua;
        unsigned permuted = 0;
        const int selectors[] = {5, 7, 1, 3};
        for (int k = 0; k < 4; ++k) permuted |= static_cast<unsigned>(both >> 8 * selectors[k] & 255) << 8 * k;
        own[14] = static_cast<unsigned>(reversed(ua, 32)) ^ permuted ^ static_cast<unsigned>(both << (ub & 31) >> 32);
        int dot = 7;
        unsigned sums = 0;
        for (int k = 0; k < 4; ++k) {
            dot += static_cast<signed char>(ua >> 8 * k) * static_cast<signed char>(ub >> 8 * k);
            sums |= ((ua >> 8 * k & 255) + (ub >> 8 * k & 255) & 255) << 8 * k;
        }
        const unsigned distance = 3U + (a > b ? ua - ub : ub - ua);
        own[15] = reversed(c, 64) + dot + distance + sums;
        divide(c, d, Unsigned(c) >> 1, a, own + 16);
    }
    const Device<int> d_narrow(narrow);
    const Device<Wide> d_wide(wide);
    Device<Unsigned> out(expected.size());
    compute<<<n / 128, 128>>>(d_narrow, d_wide, out);
    const auto got = out.host();
    for (size_t i = 0; i < got.size(); ++i)
        if (got[i] != expected[i]) {
            std::printf("result %zu of %zu: %llx instead of %llx\n", i % results, i / results, got[i], expected[i]);
            return verdict(false);
        }
    return verdict(true);
}
