// cuRAND's host interface, on the host. Pseudo-random numbers of all types are Philox's: as random as NVIDIA's, but
// other numbers. Quasi-random ones are the same, unless they are scrambled. Source of facts: the manual of cuRAND, and
// what libcurand 10.4 does with generators on the host, which need no GPU.
#include <array>
#include <cmath>

#include "collector/simulate/libraries/curand_generator.hpp"

namespace gpuproj::simulate::libraries::curand {

HandlesOfLibrary<Generator>& generators() {
    static auto* const all = new HandlesOfLibrary<Generator>;  // outlives static objects that still destroy generators
    return *all;
}

namespace {

bool is_pseudo(int type) {
    return type == xorwow || type == mrg32k3a || type == mtgp32 || type == mt19937 || type == philox;
}

bool is_quasi(int type) {
    return type >= sobol32 && type <= scrambled_sobol64;
}

int create(void** handle, int type, bool on_host) noexcept {
    if (type == pseudo_default) type = xorwow;
    if (type == quasi_default) type = sobol32;
    if (handle == nullptr || (!is_pseudo(type) && !is_quasi(type))) return type_error;
    try {
        Generator generator;
        generator.type = type;
        generator.on_host = on_host;
        // NOLINTNEXTLINE(performance-no-int-to-ptr): a handle, nothing lies there
        *handle = reinterpret_cast<void*>(generators().add(std::move(generator)));
        return success;
    } catch (const std::bad_alloc&) {
        return allocation_failed;
    }
}

template <class T>
int normal(const char* function, void* handle, T* out, std::size_t n, T mean, T deviation, bool exponential) noexcept {
    return generate(function, handle, out, n, Normal{mean, deviation, exponential}, true);
}

constexpr std::array version{10, 4, 0};

}  // namespace

/// Give a generator of `type`, a curandRngType_t, for device memory; the second, for ordinary memory.
GPUPROJ_LIBRARY_API int curandCreateGenerator(void** handle, int type) {
    return create(handle, type, false);
}
GPUPROJ_LIBRARY_API int curandCreateGeneratorHost(void** handle, int type) {
    return create(handle, type, true);
}

/// What was put into the stream already is still done.
GPUPROJ_LIBRARY_API int curandDestroyGenerator(void* handle) {
    return generators().remove(reinterpret_cast<std::uintptr_t>(handle)) ? success : not_initialized;
}

/// `stream`: of what is generated from now on.
GPUPROJ_LIBRARY_API int curandSetStream(void* handle, void* stream) {
    return with_generator(handle, [&](Generator& generator) {
        generator.stream = stream;
        return success;
    });
}

/// Goes on at the same place of the sequence of another seed, as cuRAND does.
GPUPROJ_LIBRARY_API int curandSetPseudoRandomGeneratorSeed(void* handle, unsigned long long seed) {
    return with_generator(handle, [&](Generator& generator) {
        if (generator.is_quasi()) return type_error;
        generator.seed = seed;
        return success;
    });
}

/// `offset` counts results; of a quasi-random generator, points. What was put into the stream before keeps its place.
GPUPROJ_LIBRARY_API int curandSetGeneratorOffset(void* handle, unsigned long long offset) {
    return with_generator(handle, [&](Generator& generator) {
        if (generator.type == mtgp32 || generator.type == mt19937) return type_error;
        generator.position = std::make_shared<Position>(offset);
        return success;
    });
}

/// All orderings give the same order here.
GPUPROJ_LIBRARY_API int curandSetGeneratorOrdering(void* handle, int ordering) {
    return with_generator(handle, [&](const Generator& generator) {
        const bool fits = generator.is_quasi() ? ordering == quasi_ordering
                                               : ordering >= first_pseudo_ordering && ordering <= last_pseudo_ordering;
        return fits ? success : out_of_range;
    });
}

GPUPROJ_LIBRARY_API int curandSetQuasiRandomGeneratorDimensions(void* handle, unsigned dimensions) {
    constexpr unsigned most_of_curand = 20000;
    const int code = with_generator(handle, [&](Generator& generator) {
        if (!generator.is_quasi()) return type_error;
        if (dimensions == 0 || dimensions > most_of_curand) return out_of_range;
        if (dimensions > most_dimensions) return arch_mismatch;
        generator.dimensions = dimensions;
        return success;
    });
    if (code == arch_mismatch)
        gpuproj_library_refuses(library, "curandSetQuasiRandomGeneratorDimensions for more than 20 dimensions");
    return code;
}

/// There are no states to be made: only noted, as cuRAND has a kernel for it.
GPUPROJ_LIBRARY_API int curandGenerateSeeds(void* handle) {
    void* stream = nullptr;
    bool on_host = false;
    const int code = with_generator(handle, [&](const Generator& generator) {
        stream = generator.stream;
        on_host = generator.on_host;
        return success;
    });
    return code != success || on_host ? code : do_in_stream(statuses, library, __func__, stream, [] {});
}

/// 32 random bits each.
GPUPROJ_LIBRARY_API int curandGenerate(void* handle, unsigned* out, std::size_t n) {
    const int code = with_generator(
        handle, [](const Generator& generator) { return generator.has_64_bits() ? type_error : success; });
    return code == success ? generate(__func__, handle, out, n, Bits{}) : code;
}

/// Only generators of 64 bits have it.
GPUPROJ_LIBRARY_API int curandGenerateLongLong(void* handle, unsigned long long* out, std::size_t n) {
    const int code = with_generator(
        handle, [](const Generator& generator) { return generator.has_64_bits() ? success : type_error; });
    return code == success ? generate(__func__, handle, out, n, Bits{}) : code;
}

/// 0 < x <= 1.
GPUPROJ_LIBRARY_API int curandGenerateUniform(void* handle, float* out, std::size_t n) {
    return generate(__func__, handle, out, n, Uniform{});
}
GPUPROJ_LIBRARY_API int curandGenerateUniformDouble(void* handle, double* out, std::size_t n) {
    return generate(__func__, handle, out, n, Uniform{});
}

/// Normal numbers, an even number of them (but of Philox); `mean` and `deviation` of the logarithm if log-normal.
GPUPROJ_LIBRARY_API int curandGenerateNormal(void* handle, float* out, std::size_t n, float mean, float deviation) {
    return normal(__func__, handle, out, n, mean, deviation, false);
}
GPUPROJ_LIBRARY_API int curandGenerateNormalDouble(void* handle, double* out, std::size_t n, double mean,
                                                   double deviation) {
    return normal(__func__, handle, out, n, mean, deviation, false);
}
GPUPROJ_LIBRARY_API int curandGenerateLogNormal(void* handle, float* out, std::size_t n, float mean, float deviation) {
    return normal(__func__, handle, out, n, mean, deviation, true);
}
GPUPROJ_LIBRARY_API int curandGenerateLogNormalDouble(void* handle, double* out, std::size_t n, double mean,
                                                      double deviation) {
    return normal(__func__, handle, out, n, mean, deviation, true);
}

/// Poisson numbers of a mean up to 400000.
GPUPROJ_LIBRARY_API int curandGeneratePoisson(void* handle, unsigned* out, std::size_t n, double mean) {
    constexpr double greatest = 400000;  // of cuRAND
    const int code = with_generator(handle, [](const Generator&) { return success; });
    if (code != success) return code;
    if (mean <= 0 || mean > greatest || std::isnan(mean)) return out_of_range;
    try {
        return generate(__func__, handle, out, n, Poisson(mean));
    } catch (const std::bad_alloc&) {
        return allocation_failed;
    }
}

/// As the header of cuRAND puts its parts together, which is not how that of CUDA does.
GPUPROJ_LIBRARY_API int curandGetVersion(int* number) {
    if (number == nullptr) return out_of_range;
    *number = version[0] * 1000 + version[1] * 100 + version[2];
    return success;
}

/// `type`, a libraryPropertyType: 0 to 2 for the parts of the version.
GPUPROJ_LIBRARY_API int curandGetProperty(int type, int* value) {
    if (value == nullptr || type < 0 || type > 2) return out_of_range;
    *value = version[static_cast<std::size_t>(type)];
    return success;
}

}  // namespace gpuproj::simulate::libraries::curand
