// A kernel that launches another by cudaLaunchDevice (built with -rdc=true), as CUB does, and nothing else that would
// launch.
#include "verify.hpp"

__global__ void add(int* values, int more) {
    values[threadIdx.x + blockIdx.x * blockDim.x] += more;
}
/// The parameters first, the kernel with the launch.
__global__ void launch_by_buffer(int* values, int more) {
    auto* buffer = static_cast<char*>(cudaGetParameterBuffer(64, 16));
    *reinterpret_cast<int**>(buffer) = values;
    *reinterpret_cast<int*>(buffer + 8) = more;
    cudaLaunchDevice(reinterpret_cast<void*>(add), buffer, dim3(3), dim3(32), 0, nullptr);
}

int main() {
    const Device<int> values(std::vector<int>(96, 2));
    launch_by_buffer<<<1, 1>>>(values, 40);
    return verdict(agree("by buffer", values.host(), std::vector<int>(96, 42)));
}
