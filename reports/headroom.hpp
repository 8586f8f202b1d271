// What each kernel could still gain on one GPU, as data: bounds, losses, and what they are worth to the application.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.hpp"

namespace gpuproj {

/// One thing made ideal, all else as it is: the time of all launches then.
struct Loss {
    std::string_view name;   // "bank conflicts"
    std::string_view ideal;  // what "ideal" means: "one pass per shared-memory access"
    Seconds if_ideal;
    Seconds saved;       // time - if_ideal; the losses of a kernel overlap and do not add up
    std::string advice;  // only where `saved` is worth it; empty otherwise
};

/// A loss that cannot be told, and why.
struct UnknownLoss {
    std::string_view name;
    std::string reason;
};

struct KernelHeadroom {
    std::size_t kernel = 0;  // of the profile
    std::string name;        // readable
    std::uint64_t launches = 1;
    std::optional<Seconds> measured;
    Seconds predicted;          // by `calibrated`, without the reference time
    Seconds time;               // measured, else predicted: what all below refers to
    std::vector<Bound> bounds;  // what each resource alone would take, longest first; without waits and launches
    Bound bound;                // the longest: the lower bound on time
    double factor = 1;          // time / bound; below 1 the kernel is faster than the model takes for possible
    double share = 0;           // of the application time, 0 to 1
    Seconds saved;              // of the application time, if the kernel ran at its bound
    double speed_up = 1;        // of the application then (Amdahl)
    std::vector<Loss> losses;   // largest first
    std::vector<UnknownLoss> unknown;
};

struct HeadroomLeftOut {
    std::size_t kernel = 0;
    std::string reason;
};

struct Headroom {
    std::string gpu;
    bool measured = false;             // every kernel's time is measured; otherwise predicted ones stand in
    Seconds kernels;                   // sum of their times
    Seconds transfers;                 // those whose time is known
    std::optional<Seconds> idle;       // of the GPU between its first and last work, where kernels were measured
    std::optional<Seconds> host;       // the rest of the application's wall time, where kernels were measured
    Seconds application;               // kernels + transfers + idle + host
    std::vector<KernelHeadroom> rows;  // by application time saved
    std::vector<HeadroomLeftOut> left_out;
};

/// Of all kernels of the profile on `gpu`, which is its own GPU or another one (`reference` is its own; null: not
/// known, then everything is left out). Times are measured ones where `gpu` is the profile's own, else predicted.
/// Bounds and losses come from the resource times of `calibrated`: a loss is its prediction with that counter made
/// ideal over its prediction as counted, times the kernel's time.
Headroom headroom(const Profile& profile, const Gpu& gpu, const Gpu* reference);

}  // namespace gpuproj
