/// Launches the point-in-polygon kernel of KTT's examples (KernelTunerPnpoly.cu, named by -DKERNEL_FILE) as its tuner
/// does: 20 million points, uniform in the unit square. The tuning parameters are macros. The kernel reads the polygon
/// from constant memory, which the example never fills: all corners are 0 where it was measured, and so they are here.
#include <cstdio>
#include <random>
#include <vector>

#include KERNEL_FILE

int main() {
    constexpr int points = 20000000;
    std::default_random_engine engine(1);
    std::uniform_real_distribution<float> uniform(0.0F, 1.0F);
    std::vector<float2> place(points);
    for (float2& one : place) {
        one = make_float2(uniform(engine), uniform(engine));
    }

    int* inside = nullptr;
    float2* device_place = nullptr;
    cudaMalloc(&inside, points * sizeof(int));
    cudaMalloc(&device_place, points * sizeof(float2));
    cudaMemcpy(device_place, place.data(), points * sizeof(float2), cudaMemcpyHostToDevice);
    constexpr int points_of_block = BLOCK_SIZE_X * TILE_SIZE;
    Pnpoly<<<(points + points_of_block - 1) / points_of_block, BLOCK_SIZE_X>>>(inside, device_place, nullptr, points);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorString(error));
    return error == cudaSuccess ? 0 : 1;
}
