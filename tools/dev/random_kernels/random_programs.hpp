// What the programs of random_programs.py are made of: operations that mean the same on the device and on the host, and
// the model of a block on the host: every step is done by all of its threads before the next one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

using u8 = unsigned char;
using s8 = signed char;
using u16 = unsigned short;
using s16 = short;
using u32 = unsigned int;
using s32 = int;
using u64 = unsigned long long;
using s64 = long long;

#define HD __host__ __device__
#ifdef __CUDA_ARCH__
#define EITHER(device, host) device
#else
#define EITHER(device, host) host
#endif

constexpr u32 in_bytes = 4096, constants = 256, most_threads = 256, own_words = 16, sums = 64, most_blocks = 8;

// ---- integers

HD inline u32 popc(u32 x) {
    return EITHER(__popc(x), __builtin_popcount(x));
}
HD inline u32 popc(u64 x) {
    return EITHER(__popcll(x), __builtin_popcountll(x));
}
HD inline u32 clz(u32 x) {
    return EITHER(__clz(x), x == 0 ? 32 : __builtin_clz(x));
}
HD inline u32 clz(u64 x) {
    return EITHER(__clzll(x), x == 0 ? 64 : __builtin_clzll(x));
}
HD inline u32 ffs(u32 x) {
    return EITHER(__ffs(x), __builtin_ffs(x));
}
HD inline u32 ffs(u64 x) {
    return EITHER(__ffsll(x), __builtin_ffsll(x));
}
inline u64 reversed(u64 x, int bits) {
    u64 y = 0;
    for (int i = 0; i < bits; ++i) y |= (x >> i & 1) << (bits - 1 - i);
    return y;
}
HD inline u32 brev(u32 x) {
    return EITHER(__brev(x), static_cast<u32>(reversed(x, 32)));
}
HD inline u64 brev(u64 x) {
    return EITHER(__brevll(x), reversed(x, 64));
}
HD inline u32 mul_hi(u32 a, u32 b) {
    return EITHER(__umulhi(a, b), static_cast<u32>(u64{a} * b >> 32));
}
HD inline s32 mul_hi(s32 a, s32 b) {
    return EITHER(__mulhi(a, b), static_cast<s32>(s64{a} * b >> 32));
}
HD inline u64 mul_hi(u64 a, u64 b) {
    return EITHER(__umul64hi(a, b), static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64));
}
HD inline s64 mul_hi(s64 a, s64 b) {
    return EITHER(__mul64hi(a, b), static_cast<s64>(static_cast<__int128>(a) * b >> 64));
}
inline u32 permuted(u32 a, u32 b, u32 selector) {
    const u64 both = u64{b} << 32 | a;
    u32 result = 0;
    for (int i = 0; i < 4; ++i) result |= static_cast<u32>(both >> (8 * (selector >> 4 * i & 7)) & 0xFF) << 8 * i;
    return result;
}
HD inline u32 byte_perm(u32 a, u32 b, u32 selector) {
    return EITHER(__byte_perm(a, b, selector & 0x7777), permuted(a, b, selector));
}
HD inline u32 funnel_left(u32 low, u32 high, u32 n) {
    return EITHER(__funnelshift_l(low, high, n), static_cast<u32>((u64{high} << 32 | low) << (n & 31) >> 32));
}
HD inline u32 funnel_right(u32 low, u32 high, u32 n) {
    return EITHER(__funnelshift_r(low, high, n), static_cast<u32>((u64{high} << 32 | low) >> (n & 31)));
}
HD inline u32 distance(s32 a, s32 b, u32 c) {
    return EITHER(__sad(a, b, c), static_cast<u32>(std::abs(s64{a} - b)) + c);
}
template <class T>
HD T rotated(T x, u32 n) {
    constexpr u32 bits = 8 * sizeof(T);
    return static_cast<T>(x << (n & (bits - 1)) | x >> (-n & (bits - 1)));
}
template <class T>
HD T shifted_out(T x, u32 n) {
    return n < 8 * sizeof(T) ? static_cast<T>(x << n) : T{0};
}
template <class T>
HD T shifted_in(T x, u32 n) {
    constexpr u32 bits = 8 * sizeof(T);
    return static_cast<T>(x >> (n < bits ? n : bits - 1));
}
template <class T>
HD T smaller(T a, T b) {
    return b < a ? b : a;
}
template <class T>
HD T larger(T a, T b) {
    return a < b ? b : a;
}

