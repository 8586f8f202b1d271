// A program linked with NVML that asks it, and forks, before its child uses CUDA: NVML must not have begun CUDA.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>

extern "C" {
int nvmlInit_v2();
int nvmlShutdown();
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device);
int nvmlDeviceGetName(void* device, char* name, unsigned length);
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* total_free_used);
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules);
}

int main() {
    void* device = nullptr;
    char name[96];
    unsigned long long memory[3] = {}, energy = 0;
    constexpr int not_supported = 3;
    if (nvmlInit_v2() != 0 || nvmlDeviceGetHandleByIndex_v2(0, &device) != 0) return 1;
    if (nvmlDeviceGetName(device, name, sizeof name) != 0 || nvmlDeviceGetMemoryInfo(device, memory) != 0) return 2;
    if (memory[0] == 0 || memory[1] != memory[0] || memory[2] != 0) return 3;
    if (nvmlDeviceGetTotalEnergyConsumption(device, &energy) != not_supported || energy != 0) return 4;
    const pid_t child = fork();
    if (child == 0) {
        std::size_t free = 0, total = 0;
        using Function = int(std::size_t*, std::size_t*);
        auto* const get = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, "cudaMemGetInfo"));
        _exit(get != nullptr && get(&free, &total) == 0 && total == memory[0] ? 0 : 1);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 5;
    if (nvmlShutdown() != 0) return 6;
    std::printf("%s PASSED\n", name);
    return 0;
}
