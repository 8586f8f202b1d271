// Kernels that wait for what the host does after their launch, and what streams and events say meanwhile.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "time_limit.hpp"
#include "verify.hpp"

__global__ void wait_for(const volatile unsigned* flag, unsigned value) {
    while (*flag < value) {
    }
}

__global__ void wait_by_atomics(unsigned* flag) {
    while (atomicAdd_system(flag, 0) == 0) {
    }
}

__global__ void scale(float* values, unsigned n, float factor) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= factor;
}

// One block answers each number of the host.
__global__ void answer(const volatile unsigned* asked, volatile unsigned* answered, unsigned rounds) {
    for (unsigned round = 1; round <= rounds; ++round) {
        while (*asked < round) {
        }
        __threadfence_system();
        *answered = round;
        __threadfence_system();
    }
}

struct Called {
    std::atomic<int> count{0};
    const volatile unsigned* flag = nullptr;
    unsigned seen = 0;
};

void note_call(void* data) {
    auto* called = static_cast<Called*>(data);
    called->seen = *called->flag;
    ++called->count;
}
void note_callback(cudaStream_t, cudaError_t, void* data) {
    note_call(data);
}

/// Launches each kernel where it need not wait: CUDA loads a kernel at its first launch, which may wait for all those
/// that run, and here they would wait for the host.
void load_kernels() {
    const Device<unsigned> one(std::vector<unsigned>{1});
    wait_for<<<1, 1>>>(one, 1);
    wait_by_atomics<<<1, 1>>>(one);
    scale<<<1, 1>>>(nullptr, 0, 1);
    answer<<<1, 1>>>(one, one, 0);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
}

void launch_volatile(unsigned* flag, cudaStream_t stream) {
    wait_for<<<1, 1, 0, stream>>>(flag, 1);
}
void launch_blocks(unsigned* flag, cudaStream_t stream) {
    wait_for<<<20, 96, 0, stream>>>(flag, 1);
}
void launch_atomics(unsigned* flag, cudaStream_t stream) {
    wait_by_atomics<<<2, 64, 0, stream>>>(flag);
}

