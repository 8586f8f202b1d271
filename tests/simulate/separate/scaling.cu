// Defines what main.cu uses.
__device__ int factor = 3;
__device__ int scaled(int x) {
    return x * factor;
}

static __device__ int helper(int x) {
    return x + 1;
}

__global__ void increment(int* values) {
    values[threadIdx.x] = helper(values[threadIdx.x]);
}

void run_increment(int* values) {
    increment<<<1, 32>>>(values);
}
