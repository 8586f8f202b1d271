// Texture and surface objects: linear memory, an array with bilinear filtering and clamping, a surface written to, and
// a mipmapped array whose levels kernels make.
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
__global__ void halve(cudaTextureObject_t from, cudaSurfaceObject_t to, int width) {
    const float x = (threadIdx.x + 0.5f) / width, y = (blockIdx.x + 0.5f) / gridDim.x;
    surf2Dwrite(tex2D<float>(from, x, y), to, threadIdx.x * sizeof(float), blockIdx.x);  // the mean of four
}
__global__ void levels(cudaTextureObject_t mipmap, float* out) {
    const float x = (threadIdx.x + 0.5f) / 4, level = blockIdx.x / 4.0f;
    out[blockIdx.x * 8 + threadIdx.x] = tex2DLod<float>(mipmap, x, 0.125f, level);
    const float texel = exp2f(level) / 16;  // as wide as a texel of that level
    out[blockIdx.x * 8 + 4 + threadIdx.x] =
        tex2DGrad<float>(mipmap, x, 0.125f, make_float2(texel, 0), make_float2(0, 0));
}

// Of 16 x 16 numbers, their means by 2 x 2 and 4 x 4, read at levels in between.
bool mipmaps() {
    constexpr int n = 16, steps = 9;
    std::vector<std::vector<float>> expected_levels{random_floats(n * n)};
    const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmap;
    check(cudaMallocMipmappedArray(&mipmap, &channel, make_cudaExtent(n, n, 0), 3, cudaArraySurfaceLoadStore));
    cudaTextureDesc description = {};
    description.filterMode = description.mipmapFilterMode = cudaFilterModeLinear;
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.normalizedCoords = 1;
    description.maxMipmapLevelClamp = 2;
    cudaArray_t from, to;
    check(cudaGetMipmappedArrayLevel(&from, mipmap, 0));
    check(cudaMemcpy2DToArray(from, 0, 0, expected_levels[0].data(), n * sizeof(float), n * sizeof(float), n,
                              cudaMemcpyHostToDevice));
    for (int level = 1; level < 3; ++level) {
        const int width = n >> level;
        check(cudaGetMipmappedArrayLevel(&to, mipmap, level));
        cudaResourceDesc source = {}, destination = {};
        source.resType = destination.resType = cudaResourceTypeArray;
        source.res.array.array = from;
        destination.res.array.array = to;
        cudaTextureObject_t texture;
        cudaSurfaceObject_t surface;
        check(cudaCreateTextureObject(&texture, &source, &description, nullptr));
        check(cudaCreateSurfaceObject(&surface, &destination));
        halve<<<width, width>>>(texture, surface, width);
        check(cudaDestroyTextureObject(texture));
        check(cudaDestroySurfaceObject(surface));
        const auto& above = expected_levels.back();
        std::vector<float> mean(width * width);
        for (int y = 0; y < width; ++y)
            for (int x = 0; x < width; ++x) {
                const int at = 4 * y * width + 2 * x;
                mean[y * width + x] =
                    (above[at] + above[at + 1] + above[at + 2 * width] + above[at + 2 * width + 1]) / 4;
            }
        expected_levels.push_back(mean);
        from = to;
    }
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    cudaTextureObject_t texture;
    check(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    Device<float> out(steps * 8);
    levels<<<steps, 4>>>(texture, out);
    // At (x + 1/2) / 4 and 1/8: the middle of a texel of the last level, the corner of four of those above.
    std::vector<float> expected(steps * 8);
    for (int step = 0; step < steps; ++step)
        for (int x = 0; x < 4; ++x) {
            const auto& first = expected_levels[0];
            const int at = n + 4 * x + 1;
            const float finest = (first[at] + first[at + 1] + first[at + n] + first[at + n + 1]) / 4;
            const float coarsest = expected_levels[2][x];
            const float means[] = {finest, coarsest, coarsest};
            const int low = std::min(step / 4, 1);
            const float share = step / 4.0f - low;
            expected[step * 8 + x] = expected[step * 8 + 4 + x] = means[low] + share * (means[low + 1] - means[low]);
        }
    check(cudaDestroyTextureObject(texture));
    check(cudaFreeMipmappedArray(mipmap));
    return agree("mipmaps", out.host(), expected, 1e-5);
}

__global__ void colours(cudaTextureObject_t picture, float4* out) {
    out[threadIdx.x] = tex2D<float4>(picture, threadIdx.x + 0.5f, 0.5f);
}
__global__ void between(cudaTextureObject_t line, float* out) {
    out[threadIdx.x] = tex2D<float>(line, threadIdx.x + 1.0f, 0.5f);
}

// Formats that are numbers from 0 or -1 to 1, whatever the mode in which they are read; and those that are refused.
bool normalized_formats() {
    constexpr int n = 4;
    const std::vector<unsigned char> bytes{0, 51, 102, 255, 255, 0, 153, 51, 204, 204, 0, 0, 1, 2, 3, 4};
    const std::vector<short> words{-32767, 32767, 0, 16384, -32768};
    std::vector<float> expected;
    for (const unsigned char byte : bytes) expected.push_back(byte / 255.0f);
    const auto texture_of = [](cudaArray_t array, cudaTextureFilterMode filter) {
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaTextureDesc description = {};
        description.readMode = cudaReadModeElementType;
        description.filterMode = filter;
        description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
        cudaTextureObject_t texture = 0;
        check(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
        return texture;
    };
    cudaArray_t array;
    const cudaChannelFormatDesc four = {8, 8, 8, 8, cudaChannelFormatKindUnsignedNormalized8X4};
    check(cudaMallocArray(&array, &four, n, 1));
    check(cudaMemcpy2DToArray(array, 0, 0, bytes.data(), bytes.size(), bytes.size(), 1, cudaMemcpyHostToDevice));
    cudaTextureObject_t texture = texture_of(array, cudaFilterModePoint);
    Device<float> out(4 * n), few(n);
    colours<<<1, n>>>(texture, reinterpret_cast<float4*>(static_cast<float*>(out)));
    bool right = agree("unsigned normalized", out.host(), expected, 1e-6);
    check(cudaDestroyTextureObject(texture));
    check(cudaFreeArray(array));

    const cudaChannelFormatDesc one = {16, 0, 0, 0, cudaChannelFormatKindSignedNormalized16X1};
    check(cudaMallocArray(&array, &one, n + 1, 1));
    check(
        cudaMemcpy2DToArray(array, 0, 0, words.data(), 2 * words.size(), 2 * words.size(), 1, cudaMemcpyHostToDevice));
    texture = texture_of(array, cudaFilterModeLinear);
    between<<<1, n>>>(texture, few);
    const float half = 16384 / 32767.0f;
    right &= agree("signed normalized", few.host(), {0, 0.5f, half / 2, (half - 1) / 2}, 1e-2);
    check(cudaDestroyTextureObject(texture));
    check(cudaFreeArray(array));
    const cudaChannelFormatDesc wrong = {8, 8, 8, 8, cudaChannelFormatKindUnsignedNormalized16X4};
    right &= cudaMallocArray(&array, &wrong, n, 1) == cudaErrorInvalidChannelDescriptor;
    return right;
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
    right &= mipmaps();
    right &= normalized_formats();
    return verdict(right);
}
