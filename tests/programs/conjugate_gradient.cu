// Conjugate gradients for Poisson's equation on a square (five-point matrix in compressed rows), double precision.
#include "verify.hpp"

__global__ void multiply(const int* start, const int* column, const double* value, const double* x, double* y, int n) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    double sum = 0;
    for (int i = start[row]; i < start[row + 1]; ++i) sum += value[i] * x[column[i]];
    y[row] = sum;
}

__global__ void dot(const double* a, const double* b, double* result, int n) {
    __shared__ double part[128];
    double sum = 0;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) sum += a[i] * b[i];
    part[threadIdx.x] = sum;
    for (int s = 64; s > 0; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    }
    if (threadIdx.x == 0) atomicAdd(result, part[0]);
}

// y = a x + b y
__global__ void combine(double a, const double* x, double b, double* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + b * y[i];
}

int main(int argc, char** argv) {
    const int side = static_cast<int>(option(argc, argv, "--side", 24)), n = side * side, blocks = (n + 127) / 128;
    std::vector<int> start{0}, column;
    std::vector<double> value;
    for (int i = 0; i < n; ++i) {
        const auto add = [&](bool there, int j, double v) {
            if (!there) return;
            column.push_back(j);
            value.push_back(v);
        };
        add(i >= side, i - side, -1);
        add(i % side > 0, i - 1, -1);
        add(true, i, 4);
        add(i % side < side - 1, i + 1, -1);
        add(i < n - side, i + side, -1);
        start.push_back(static_cast<int>(column.size()));
    }
    std::vector<double> solution(n), b(n);
    for (int i = 0; i < n; ++i) solution[i] = std::sin(0.1 * i);
    for (int i = 0; i < n; ++i)
        for (int k = start[i]; k < start[i + 1]; ++k) b[i] += value[k] * solution[column[k]];

    const Device<int> d_start(start), d_column(column);
    const Device<double> d_value(value);
    Device<double> x(std::vector<double>(n, 0.0)), r(b), p(b), ap(n), result(1);
    const auto product = [&](const double* u, const double* v) {
        check(cudaMemset(result, 0, sizeof(double)));
        dot<<<4, 128>>>(u, v, result, n);
        return result.host()[0];
    };
    double rr = product(r, r);
    const double first = rr;
    int iterations = 0;
    for (; rr > 1e-24 * first && iterations < 4 * side; ++iterations) {
        multiply<<<blocks, 128>>>(d_start, d_column, d_value, p, ap, n);
        const double alpha = rr / product(p, ap);
        combine<<<blocks, 128>>>(alpha, p, 1, x, n);
        combine<<<blocks, 128>>>(-alpha, ap, 1, r, n);
        const double next = product(r, r);
        combine<<<blocks, 128>>>(1, r, next / rr, p, n);
        rr = next;
    }
    return verdict(agree("solution", x.host(), solution, 1e-9));
}
