#include "collector/records/merge_profiles.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collector/records/merge.hpp"
#include "model/error.hpp"

namespace gpuproj::records {

namespace {

void add_once(std::vector<std::string>& notes, const std::string& note) {
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
}

template <class T>
void keep_if_same(std::optional<T>& into, const std::optional<T>& other) {
    if (into != other) into.reset();
}

void check_mergeable(const NamedProfile& first, const NamedProfile& other) {
    if (other.profile.gpu != first.profile.gpu) {
        throw Error(
            fmt::format("{} is of {}, {} of {}: counters of different GPUs cannot be added; predict each by itself",
                        first.name, first.profile.gpu, other.name, other.profile.gpu));
    }
    const auto &mine = first.profile.provenance.counters, &theirs = other.profile.provenance.counters;
    if (mine != theirs) {
        throw Error(
            fmt::format("{} has {} counters, {} {} ones: they cannot be added; --times joins measured times to "
                        "simulated counters",
                        first.name, mine, other.name, theirs));
    }
}

}  // namespace

Profile merge_profiles(std::span<const NamedProfile> profiles) {
    if (profiles.empty()) throw UsageError("no profile to merge");
    const NamedProfile& first = profiles.front();
    Profile merged = first.profile;
    std::string names = first.name;
    for (const auto& other : profiles.subspan(1)) {
        check_mergeable(first, other);
        const Profile& p = other.profile;
        merged.kernels.insert(merged.kernels.end(), p.kernels.begin(), p.kernels.end());
        merged.transfers.insert(merged.transfers.end(), p.transfers.begin(), p.transfers.end());
        if (p.peak_device_memory) {
            merged.peak_device_memory = std::max(merged.peak_device_memory.value_or(Bytes{}), *p.peak_device_memory);
        }
        merged.partial = merged.partial || p.partial;
        for (const auto& note : p.notes) add_once(merged.notes, note);
        Provenance& known = merged.provenance;
        keep_if_same(known.command, p.provenance.command);
        keep_if_same(known.program_sha256, p.provenance.program_sha256);
        keep_if_same(known.tool_version, p.provenance.tool_version);
        keep_if_same(known.toolkit_version, p.provenance.toolkit_version);
        keep_if_same(known.driver_version, p.provenance.driver_version);
        keep_if_same(known.core_clock, p.provenance.core_clock);
        keep_if_same(known.memory_clock, p.provenance.memory_clock);
        keep_if_same(known.ecc, p.provenance.ecc);
        known.date = std::min(known.date, p.provenance.date);
        if (known.collector != p.provenance.collector) known.collector += "+" + p.provenance.collector;
        names += ", " + other.name;
    }
    merged.kernels = sum_records(merged.kernels);
    merged.transfers = sum_transfers(merged.transfers);
    if (profiles.size() > 1) {
        merged.host_time.reset();
        merged.gpu_idle.reset();
        merged.provenance.source = "merged from " + names;
    }
    return merged;
}

}  // namespace gpuproj::records
