// NCCL with the one rank that a simulated GPU can be.
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int n = 1000;
int failures = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::printf("FAILED: %s\n", what);
    ++failures;
}

__global__ void fill(float* out, float factor) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = factor * static_cast<float>(i);
}

bool holds(const float* device, float factor) {
    std::vector<float> host(n);
    if (cudaMemcpy(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) return false;
    for (int i = 0; i < n; ++i)
        if (host[static_cast<std::size_t>(i)] != factor * static_cast<float>(i)) return false;
    return true;
}

}  // namespace

int main() {
    ncclUniqueId id;
    ncclComm_t comm = nullptr, other = nullptr;
    int value = -1;
    expect(ncclGetVersion(&value) == ncclSuccess && value >= 21000, "version");
    expect(ncclGetUniqueId(&id) == ncclSuccess, "unique id");
    expect(ncclCommInitRank(&comm, 1, id, 0) == ncclSuccess && comm != nullptr, "communicator");
    expect(ncclCommCount(comm, &value) == ncclSuccess && value == 1, "ranks");
    expect(ncclCommUserRank(comm, &value) == ncclSuccess && value == 0, "rank");
    expect(ncclCommCuDevice(comm, &value) == ncclSuccess && value == 0, "device");
    ncclResult_t error = ncclInternalError;
    expect(ncclCommGetAsyncError(comm, &error) == ncclSuccess && error == ncclSuccess, "no error");

    float *a = nullptr, *b = nullptr;
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaMalloc(&a, n * sizeof(float));
    expect(ncclMemAlloc(reinterpret_cast<void**>(&b), n * sizeof(float)) == ncclSuccess, "memory");

    const auto made = [&](float factor) { fill<<<4, 256, 0, first>>>(a, factor); };
    made(2);
    expect(ncclAllReduce(a, b, n, ncclFloat, ncclSum, comm, first) == ncclSuccess, "all-reduce");
    cudaStreamSynchronize(first);
    expect(holds(b, 2), "sum");
    expect(ncclAllReduce(b, b, n, ncclFloat, ncclAvg, comm, first) == ncclSuccess && holds(b, 2), "mean in place");
    made(3);
    expect(ncclReduce(a, b, n, ncclFloat, ncclMax, 0, comm, first) == ncclSuccess, "reduce");
    cudaStreamSynchronize(first);
    expect(holds(b, 3), "maximum");
    made(4);
    expect(ncclBroadcast(a, b, n, ncclFloat, 0, comm, first) == ncclSuccess, "broadcast");
    cudaStreamSynchronize(first);
    expect(holds(b, 4), "broadcast numbers");
    expect(ncclBcast(b, n, ncclFloat, 0, comm, first) == ncclSuccess && holds(b, 4), "broadcast in place");
    made(5);
    expect(ncclAllGather(a, b, n, ncclFloat, comm, first) == ncclSuccess, "all-gather");
    cudaStreamSynchronize(first);
    expect(holds(b, 5), "gathered");
    made(6);
    expect(ncclReduceScatter(a, b, n / 2, ncclDouble, ncclMin, comm, first) == ncclSuccess, "reduce-scatter");
    cudaStreamSynchronize(first);
    expect(holds(b, 6), "scattered");

    // What is sent in one stream is received in another, behind it.
    made(7);
    ncclGroupStart();
    expect(ncclRecv(b, n, ncclFloat, 0, comm, second) == ncclSuccess, "receive");
    expect(ncclSend(a, n, ncclFloat, 0, comm, first) == ncclSuccess, "send");
    expect(ncclGroupEnd() == ncclSuccess, "group");
    cudaStreamSynchronize(second);
    expect(holds(b, 7), "received");

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    made(8);
    cudaStreamSynchronize(first);
    cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
    expect(ncclAllReduce(a, b, n, ncclFloat, ncclProd, comm, first) == ncclSuccess, "captured");
    cudaStreamEndCapture(first, &graph);
    expect(holds(b, 7), "captured alone");
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, first);
    cudaStreamSynchronize(first);
    expect(holds(b, 8), "launched");

    expect(ncclCommSplit(comm, 0, 0, &other, nullptr) == ncclSuccess && other != nullptr, "split");
    expect(ncclCommDestroy(other) == ncclSuccess, "destroy");
    expect(ncclCommSplit(comm, NCCL_SPLIT_NOCOLOR, 0, &other, nullptr) == ncclSuccess && other == nullptr, "no color");
    expect(ncclCommInitAll(&other, 1, nullptr) == ncclSuccess && ncclCommDestroy(other) == ncclSuccess, "all devices");

    // What cannot be.
    expect(ncclSend(a, n, ncclFloat, 0, comm, first) == ncclInvalidUsage, "sent to nobody");
    expect(ncclAllReduce(a, b, n, ncclFloat, static_cast<ncclRedOp_t>(9), comm, first) == ncclInvalidArgument,
           "no operation");
    expect(ncclReduce(a, b, n, ncclFloat, ncclSum, 1, comm, first) == ncclInvalidArgument, "no root");
    expect(ncclAllReduce(a, b, n, static_cast<ncclDataType_t>(99), ncclSum, comm, first) == ncclInvalidArgument,
           "no type");
    expect(ncclAllReduce(a, nullptr, n, ncclFloat, ncclSum, comm, first) == ncclInvalidArgument, "no memory");
    expect(ncclAllReduce(a, b, n, ncclFloat, ncclSum, nullptr, first) == ncclInvalidArgument, "no communicator");
    expect(ncclCommInitRank(&other, 1, id, 1) == ncclInvalidArgument, "no such rank");
    expect(ncclCommDestroy(comm) == ncclSuccess && ncclMemFree(b) == ncclSuccess, "end");
    expect(ncclCommInitRank(&other, 2, id, 0) == ncclInvalidUsage && other == nullptr, "two ranks");
    std::printf("%s\n", failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
