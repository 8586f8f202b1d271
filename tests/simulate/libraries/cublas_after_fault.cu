// A program that does not look at what its calls return goes on behind a kernel's fault: there is no handle then, and
// what it does with it is answered.
#include <cublas_v2.h>

#include "../checks.hpp"

__global__ void write_to_null(int* values) {
    values[threadIdx.x] = 1;
}

int main() {
    write_to_null<<<1, 32>>>(nullptr);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    long long something = 0;
    auto handle = reinterpret_cast<cublasHandle_t>(&something + 1);  // as of a variable that nobody has set
    CHECK(cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS);
    CHECK(handle == nullptr);
    const float one = 1;
    CHECK(cublasSaxpy(handle, 1, &one, nullptr, 1, nullptr, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasDestroy(handle) == CUBLAS_STATUS_NOT_INITIALIZED);
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