// ---- floating point; the bits of a NaN count for nothing

template <class To, class From>
HD To as(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}
HD inline u32 bits(float x) {
    return x != x ? 0x7FC00000U : as<u32>(x);
}
HD inline u64 bits(double x) {
    return x != x ? 0x7FF8000000000000ULL : as<u64>(x);
}
HD inline float clean(float x) {
    return x != x ? 0.25f : x;
}
HD inline double clean(double x) {
    return x != x ? 0.25 : x;
}
template <class T>
HD T clean(T x) {
    return x;
}
/// g++ 12 makes -0 of `0.0f - (float)(a > b)`.
template <class T>
HD T minus(T a, T b) {
    return a - b;
}
template <class T>
T least(T a, T b) {
    if (a != a || b != b) return a != a ? b : a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
}
HD inline float smaller(float a, float b) {
    return EITHER(fminf(a, b), least(a, b));
}
HD inline double smaller(double a, double b) {
    return EITHER(fmin(a, b), least(a, b));
}
HD inline float larger(float a, float b) {
    return EITHER(fmaxf(a, b), -least(-a, -b));
}
HD inline double larger(double a, double b) {
    return EITHER(fmax(a, b), -least(-a, -b));
}
template <class To, class From>
To saturated(From x) {
    if (x != x) return 0;
    const bool is_signed = static_cast<To>(-1) < 0;
    const int top = static_cast<int>(8 * sizeof(To)) - (is_signed ? 1 : 0);
    const To most = is_signed ? static_cast<To>(~(To{1} << (8 * sizeof(To) - 1))) : static_cast<To>(-1);
    if (x >= std::ldexp(From{1}, top)) return most;
    if (x <= (is_signed ? -std::ldexp(From{1}, top) : From{0})) return is_signed ? static_cast<To>(-most - 1) : To{0};
    return static_cast<To>(x);
}
HD inline s32 to_s32(float x) {
    return EITHER(__float2int_rz(x), saturated<s32>(x));
}
HD inline u32 to_u32(float x) {
    return EITHER(__float2uint_rz(x), saturated<u32>(x));
}
HD inline s64 to_s64(float x) {
    return EITHER(__float2ll_rz(clean(x)), saturated<s64>(clean(x)));
}
HD inline u64 to_u64(float x) {
    return EITHER(__float2ull_rz(clean(x)), saturated<u64>(clean(x)));
}
HD inline s32 to_s32(double x) {
    return EITHER(__double2int_rz(clean(x)), saturated<s32>(clean(x)));
}
HD inline u32 to_u32(double x) {
    return EITHER(__double2uint_rz(clean(x)), saturated<u32>(clean(x)));
}
HD inline s64 to_s64(double x) {
    return EITHER(__double2ll_rz(clean(x)), saturated<s64>(clean(x)));
}
HD inline u64 to_u64(double x) {
    return EITHER(__double2ull_rz(clean(x)), saturated<u64>(clean(x)));
}

template <class T>
HD u32 digest(T x) {
    const u64 wide = static_cast<u64>(x);
    return static_cast<u32>(wide) ^ static_cast<u32>(wide >> 32) * 0x9E3779B1U;
}
HD inline u32 digest(float x) {
    return bits(x);
}
HD inline u32 digest(double x) {
    return digest(bits(x));
}

// ---- memory

struct Mixed {  // 12 bytes
    u16 a;
    s8 b;
    u8 c;
    s32 d;
    u32 e;
};
struct Odd {  // 5 bytes, nowhere aligned
    u8 x[5];
};
struct Several {  // returned and passed by value
    u32 a;
    u64 b;
    float c;
    u8 d;
    s16 e;
};
struct Fields {
    u32 a : 5;
    s32 b : 11;
    u32 c : 16;
};

template <class T>
HD T loaded_readonly(const T* p) {
    return EITHER(__ldg(p), *p);
}
#define ATOMIC(name, function, expression)         \
    template <class T>                             \
    HD void name(T* p, T v) {                      \
        EITHER(function(p, v), *p = (expression)); \
    }
