// Attributes of streams (access policy, synchronisation, priority, memory domains): kept for whoever asks; nothing here
// depends on them.
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/kernels.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::CudaError;
using Value = std::array<std::byte, 64>;  // cudaLaunchAttributeValue

class Attributes {
public:
    static Attributes& instance() {
        static auto* const all = new Attributes;
        return *all;
    }
    std::optional<Value> get(const void* stream, int id) {
        const std::lock_guard lock(mutex_);
        const auto found = values_.find({stream, id});
        return found == values_.end() ? std::nullopt : std::optional(found->second);
    }
    /// All of a stream that `into` has not.
    void add(const void* stream, std::map<int, Value>& into) {
        const std::lock_guard lock(mutex_);
        for (const auto& [key, value] : values_)
            if (key.first == stream) into.try_emplace(key.second, value);
    }
    void set(const void* stream, int id, const Value& value) {
        const std::lock_guard lock(mutex_);
        values_[{stream, id}] = value;
    }
    void forget(const void* stream) {
        const std::lock_guard lock(mutex_);
        std::erase_if(values_, [&](const auto& entry) { return entry.first.first == stream; });
    }
    void copy(const void* to, const void* from) {
        const std::lock_guard lock(mutex_);
        for (const auto& [key, value] : std::map(values_))
            if (key.first == from) values_[{to, key.second}] = value;
    }

private:
    std::mutex mutex_;
    std::map<std::pair<const void*, int>, Value> values_;
};

/// The priority that a stream was made with, an attribute of it; none: it is 0.
std::optional<Value> priority_of(Runtime& runtime, void* stream) {
    int priority = 0;
    runtime.streams().with(stream, [&](const Stream& s) { priority = s.priority; });
    if (priority == 0) return std::nullopt;
    Value value{};
    std::memcpy(value.data(), &priority, sizeof priority);
    return value;
}

}  // namespace

void inherit_attributes(Runtime& runtime, void* stream, std::map<int, Value>& attributes) {
    Attributes::instance().add(stream, attributes);
    if (const auto priority = priority_of(runtime, stream))
        attributes.try_emplace(cuda::LaunchAttribute::id_priority, *priority);
}

void forget_attributes(const void* stream) {
    Attributes::instance().forget(stream);
}

GPUPROJ_CUDA_API CudaError cudaStreamGetAttribute(void* stream, int id, Value* value) {
    return api(__func__, [&](Runtime& runtime) {
        if (value == nullptr) return cuda::invalid_value;
        if (!is_stream(runtime, stream)) return cuda::invalid_resource_handle;
        auto found = Attributes::instance().get(stream, id);
        if (!found && id == cuda::LaunchAttribute::id_priority) found = priority_of(runtime, stream);
        *value = found.value_or(Value{});
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute);

GPUPROJ_CUDA_API CudaError cudaStreamSetAttribute(void* stream, int id, const Value* value) {
    return api(__func__, [&](Runtime& runtime) {
        if (value == nullptr) return cuda::invalid_value;
        if (!is_stream(runtime, stream)) return cuda::invalid_resource_handle;
        Attributes::instance().set(stream, id, *value);
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);

GPUPROJ_CUDA_API CudaError cudaStreamCopyAttributes(void* to, void* from) {
    return api(__func__, [&](Runtime& runtime) {
        if (!is_stream(runtime, to) || !is_stream(runtime, from)) return cuda::invalid_resource_handle;
        Attributes::instance().copy(to, from);
        return cuda::success;
    });
}
GPUPROJ_CUDA_ALIAS(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);

}  // namespace gpuproj::simulate
