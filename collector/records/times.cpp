#include "collector/records/times.hpp"

#include <fmt/format.h>

#include <vector>

#include "collector/records/kernel_names.hpp"
#include "model/error.hpp"

namespace gpuproj::records {

namespace {

bool same_size(const KernelRecord& a, const KernelRecord& b) {
    const auto agree = [](const auto& x, const auto& y) { return !x || !y || *x == *y; };
    return agree(a.grid, b.grid) && agree(a.block, b.block);
}

std::vector<KernelRecord> times_of(const KernelRecord& kernel, const Profile& measured) {
    std::vector<KernelRecord> by_name, by_base_name;
    const auto base = base_name(kernel.kernel);
    for (const auto& record : measured.kernels) {
        if (!record.duration || !same_size(kernel, record)) continue;
        if (record.kernel == kernel.kernel) by_name.push_back(record);
        // Without a size the base name could be of another instance of a template.
        const bool sized = kernel.grid && record.grid;
        if (sized && base_name(record.kernel) == base) by_base_name.push_back(record);
    }
    return by_name.empty() ? by_base_name : by_name;
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
    for (auto& kernel : counted.kernels) {
        const auto times = times_of(kernel, measured);
        if (times.empty()) {
            joined.warnings.push_back(
                fmt::format("{}: no time of this kernel and launch configuration", kernel.kernel));
            continue;
        }
        if (auto warning = add_times(kernel, times)) joined.warnings.push_back(std::move(*warning));
        ++joined.timed;
    }
    if (joined.timed == 0) {
        throw Error(
            "no kernel of the times is a kernel of the profile with the same launch configuration: are they of "
            "the same program and input?");
    }
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
