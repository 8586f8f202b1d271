// What one vector instruction moves for a thread, other threads see whole or not at all: half of the blocks write pairs
// that belong together, the others read them. CUB passes values between blocks that way.
#include <vector>

#include "verify.hpp"

enum class Kind { relaxed_32, volatile_32, relaxed_64, generic_32 };

template <Kind kind>
__device__ void write(uint4* at, unsigned i) {
    const unsigned long long low = i, high = ~low;
    if (kind == Kind::relaxed_32)
        asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" ::"l"(at), "r"(i), "r"(~i) : "memory");
    else if (kind == Kind::volatile_32)
        asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %1, %2};" ::"l"(at), "r"(i), "r"(~i) : "memory");
    else if (kind == Kind::relaxed_64)
        asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(at), "l"(low), "l"(high) : "memory");
    else
        asm volatile("st.volatile.v2.u32 [%0], {%1, %2};" ::"l"(at), "r"(i), "r"(~i) : "memory");
}

/// Whether what is read belongs together.
template <Kind kind>
__device__ bool read(const uint4* at) {
    unsigned a, b, c, d;
    unsigned long long low, high;
    if (kind == Kind::relaxed_32) {
        asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(at) : "memory");
    } else if (kind == Kind::volatile_32) {
        asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "l"(at)
                     : "memory");
        return a == ~b && c == a && d == b;
    } else if (kind == Kind::relaxed_64) {
        asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(at) : "memory");
        return low == ~high;
    } else {
        asm volatile("ld.volatile.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(at) : "memory");
    }
    return a == ~b;
}

template <Kind kind>
__global__ void exchange(uint4* pairs, unsigned* torn, unsigned times) {
    // Who reads what a block writes is on a multiprocessor far from its own.
    const unsigned half = gridDim.x / 2, pair = (blockIdx.x + (blockIdx.x < half ? 0 : 7)) % half;
    uint4* mine = pairs + pair * blockDim.x + threadIdx.x;
    unsigned bad = 0;
    for (unsigned i = 0; i < times; ++i) {
        if (blockIdx.x < half)
            write<kind>(mine, i);
        else
            bad += read<kind>(mine) ? 0 : 1;
    }
    if (bad > 0) atomicAdd(torn, bad);
}

template <Kind kind>
unsigned torn_of() {
    constexpr unsigned blocks = 30, threads = 32, times = 5000;
    const uint4 start = kind == Kind::relaxed_64 ? uint4{0, 0, ~0U, ~0U} : uint4{0, ~0U, 0, ~0U};
    const Device<uint4> pairs(std::vector<uint4>(blocks * threads, start));
    const Device<unsigned> torn(std::vector<unsigned>(1, 0));
    exchange<kind><<<2 * blocks, threads>>>(pairs, torn, times);
    return torn.host()[0];
}

int main() {
    const std::vector<unsigned> torn{torn_of<Kind::relaxed_32>(), torn_of<Kind::volatile_32>(),
                                     torn_of<Kind::relaxed_64>(), torn_of<Kind::generic_32>()};
    return verdict(agree("torn vectors", torn, {0, 0, 0, 0}));
}
