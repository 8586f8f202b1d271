#include "collector/simulate/engine/launch/known_launches.hpp"

#include <algorithm>

#include "collector/simulate/engine/launch/alike.hpp"

namespace gpuproj::simulate {

namespace {

constexpr double alike_share = 0.05;
constexpr std::uint64_t enough_of_own = 1, enough_of_any = 3;  // comparisons
constexpr std::uint64_t most_doublings = 5;                    // 31 launches in a row
constexpr std::size_t most_rows = 4096;

Repeats::Key without_arguments(const Repeats::Key& key) {
    return {.kind = key.kind, .blocks = key.blocks, .arguments = {}};
}

bool alike(const LaunchReport& a, const LaunchReport& b) {
    return alike_traffic(a.counted.metrics, b.counted.metrics, alike_share) &&
           alike_instructions(a.counted.metrics, b.counted.metrics, alike_share);
}

/// What is asked for by a launch that is not executed would be missing.
bool counts_alone(const LaunchReport& report) {
    return !report.fault && !report.waited && report.children.empty() && report.refused.empty();
}

}  // namespace

KnownLaunches::Row* KnownLaunches::row_of(const Repeats::Key& key) {
    if (const auto own = own_.find(key); own != own_.end() && own->second.launches > enough_of_own) return &own->second;
    const auto any = any_.find(without_arguments(key));
    return any == any_.end() ? nullptr : &any->second;
}

const LaunchReport* KnownLaunches::next(const Repeats::Key& key) {
    Row* const row = row_of(key);
    if (row == nullptr || row->to_come == 0) return nullptr;
    --row->to_come;
    return &row->last;
}

void KnownLaunches::compare(Row& row, const LaunchReport& report, std::uint64_t enough) {
    const bool agrees = row.launches > 0 && counts_alone(report) && alike(row.last, report);
    row.alike = agrees ? row.alike + 1 : 0;
    const std::uint64_t doublings = std::min(row.alike - std::min(row.alike, enough - 1), most_doublings);
    row.to_come = (std::uint64_t{1} << doublings) - 1;
    row.last = report;
    row.last.passed_over = true;
    ++row.launches;
}

void KnownLaunches::executed(const Repeats::Key& key, const LaunchReport& report) {
    if (own_.size() >= most_rows && !own_.contains(key)) {
        own_.clear();
        any_.clear();
    }
    compare(own_[key], report, enough_of_own);
    compare(any_[without_arguments(key)], report, enough_of_any);
}

}  // namespace gpuproj::simulate
