// Attributes of streams (access policy, synchronisation, priority, memory domains): kept for whoever asks; nothing here
// depends on them.
#include <array>
#include <cstring>
#include <map>
#include <mutex>

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
    Value get(const void* stream, int id) {
        const std::lock_guard lock(mutex_);
        const auto found = values_.find({stream, id});
        return found == values_.end() ? Value{} : found->second;
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

}  // namespace

void forget_attributes(const void* stream) {
    Attributes::instance().forget(stream);
}

GPUPROJ_CUDA_API CudaError cudaStreamGetAttribute(void* stream, int id, Value* value) {
    return api(__func__, [&](Runtime& runtime) {
        if (value == nullptr) return cuda::invalid_value;
        if (!is_stream(runtime, stream)) return cuda::invalid_resource_handle;
        *value = Attributes::instance().get(stream, id);
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
