#include "collector/simulate/engine/launch/touched_memory.hpp"

#include <algorithm>
#include <vector>

namespace gpuproj::simulate {

LaunchTrace trace_of(std::span<const SmContext> sms, std::uint64_t workspace) {
    LaunchTrace trace;
    trace.repeatable = true;
    for (const SmContext& sm : sms) {
        trace.ranges.insert(trace.ranges.end(), sm.touched.begin(), sm.touched.end());
        trace.repeatable = trace.repeatable && sm.repeatable;
        trace.instructions += sm.clock;
    }
    std::ranges::sort(trace.ranges);
    trace.ranges.erase(std::ranges::unique(trace.ranges).begin(), trace.ranges.end());
    std::erase_if(trace.ranges, [&](const Range& range) { return range.begin == workspace; });
    return trace;
}

void note_written(std::span<const SmContext> sms, DeviceMemory& memory) {
    std::vector<Range> written;
    for (const SmContext& sm : sms) {
        if (sm.wrote_anywhere) return memory.wrote_everywhere();
        written.insert(written.end(), sm.written.begin(), sm.written.end());
    }
    std::ranges::sort(written);
    written.erase(std::ranges::unique(written).begin(), written.end());
    for (const Range& range : written) memory.wrote(range.begin, range.end - range.begin);
}

}  // namespace gpuproj::simulate
