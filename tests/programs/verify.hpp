// What every test program needs: device arrays, reproducible input, comparison with a CPU result. Each program checks
// itself and ends with PASSED (exit code 0) or FAILED (1).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../examples/program.hpp"

template <class T>
class Device {
public:
    explicit Device(size_t n) : size_(n) { check(cudaMalloc(&data_, n * sizeof(T))); }
    explicit Device(const std::vector<T>& host) : Device(host.size()) { *this = host; }
    Device(const Device&) = delete;
    ~Device() { check(cudaFree(data_)); }
    Device& operator=(const std::vector<T>& host) {
        check(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
        return *this;
    }
    std::vector<T> host() const {
        std::vector<T> result(size_);
        check(cudaGetLastError());
        check(cudaMemcpy(result.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
        return result;
    }
    operator T*() const { return data_; }

private:
    T* data_ = nullptr;
    size_t size_ = 0;
};

/// Numerical Recipes' 32-bit linear congruential generator, upper bits.
class Random {
public:
    unsigned next() { return (state_ = state_ * 1664525U + 1013904223U) >> 8; }
    /// 0 <= x < 1
    float uniform() { return static_cast<float>(next()) / (1 << 24); }

private:
    unsigned state_ = 1;
};

inline std::vector<float> random_floats(size_t n, float low = 0, float high = 1) {
    Random random;
    std::vector<float> values(n);
    for (float& value : values) value = low + (high - low) * random.uniform();
    return values;
}

/// |got - expected| <= tolerance * max(1, |expected|) everywhere; prints the first place where it is not. Tolerance 0:
/// equal.
template <class T>
bool agree(const char* what, const std::vector<T>& got, const std::vector<T>& expected, double tolerance = 0) {
    if (got.size() != expected.size()) {
        std::printf("%s: %zu values instead of %zu\n", what, got.size(), expected.size());
        return false;
    }
    for (size_t i = 0; i < got.size(); ++i) {
        const double g = static_cast<double>(got[i]), e = static_cast<double>(expected[i]);
        if (std::abs(g - e) <= tolerance * std::fmax(1.0, std::abs(e))) continue;
        std::printf("%s[%zu]: %.9g instead of %.9g\n", what, i, g, e);
        return false;
    }
    return true;
}

template <class T>
bool agree(const char* what, T got, T expected, double tolerance = 0) {
    return agree(what, std::vector<T>{got}, std::vector<T>{expected}, tolerance);
}

/// Prints what does not hold.
inline bool holds(bool condition, const char* what) {
    if (!condition) std::printf("%s: wrong\n", what);
    return condition;
}
