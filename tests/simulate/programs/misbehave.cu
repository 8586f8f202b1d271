// Programs that go wrong, one way per word.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

__global__ void fill(int* values, int value) {
    values[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void write_to_null(int* values) {
    values[threadIdx.x] = 1;
}

__global__ void write_behind_shared(int offset) {
    __shared__ int values[32];
    volatile int* const all = values;
    all[threadIdx.x + offset] = 1;
}

__global__ void endless(volatile int* values) {
    while (values[0] == 0) values[1] = 1;
}

__global__ void busy(int* values, int rounds) {
    int sum = threadIdx.x;
    for (int i = 0; i < rounds; ++i) sum = sum * 3 + i;
    values[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__device__ __noinline__ int nested(volatile int* values, int depth) {
    if (depth == 0) return values[0];
    return nested(values, depth - 1) * 3 + values[1];
}

__global__ void nest(int* values, int depth) {
    values[2] = nested(values, depth);
}

static int launch_fill() {
    int* device = nullptr;
    if (cudaMalloc(&device, 256 * sizeof(int)) != cudaSuccess) return 1;
    fill<<<2, 128>>>(device, 7);
    int host[256];
    if (cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    return host[255] == 7 ? 0 : 1;
}

__global__ void fill_late(int* values) {  // never launched before the end
    values[threadIdx.x] = 8;
}

// Launches a kernel when the objects of the main thread and those that were made last are gone.
struct Late {
    int* values = nullptr;
    ~Late() {
        if (values == nullptr) return;
        fill<<<2, 128>>>(values, 9);
        fill_late<<<1, 32>>>(values);
        int host[256];
        const bool copied = cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess;
        if (!copied || host[0] != 8 || host[255] != 9 || cudaFree(values) != cudaSuccess) _exit(90);
    }
};
static Late late;

int main(int count, char** words) {
    const char* way = count > 1 ? words[1] : "";
    const auto is = [way](const char* name) { return std::strcmp(way, name) == 0; };
    if (is("no_kernel")) return 0;
    if (is("exit_early_fork")) {  // forks before CUDA is used: allowed
        const pid_t child = fork();
        if (child == 0) std::exit(launch_fill());
        int status = 0;
        waitpid(child, &status, 0);
        return WEXITSTATUS(status);
    }
    if (launch_fill() != 0) return 99;
    if (is("exit_3")) return 3;
    if (is("crash")) std::abort();
    if (is("crash_behind_wait")) {  // which is all that tells the host of its result
        int* values = nullptr;
        cudaMallocManaged(&values, 256 * sizeof(int));
        for (int i = 0; i < 2; ++i) fill<<<2, 128>>>(values, 0);
        if (cudaDeviceSynchronize() != cudaSuccess || values[0] != 0) return 98;
        std::abort();
    }
    if (is("static_destructor")) return cudaMalloc(&late.values, 256 * sizeof(int)) == cudaSuccess ? 0 : 1;
    if (is("at_exit")) {
        static int* values = nullptr;
        if (cudaMalloc(&values, 256 * sizeof(int)) != cudaSuccess) return 1;
        return std::atexit([] {
            fill<<<2, 128>>>(values, 9);
            if (cudaDeviceSynchronize() != cudaSuccess) _exit(90);
        });
    }
    if (is("killed")) kill(getpid(), SIGKILL);
    if (is("disk_full")) {  // as far as this process can tell
        signal(SIGXFSZ, SIG_IGN);
        const rlimit nothing{1, 1};
        if (setrlimit(RLIMIT_FSIZE, &nothing) != 0) return 98;
        return launch_fill();
    }
    if (is("quick_exit") || is("exit_in_launch")) {
        int* values = nullptr;
        cudaMalloc(&values, 256 * sizeof(int));
        cudaMemset(values, 0, 256 * sizeof(int));
        for (int i = 0; i < 2; ++i) fill<<<2, 128>>>(values, 0);
        if (is("exit_in_launch")) std::thread([=] { endless<<<1, 1>>>(values); }).detach();
        usleep(300'000);
        _exit(0);
    }
    if (is("fork") || is("tolerant_fork")) {
        const pid_t child = fork();
        if (child == 0) std::exit(launch_fill() == 0 ? 0 : 5);
        int status = 0;
        waitpid(child, &status, 0);
        return is("fork") ? WEXITSTATUS(status) : WEXITSTATUS(status) == 5 ? 0 : 6;
    }
    if (is("fork_exec")) {
        const pid_t child = fork();
        if (child == 0) execl(words[0], words[0], "plain", nullptr);
        int status = 0;
        waitpid(child, &status, 0);
        return WEXITSTATUS(status);
    }
    if (is("pool_export") || is("tolerant")) {
        int file = 0;
        const bool refused = cudaMemPoolExportToShareableHandle(&file, nullptr, cudaMemHandleTypePosixFileDescriptor,
                                                                0) == cudaErrorNotSupported;
        return refused == is("tolerant") ? 0 : 98;
    }
    if (is("compressed_texture")) {
        cudaArray_t array;
        const cudaChannelFormatDesc blocks = {8, 8, 8, 8, cudaChannelFormatKindUnsignedBlockCompressed7};
        return cudaMallocArray(&array, &blocks, 16, 16) == cudaErrorNotSupported ? 3 : 98;
    }
    if (is("shared_fault")) {
        write_behind_shared<<<1, 32>>>(1 << 14);
        return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 4 : 97;
    }
    if (is("fault")) {
        write_to_null<<<1, 32>>>(nullptr);
        if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) return 97;
        if (cudaGetLastError() != cudaErrorIllegalAddress) return 96;
        int* more = nullptr;
        if (cudaMalloc(&more, 4) != cudaErrorIllegalAddress) return 95;  // for good
        int devices = 0, device = -1, processors = 0;                    // who asks only about the device is told
        cudaDeviceProp properties{};
        if (cudaGetDeviceCount(&devices) != cudaSuccess || devices != 1) return 94;
        if (cudaGetDevice(&device) != cudaSuccess || device != 0) return 93;
        if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess || properties.warpSize != 32) return 92;
        if (cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0) != cudaSuccess ||
            processors != properties.multiProcessorCount)
            return 91;
        return 4;
    }
    if (is("left_running")) {
        int* flag = nullptr;
        if (launch_fill() != 0 || cudaMallocHost(&flag, 2 * sizeof(int)) != cudaSuccess) return 1;
        *flag = 0;
        endless<<<1, 32>>>(flag);
        return cudaStreamQuery(nullptr) == cudaErrorNotReady ? 0 : 1;
    }
    if (is("left_in_function") || is("ends_in_function")) {  // with more to do behind the function
        const auto wait = [](void* milliseconds) { usleep(1000 * *static_cast<const int*>(milliseconds)); };
        static int milliseconds = is("ends_in_function") ? 300 : 1'000'000;
        int* device = nullptr;
        if (cudaMalloc(&device, 256 * sizeof(int)) != cudaSuccess) return 1;
        if (cudaLaunchHostFunc(nullptr, wait, &milliseconds) != cudaSuccess) return 1;
        fill<<<2, 128>>>(device, 7);
        return cudaStreamQuery(nullptr) == cudaErrorNotReady ? 0 : 1;
    }
    if (is("stack_overflow")) {
        int* device = nullptr;
        cudaMalloc(&device, 3 * sizeof(int));
        cudaMemset(device, 0, 3 * sizeof(int));
        nest<<<1, 1>>>(device, 400);  // what the stack of every thread has room for
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
        cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10);
        nest<<<1, 1>>>(device, 1000);
        if (cudaDeviceSynchronize() != cudaSuccess) return 2;
        nest<<<1, 1>>>(device, 100'000);
        return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 4 : 3;
    }
    if (is("endless")) {
        int* device = nullptr;
        cudaMalloc(&device, 8);
        cudaMemset(device, 0, 8);
        endless<<<1, 32>>>(device);
        return cudaDeviceSynchronize() == cudaSuccess ? 0 : 94;
    }
    if (is("busy")) {  // minutes, all in one launch
        constexpr int blocks = 100'000, threads = 128, rounds = 10'000;
        int *device = nullptr, last = 0;
        if (launch_fill() != 0 || cudaMalloc(&device, blocks * threads * sizeof(int)) != cudaSuccess) return 1;
        busy<<<blocks, threads>>>(device, rounds);
        cudaMemcpy(&last, device + blocks * threads - 1, sizeof last, cudaMemcpyDeviceToHost);
        unsigned sum = threads - 1;
        for (unsigned i = 0; i < rounds; ++i) sum = sum * 3 + i;
        return static_cast<unsigned>(last) == sum ? 0 : 7;
    }
    if (is("too_much_shared")) {
        fill<<<1, 32, 60000>>>(nullptr, 1);
        return cudaGetLastError() == cudaErrorInvalidValue ? 0 : 93;
    }
    if (is("unseen_errors")) {  // of launches, which nobody asks for
        for (int i = 0; i < 3; ++i) fill<<<1, 1024 * (i + 2)>>>(nullptr, 1);
        fill<<<1, 32, 60000>>>(nullptr, 1);
        return 0;
    }
    if (is("big_grid")) {  // more blocks in x than compute capability 2.x allows
        int* device = nullptr;
        cudaMalloc(&device, 70000 * 32 * sizeof(int));
        fill<<<70000, 32>>>(device, 1);
        return cudaDeviceSynchronize() == cudaSuccess ? 0 : 92;
    }
    return 0;
}
