// Streams that write values in memory and wait for them: what waits, what overtakes it, and who ends it.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

#include "driver.hpp"

__global__ void scale(float* value, float factor) {
    *value *= factor;
}
__global__ void set(volatile unsigned* flag, unsigned value) {
    *flag = value;
}

static CUdeviceptr address(void* pointer) {
    return reinterpret_cast<CUdeviceptr>(pointer);
}

struct Setting {
    cudaStream_t waiting, other;
    unsigned* flag;  // of the host
    unsigned long long* wide;
    float* value;
    Setting() {
        OK(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking));
        OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
        OK(cudaMallocHost(&flag, sizeof *flag));
        OK(cudaMalloc(&wide, sizeof *wide));
        OK(cudaMallocHost(&value, sizeof *value));
        OK(cudaMemset(wide, 0, sizeof *wide));
        *flag = 0;
        *value = 1;
    }
    ~Setting() {
        OK(cudaFreeHost(value));
        OK(cudaFree(wide));
        OK(cudaFreeHost(flag));
        OK(cudaStreamDestroy(other));
        OK(cudaStreamDestroy(waiting));
    }
};

// The host writes. Other streams go on meanwhile, kernels included.
static void until_the_host_writes() {
    Setting s;
    float* mine = nullptr;
    OK(cudaMallocHost(&mine, sizeof *mine));
    *mine = 1;
    OK(cuStreamWaitValue32(s.waiting, address(s.flag), 3, CU_STREAM_WAIT_VALUE_GEQ));
    scale<<<1, 1, 0, s.waiting>>>(s.value, 2);
    CHECK(cudaStreamQuery(s.waiting) == cudaErrorNotReady);
    scale<<<1, 1, 0, s.other>>>(mine, 5);
    OK(cudaStreamSynchronize(s.other));
    CHECK(*mine == 5 && *s.value == 1);
    *static_cast<volatile unsigned*>(s.flag) = 2;
    CHECK(cudaStreamQuery(s.waiting) == cudaErrorNotReady);
    *static_cast<volatile unsigned*>(s.flag) = 4;
    OK(cudaStreamSynchronize(s.waiting));
    CHECK(*s.value == 2);
    OK(cudaFreeHost(mine));
}

// Another stream writes, after a kernel of its own; a third one waits for an event of the first.
static void until_a_stream_writes() {
    Setting s;
    cudaStream_t third;
    cudaEvent_t event;
    OK(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
    OK(cudaEventCreate(&event));
    OK(cuStreamWaitValue64(s.waiting, address(s.wide), 1ULL << 40, CU_STREAM_WAIT_VALUE_EQ));
    scale<<<1, 1, 0, s.waiting>>>(s.value, 3);
    OK(cudaEventRecord(event, s.waiting));
    OK(cudaStreamWaitEvent(third, event, 0));
    scale<<<1, 1, 0, third>>>(s.value, 7);
    CHECK(cudaEventQuery(event) == cudaErrorNotReady);
    scale<<<1, 1, 0, s.other>>>(s.value, 11);
    OK(cudaStreamSynchronize(s.other));
    CHECK(*s.value == 11);
    OK(cuStreamWriteValue64(s.other, address(s.wide), 1ULL << 40, CU_STREAM_WRITE_VALUE_DEFAULT));
    OK(cudaStreamSynchronize(third));
    CHECK(*s.value == 11 * 3 * 7);
    unsigned long long wide = 0;
    OK(cudaMemcpy(&wide, s.wide, sizeof wide, cudaMemcpyDeviceToHost));
    CHECK(wide == 1ULL << 40);
    OK(cudaEventDestroy(event));
    OK(cudaStreamDestroy(third));
}

static void until_a_kernel_writes() {
    Setting s;
    OK(cuStreamWaitValue32(s.waiting, address(s.flag), 4, CU_STREAM_WAIT_VALUE_AND));
    scale<<<1, 1, 0, s.waiting>>>(s.value, 2);
    set<<<1, 1, 0, s.other>>>(s.flag, 6);
    OK(cudaDeviceSynchronize());
    CHECK(*s.value == 2);
    // What holds already holds nothing up; differences wrap around.
    OK(cuStreamWaitValue32(s.waiting, address(s.flag), 0xFFFFFFFF, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cuStreamWaitValue32(s.waiting, address(s.flag), 1, CU_STREAM_WAIT_VALUE_NOR));
    CHECK(cudaStreamQuery(s.waiting) == cudaSuccess);
}

// A graph waits as the rest of its stream does.
static void before_a_graph() {
    Setting s;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    OK(cudaStreamBeginCapture(s.waiting, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 3; ++i) scale<<<1, 1, 0, s.waiting>>>(s.value, 2);
    OK(cudaStreamEndCapture(s.waiting, &graph));
    OK(cudaGraphInstantiate(&executable, graph, 0));
    OK(cuStreamWaitValue32(s.waiting, address(s.flag), 1, CU_STREAM_WAIT_VALUE_EQ));
    OK(cudaGraphLaunch(executable, s.waiting));
    OK(cudaGraphLaunch(executable, s.waiting));
    CHECK(cudaStreamQuery(s.waiting) == cudaErrorNotReady && *s.value == 1);
    *static_cast<volatile unsigned*>(s.flag) = 1;
    OK(cudaStreamSynchronize(s.waiting));
    CHECK(*s.value == 64);
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
}

static void in_one_call() {
    Setting s;
    CUstreamBatchMemOpParams operations[3] = {};
    operations[0].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    operations[0].waitValue.address = address(s.flag);
    operations[0].waitValue.value = 1;
    operations[1].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    operations[1].writeValue.address = address(s.wide);
    operations[1].writeValue.value64 = 1234567890123;
    operations[2].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operations[2].writeValue.address = address(s.value);
    operations[2].writeValue.value = 0x40400000;  // 3
    OK(cuStreamBatchMemOp(s.waiting, 3, operations, 0));
    CHECK(*s.value == 1);
    OK(cuStreamWriteValue32(s.other, address(s.flag), 1, 0));
    OK(cudaDeviceSynchronize());
    CHECK(*s.value == 3);
    unsigned long long wide = 0;
    OK(cudaMemcpy(&wide, s.wide, sizeof wide, cudaMemcpyDeviceToHost));
    CHECK(wide == 1234567890123);
}

static void what_cannot_be() {
    Setting s;
    unsigned pageable = 0;
    CHECK(cuStreamWriteValue32(s.other, address(&pageable), 1, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamWaitValue64(s.other, address(s.wide) + 4, 1, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamWaitValue32(s.other, address(s.flag), 1, 9) == CUDA_ERROR_INVALID_VALUE);
    int able = 0;
    OK(cuDeviceGetAttribute(&able, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 0));
    CHECK(able == 1);
}

int main() {
    OK(cudaFree(nullptr));
    until_the_host_writes();
    until_a_stream_writes();
    until_a_kernel_writes();
    before_a_graph();
    in_one_call();
    what_cannot_be();
    // Nobody ends this wait: the program does.
    static unsigned* flag = nullptr;
    OK(cudaMallocHost(&flag, sizeof *flag));
    *flag = 0;
    OK(cuStreamWaitValue32(nullptr, address(flag), 1, 0));
    set<<<1, 1>>>(flag, 2);
    CHECK(*flag == 0);
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
