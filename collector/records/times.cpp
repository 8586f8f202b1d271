#include "collector/records/times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "collector/records/kernel_names.hpp"
#include "collector/records/merge.hpp"
#include "model/error.hpp"

namespace gpuproj::records {

namespace {

bool same_size(const KernelRecord& a, const KernelRecord& b) {
    const auto agree = [](const auto& x, const auto& y) { return !x || !y || *x == *y; };
    return agree(a.grid, b.grid) && agree(a.block, b.block);
}

/// Which records of `measured` are of this kernel and launch configuration.
std::vector<std::size_t> times_of(const KernelRecord& kernel, const Profile& measured) {
    std::vector<std::size_t> by_name, by_base_name;
    const auto base = base_name(kernel.kernel);
    for (std::size_t i = 0; i < measured.kernels.size(); ++i) {
        const auto& record = measured.kernels[i];
        if (!record.duration || !same_size(kernel, record)) continue;
        if (record.kernel == kernel.kernel) by_name.push_back(i);
        // Without a size the base name could be of another instance of a template.
        const bool sized = kernel.grid && record.grid;
        if (sized && base_name(record.kernel) == base) by_base_name.push_back(i);
    }
    return by_name.empty() ? by_base_name : by_name;
}

/// Records that are no kernel's, as far as their names and sizes tell them from the counted kernels without time.
struct Unjoined {
    std::vector<KernelRecord> uncounted;
    std::vector<std::string> doubtful;  // names of those that may be a kernel without time, spelled in another way
};

Unjoined unjoined(const Profile& measured, const std::set<std::size_t>& joined,
                  const std::vector<KernelRecord>& without_time) {
    Unjoined rest;
    for (std::size_t i = 0; i < measured.kernels.size(); ++i) {
        const auto& record = measured.kernels[i];
        if (!record.duration || joined.contains(i)) continue;
        const auto base = base_name(record.kernel);
        const auto may_be = [&](const KernelRecord& kernel) {
            return same_size(kernel, record) && base_name(kernel.kernel) == base;
        };
        if (std::ranges::any_of(without_time, may_be)) {
            rest.doubtful.push_back(record.kernel);
            continue;
        }
        auto& uncounted = rest.uncounted.emplace_back(record);
        uncounted.metrics = {};
        uncounted.other_gpus.reset();
        uncounted.sampled_fraction.reset();
        uncounted.notes.emplace_back("timed and not counted");
    }
    rest.uncounted = sum_records(rest.uncounted);
    return rest;
}

/// Adds the records of kernels that nothing counted, so that shares of the time are of all of it; warns of all that
/// found no counters.
void add_unjoined(TimesJoined& joined, Profile& counted, Unjoined rest) {
    for (const auto& name : rest.doubtful) {
        joined.warnings.push_back(
            fmt::format("{}: its time is left out: without its launch configuration it may be one of the kernels "
                        "that have no time",
                        name));
    }
    std::set<std::string> named;
    for (auto& record : rest.uncounted) {
        if (named.insert(record.kernel).second) {
            joined.warnings.push_back(fmt::format(
                "{}: timed and not counted; it is kept without counters, and not predicted", record.kernel));
        }
        counted.kernels.push_back(std::move(record));
    }
}

}  // namespace

std::optional<std::string> add_times(KernelRecord& counted, std::span<const KernelRecord> timed) {
    std::optional<Duration> total;
    std::uint64_t launches = 0;
    for (const auto& record : timed) {
        launches += record.launches;
        if (!record.duration) continue;
        if (total) {
            total->add(*record.duration);
        } else {
            total = record.duration;
        }
    }
    if (!total) return std::nullopt;
    if (total->count > counted.launches) {
        total->sum = static_cast<double>(counted.launches) * total->mean();
        total->count = counted.launches;
        if (total->max && total->sum < *total->max) total->min = total->max = std::nullopt;
    }
    counted.duration = total;
    if (launches == counted.launches) return std::nullopt;
    return fmt::format("{}: {} launches timed, {} counted; their mean time is used", counted.kernel, launches,
                       counted.launches);
}

TimesJoined join_times(Profile counted, const Profile& measured) {
    if (counted.gpu != measured.gpu) {
        throw Error(
            fmt::format("the times are of {}, the counters of {}: measure the times on that GPU, or simulate this "
                        "one with --ref",
                        measured.gpu, counted.gpu));
    }
    TimesJoined joined;
    std::set<std::size_t> used;
    std::vector<KernelRecord> without_time;
    for (auto& kernel : counted.kernels) {
        const auto found = times_of(kernel, measured);
        if (found.empty()) {
            joined.warnings.push_back(
                fmt::format("{}: no time of this kernel and launch configuration", kernel.kernel));
            without_time.push_back(kernel);
            continue;
        }
        used.insert(found.begin(), found.end());
        std::vector<KernelRecord> times;
        times.reserve(found.size());
        for (const auto i : found) times.push_back(measured.kernels[i]);
        if (auto warning = add_times(kernel, times)) joined.warnings.push_back(std::move(*warning));
        ++joined.timed;
    }
    if (joined.timed == 0) {
        throw Error(
            "no kernel of the times is a kernel of the profile with the same launch configuration: are they of "
            "the same program and input?");
    }
    add_unjoined(joined, counted, unjoined(measured, used, without_time));
    // The counted run's own are a simulation's.
    counted.host_time = measured.host_time;
    counted.gpu_idle = measured.gpu_idle;
    if (!measured.transfers.empty()) counted.transfers = measured.transfers;
    counted.notes.push_back(fmt::format("times measured by {}{}", measured.provenance.collector,
                                        measured.provenance.source ? " (" + *measured.provenance.source + ")" : ""));
    joined.profile = std::move(counted);
    return joined;
}

}  // namespace gpuproj::records