ATOMIC(atomic_add, atomicAdd, *p + v)
ATOMIC(atomic_min, atomicMin, std::min(*p, v))
ATOMIC(atomic_max, atomicMax, std::max(*p, v))
ATOMIC(atomic_and, atomicAnd, *p& v)
ATOMIC(atomic_or, atomicOr, *p | v)
ATOMIC(atomic_xor, atomicXor, *p ^ v)
#undef ATOMIC
HD inline void atomic_inc(u32* p, u32 most) {
    EITHER(atomicInc(p, most), *p = *p >= most ? 0 : *p + 1);
}
HD inline void atomic_mul(u32* p, u32 v) {
#ifdef __CUDA_ARCH__
    u32 now = *static_cast<volatile u32*>(p), old;
    do {
        old = now;
        now = atomicCAS(p, old, old * v);
    } while (now != old);
#else
    *p *= v;
#endif
}

/// What a kernel gets.
struct Memory {
    const u32* in;
    u32 *out, *acc, *products, *wrapped;
    u64* wide_acc;
    float* real_acc;
    u32 salt;
};

// ---- warps

/// The lane of the n-th of the mask's bits, from 0 on, in turn.
HD inline u32 nth(u32 mask, u32 n) {
    for (n %= popc(mask); n != 0; --n) mask &= mask - 1;
    return ffs(mask) - 1;
}
/// Where a shuffle reads: how = 0 up, 1 down, 2 xor.
HD inline u32 source_lane(u32 how, u32 lane, u32 distance, u32 width) {
    const u32 first = lane & ~(width - 1), last = first | (width - 1);
    const u32 from = how == 0 ? lane - distance : how == 1 ? lane + distance : lane ^ distance;
    if (how == 0) return static_cast<s32>(from) < static_cast<s32>(first) ? lane : from;
    return from > last ? lane : from;
}
template <class T, class Combine>
T combined(u32 mask, const T* value, Combine combine) {
    const u32 first = ffs(mask) - 1;
    T result = value[first];
    for (u32 i = first + 1; i < 32; ++i)
        if (mask >> i & 1) result = combine(result, value[i]);
    return result;
}
template <class T>
u32 same_as(u32 mask, const T* value, T mine) {
    u32 found = 0;
    for (u32 i = 0; i < 32; ++i)
        if ((mask >> i & 1) && value[i] == mine) found |= 1U << i;
    return found;
}

using Lanes = std::vector<char>;  // of a block: who takes part

template <class State, class Do>
void each(std::vector<State>& threads, const Lanes& on, Do act) {
    for (std::size_t t = 0; t < threads.size(); ++t)
        if (on[t] && threads[t].alive) act(threads[t]);
}
template <class State, class Condition>
Lanes those(std::vector<State>& threads, const Lanes& on, Condition condition) {
    Lanes result(threads.size());
    for (std::size_t t = 0; t < threads.size(); ++t) result[t] = on[t] && threads[t].alive && condition(threads[t]);
    return result;
}
inline bool any(const Lanes& lanes) {
    return std::find(lanes.begin(), lanes.end(), 1) != lanes.end();
}

/// What lanes of a warp do together: each gives a value, then each goes on with those of all.
template <class State, class Give, class Take>
void collective(std::vector<State>& threads, const Lanes& on, Give give, Take take) {
    using T = decltype(give(threads[0]));
    for (std::size_t first = 0; first < threads.size(); first += 32) {
        T value[32] = {};
        u32 mask = 0;
        for (u32 i = 0; i < 32 && first + i < threads.size(); ++i) {
            State& thread = threads[first + i];
            if (!on[first + i] || !thread.alive) continue;
            mask |= 1U << i;
            value[i] = give(thread);
        }
        for (u32 i = 0; i < 32; ++i)
            if (mask >> i & 1) take(threads[first + i], mask, i, value);
    }
}

// ---- launches

#define CHECK(call)                                                             \
    do {                                                                        \
        const cudaError_t error = (call);                                       \
        if (error != cudaSuccess) {                                             \
            std::printf("kernel %d: %s\n", current, cudaGetErrorString(error)); \
            std::exit(1);                                                       \
        }                                                                       \
    } while (false)

inline int current = 0;

inline u32 next_random(u32& state) {
    state = state * 1664525U + 1013904223U;
    return state >> 8 ^ state << 20;
}

struct Shape {
    dim3 grid, block;
    u32 salt = 0, times = 1;
};

