// Atomics on bytes and halves, which libcu++ makes of those on the word around them: also where that ends behind the
// memory, global or shared, or begins in front of the number.
#include <cuda/atomic>

#include "verify.hpp"

using Byte = unsigned char;

template <class T>
using Atomic = cuda::atomic_ref<T, cuda::thread_scope_device>;

constexpr int threads = 96;

__global__ void count(Byte* bytes, int n_bytes, short* halves, int n_halves, bool* flag) {
    __shared__ Byte last[3];
    if (threadIdx.x == 0) last[2] = 0;
    __syncthreads();
    Atomic<Byte>(bytes[n_bytes - 1]).fetch_add(1);
    Atomic<short>(halves[n_halves - 1]).fetch_sub(2);
    Atomic<Byte>(last[2]).fetch_add(1);
    if (threadIdx.x == 5) Atomic<bool>(*flag).store(true);
    __syncthreads();
    if (threadIdx.x == 0) bytes[0] = last[2];
}

bool counts(int n_bytes, int n_halves) {
    std::vector<Byte> bytes(n_bytes, 7);
    std::vector<short> halves(n_halves, 9);
    const Device<Byte> on_device(bytes);
    const Device<short> halves_on_device(halves);
    Device<bool> flag(1);
    check(cudaMemset(flag, 0, 1));
    count<<<1, threads>>>(on_device, n_bytes, halves_on_device, n_halves, flag);
    bool raised = false;
    check(cudaMemcpy(&raised, flag, 1, cudaMemcpyDeviceToHost));
    bytes[n_bytes - 1] += threads;
    bytes[0] = threads;
    halves[n_halves - 1] -= 2 * threads;
    return agree("bytes", on_device.host(), bytes) & agree("halves", halves_on_device.host(), halves) &
           holds(raised, "flag");
}

int main() {
    return verdict(counts(3, 1) & counts(5, 3) & counts(6, 7) & counts(4, 2));
}
