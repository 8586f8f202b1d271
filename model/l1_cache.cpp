#include "model/l1_cache.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace gpuproj {

std::optional<int> capability_of(std::string_view compute_capability) {
    int major = 0, minor = 0;
    const char* const end = compute_capability.data() + compute_capability.size();
    const auto [dot, error] = std::from_chars(compute_capability.data(), end, major);
    if (error != std::errc{} || dot == end || *dot != '.') return std::nullopt;
    const auto [rest, minor_error] = std::from_chars(dot + 1, end, minor);
    if (minor_error != std::errc{} || rest != end || minor > 9) return std::nullopt;
    return 10 * major + minor;
}

namespace {

constexpr std::uint64_t kib = 1024;

// L1 and shared memory in one: its size, and the shares of it that shared memory can get (CUDA C++ Programming Guide,
// compute capabilities, "shared memory"). The driver gives shared memory the least share that the resident blocks need.
struct Unified {
    std::uint64_t kib;
    std::array<std::uint64_t, 10> shared_kib;
};
constexpr Unified volta{128, {0, 8, 16, 32, 64, 96}};
constexpr Unified turing{96, {32, 64}};
constexpr Unified ga100{192, {0, 8, 16, 32, 64, 100, 132, 164}};
constexpr Unified ga10x{128, {0, 8, 16, 32, 64, 100}};
constexpr Unified hopper{256, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}};

std::optional<Unified> unified(int capability) {
    switch (capability) {
        case 70:
        case 72:
            return volta;
        case 75:
            return turing;
        case 80:
        case 87:
            return ga100;
        case 86:
        case 89:
        case 120:
        case 121:
            return ga10x;
        default:
            break;
    }
    if (capability >= 90) return hopper;  // 9.0, 10.0, 10.3
    return std::nullopt;
}

std::uint64_t l1_beside(const Unified& memory, std::uint64_t shared_bytes) {
    std::uint64_t share = memory.shared_kib.front();
    for (const std::uint64_t candidate : memory.shared_kib) {
        if (share * kib >= shared_bytes) break;
        share = std::max(share, candidate);
    }
    return (memory.kib - share) * kib;
}

// L1 or texture cache of an SM before Volta, where the description has none (Tuning Guides of Kepler, Maxwell, Pascal).
std::uint64_t separate_l1(int capability) {
    if (capability < 20) return 0;
    if (capability < 30) return 16 * kib;  // beside 48 KB of shared memory
    if (capability == 50 || capability == 60) return 24 * kib;
    return 48 * kib;
}

}  // namespace

L1 l1_of(const Gpu& gpu, std::uint64_t shared_bytes) {
    L1 l1;
    if (gpu.l1_size) l1.bytes = static_cast<std::uint64_t>(gpu.l1_size->value.value);
    const std::optional<int> known = capability_of(gpu.compute_capability);
    if (!known) {
        l1.global_loads = l1.bytes > 0;
        l1.stores_update = true;
        return l1;
    }
    if (const auto memory = unified(*known)) {
        l1.bytes = l1_beside(*memory, shared_bytes);
    } else if (!gpu.l1_size) {
        l1.bytes = separate_l1(*known);
    }
    // Kepler, Maxwell and the smaller Pascals keep global loads in L2 unless compiled with -dlcm=ca. Fermi's L1 would
    // take them, but whether it does is a choice of the assembler (-dlcm) that the PTX does not record, and the
    // published counters of Fermi that simulations are compared with were taken with -dlcm=cg (Konstantinidis 2017,
    // section 5.1.4): it is off here.
    l1.global_loads = *known == 60 || *known >= 70;
    l1.stores_update = *known >= 70;  // write-through; earlier ones drop the sector
    return l1;
}

}  // namespace gpuproj