/// Everything that a stream is given is done after the kernel that waits.
bool stream_is_held_up(void (*launch)(unsigned*, cudaStream_t), unsigned flags) {
    constexpr unsigned n = 1000;
    unsigned* flag = nullptr;
    float *pinned = nullptr, *device = nullptr;
    check(cudaMallocHost(&flag, sizeof(unsigned)));
    check(cudaMallocHost(&pinned, n * sizeof(float)));
    check(cudaMalloc(&device, n * sizeof(float)));
    *flag = 0;
    for (unsigned i = 0; i < n; ++i) pinned[i] = 0;
    cudaStream_t stream;
    cudaEvent_t before, after;
    check(cudaStreamCreateWithFlags(&stream, flags));
    check(cudaEventCreate(&before));
    check(cudaEventCreate(&after));
    Called called;
    called.flag = flag;

    check(cudaEventRecord(before, stream));
    launch(flag, stream);
    check(cudaGetLastError());
    check(cudaMemcpyAsync(device, pinned, n * sizeof(float), cudaMemcpyHostToDevice, stream));
    for (int i = 0; i < 3; ++i) scale<<<(n + 255) / 256, 256, 0, stream>>>(device, n, 2);
    check(cudaMemcpyAsync(pinned, device, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
    check(cudaLaunchHostFunc(stream, note_call, &called));
    check(cudaStreamAddCallback(stream, note_callback, &called, 0));
    check(cudaEventRecord(after, stream));
    check(cudaEventSynchronize(before));
    bool right = cudaStreamQuery(stream) == cudaErrorNotReady && cudaEventQuery(after) == cudaErrorNotReady;
    right = right && cudaGetLastError() == cudaSuccess;  // an answer, and no error
    float milliseconds = 0;
    right = right && cudaEventElapsedTime(&milliseconds, before, after) == cudaErrorNotReady && called.count == 0;
    static_cast<void>(cudaGetLastError());
    // The copies have not begun: they take these.
    for (unsigned i = 0; i < n; ++i) pinned[i] = static_cast<float>(i);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    right = right && called.count == 0;
    // Where the GPU's link to the host has no atomic operations, one may write what it read before this was written.
    do *static_cast<volatile unsigned*>(flag) = 1;
    while (launch == launch_atomics && cudaEventQuery(after) == cudaErrorNotReady);
    check(cudaEventSynchronize(after));
    static_cast<void>(cudaGetLastError());
    right = right && called.count == 2 && called.seen == 1 && cudaStreamQuery(stream) == cudaSuccess;
    check(cudaEventElapsedTime(&milliseconds, before, after));
    right = right && milliseconds > 0;
    for (unsigned i = 0; i < n; ++i) right = right && pinned[i] == 8 * static_cast<float>(i);
    check(cudaStreamDestroy(stream));
    check(cudaFreeHost(flag));
    check(cudaFreeHost(pinned));
    check(cudaFree(device));
    return right;
}

/// A copy in another stream ends the waiting; a stream that waits for an event of the first is held up, too.
bool other_streams_go_on() {
    unsigned *flag = nullptr, *one = nullptr, *copy = nullptr;
    check(cudaMalloc(&flag, sizeof(unsigned)));
    check(cudaMallocHost(&one, sizeof(unsigned)));
    check(cudaMallocHost(&copy, sizeof(unsigned)));
    check(cudaMemset(flag, 0, sizeof(unsigned)));
    *one = 1;
    *copy = 7;
    cudaStream_t waiting, free, behind;
    cudaEvent_t event;
    check(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&behind, cudaStreamNonBlocking));
    check(cudaEventCreate(&event));
    wait_for<<<1, 32, 0, waiting>>>(flag, 1);
    check(cudaEventRecord(event, waiting));
    check(cudaStreamWaitEvent(behind, event, 0));
    check(cudaMemcpyAsync(copy, flag, sizeof(unsigned), cudaMemcpyDeviceToHost, behind));
    bool right = *copy == 7 && cudaStreamQuery(behind) == cudaErrorNotReady && cudaStreamQuery(free) == cudaSuccess &&
                 cudaGetLastError() == cudaSuccess;
    check(cudaMemcpyAsync(flag, one, sizeof(unsigned), cudaMemcpyHostToDevice, free));
    check(cudaStreamSynchronize(free));
    check(cudaStreamSynchronize(behind));
    right = right && *copy == 1;
    check(cudaFree(flag));
    return right;
}

/// Host and kernel in turns, many times.
bool conversation() {
    constexpr unsigned rounds = 50;
    int both = 0;  // may host and GPU use managed memory at the same time?
    check(cudaDeviceGetAttribute(&both, cudaDevAttrConcurrentManagedAccess, 0));
    if (both == 0) return true;
    unsigned *asked = nullptr, *answered = nullptr;
    check(cudaMallocManaged(&asked, sizeof(unsigned)));
    check(cudaMallocManaged(&answered, sizeof(unsigned)));
    *asked = *answered = 0;
    answer<<<1, 1>>>(asked, answered, rounds);
    bool right = true;
    for (unsigned round = 1; round <= rounds; ++round) {
        *static_cast<volatile unsigned*>(asked) = round;
        while (*static_cast<volatile unsigned*>(answered) < round) std::this_thread::yield();
        right = right && *static_cast<volatile unsigned*>(answered) == round;
    }
    check(cudaDeviceSynchronize());
    return right;
}

int main(int argc, char** argv) {
    limit_time(argc, argv);
    load_kernels();
    bool right = true;
    for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
        right &= holds(stream_is_held_up(launch_volatile, flags), "one thread waits");
        right &= holds(stream_is_held_up(launch_blocks, flags), "blocks wait");
        right &= holds(stream_is_held_up(launch_atomics, flags), "waiting by atomic operations");
    }
    right &= holds(other_streams_go_on(), "other streams go on");
    right &= holds(conversation(), "host and kernel in turns");
    return verdict(right);
}
