// Sepia tones of a colour picture (four bytes a pixel) and a linear 3x3 filter (sharpening) of a grey one.
#include <algorithm>

#include "verify.hpp"

__host__ __device__ unsigned char clamped(float value) {
    return static_cast<unsigned char>(value < 0 ? 0 : value > 255 ? 255 : value);
}

__host__ __device__ uchar4 sepia_of(uchar4 p) {
    // Whole-number weights: the same with and without fused multiply-adds.
    const float r = static_cast<float>(393 * p.x + 769 * p.y + 189 * p.z) / 1024,
                g = static_cast<float>(349 * p.x + 686 * p.y + 168 * p.z) / 1024,
                b = static_cast<float>(272 * p.x + 534 * p.y + 131 * p.z) / 1024;
    return make_uchar4(clamped(r), clamped(g), clamped(b), p.w);
}

__global__ void sepia(const uchar4* in, uchar4* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sepia_of(in[i]);
}

__global__ void sharpen(const unsigned char* in, unsigned char* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            const int column = min(max(x + dx, 0), width - 1), row = min(max(y + dy, 0), height - 1);
            sum += (dx == 0 && dy == 0 ? 9.0F : -1.0F) * in[row * width + column];
        }
    out[y * width + x] = clamped(sum);
}

int main(int argc, char** argv) {
    const int width = static_cast<int>(option(argc, argv, "--width", 333)), height = 177, n = width * height;
    Random random;
    std::vector<uchar4> picture(n);
    std::vector<unsigned char> grey(n), expected, got, sharp(n);
    for (int i = 0; i < n; ++i) {
        const unsigned bits = random.next();
        picture[i] = make_uchar4(bits & 255, bits >> 8 & 255, bits >> 16 & 255, 255);
        grey[i] = bits >> 4 & 255;
    }
    const Device<uchar4> d_picture(picture);
    const Device<unsigned char> d_grey(grey);
    Device<uchar4> toned(n);
    Device<unsigned char> sharpened(n);
    sepia<<<(n + 255) / 256, 256>>>(d_picture, toned, n);
    sharpen<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(d_grey, sharpened, width, height);
    const auto result = toned.host();
    for (int i = 0; i < n; ++i) {
        const uchar4 e = sepia_of(picture[i]), g = result[i];
        expected.insert(expected.end(), {e.x, e.y, e.z, e.w});
        got.insert(got.end(), {g.x, g.y, g.z, g.w});
    }
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            int sum = 10 * grey[y * width + x];
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                    sum -= grey[std::clamp(y + dy, 0, height - 1) * width + std::clamp(x + dx, 0, width - 1)];
            sharp[y * width + x] = static_cast<unsigned char>(std::clamp(sum, 0, 255));
        }
    return verdict(agree("sepia", got, expected) & agree("sharpened", sharpened.host(), sharp));
}
