// Exclusive prefix sum of any length: work-efficient scan of 512 elements per block (Blelloch 1990), the sums of the
// blocks scanned in turn.
#include "verify.hpp"

constexpr int threads = 256, span = 2 * threads;

__global__ void scan_blocks(const unsigned* in, unsigned* out, unsigned* sums, int n) {
    __shared__ unsigned tree[span];
    const int t = threadIdx.x, base = blockIdx.x * span;
    tree[2 * t] = base + 2 * t < n ? in[base + 2 * t] : 0;
    tree[2 * t + 1] = base + 2 * t + 1 < n ? in[base + 2 * t + 1] : 0;
    int offset = 1;
    for (int d = threads; d > 0; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
    }
    if (t == 0) {
        sums[blockIdx.x] = tree[span - 1];
        tree[span - 1] = 0;
    }
    for (int d = 1; d < span; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            const int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
            const unsigned kept = tree[left];
            tree[left] = tree[right];
            tree[right] += kept;
        }
    }
    __syncthreads();
    for (int i = t; i < span; i += threads)
        if (base + i < n) out[base + i] = tree[i];
}

__global__ void add(unsigned* out, const unsigned* sums, int n) {
    for (int i = threadIdx.x; i < span && blockIdx.x * span + i < n; i += threads)
        out[blockIdx.x * span + i] += sums[blockIdx.x];
}

void scan(const unsigned* in, unsigned* out, int n) {
    const int blocks = (n + span - 1) / span;
    Device<unsigned> sums(blocks), scanned(blocks);
    scan_blocks<<<blocks, threads>>>(in, out, sums, n);
    if (blocks == 1) return;
    scan(sums, scanned, blocks);
    add<<<blocks, threads>>>(out, scanned, n);
}

int main(int argc, char** argv) {
    const int n = static_cast<int>(option(argc, argv, "--size", 300007));
    std::vector<unsigned> values(n), expected(n);
    Random random;
    unsigned sum = 0;
    for (int i = 0; i < n; ++i) {
        values[i] = random.next() % 1000;
        expected[i] = sum;
        sum += values[i];
    }
    const Device<unsigned> in(values);
    Device<unsigned> out(n);
    scan(in, out, n);
    return verdict(agree("scan", out.host(), expected));
}
