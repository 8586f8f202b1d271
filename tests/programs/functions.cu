// Calls: recursion, function pointers, virtual functions, arrays in local memory, memory from the device's heap.
#include "verify.hpp"

__device__ __noinline__ unsigned fibonacci(unsigned n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ int twice(int x) {
    return 2 * x;
}
__device__ __noinline__ int square(int x) {
    return x * x;
}
__device__ __noinline__ int negative(int x) {
    return -x;
}
using Function = int (*)(int);
__device__ const Function table[] = {twice, square, negative};

struct Shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    int side;
    __device__ explicit Square(int s) : side(s) {}
    __device__ int area() const override { return side * side; }
};
struct Rectangle : Shape {
    int a, b;
    __device__ Rectangle(int x, int y) : a(x), b(y) {}
    __device__ int area() const override { return a * b; }
};

struct Link {
    int value;
    const Link* next;
};
__device__ __noinline__ long long sum_of_links(const Link* link) {
    if (link == nullptr) return 0;
    const long long behind = sum_of_links(link->next);
    return behind * 3 % 1000003 + link->value;
}
__global__ void deep_recursion(const Link* link, long long* out) {
    *out = sum_of_links(link);
}

__global__ void recursion(unsigned* out) {
    out[threadIdx.x] = fibonacci(threadIdx.x % 12);
}
__global__ void pointers(int* out) {
    out[threadIdx.x] = table[threadIdx.x % 3](static_cast<int>(threadIdx.x));
}
__global__ void virtuals(int* out) {
    const int t = threadIdx.x;
    Shape* const shape = t % 2 ? static_cast<Shape*>(new Square(t)) : new Rectangle(t, t + 1);
    out[t] = shape->area();
    delete shape;
}
__global__ void local_arrays(const int* order, int* out) {
    int values[64];
    for (int i = 0; i < 64; ++i) values[order[i]] = i * static_cast<int>(threadIdx.x);
    int sum = 0;
    for (int i = 0; i < 64; ++i) sum += values[(i + threadIdx.x) % 64] * (i % 3);
    out[threadIdx.x] = sum;
}

// Both functions have an array of their own while the other's is alive.
__device__ __noinline__ int inner(const int* outer, int seed) {
    int own[8];
    for (int i = 0; i < 8; ++i) own[(i * seed) % 8] = outer[i] + i;
    int sum = 0;
    for (int i = 0; i < 8; ++i) sum = 3 * sum + own[(i + seed) % 8];
    return sum;
}
__device__ __noinline__ int outer(int seed) {
    int own[8];
    for (int i = 0; i < 8; ++i) own[(i * seed) % 8] = i + seed;
    const int first = inner(own, seed);
    int sum = first;
    for (int i = 0; i < 8; ++i) sum = 5 * sum + own[(i + seed) % 8];
    return sum;
}
__global__ void nested_arrays(int* out) {
    out[threadIdx.x] = outer(2 * static_cast<int>(threadIdx.x) + 1);
}

int host_outer(int seed) {
    int mine[8], theirs[8], sum = 0;
    for (int i = 0; i < 8; ++i) mine[(i * seed) % 8] = i + seed;
    for (int i = 0; i < 8; ++i) theirs[(i * seed) % 8] = mine[i] + i;
    for (int i = 0; i < 8; ++i) sum = 3 * sum + theirs[(i + seed) % 8];
    for (int i = 0; i < 8; ++i) sum = 5 * sum + mine[(i + seed) % 8];
    return sum;
}

int main() {
    constexpr int n = 64;
    std::vector<unsigned> fibonaccis(n);
    std::vector<int> called(n), areas(n), sums(n), order(64);
    const unsigned known[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    for (int i = 0; i < 64; ++i) order[i] = i * 5 % 64;
    for (int t = 0; t < n; ++t) {
        fibonaccis[t] = known[t % 12];
        called[t] = t % 3 == 0 ? 2 * t : t % 3 == 1 ? t * t : -t;
        areas[t] = t % 2 ? t * t : t * (t + 1);
        int values[64];
        for (int i = 0; i < 64; ++i) values[order[i]] = i * t;
        for (int i = 0; i < 64; ++i) sums[t] += values[(i + t) % 64] * (i % 3);
    }
    Device<unsigned> numbers(n);
    Device<int> out(n);
    const Device<int> d_order(order);
    recursion<<<1, n>>>(numbers);
    bool right = agree("recursion", numbers.host(), fibonaccis);
    pointers<<<1, n>>>(out);
    right &= agree("pointers", out.host(), called);
    virtuals<<<1, n>>>(out);
    right &= agree("virtual functions", out.host(), areas);
    local_arrays<<<1, n>>>(d_order, out);
    right &= agree("local arrays", out.host(), sums);
    std::vector<int> nested(n);
    for (int t = 0; t < n; ++t) nested[t] = host_outer(2 * t + 1);
    nested_arrays<<<1, n>>>(out);
    right &= agree("nested arrays", out.host(), nested);

    constexpr int depth = 3000;
    check(cudaDeviceSetLimit(cudaLimitStackSize, 256 << 10));
    Device<Link> links(depth);
    Device<long long> sum(1);
    std::vector<Link> chain(depth);
    long long expected = 0;
    for (int i = depth - 1; i >= 0; --i) {
        chain[i] = {i, i + 1 < depth ? links + i + 1 : nullptr};
        expected = expected * 3 % 1000003 + i;
    }
    links = chain;
    deep_recursion<<<1, 1>>>(links, sum);
    right &= agree("deep recursion", sum.host(), {expected});
    return verdict(right);
}
