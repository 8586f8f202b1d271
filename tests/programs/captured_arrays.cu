// Copies to and from CUDA arrays in streams: captured, they are nodes of a graph, which copy what is there at the
// launch; not captured, they come behind what their stream was given before.
#include "verify.hpp"

namespace {

constexpr int width = 8, height = 4, count = width * height;
constexpr size_t row = width * sizeof(float);

__global__ void fill(float* out, float value) {
    out[threadIdx.x] = value;
}

std::vector<float> all(float value) {
    return std::vector<float>(count, value);
}

void put(float* to, float value) {
    for (int i = 0; i < count; ++i) to[i] = value;
}

std::vector<float> content(cudaArray_t array) {
    std::vector<float> values(count);
    check(cudaMemcpy2DFromArray(values.data(), row, array, 0, 0, row, height, cudaMemcpyDeviceToHost));
    return values;
}

bool captured(cudaArray_t array, cudaStream_t stream) {
    float *in, *out;
    check(cudaMallocHost(&in, row * height));
    check(cudaMallocHost(&out, row * height));
    put(in, 1);
    put(out, 0);
    check(cudaMemcpy2DToArray(array, 0, 0, in, row, row, height, cudaMemcpyHostToDevice));
    put(in, 2);
    cudaGraph_t graph;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    check(cudaMemcpy2DToArrayAsync(array, 0, 0, in, row, row, height, cudaMemcpyHostToDevice, stream));
    check(cudaMemcpy2DFromArrayAsync(out, row, array, 0, 0, row, height, cudaMemcpyDeviceToHost, stream));
    check(cudaStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    check(cudaGraphGetNodes(graph, nullptr, &nodes));
    bool right = holds(nodes == 2, "nodes of a graph");
    right = agree("array before the launch", content(array), all(1)) && right;
    cudaGraphExec_t executable;
    check(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    put(in, 3);
    check(cudaGraphLaunch(executable, stream));
    check(cudaStreamSynchronize(stream));
    right = agree("array after the launch", content(array), all(3)) && right;
    right = agree("read back", std::vector<float>(out, out + count), all(3)) && right;
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
    check(cudaFreeHost(in));
    check(cudaFreeHost(out));
    return right;
}

bool in_order(cudaArray_t array, cudaStream_t stream) {
    Device<float> data(all(4));
    cudaArray_t other;
    const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    check(cudaMallocArray(&other, &channel, width, height));
    fill<<<1, count, 0, stream>>>(data, 5);
    check(cudaMemcpy2DToArrayAsync(array, 0, 0, data, row, row, height, cudaMemcpyDeviceToDevice, stream));
    check(cudaStreamSynchronize(stream));
    check(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, row, height, cudaMemcpyDeviceToDevice));
    const bool right = agree("array behind a kernel", content(other), all(5));
    check(cudaFreeArray(other));
    return right;
}

}  // namespace

int main() {
    cudaArray_t array;
    cudaStream_t stream;
    const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    check(cudaMallocArray(&array, &channel, width, height));
    check(cudaStreamCreate(&stream));
    bool right = captured(array, stream);
    right = in_order(array, stream) && right;
    check(cudaStreamDestroy(stream));
    check(cudaFreeArray(array));
    return verdict(right);
}
