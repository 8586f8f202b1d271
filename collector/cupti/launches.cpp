#include "collector/cupti/launches.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace gpuproj::cupti {

namespace {

constexpr std::string_view time_metric = "gpu__time_duration.sum";

bool same_size(const KernelRecord& a, const KernelRecord& b) {
    return a.grid == b.grid && a.block == b.block;
}

Duration once(Seconds time) {
    return {1, time, time, time};
}

/// What a kernel takes of a multiprocessor: the run that timed knows, and it is the same in every launch.
void add_resources(KernelRecord& launch, const KernelRecord& timed) {
    if (!launch.registers_per_thread) launch.registers_per_thread = timed.registers_per_thread;
    if (!launch.static_shared) launch.static_shared = timed.static_shared;
    if (!launch.local_per_thread) launch.local_per_thread = timed.local_per_thread;
}

/// The mean time of the launches of that size; none if there are none.
std::optional<Seconds> mean_time(const std::vector<const KernelRecord*>& launches, const KernelRecord& like) {
    Seconds sum;
    double count = 0;
    for (const auto* launch : launches) {
        if (!launch->duration || !same_size(*launch, like)) continue;
        sum += launch->duration->sum;
        ++count;
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

}  // namespace

double base_value(std::string_view metric, double value) {
    constexpr double nanosecond = 1e-9, percent = 1e-2;
    if (metric == time_metric) return value * nanosecond;
    return metric.find(".pct") != std::string_view::npos ? value * percent : value;
}

KernelRecord counted_launch(KernelRecord launch, VendorMetrics values) {
    launch.metrics = to_kernel_metrics(MetricFamily::nsight, values);
    if (launch.metrics.warp_inst && launch.metrics.warp_inst->value == 0) launch.metrics.warp_inst.reset();
    const auto time = values.find(time_metric);
    if (time != values.end() && time->second > 0) launch.duration = once(Seconds{time->second});
    return launch;
}

bool can_be_of(const KernelRecord& launch, const VendorMetrics& values) {
    const auto counted = values.find(warps_metric);
    const auto blocks = volume(launch.grid), threads = volume(launch.block);
    if (counted == values.end() || !blocks || !threads) return true;
    constexpr std::uint64_t warp = 32;
    const std::uint64_t warps = *blocks * ((*threads + warp - 1) / warp);
    return counted->second == static_cast<double>(warps);
}

std::optional<std::string> keep_one_gpu(std::vector<KernelRecord>& launches, std::span<const std::string> gpus,
                                        const records::ChosenGpu& chosen) {
    std::vector<KernelRecord> kept;
    std::set<std::string> others;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        if (chosen.takes(gpus[i])) {
            kept.push_back(std::move(launches[i]));
        } else {
            others.insert(gpus[i].empty() ? "one without a name" : gpus[i]);
        }
    }
    const auto left_out = launches.size() - kept.size();
    launches = std::move(kept);
    if (left_out == 0) return std::nullopt;
    return fmt::format("{} launches on other GPUs ({}) are left out; --ref with one of these profiles them", left_out,
                       fmt::join(others, ", "));
}

std::size_t add_counts(std::vector<KernelRecord>& counted, std::span<const KernelRecord> others) {
    using Key = std::tuple<std::string_view, int, std::optional<Dim3>, std::optional<Dim3>>;
    const auto key_of = [](const KernelRecord& launch) {
        return Key{launch.kernel, launch.device, launch.grid, launch.block};
    };
    std::map<Key, std::vector<const KernelRecord*>> partners;
    for (const auto& launch : others) partners[key_of(launch)].push_back(&launch);
    std::map<Key, std::size_t> ordinals;
    std::size_t alone = 0;
    for (auto& launch : counted) {
        const auto found = partners.find(key_of(launch));
        if (found == partners.end()) {
            ++alone;
            continue;
        }
        const auto ordinal = ordinals[found->first]++;
        if (ordinal >= found->second.size()) {
            ++alone;
            continue;
        }
        const auto& other = *found->second[ordinal];
        const auto add = [&](const auto& field) {
            auto& mine = launch.metrics.*field.member;
            if (!mine) mine = other.metrics.*field.member;
        };
        std::apply([&](const auto&... field) { (add(field), ...); }, KernelMetrics::fields);
        take_out_half_moves(launch.metrics);
        if (!launch.duration) launch.duration = other.duration;
    }
    return alone;
}

JoinedRuns join_runs(std::vector<KernelRecord> counted, std::span<const KernelRecord> timed) {
    std::map<std::pair<std::string_view, int>, std::vector<const KernelRecord*>> times;
    for (const auto& launch : timed) times[{launch.kernel, launch.device}].push_back(&launch);
    std::map<std::pair<std::string, int>, std::size_t> ordinals;
    std::size_t from_mean = 0, untimed = 0;
    JoinedRuns joined;
    for (auto& launch : counted) {
        const auto ordinal = ordinals[{launch.kernel, launch.device}]++;
        const auto found = times.find({launch.kernel, launch.device});
        if (found == times.end()) {
            ++untimed;
            continue;
        }
        const auto& mine = found->second;
        add_resources(launch, *mine.front());
        if (ordinal < mine.size() && same_size(*mine[ordinal], launch) && mine[ordinal]->duration) {
            launch.duration = mine[ordinal]->duration;
        } else if (const auto mean = mean_time(mine, launch)) {
            launch.duration = once(*mean);
            ++from_mean;
        } else {
            ++untimed;
        }
    }
    if (from_mean > 0) {
        joined.notes.push_back(
            fmt::format("{} launches came in another order than in the run that was timed: they have "
                        "the mean time of their kernel and size",
                        from_mean));
    }
    if (untimed > 0) {
        joined.notes.push_back(
            fmt::format("{} launches were not in the run that was timed: they have the time they took "
                        "while profiled, which is longer",
                        untimed));
    }
    joined.launches = std::move(counted);
    return joined;
}

}  // namespace gpuproj::cupti
