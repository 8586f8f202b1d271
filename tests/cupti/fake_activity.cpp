#include "tests/cupti/fake_activity.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

namespace {

std::deque<std::string> names;  // records point to them
std::vector<std::uint8_t> pending;
std::size_t dropped_records = 0;
CUpti_BuffersCallbackRequestFunc buffer_requested = nullptr;
CUpti_BuffersCallbackCompleteFunc buffer_completed = nullptr;

template <class Record>
void add(const Record& record) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&record);
    pending.insert(pending.end(), bytes, bytes + sizeof record);
}

std::size_t size_of(CUpti_ActivityKind kind) {
    switch (kind) {
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
            return sizeof(CUpti_ActivityKernel10);
        case CUPTI_ACTIVITY_KIND_MEMCPY:
            return sizeof(CUpti_ActivityMemcpy6);
        case CUPTI_ACTIVITY_KIND_MEMSET:
            return sizeof(CUpti_ActivityMemset4);
        default:
            return sizeof(CUpti_ActivityMemory4);
    }
}

}  // namespace

namespace gpuproj::test {

void kernel_ran(const std::string& name, std::uint32_t correlation, std::uint64_t start, std::uint64_t end,
                std::uint32_t graph) {
    CUpti_ActivityKernel10 record{};
    record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    record.name = names.emplace_back(name).c_str();
    record.correlationId = correlation;
    record.graphId = graph;
    record.start = start, record.end = end;
    record.gridX = 2, record.gridY = record.gridZ = 1;
    record.blockX = 64, record.blockY = record.blockZ = 1;
    record.registersPerThread = 24;
    record.staticSharedMemory = 128;
    add(record);
}

void copied(CUpti_ActivityMemcpyKind kind, std::uint64_t bytes, std::uint64_t start, std::uint64_t end) {
    CUpti_ActivityMemcpy6 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    record.copyKind = static_cast<std::uint8_t>(kind);
    record.bytes = bytes;
    record.start = start, record.end = end;
    add(record);
}

void was_set(std::uint64_t bytes, std::uint64_t start, std::uint64_t end) {
    CUpti_ActivityMemset4 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
    record.bytes = bytes;
    record.start = start, record.end = end;
    add(record);
}

void memory_changed(CUpti_ActivityMemoryKind kind, CUpti_ActivityMemoryOperationType what, std::uint64_t bytes,
                    std::uint64_t time) {
    CUpti_ActivityMemory4 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
    record.memoryKind = kind;
    record.memoryOperationType = what;
    record.bytes = bytes;
    record.timestamp = time;
    add(record);
}

void deliver(std::size_t dropped) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most_records = 0;
    buffer_requested(&buffer, &size, &most_records);
    const std::size_t valid = std::min(size, pending.size());
    std::memcpy(buffer, pending.data(), valid);
    pending.clear();
    dropped_records = dropped;
    buffer_completed(nullptr, 0, buffer, size, valid);
}

}  // namespace gpuproj::test

extern "C" {

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                           CUpti_BuffersCallbackCompleteFunc completed) {
    buffer_requested = requested;
    buffer_completed = completed;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind) {
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushPeriod(std::uint32_t) {
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(std::uint32_t) {
    gpuproj::test::deliver();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
    *dropped = std::exchange(dropped_records, 0);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
    auto* const at = *record == nullptr ? buffer : reinterpret_cast<std::uint8_t*>(*record) + size_of((*record)->kind);
    if (at >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity*>(at);
    return CUPTI_SUCCESS;
}
}
