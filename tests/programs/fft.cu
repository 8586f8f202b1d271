// Fast Fourier transform, radix 2, Stockham's self-sorting order: one step per launch in global memory, and a batch of
// short ones in shared memory.
#include "verify.hpp"

constexpr double pi = 3.14159265358979323846;

__device__ float2 times(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Butterfly `i` of n / 2 in the step that joins transforms of length `done`.
__device__ void butterfly(const float2* in, float2* out, int n, int done, int i) {
    const int k = i % done;
    float2 w;
    sincospif(-static_cast<float>(k) / done, &w.y, &w.x);
    const float2 a = in[i], b = times(w, in[i + n / 2]);
    const int j = 2 * i - k;
    out[j] = make_float2(a.x + b.x, a.y + b.y);
    out[j + done] = make_float2(a.x - b.x, a.y - b.y);
}

__global__ void step(const float2* in, float2* out, int n, int done) {
    butterfly(in, out, n, done, blockIdx.x * blockDim.x + threadIdx.x);
}

constexpr int length = 512;
__global__ void batch(float2* data) {
    __shared__ float2 buffer[2][length];
    float2* const own = data + blockIdx.x * length;
    for (int i = threadIdx.x; i < length; i += blockDim.x) buffer[0][i] = own[i];
    int from = 0;
    for (int done = 1; done < length; done *= 2, from ^= 1) {
        __syncthreads();
        butterfly(buffer[from], buffer[from ^ 1], length, done, threadIdx.x);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += blockDim.x) own[i] = buffer[from][i];
}

std::vector<double> parts(const std::vector<float2>& values) {
    std::vector<double> result;
    for (const float2& value : values) result.insert(result.end(), {value.x, value.y});
    return result;
}

// By definition.
std::vector<double> transform(const float2* in, int n) {
    std::vector<double> result(2 * n), cosine(n), sine(n);
    for (int i = 0; i < n; ++i) {
        cosine[i] = std::cos(2 * pi * i / n);
        sine[i] = -std::sin(2 * pi * i / n);
    }
    for (long k = 0; k < n; ++k)
        for (long i = 0; i < n; ++i) {
            const double c = cosine[i * k % n], s = sine[i * k % n];
            result[2 * k] += in[i].x * c - in[i].y * s;
            result[2 * k + 1] += in[i].x * s + in[i].y * c;
        }
    return result;
}

int main(int argc, char** argv) {
    const int n = 1 << option(argc, argv, "--log-size", 11), batches = 20;
    Random random;
    std::vector<float2> long_one(n), short_ones(batches * length);
    for (auto* values : {&long_one, &short_ones})
        for (float2& value : *values) value = {random.uniform() - 0.5F, random.uniform() - 0.5F};

    Device<float2> a(long_one), b(n);
    float2 *in = a, *out = b;
    for (int done = 1; done < n; done *= 2) {
        step<<<n / 256, 128>>>(in, out, n, done);
        std::swap(in, out);
    }
    bool right = agree("steps", parts(in == a ? a.host() : b.host()), transform(long_one.data(), n), 1e-4);

    Device<float2> data(short_ones);
    batch<<<batches, length / 2>>>(data);
    const auto got = data.host();
    for (int i = 0; i < batches; ++i)
        right &= agree("batch", parts({got.begin() + i * length, got.begin() + (i + 1) * length}),
                       transform(&short_ones[i * length], length), 1e-4);
    return verdict(right);
}
