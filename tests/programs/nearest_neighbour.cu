// Distances of many places to one, and the ten nearest.
#include <algorithm>

#include "verify.hpp"

struct Place {
    float latitude, longitude;
};

__global__ void distances(const Place* places, float* distance, int n, float latitude, float longitude) {
    const int i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
    if (i >= n) return;
    const Place p = places[i];
    distance[i] = sqrtf((latitude - p.latitude) * (latitude - p.latitude) +
                        (longitude - p.longitude) * (longitude - p.longitude));
}

int main(int argc, char** argv) {
    const int n = static_cast<int>(option(argc, argv, "--places", 42764));
    Random random;
    std::vector<Place> places(n);
    for (auto& place : places) place = {70 * random.uniform(), 360 * random.uniform()};
    const Device<Place> in(places);
    Device<float> out(n);
    distances<<<dim3((n + 511) / 512, 2), 256>>>(in, out, n, 30, 90);
    std::vector<float> expected(n);
    for (int i = 0; i < n; ++i) expected[i] = std::hypot(30 - places[i].latitude, 90 - places[i].longitude);
    auto got = out.host();
    bool right = agree("distance", got, expected, 1e-6);
    std::partial_sort(got.begin(), got.begin() + 10, got.end());
    std::partial_sort(expected.begin(), expected.begin() + 10, expected.end());
    got.resize(10);
    expected.resize(10);
    return verdict(right & agree("nearest", got, expected, 1e-6));
}
