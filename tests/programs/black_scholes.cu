// Black-Scholes prices of European options; the normal distribution by Abramowitz and Stegun 26.2.17.
#include "verify.hpp"

constexpr float rate = 0.02F, volatility = 0.3F;

template <class T>
__host__ __device__ T normal(T d) {
    const T k = 1 / (1 + T(0.2316419) * fabs(d));
    const T tail = T(0.39894228040143267794) * exp(T(-0.5) * d * d) *
                   (k * (T(0.31938153) +
                         k * (T(-0.356563782) + k * (T(1.781477937) + k * (T(-1.821255978) + k * T(1.330274429))))));
    return d > 0 ? 1 - tail : tail;
}

template <class T>
__host__ __device__ void price(T stock, T strike, T years, T& call, T& put) {
    const T root = sqrt(years);
    const T d1 = (log(stock / strike) + (rate + T(0.5) * volatility * volatility) * years) / (volatility * root);
    const T d2 = d1 - volatility * root;
    const T discounted = strike * exp(-rate * years);
    call = stock * normal(d1) - discounted * normal(d2);
    put = discounted * (1 - normal(d2)) - stock * (1 - normal(d1));
}

template <class T>
__global__ void black_scholes(const T* stock, const T* strike, const T* years, T* call, T* put, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        price(stock[i], strike[i], years[i], call[i], put[i]);
}

template <class T>
bool test(const char* name, int n, double tolerance) {
    Random random;
    std::vector<T> stock(n), strike(n), years(n);
    std::vector<double> expected_call(n), expected_put(n);
    for (int i = 0; i < n; ++i) {
        stock[i] = 5 + 25 * random.uniform();
        strike[i] = 1 + 99 * random.uniform();
        years[i] = T(0.25) + 10 * random.uniform();
        price<double>(stock[i], strike[i], years[i], expected_call[i], expected_put[i]);
    }
    const Device<T> s(stock), k(strike), t(years);
    Device<T> call(n), put(n);
    black_scholes<T><<<60, 128>>>(s, k, t, call, put, n);
    const auto calls = call.host(), puts = put.host();
    return agree(name, std::vector<double>(calls.begin(), calls.end()), expected_call, tolerance) &
           agree(name, std::vector<double>(puts.begin(), puts.end()), expected_put, tolerance);
}

int main(int argc, char** argv) {
    const int n = static_cast<int>(option(argc, argv, "--options", 20000));
    return verdict(test<float>("float", n, 1e-4) & test<double>("double", n / 4, 1e-11));
}
