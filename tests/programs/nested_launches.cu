// Kernels that launch kernels (built with -rdc=true): a sort that launches itself for its parts, a tail launch that
// sees all that came before, and a graph whose loop a kernel ends. And what kernels ask about their GPU.
#include <algorithm>

#include "verify.hpp"

constexpr int smallest = 32, deepest = 20;

/// Quicksort of values[first, end) by one thread; the parts are sorted by launches of their own.
__global__ void sort(unsigned* values, int first, int end, int depth) {
    if (end - first <= smallest || depth == deepest) {
        for (int i = first + 1; i < end; ++i)
            for (int k = i; k > first && values[k] < values[k - 1]; --k) {
                const unsigned value = values[k];
                values[k] = values[k - 1];
                values[k - 1] = value;
            }
        return;
    }
    const unsigned pivot = values[(first + end) / 2];
    int low = first, high = end - 1;
    while (low <= high) {
        while (values[low] < pivot) ++low;
        while (values[high] > pivot) --high;
        if (low > high) break;
        const unsigned value = values[low];
        values[low++] = values[high];
        values[high--] = value;
    }
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    sort<<<1, 1, 0, stream>>>(values, first, high + 1, depth + 1);
    sort<<<1, 1>>>(values, low, end, depth + 1);
    cudaStreamDestroy(stream);
}

struct Step {
    double factor;
    int offset;
    short every;
};
__global__ void step(int* values, Step by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % by.every == 0) values[i] = static_cast<int>(values[i] * by.factor) + by.offset;
}
__global__ void add_up(const int* values, int n, int* sum) {
    for (int i = 0; i < n; ++i) *sum += values[i];
}
/// Each block's first thread launches a step for its part; one of them asks for the sum of all, last of all.
__global__ void launch_steps(int* values, int each, int* sum) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) add_up<<<1, 1, 0, cudaStreamTailLaunch>>>(values, each * gridDim.x, sum);
    step<<<2, each / 2>>>(values + blockIdx.x * each, Step{2.5, static_cast<int>(blockIdx.x), 2});
    step<<<2, each / 2>>>(values + blockIdx.x * each, Step{1, 1000, 1});
}

/// All of a, by the operations of one stream, then a copy of it. With zeros, as CUDA's device runtime (11.8 and 13.0)
/// fills with these whatever value it is given.
__global__ void fill_and_copy(int* a, int* b, int n) {
    cudaMemsetAsync(a, 0, n * sizeof(int), 0);
    step<<<1, n>>>(a, Step{1, 5, 1});
    cudaMemcpyAsync(b, a, n * sizeof(int), cudaMemcpyDeviceToDevice, 0);
    step<<<1, n>>>(a, Step{1, 5, 1});
}

__global__ void count_down(int* left, cudaGraphConditionalHandle more) {
    *left -= 1;
    cudaGraphSetConditional(more, *left > 0);
}

/// What the device runtime answers about the GPU, and the codes that it gives.
__global__ void ask(int* answers) {
    int value = -1;
    answers[0] = cudaGetDevice(&value);
    answers[1] = value;
    answers[2] = cudaGetDeviceCount(answers + 3);
    answers[4] = cudaDeviceGetAttribute(answers + 5, cudaDevAttrMultiProcessorCount, 0);
    answers[6] = cudaDeviceGetAttribute(answers + 7, cudaDevAttrMultiProcessorCount, 5);
    answers[8] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(answers + 9, step, 96, 1000);
    answers[10] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(answers + 11, step, 0, 0);
}
/// What it does not do: only copies between places of the GPU's memory, and no memory of no bytes.
__global__ void ask_too_much(int* codes, int* here) {
    __shared__ int shared[1];
    void* made = here;
    codes[0] = cudaMemcpyAsync(here, here + 1, sizeof(int), cudaMemcpyHostToDevice, 0);
    codes[1] = cudaMemcpyAsync(here, nullptr, sizeof(int), cudaMemcpyDeviceToDevice, 0);
    codes[2] = cudaMemcpyAsync(shared, here, sizeof(int), cudaMemcpyDeviceToDevice, 0);
    codes[3] = cudaMemcpyAsync(nullptr, shared, 0, cudaMemcpyHostToDevice, 0);
    codes[4] = cudaMemsetAsync(nullptr, 0, sizeof(int), 0);
    codes[5] = cudaMemsetAsync(shared, 0, sizeof(int), 0);
    codes[6] = cudaMalloc(&made, 0);
    codes[7] = made == here;
    codes[8] = cudaMemcpyAsync(here, here + 1, sizeof(int), cudaMemcpyDefault, 0);
}

