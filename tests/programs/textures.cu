// Texture and surface objects: linear memory, an array with bilinear filtering and clamping, a surface written to.
#include "verify.hpp"

__global__ void gather(cudaTextureObject_t linear, const int* index, float* out) {
    out[threadIdx.x] = tex1Dfetch<float>(linear, index[threadIdx.x]);
}
__global__ void sample(cudaTextureObject_t picture, float* out, int width, float shift) {
    out[blockIdx.x * width + threadIdx.x] = tex2D<float>(picture, threadIdx.x + shift, blockIdx.x + shift);
}
__global__ void paint(cudaSurfaceObject_t surface, int width) {
    surf2Dwrite(static_cast<float>(blockIdx.x * width + threadIdx.x), surface, threadIdx.x * sizeof(float), blockIdx.x);
}

int main() {
    constexpr int width = 64, height = 16, n = width * height;
    const auto values = random_floats(n);
    Random random;
    std::vector<int> index(width);
    std::vector<float> gathered(width);
    for (int i = 0; i < width; ++i) gathered[i] = values[index[i] = static_cast<int>(random.next() % n)];

    const Device<float> data(values);
    const Device<int> d_index(index);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = n * sizeof(float);
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t linear = 0, picture = 0;
    check(cudaCreateTextureObject(&linear, &resource, &description, nullptr));
    Device<float> few(width), out(n);
    gather<<<1, width>>>(linear, d_index, few);
    bool right = agree("linear memory", few.host(), gathered);

    cudaArray_t array;
    const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    check(cudaMallocArray(&array, &channel, width, height, cudaArraySurfaceLoadStore));
    cudaResourceDesc in_array = {};
    in_array.resType = cudaResourceTypeArray;
    in_array.res.array.array = array;
    cudaSurfaceObject_t surface = 0;
    check(cudaCreateSurfaceObject(&surface, &in_array));
    paint<<<height, width>>>(surface, width);
    description.filterMode = cudaFilterModeLinear;
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    check(cudaCreateTextureObject(&picture, &in_array, &description, nullptr));
    std::vector<float> expected(n);
    for (const float shift : {0.5F, 1.0F}) {  // centres of elements, then their corners: means of four
        sample<<<height, width>>>(picture, out, width, shift);
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                const int right_x = std::min(x + 1, width - 1), below = std::min(y + 1, height - 1);
                const auto at = [&](int row, int column) { return static_cast<float>(row * width + column); };
                expected[y * width + x] =
                    shift == 0.5F ? at(y, x) : (at(y, x) + at(y, right_x) + at(below, x) + at(below, right_x)) / 4;
            }
        right &= agree("filtered", out.host(), expected, 1e-6);
    }
    check(cudaDestroyTextureObject(linear));
    check(cudaDestroyTextureObject(picture));
    check(cudaDestroySurfaceObject(surface));
    check(cudaFreeArray(array));
    return verdict(right);
}
