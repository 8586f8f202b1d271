// What if: other clocks, other parameters of the GPUs, other counters of the kernels than those that are known.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/gpu.hpp"
#include "model/model.hpp"
#include "model/profile.hpp"
#include "tools/gpuproj/command_line.hpp"

namespace gpuproj {

/// A change by --set: "gpu.dram_bandwidth=900GB/s", "kernel.W_traf=0.5x".
struct Change {
    enum class Of : std::uint8_t { gpu, kernel };
    Of of = Of::gpu;
    std::string key;      // of a GPU file's parameter or of a profile's counter, in full; or W_traf, W_comp
    double value = 0;     // in the unit of the key, or a factor
    bool factor = false;  // the value is multiplied by `value`
};

/// Reads one change. The key may leave out its unit; the value may have a prefix (k, M, G, T) and the key's unit, or
/// be a factor ("1.5x"). Throws UsageError: no such key (with near ones), no number, another unit than the key's; base
/// and boost clock, between which a GPU chooses its clock.
Change parse_change(const std::string& text);

/// Sets a value, and keeps the GPU without it (before_changes). A clock changes all that follows it, as at_clocks does,
/// and goes before other changes. Throws Error for a factor of what the GPU's file lacks, and as at_clocks does.
void apply(const Change& change, Gpu& gpu);
/// W_traf (bytes) and W_comp (operations, of the type that `options` ask for) change the counters that they are made of
/// in proportion. Throws Error for a factor of what was not counted, and W_traf or W_comp where the kernel has none to
/// begin with; UsageError for a fraction above 1.
void apply(const Change& change, KernelRecord& kernel, const ModelOptions& options);

/// Whether the names of --target are those of all GPUs that are known: none, or "all" among them.
bool names_all(const Words& names);

/// --core-clock, --mem-clock and --set.
class WhatIf {
public:
    void declare(CommandLine& line);
    /// Checks the options. Throws UsageError; also where one clock is set twice.
    void resolve();

    bool changes_gpus() const;
    /// The GPU as asked for; its name says so, as in "Tesla K20c (core 614 MHz)". Throws UsageError for a value that
    /// no GPU can have.
    Gpu changed(Gpu gpu) const;
    /// Several GPUs as asked for. Those that lack what a factor or a clock is to be taken of are named: in a warning,
    /// and left out, where `all` GPUs were asked for, as long as any is left; else in the Error that is thrown.
    std::vector<Gpu> changed(std::vector<Gpu> gpus, bool all) const;
    /// Logs a warning for everything that was set and some of `models` do not look at, or do not follow on some of
    /// `gpus`, which are those that changed() gave. `others`: keys of parameters that the verb itself looks at.
    void warn_of_unread(std::span<const Model* const> models, std::span<const Gpu> gpus,
                        std::span<const std::string_view> others = {}) const;
    /// The profile as asked for, to be predicted with `options`.
    Profile changed(Profile profile, const ModelOptions& options) const;

private:
    std::optional<std::string> core_mhz_, memory_mhz_;
    Words texts_;
    std::optional<double> core_, memory_;  // Hz
    std::vector<Change> changes_;
};

}  // namespace gpuproj
