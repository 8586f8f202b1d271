// A scene of objects that a kernel makes (new) and others call virtual functions of, seen along parallel rays; and a
// heap that gets full. Coordinates are whole numbers, so that all is exact.
#include <algorithm>
#include <cstdint>

#include "verify.hpp"

/// Looked at from above.
class Shape {
public:
    __host__ __device__ Shape(int x, int y, int top) : x_(x), y_(y), top_(top) {}
    __host__ __device__ virtual ~Shape() {}
    /// How high it is at a place; 0: it is not there.
    __host__ __device__ virtual int height(int x, int y) const = 0;

protected:
    int x_, y_, top_;
};
class Block final : public Shape {
public:
    __host__ __device__ Block(int x, int y, int top, int width, int depth)
        : Shape(x, y, top), width_(width), depth_(depth) {}
    __host__ __device__ int height(int x, int y) const override {
        return x >= x_ && y >= y_ && x - x_ < width_ && y - y_ < depth_ ? top_ : 0;
    }

private:
    int width_, depth_;
};
class Cone final : public Shape {
public:
    using Shape::Shape;
    __host__ __device__ int height(int x, int y) const override {
        const int dx = x - x_, dy = y - y_, square = dx * dx + dy * dy;
        return square < top_ * top_ ? top_ - square / top_ : 0;
    }
};

__host__ __device__ Shape* make(int i, int side) {
    const unsigned random = (i + 1U) * 2654435761U;
    const int x = (random >> 4) % side, y = (random >> 16) % side, size = 3 + static_cast<int>(random >> 29);
    if (i % 3 == 0) return new Block(x, y, size, 2 * size, size);
    return new Cone(x, y, size);
}
__host__ __device__ int highest(Shape* const* shapes, int n, int x, int y) {
    int top = 0;
    for (int i = 0; i < n; ++i) top = max(top, shapes[i]->height(x, y));
    return top;
}

__global__ void build(Shape** shapes, int n, int side) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) shapes[i] = make(i, side);
}
__global__ void look(Shape* const* shapes, int n, int side, int* heights) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < side && y < side) heights[y * side + x] = highest(shapes, n, x, y);
}
__global__ void destroy(Shape** shapes, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) delete shapes[i];
}

struct Link {
    Link* next;
    unsigned long long at;
};
/// Every thread takes memory until there is none left.
__global__ void fill(Link** chains, unsigned* lengths, int bytes) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Link* chain = nullptr;
    unsigned length = 0;
    while (auto* link = static_cast<Link*>(malloc(bytes))) {
        *link = {chain, reinterpret_cast<unsigned long long>(link)};
        chain = link;
        ++length;
    }
    chains[i] = chain;
    lengths[i] = length;
}
/// Gives it all back, and counts the links that are not as they were.
__global__ void empty(Link** chains, unsigned* lengths, unsigned* wrong) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (Link* chain = chains[i]; chain != nullptr; --lengths[i]) {
        if (chain->at != reinterpret_cast<unsigned long long>(chain)) atomicAdd(wrong, 1);
        Link* const next = chain->next;
        free(chain);
        chain = next;
    }
}

int main(int argc, char** argv) {
    const int n = static_cast<int>(option(argc, argv, "--shapes", 100));
    const int side = static_cast<int>(option(argc, argv, "--side", 100));
    size_t heap = 0;
    check(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20));
    check(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    bool right = holds(heap >= 8 << 20, "size of the heap");
    Device<Shape*> shapes(n);
    Device<int> heights(side * side);
    build<<<2, 32>>>(shapes, n, side);
    const dim3 block(16, 8), grid((side + 15) / 16, (side + 7) / 8);
    look<<<grid, block>>>(shapes, n, side, heights);
    destroy<<<2, 32>>>(shapes, n);
    std::vector<Shape*> own(n);
    std::vector<int> expected;
    for (int i = 0; i < n; ++i) own[i] = make(i, side);
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) expected.push_back(highest(own.data(), n, x, y));
    for (Shape* shape : own) delete shape;
    right &= agree("heights", heights.host(), expected);

    const int threads = 64, bytes = 200;
    Device<Link*> chains(threads);
    Device<unsigned> lengths(threads), wrong(std::vector<unsigned>{0});
    size_t before = 0;
    for (int round = 0; round < 2; ++round) {
        fill<<<2, threads / 2>>>(chains, lengths, bytes);
        size_t all = 0;
        for (const unsigned length : lengths.host()) all += length;
        // A GPU's heap has at least the size that was asked for, and adds to each object what it wants.
        right &= holds(all * bytes <= 4 * heap && all * bytes > heap / 8, "what the heap holds");
        right &= holds(all > before / 2, "what the heap holds when all was given back");
        before = all;
        empty<<<2, threads / 2>>>(chains, lengths, wrong);
        right &= agree("links that are left", lengths.host(), std::vector<unsigned>(threads));
    }
    right &= agree("links that are not as they were", wrong.host(), std::vector<unsigned>{0});
    right &= holds(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 * heap) == cudaErrorInvalidValue,
                   "another size for a heap that was used");
    static_cast<void>(cudaGetLastError());
    return verdict(right);
}
