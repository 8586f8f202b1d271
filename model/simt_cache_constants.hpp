// The fitted constants of the model simt-cache.
#pragma once

#include <array>
#include <string_view>

namespace gpuproj {

/// Without dimension unless the name says cycles. `prior` and `spread` (a standard deviation of the logarithm) are what
/// the hardware or a publication says before any fit.
struct SimtCacheConstants {
    double dram_delay = 1;           // of 32 bytes / stored bandwidth
    double instruction_delay = 1;    // D_inst, of 32 / lanes cycles
    double instruction_latency = 8;  // L_inst, cycles from one instruction of a warp to its next
    double fp64_delay = 1;           // of D_dp by the stored rate
    double conversions = 1.5;        // on the fp64 units, per fp64 instruction of mixed code
    double l1_delay = 0.5;           // cycles per sector
    double sectors_in_flight = 16;   // of one warp
    double pipe_norm = 2;            // how the pipes of an SM combine
    double norm = 5;                 // how SM, queues and latency combine: 1 adds them, infinity takes the longest
    double clock_response = 0.9;     // exponent of the sustained clock above the boost clock
};

struct SimtCacheConstant {
    std::string_view name;
    double SimtCacheConstants::*member;
    double prior, spread;
    std::string_view source;  // of the prior
};

/// All constants, in the order in which they are fitted.
inline constexpr auto simt_cache_constant_table = std::to_array<SimtCacheConstant>({
    {"dram_delay", &SimtCacheConstants::dram_delay, 1, 0.1, "the stored bandwidth"},
    {"instruction_delay", &SimtCacheConstants::instruction_delay, 1.07, 0.1, "1 to 1.4 by Wang & Chu"},
    {"instruction_latency", &SimtCacheConstants::instruction_latency, 8, 0.2, "4 to 8 by Wang & Chu"},
    {"fp64_delay", &SimtCacheConstants::fp64_delay, 1, 0.1, "the stored fp64 rate"},
    {"conversions", &SimtCacheConstants::conversions, 1.5, 0.2, "one to two in code of mixed precision"},
    {"l1_delay", &SimtCacheConstants::l1_delay, 0.5, 0.4, "two sectors per clock"},
    {"sectors_in_flight", &SimtCacheConstants::sectors_in_flight, 16, 0.5, "four loads of a warp"},
    {"pipe_norm", &SimtCacheConstants::pipe_norm, 2, 0.3, "between adding (1) and full overlap"},
    {"norm", &SimtCacheConstants::norm, 5, 0.3, "nearly full overlap"},
    {"clock_response", &SimtCacheConstants::clock_response, 0.88, 0.05, "clocks above boost are not sustained"},
});

/// As build/gpuproj_fit_simt_cache wrote them.
extern const SimtCacheConstants simt_cache_constants;

}  // namespace gpuproj
