// k-means (Lloyd 1982): points to their nearest centre on the GPU, in two layouts; new centres on the CPU.
#include <cfloat>

#include "verify.hpp"

constexpr int features = 8, clusters = 5;
__constant__ float centres[clusters * features];

// Features of a point adjacent (uncoalesced) to features apart (coalesced).
__global__ void invert(const float* in, float* out, int points) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) return;
    for (int f = 0; f < features; ++f) out[f * points + i] = in[i * features + f];
}

__global__ void assign(const float* in, int* membership, int points) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) return;
    int best = 0;
    float least = FLT_MAX;
    for (int c = 0; c < clusters; ++c) {
        float distance = 0;
        for (int f = 0; f < features; ++f) {
            const float d = in[f * points + i] - centres[c * features + f];
            distance += d * d;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    membership[i] = best;
}

int main(int argc, char** argv) {
    const int points = static_cast<int>(option(argc, argv, "--points", 10000)), iterations = 3;
    // Multiples of 1/16 in a small range: all sums of squares are exact in any order of operations.
    Random random;
    std::vector<float> data(points * features);
    for (float& value : data) value = static_cast<float>(random.next() % 64) / 16;
    std::vector<float> centre(data.begin(), data.begin() + clusters * features);
    const Device<float> in(data);
    Device<float> apart(data.size());
    Device<int> membership(points);
    const int blocks = (points + 255) / 256;
    invert<<<blocks, 256>>>(in, apart, points);
    bool right = true;
    for (int iteration = 0; iteration < iterations; ++iteration) {
        check(cudaMemcpyToSymbol(centres, centre.data(), sizeof centres));
        assign<<<blocks, 256>>>(apart, membership, points);
        std::vector<int> expected(points), count(clusters);
        std::vector<float> sum(clusters * features);
        for (int i = 0; i < points; ++i) {
            float least = FLT_MAX;
            for (int c = 0; c < clusters; ++c) {
                float distance = 0;
                for (int f = 0; f < features; ++f) {
                    const float d = data[i * features + f] - centre[c * features + f];
                    distance += d * d;
                }
                if (distance < least) {
                    least = distance;
                    expected[i] = c;
                }
            }
            ++count[expected[i]];
            for (int f = 0; f < features; ++f) sum[expected[i] * features + f] += data[i * features + f];
        }
        right &= agree("membership", membership.host(), expected);
        for (int i = 0; i < clusters * features; ++i)
            if (count[i / features]) centre[i] = std::round(sum[i] / count[i / features] * 16) / 16;
    }
    return verdict(right);
}
