// Two processes that share memory and an event: one allocates, the other works on it.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int n = 10000;
int failures = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::printf("FAILED: %s\n", what);
    ++failures;
}

__global__ void fill(int* out, int first) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = first + i;
}
__global__ void twice(int* both) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) both[i] *= 2;
}

bool holds(const int* device, int first, int factor) {
    std::vector<int> host(n);
    if (cudaMemcpy(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return false;
    for (int i = 0; i < n; ++i)
        if (host[static_cast<std::size_t>(i)] != (first + i) * factor) return false;
    return true;
}

struct Message {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
};

// A byte from one process to the other.
void tell(int pipe) {
    const char byte = 1;
    if (write(pipe, &byte, 1) != 1) std::exit(2);
}
void wait_for(int pipe) {
    char byte = 0;
    if (read(pipe, &byte, 1) != 1) std::exit(2);
}

int other_process(int from, int to) {
    Message message;
    if (read(from, &message, sizeof message) != sizeof message) return 2;
    int *memory = nullptr, *again = nullptr;
    cudaEvent_t event = nullptr;
    expect(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&memory), message.memory, cudaIpcMemLazyEnablePeerAccess) ==
               cudaSuccess,
           "open memory");
    expect(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&again), message.memory, cudaIpcMemLazyEnablePeerAccess) ==
                   cudaSuccess &&
               again == memory,
           "open it again");
    expect(cudaIpcOpenEventHandle(&event, message.event) == cudaSuccess, "open event");
    cudaPointerAttributes attributes;
    expect(cudaPointerGetAttributes(&attributes, memory + 1) == cudaSuccess && attributes.type == cudaMemoryTypeDevice,
           "pointer to memory of the device");
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    expect(cudaStreamWaitEvent(stream, event, 0) == cudaSuccess, "wait for event");
    expect(holds(memory, 5, 1), "what the first process has written");
    twice<<<(n + 255) / 256, 256, 0, stream>>>(memory);
    expect(cudaEventRecord(event, stream) == cudaSuccess, "record event");
    tell(to);
    wait_for(from);  // the first has filled it anew
    twice<<<(n + 255) / 256, 256, 0, stream>>>(memory);
    expect(cudaStreamSynchronize(stream) == cudaSuccess && holds(memory, 7, 2), "the same launch on other data");
    expect(cudaFree(memory) == cudaErrorInvalidValue, "it is not freed");
    cudaGetLastError();
    expect(cudaIpcCloseMemHandle(memory) == cudaSuccess && holds(memory, 7, 2), "closed once");
    expect(cudaIpcCloseMemHandle(memory) == cudaSuccess, "closed twice");
    expect(cudaIpcCloseMemHandle(memory) == cudaErrorInvalidValue, "closed already");
    cudaGetLastError();
    expect(cudaEventDestroy(event) == cudaSuccess, "destroy event");
    tell(to);
    return failures == 0 ? 0 : 1;
}

}  // namespace

int main() {
    int down[2], up[2];
    if (pipe(down) != 0 || pipe(up) != 0) return 2;
    const pid_t child = fork();
    if (child == 0) std::exit(other_process(down[0], up[1]));

    Message message;
    int *before = nullptr, *memory = nullptr;
    cudaEvent_t event, ordinary;
    cudaMalloc(&before, 4096);
    cudaMalloc(&memory, n * sizeof(int));
    fill<<<(n + 255) / 256, 256>>>(memory, 5);
    expect(cudaIpcGetMemHandle(&message.memory, memory) == cudaSuccess, "memory handle");
    expect(holds(memory, 5, 1), "shared as it was");
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess);
    cudaEventCreate(&ordinary);
    expect(cudaIpcGetEventHandle(&message.event, event) == cudaSuccess, "event handle");
    expect(cudaEventRecord(event) == cudaSuccess, "record");
    if (write(down[1], &message, sizeof message) != sizeof message) return 2;
    wait_for(up[0]);
    expect(cudaStreamWaitEvent(nullptr, event, 0) == cudaSuccess && holds(memory, 5, 2), "what the other has done");
    fill<<<(n + 255) / 256, 256>>>(memory, 7);
    cudaDeviceSynchronize();
    tell(down[1]);
    wait_for(up[0]);
    expect(holds(memory, 7, 2), "what the other has done later");

    // What cannot be.
    void* own = nullptr;
    cudaIpcEventHandle_t none;
    expect(cudaIpcGetMemHandle(&message.memory, memory + 1) == cudaErrorInvalidValue, "not its beginning");
    expect(cudaIpcOpenMemHandle(&own, message.memory, cudaIpcMemLazyEnablePeerAccess) == cudaErrorDeviceUninitialized,
           "one's own");
    expect(cudaIpcGetEventHandle(&none, ordinary) == cudaErrorInvalidValue, "an event of one process");
    CUdeviceptr there = 0;
    CUipcMemHandle nothing{};
    expect(cuIpcOpenMemHandle(&there, nothing, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) == CUDA_ERROR_INVALID_VALUE,
           "no handle");
    expect(cudaFree(memory) == cudaSuccess && cudaFree(before) == cudaSuccess, "free");
    int status = 1;
    waitpid(child, &status, 0);
    expect(status == 0, "the other process");
    std::printf("%s\n", failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