/// Launches that no GPU does: each thread has an error of its own, and goes on.
__global__ void launch_too_much(int* codes, int* values) {
    if (threadIdx.x == 0) return;
    codes[0] = cudaGetLastError();
    step<<<1, 2048>>>(values, Step{1, 1, 1});
    codes[1] = cudaPeekAtLastError();
    codes[2] = cudaGetLastError();
    codes[3] = cudaGetLastError();
    step<<<0, 32>>>(values, Step{1, 1, 1});
    codes[4] = cudaGetLastError();
    cudaMemcpyAsync(values, nullptr, sizeof(int), cudaMemcpyDeviceToDevice, 0);
    codes[5] = cudaGetLastError();
    step<<<1, 32>>>(values, Step{1, 1, 1});
    codes[6] = cudaGetLastError();
}
bool impossible_launches() {
    const Device<int> codes(std::vector<int>(7, -1)), values(std::vector<int>(32, 1));
    launch_too_much<<<1, 2>>>(codes, values);
    return agree("codes of launches", codes.host(),
                 std::vector<int>{cudaSuccess, cudaErrorInvalidConfiguration, cudaErrorInvalidConfiguration,
                                  cudaSuccess, cudaErrorInvalidConfiguration, cudaErrorInvalidValue, cudaSuccess}) &
           agree("the launch behind them", values.host(), std::vector<int>(32, 2));
}

bool refusals() {
    const Device<int> codes(9), here(std::vector<int>{1, 2});
    ask_too_much<<<1, 1>>>(codes, here);
    return agree("codes", codes.host(),
                 std::vector<int>{cudaErrorInvalidMemcpyDirection, cudaErrorInvalidValue, cudaErrorInvalidValue,
                                  cudaSuccess, cudaErrorInvalidValue, cudaErrorInvalidValue, cudaErrorInvalidValue, 1,
                                  cudaSuccess}) &
           agree("here", here.host(), std::vector<int>{2, 2});
}

bool answers() {
    const Device<int> on_device(std::vector<int>(12, -1));
    ask<<<1, 1>>>(on_device);
    int sms, blocks;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, step, 96, 1000));
    return agree("answers", on_device.host(),
                 std::vector<int>{0, 0, 0, 1, 0, sms, cudaErrorInvalidDevice, -1, 0, blocks, cudaErrorInvalidValue, 0});
}

bool sorts(int n) {
    Random random;
    std::vector<unsigned> input(n);
    for (unsigned& value : input) value = random.next() % 5000;
    const Device<unsigned> values(input);
    sort<<<1, 1>>>(values, 0, n, 0);
    std::sort(input.begin(), input.end());
    return agree("sorted", values.host(), input);
}

bool steps() {
    constexpr int blocks = 7, each = 64;
    std::vector<int> values(blocks * each);
    for (int i = 0; i < blocks * each; ++i) values[i] = i;
    const Device<int> on_device(values), sum(std::vector<int>{0});
    launch_steps<<<blocks, 32>>>(on_device, each, sum);
    int expected = 0;
    for (int i = 0; i < blocks * each; ++i) {
        if (i % 2 == 0) values[i] = static_cast<int>(values[i] * 2.5) + i / each;
        expected += values[i] += 1000;
    }
    return agree("steps", on_device.host(), values) && agree("sum", sum.host()[0], expected);
}

bool copies() {
    constexpr int n = 96;
    const Device<int> a(std::vector<int>(n, 77)), b(n);
    fill_and_copy<<<1, 1>>>(a, b, n);
    return agree("filled", a.host(), std::vector<int>(n, 10)) & agree("copied", b.host(), std::vector<int>(n, 5));
}

bool loops() {
    const Device<int> left(std::vector<int>{5});
    cudaGraph_t graph;
    check(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle more;
    check(cudaGraphConditionalHandleCreate(&more, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams loop{};
    loop.type = cudaGraphNodeTypeConditional;
    loop.conditional.handle = more;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    cudaGraphNode_t node;
    check(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop));
    int* pointer = left;
    void* arguments[] = {&pointer, &more};
    cudaKernelNodeParams kernel{};
    kernel.func = reinterpret_cast<void*>(count_down);
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    check(cudaGraphAddKernelNode(&node, loop.conditional.phGraph_out[0], nullptr, 0, &kernel));
    cudaGraphExec_t executable;
    check(cudaGraphInstantiate(&executable, graph, 0));
    check(cudaGraphLaunch(executable, nullptr));
    check(cudaDeviceSynchronize());
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
    return agree("left", left.host()[0], 0);
}

int main(int argc, char** argv) {
    const int n = static_cast<int>(option(argc, argv, "--size", 2000));
    return verdict(sorts(n) & steps() & copies() & loops() & answers() & refusals() & impossible_launches());
}
