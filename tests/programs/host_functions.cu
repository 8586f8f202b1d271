// Host functions that wait for what the host does after it has put them into their stream, and what streams do
// meanwhile.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "time_limit.hpp"
#include "verify.hpp"

__global__ void scale(float* values, unsigned n, float factor) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= factor;
}
__global__ void set(int* value, int to) {
    *value = to;
}

struct Gate {
    std::atomic<bool> open{false};
    std::atomic<int> passed{0};
    cudaError_t status = cudaErrorUnknown;
};

void pass(void* data) {
    auto* gate = static_cast<Gate*>(data);
    while (!gate->open) std::this_thread::yield();
    ++gate->passed;
}
void pass_again(void* data) {
    pass(data);
}
void call_back(cudaStream_t, cudaError_t status, void* data) {
    static_cast<Gate*>(data)->status = status;
    pass(data);
}
void count(void* data) {
    ++static_cast<Gate*>(data)->passed;
}
std::mutex mutex;
void lock(void* data) {
    const std::lock_guard lock(mutex);
    ++static_cast<Gate*>(data)->passed;
}

bool not_ready(cudaError_t code) {
    if (code != cudaErrorNotReady) return false;
    static_cast<void>(cudaGetLastError());
    return true;
}

/// Kernels, copies and events behind a function, twice: a function that is known to wait is treated in another way.
bool stream_is_held_up() {
    constexpr unsigned n = 1000;
    float *pinned = nullptr, *device = nullptr;
    check(cudaMallocHost(&pinned, n * sizeof(float)));
    check(cudaMalloc(&device, n * sizeof(float)));
    cudaStream_t stream;
    cudaEvent_t after, temporary;
    check(cudaStreamCreate(&stream));
    check(cudaEventCreate(&after));
    bool right = true;
    for (int round = 0; round < 3; ++round) {
        Gate gate;
        check(cudaEventCreate(&temporary));
        for (unsigned i = 0; i < n; ++i) pinned[i] = 0;
        check(cudaLaunchHostFunc(stream, pass, &gate));
        check(cudaMemcpyAsync(device, pinned, n * sizeof(float), cudaMemcpyHostToDevice, stream));
        for (int i = 0; i < 3; ++i) scale<<<(n + 255) / 256, 256, 0, stream>>>(device, n, 2);
        check(cudaGetLastError());
        check(cudaEventRecord(temporary, stream));
        check(cudaMemcpyAsync(pinned, device, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
        check(cudaLaunchHostFunc(stream, count, &gate));
        check(cudaEventRecord(after, stream));
        check(cudaEventDestroy(temporary));
        right = right && not_ready(cudaStreamQuery(stream)) && not_ready(cudaEventQuery(after)) && gate.passed == 0;
        // The copies have not begun: they take these.
        for (unsigned i = 0; i < n; ++i) pinned[i] = static_cast<float>(i + round);
        gate.open = true;
        check(round == 1 ? cudaDeviceSynchronize() : cudaEventSynchronize(after));
        right = right && gate.passed == 2 && cudaStreamQuery(stream) == cudaSuccess;
        for (unsigned i = 0; i < n; ++i) right = right && pinned[i] == 8 * static_cast<float>(i + round);
    }
    check(cudaStreamDestroy(stream));
    check(cudaFreeHost(pinned));
    check(cudaFree(device));
    return right;
}

/// What the host copies from pageable memory behind a function is taken when it asks for that.
bool pageable_memory_is_taken_at_once() {
    Gate gate;
    Device<int> device(std::vector<int>{0, 0, 0, 0});
    std::vector<int> values{1, 2, 3, 4};
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    check(cudaLaunchHostFunc(stream, pass, &gate));
    check(cudaMemcpyAsync(device, values.data(), 4 * sizeof(int), cudaMemcpyHostToDevice, stream));
    values = {5, 6, 7, 8};
    gate.open = true;
    check(cudaStreamSynchronize(stream));
    return device.host() == std::vector<int>{1, 2, 3, 4};
}

bool lock_of_the_caller() {
    Gate gate;
    Device<int> value(std::vector<int>{0});
    {
        const std::lock_guard guard(mutex);
        check(cudaLaunchHostFunc(nullptr, lock, &gate));
        set<<<1, 1>>>(value, 3);
        check(cudaGetLastError());
        if (gate.passed != 0) return false;
    }
    check(cudaStreamSynchronize(nullptr));
    return gate.passed == 1 && value.host().front() == 3;
}

/// A stream that CUDA does not order after the function's is not held up, with all that it does.
bool other_streams_go_on() {
    Gate gate;
    int *pinned = nullptr, *behind_it = nullptr;
    check(cudaMallocHost(&pinned, sizeof(int)));
    check(cudaMallocHost(&behind_it, sizeof(int)));
    Device<int> value(std::vector<int>{0});
    cudaStream_t waiting, free, behind;
    cudaEvent_t event;
    check(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&behind, cudaStreamNonBlocking));
    check(cudaEventCreate(&event));
    check(cudaStreamAddCallback(waiting, call_back, &gate, 0));
    check(cudaEventRecord(event, waiting));
    check(cudaStreamWaitEvent(behind, event, 0));
    *behind_it = 0;
    check(cudaMemcpyAsync(behind_it, value, sizeof(int), cudaMemcpyDeviceToHost, behind));
    set<<<1, 1, 0, free>>>(value, 4);
    check(cudaMemcpyAsync(pinned, value, sizeof(int), cudaMemcpyDeviceToHost, free));
    check(cudaStreamSynchronize(free));
    bool right = *pinned == 4 && not_ready(cudaStreamQuery(waiting)) && not_ready(cudaStreamQuery(behind));
    right = right && gate.passed == 0 && *behind_it == 0;
    check(cudaStreamDestroy(waiting));  // what it was given is done all the same
    gate.open = true;
    check(cudaStreamSynchronize(behind));
    right = right && *behind_it == 4 && gate.passed == 1 && gate.status == cudaSuccess;
    check(cudaFreeHost(pinned));
    check(cudaFreeHost(behind_it));
    return right;
}

/// A graph whose node waits, within a graph within it, too.
bool graphs_are_held_up(bool nested) {
    Gate gate;
    Device<int> value(std::vector<int>{1});
    cudaStream_t stream;
    cudaGraph_t graph, outer;
    cudaGraphExec_t executable;
    check(cudaStreamCreate(&stream));
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    check(cudaLaunchHostFunc(stream, pass_again, &gate));
    set<<<1, 1, 0, stream>>>(value, 5);
    check(cudaLaunchHostFunc(stream, count, &gate));
    check(cudaStreamEndCapture(stream, &graph));
    if (nested) {
        cudaGraphNode_t node;
        check(cudaGraphCreate(&outer, 0));
        check(cudaGraphAddChildGraphNode(&node, outer, nullptr, 0, graph));
        check(cudaGraphDestroy(graph));
        graph = outer;
    }
    check(cudaGraphInstantiate(&executable, graph, 0));
    check(cudaGraphLaunch(executable, stream));
    set<<<1, 1, 0, stream>>>(value, 6);
    check(cudaGetLastError());
    bool right = gate.passed == 0 && not_ready(cudaStreamQuery(stream));
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
    gate.open = true;
    check(cudaStreamSynchronize(stream));
    right = right && gate.passed == 2 && value.host().front() == 6;
    check(cudaStreamDestroy(stream));
    return right;
}

int main(int argc, char** argv) {
    limit_time(argc, argv);
    bool right = true;
    right &= holds(stream_is_held_up(), "a function waits");
    right &= holds(pageable_memory_is_taken_at_once(), "pageable memory is taken at once");
    right &= holds(lock_of_the_caller(), "a lock of the caller");
    right &= holds(other_streams_go_on(), "other streams go on");
    right &= holds(graphs_are_held_up(false), "a node of a graph waits");
    right &= holds(graphs_are_held_up(true), "a node of a graph within a graph waits");
    return verdict(right);
}
