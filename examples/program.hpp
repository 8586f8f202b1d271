// What every example needs: options, CUDA errors, a verdict.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

inline void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
    std::exit(EXIT_FAILURE);
}

/// The whole number behind `name`, or `fallback`.
inline long option(int argc, char** argv, const char* name, long fallback) {
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], name) != 0) continue;
        char* end = nullptr;
        const long value = i + 1 < argc ? std::strtol(argv[i + 1], &end, 10) : 0;
        if (value > 0 && *end == '\0') return value;
        std::fprintf(stderr, "%s needs a positive whole number\n", name);
        std::exit(EXIT_FAILURE);
    }
    return fallback;
}

/// Prints the verdict; the exit code of main.
inline int verdict(bool right) {
    std::puts(right ? "PASSED" : "FAILED");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
