// A graph captured from a stream, launched twice.
#include "verify.hpp"

__global__ void scale(float* data, int n, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}

int main() {
    constexpr int n = 10000, blocks = (n + 127) / 128;
    std::vector<float> values(n), expected(n);
    for (int i = 0; i < n; ++i) {
        values[i] = static_cast<float>(i);
        expected[i] = values[i] / 4;
    }
    Device<float> data(values);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    check(cudaStreamCreate(&stream));
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    scale<<<blocks, 128, 0, stream>>>(data, n, 2);
    scale<<<blocks, 128, 0, stream>>>(data, n, 0.25F);
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 2; ++i) check(cudaGraphLaunch(executable, stream));
    check(cudaStreamSynchronize(stream));
    const bool right = agree("scaled", data.host(), expected);
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
    check(cudaStreamDestroy(stream));
    return verdict(right);
}
