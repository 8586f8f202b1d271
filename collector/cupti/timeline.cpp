#include "collector/cupti/timeline.hpp"

#include <algorithm>
#include <iterator>

namespace gpuproj::cupti {

void Timeline::ran(std::uint64_t start, std::uint64_t end) {
    if (end <= start) return;
    auto next = busy_.upper_bound(start);
    if (next != busy_.begin()) {
        const auto before = std::prev(next);
        if (before->second >= start) {
            start = before->first;
            end = std::max(end, before->second);
            busy_.erase(before);
        }
    }
    while (next != busy_.end() && next->first <= end) {
        end = std::max(end, next->second);
        next = busy_.erase(next);
    }
    busy_.emplace(start, end);
}

void Timeline::took(std::uint64_t time, double bytes) {
    memory_.emplace(time, bytes);
}

std::optional<Seconds> Timeline::idle() const {
    if (busy_.empty()) return std::nullopt;
    constexpr double nanosecond = 1e-9;
    std::uint64_t idle = 0;
    for (auto it = std::next(busy_.begin()); it != busy_.end(); ++it) idle += it->first - std::prev(it)->second;
    return Seconds{static_cast<double>(idle) * nanosecond};
}

std::optional<Bytes> Timeline::peak_memory() const {
    double held = 0, most = 0;
    for (const auto& [time, bytes] : memory_) {
        held += bytes;
        most = std::max(most, held);
    }
    return most > 0 ? std::optional(Bytes{most}) : std::nullopt;
}

}  // namespace gpuproj::cupti
