#include "collector/simulate/engine/launch_limits.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace gpuproj::simulate {

namespace {

/// Whether each dimension is within the limits of compute capability 3.0 and later (CUDA C++ Programming Guide).
bool has_possible_dimensions(const Dim3& grid, const Dim3& block) {
    constexpr Dim3 most_blocks{0x7FFFFFFF, 65535, 65535}, most_threads{1024, 1024, 64};
    for (std::size_t d = 0; d < 3; ++d) {
        if (grid[d] == 0 || grid[d] > most_blocks[d] || block[d] == 0 || block[d] > most_threads[d]) return false;
    }
    return true;
}

bool divides(const Dim3& cluster, const Dim3& grid) {
    for (std::size_t d = 0; d < 3; ++d)
        if (cluster[d] == 0 || grid[d] % cluster[d] != 0) return false;
    return true;
}

std::string text_of(const Dim3& d) {
    return fmt::format("{}x{}x{}", d[0], d[1], d[2]);
}

}  // namespace

LaunchRefusal refusal_of_shape(const Dim3& grid, const Dim3& block, const Dim3& cluster,
                               std::uint64_t most_threads_of_gpu, std::uint64_t most_threads_of_kernel) {
    constexpr int invalid_configuration = 9, out_of_resources = 701;
    const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
    if (threads > most_threads_of_gpu)
        return {invalid_configuration,
                fmt::format("blocks of {} threads, of which the GPU takes {}", threads, most_threads_of_gpu)};
    if (!has_possible_dimensions(grid, block))
        return {invalid_configuration, fmt::format("a grid of {} blocks of {} threads, which CUDA does not have",
                                                   text_of(grid), text_of(block))};
    if (threads > most_threads_of_kernel)
        return {out_of_resources,
                fmt::format("blocks of {} threads, of which the kernel takes {}", threads, most_threads_of_kernel)};
    if (cluster[0] != 0 && !divides(cluster, grid))
        return {invalid_configuration,
                fmt::format("a grid of {} blocks in clusters of {}", text_of(grid), text_of(cluster))};
    return {};
}

}  // namespace gpuproj::simulate