/// Memory on the device and on the host, which begins and has to end alike.
struct Arrays {
    std::vector<u32> in = std::vector<u32>(in_bytes / 4),
                     out = std::vector<u32>(most_blocks * most_threads * own_words), acc = std::vector<u32>(sums),
                     products = std::vector<u32>(sums), wrapped = std::vector<u32>(sums);
    std::vector<u64> wide_acc = std::vector<u64>(sums);
    std::vector<float> real_acc = std::vector<float>(sums);
    Memory device{};

    template <class Each>
    void all(Each each) {
        each("in", in, const_cast<u32*&>(device.in));
        each("out", out, device.out);
        each("acc", acc, device.acc);
        each("products", products, device.products);
        each("wrapped", wrapped, device.wrapped);
        each("wide_acc", wide_acc, device.wide_acc);
        each("real_acc", real_acc, device.real_acc);
    }
    explicit Arrays(u32 seed) {
        static constexpr u32 odd_values[] = {0,           1,           ~0U, 0x80000000U, 0x7FFFFFFFU,
                                             0x3F800000U, 0x7F800000U, 31,  32,          255};
        const auto value = [&] {
            return next_random(seed) % 4 == 0 ? odd_values[next_random(seed) % 10] : next_random(seed);
        };
        for (u32& word : in) word = value();
        for (u32& word : out) word = value();
        for (u32& word : acc) word = value();
        for (u32& word : products) word = value() | 1;
        for (u64& word : wide_acc) word = u64{value()} << 32 | value();
        all([](const char*, auto& host, auto*& on_device) {
            const std::size_t bytes = host.size() * sizeof(host[0]);
            CHECK(cudaMalloc(&on_device, bytes));
            CHECK(cudaMemcpy(on_device, host.data(), bytes, cudaMemcpyHostToDevice));
        });
    }
    ~Arrays() {
        all([](const char*, auto&, auto*& on_device) { cudaFree(on_device); });
    }
    Arrays(const Arrays&) = delete;
    Arrays& operator=(const Arrays&) = delete;

    Memory with(u32 salt) const {
        Memory memory = device;
        memory.salt = salt;
        return memory;
    }
    Memory of_host(u32 salt) {
        return {in.data(),      out.data(),      acc.data(),      products.data(),
                wrapped.data(), wide_acc.data(), real_acc.data(), salt};
    }
    /// Of the next launch; before some of them the host changes what the device has.
    Shape next_shape(u32& seed) {
        static const dim3 grids[] = {{1}, {2}, {3}, {5}, {2, 2}, {1, 3}, {2, 1, 2}};
        static const dim3 blocks[] = {{1},   {7},   {32},   {33},    {64},    {96},      {100},     {128},
                                      {200}, {256}, {8, 5}, {16, 9}, {33, 3}, {4, 3, 5}, {2, 2, 17}};
        static constexpr u32 often[] = {1, 1, 1, 2, 6};
        Shape shape;
        shape.grid = grids[next_random(seed) % std::size(grids)];
        shape.block = blocks[next_random(seed) % std::size(blocks)];
        shape.salt = next_random(seed);
        shape.times = often[next_random(seed) % std::size(often)];
        if (next_random(seed) % 3 == 0) {
            const u32 at = next_random(seed) % in.size();
            change_in(at, next_random(seed));
        }
        return shape;
    }
    void change_in(u32 at, u32 value) {
        in[at] = value;
        CHECK(cudaMemcpy(const_cast<u32*>(device.in) + at, &value, 4, cudaMemcpyHostToDevice));
    }
    bool compare(const Shape& shape) {
        bool same = true;
        all([&](const char* name, auto& host, auto*& on_device) {
            auto got = host;
            CHECK(cudaMemcpy(got.data(), on_device, host.size() * sizeof(host[0]), cudaMemcpyDeviceToHost));
            std::size_t wrong = 0, first = 0;
            for (std::size_t i = host.size(); i-- > 0;) {
                if (memcmp(&got[i], &host[i], sizeof(got[i])) == 0) continue;
                ++wrong;
                first = i;
            }
            if (wrong == 0) return;
            std::printf("kernel %d<<<(%u, %u, %u), (%u, %u, %u)>>>: %s[%zu] is %llx, must be %llx, and %zu more\n",
                        current, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y, shape.block.z,
                        name, first, static_cast<unsigned long long>(got[first]),
                        static_cast<unsigned long long>(host[first]), wrong - 1);
            same = false;
        });
        return same;
    }
};
