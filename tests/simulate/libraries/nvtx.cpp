// A program without a kernel that is linked with the NVTX library of CUDA 12 and before: what it is told where no tool
// listens.
#include <cstdint>
#include <cstdio>

extern "C" {
int nvtxRangePushA(const char* name);
int nvtxRangePop();
std::uint64_t nvtxRangeStartA(const char* name);
void nvtxRangeEnd(std::uint64_t range);
void nvtxMarkA(const char* name);
void* nvtxDomainCreateA(const char* name);
void nvtxNameCudaStreamA(void* stream, const char* name);
}

int main() {
    constexpr int not_tracked = -2;
    if (nvtxRangePushA("outer") != not_tracked || nvtxRangePop() != not_tracked) return 1;
    if (nvtxRangeStartA("range") != 0 || nvtxDomainCreateA("domain") != nullptr) return 2;
    nvtxRangeEnd(0);
    nvtxMarkA("mark");
    nvtxNameCudaStreamA(nullptr, "stream");
    std::puts("PASSED");
    return 0;
}
