// Green contexts: multiprocessors are counted, split and given as on a GPU, but kernels run on all of them, on which no
// counter of one kernel at a time depends.
#include <algorithm>
#include <atomic>
#include <optional>
#include <span>

#include "collector/simulate/driver/context.hpp"
#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"

namespace gpuproj::simulate::driver {

namespace {

enum class ResourceType : int { invalid, multiprocessors };

struct Resource {  // CUdevResource
    ResourceType type;
    unsigned split;  // that it comes from; 0: of a device or context
    unsigned char internal[88];
    unsigned count, smallest_part, alignment;
    unsigned char more[36];
};
static_assert(sizeof(Resource) == 144);

struct Description {  // CUdevResourceDesc: what a context is made of
    unsigned multiprocessors;
};
Handles<Description>& descriptions() {
    static auto* const all = new Handles<Description>;
    return *all;
}

struct Granularity {
    unsigned smallest, multiple;
};

// As cuda.h says for each architecture.
Granularity granularity(Runtime& runtime) {
    const int major = runtime.device().major;
    return major >= 9 ? Granularity{8, 8} : major == 8 ? Granularity{4, 2} : Granularity{2, 2};
}

Resource resource(Runtime& runtime, unsigned count, unsigned split = 0) {
    const Granularity parts = granularity(runtime);
    Resource made{};
    made.type = count == 0 ? ResourceType::invalid : ResourceType::multiprocessors;
    made.split = split;
    made.count = count;
    made.smallest_part = parts.smallest;
    made.alignment = parts.multiple;
    return made;
}

CudaError give_resource(Runtime& runtime, void* green, Resource* out, ResourceType type) {
    if (out == nullptr) return cuda::invalid_value;
    if (type != ResourceType::multiprocessors) return cuda::invalid_resource_type;
    const unsigned asked = green_multiprocessors(green);
    *out = resource(runtime, asked != 0 ? asked : static_cast<unsigned>(runtime.device().sm_count));
    return cuda::success;
}

// nullopt: `flags` are none, or more is wanted than there is.
std::optional<unsigned> part_size(Runtime& runtime, const Resource& whole, unsigned flags, unsigned wanted) {
    constexpr unsigned ignore_clusters = 1, largest_clusters = 2;
    if ((flags & ~(ignore_clusters | largest_clusters)) != 0 || wanted > whole.count) return std::nullopt;
    if ((flags & largest_clusters) != 0 && runtime.device().major < 9) return std::nullopt;
    const Granularity parts = (flags & ignore_clusters) != 0 ? Granularity{2, 2} : granularity(runtime);
    return std::max(parts.smallest, (wanted + parts.multiple - 1) / parts.multiple * parts.multiple);
}

CudaError split(Runtime& runtime, Resource* parts, unsigned* count, const Resource* whole, Resource* rest,
                unsigned flags, unsigned wanted) {
    static std::atomic<unsigned> next_split{1};
    if (count == nullptr || whole == nullptr) return cuda::invalid_value;
    if (whole->type != ResourceType::multiprocessors) return cuda::invalid_resource_type;
    if (whole->split != 0) return cuda::invalid_resource_configuration;  // without a context of its own
    const auto size = part_size(runtime, *whole, flags, wanted);
    if (!size) return cuda::invalid_value;
    const unsigned possible = whole->count / *size;
    if (possible == 0) return cuda::invalid_resource_configuration;
    *count = parts == nullptr ? possible : std::min(*count, possible);
    if (parts == nullptr) return cuda::success;  // they are only to be counted
    const unsigned id = next_split++;
    std::fill_n(parts, *count, resource(runtime, *size, id));
    if (rest != nullptr) *rest = resource(runtime, whole->count - *count * *size, id);
    return cuda::success;
}

CudaError describe(void** description, std::span<const Resource> resources) {
    unsigned sum = 0;
    for (const Resource& each : resources) {
        if (each.type != ResourceType::multiprocessors) return cuda::invalid_resource_type;
        const bool fits = resources.size() == 1 || (each.split != 0 && each.split == resources.front().split);
        if (!fits) return cuda::invalid_resource_configuration;
        sum += each.count;
    }
    *description = descriptions().add({sum});
    return cuda::success;
}

CudaError create(Runtime& runtime, void** green, void* description, unsigned flags) {
    constexpr unsigned default_stream = 1;  // CU_GREEN_CTX_DEFAULT_STREAM, which has to be said
    unsigned count = 0;
    const bool known = descriptions().with(description, [&](const Description& d) { count = d.multiprocessors; });
    if (green == nullptr || !known || flags != default_stream) return cuda::invalid_value;
    *green = make_green_context(count);
    runtime.recorder().note("green contexts have no multiprocessors of their own: their kernels run on the whole GPU");
    return cuda::success;
}

CudaError create_stream(Runtime& runtime, void** stream, void* green, unsigned flags, int priority) {
    constexpr unsigned non_blocking = 1;
    if (green_multiprocessors(green) == 0) return cuda::invalid_context;
    if (stream == nullptr || flags != non_blocking) return cuda::invalid_value;
    const CudaError code = cudaStreamCreateWithPriority(stream, flags, priority);
    if (code == cuda::success) runtime.streams().with(*stream, [&](Stream& made) { made.context = green; });
    return code;
}

}  // namespace

GPUPROJ_CUDA_API CudaError cuDeviceGetDevResource(int device, Resource* out, ResourceType type) {
    return call(__func__, [&](Runtime& runtime) {
        return device == 0 ? give_resource(runtime, nullptr, out, type) : cuda::invalid_device;
    });
}
GPUPROJ_CUDA_API CudaError cuCtxGetDevResource(void* context, Resource* out, ResourceType type) {
    return call(__func__, [&](Runtime& runtime) {
        return is_context(context) ? give_resource(runtime, context, out, type) : cuda::invalid_context;
    });
}
GPUPROJ_CUDA_API CudaError cuGreenCtxGetDevResource(void* green, Resource* out, ResourceType type) {
    return call(__func__, [&](Runtime& runtime) {
        return green_multiprocessors(green) != 0 ? give_resource(runtime, green, out, type) : cuda::invalid_context;
    });
}
GPUPROJ_CUDA_API CudaError cuDevSmResourceSplitByCount(Resource* parts, unsigned* count, const Resource* whole,
                                                       Resource* rest, unsigned flags, unsigned wanted) {
    return call(__func__, [&](Runtime& runtime) { return split(runtime, parts, count, whole, rest, flags, wanted); });
}
GPUPROJ_CUDA_API CudaError cuDevResourceGenerateDesc(void** description, const Resource* resources, unsigned count) {
    return call(__func__, [&](Runtime&) {
        if (description == nullptr || resources == nullptr || count == 0) return cuda::invalid_value;
        return describe(description, {resources, count});
    });
}

GPUPROJ_CUDA_API CudaError cuGreenCtxCreate(void** green, void* description, int device, unsigned flags) {
    return call(__func__, [&](Runtime& runtime) {
        return device == 0 ? create(runtime, green, description, flags) : cuda::invalid_device;
    });
}
GPUPROJ_CUDA_API CudaError cuGreenCtxDestroy(void* green) {
    return call(__func__,
                [&](Runtime&) { return unmake_green_context(green) ? cuda::success : cuda::invalid_context; });
}
GPUPROJ_CUDA_API CudaError cuCtxFromGreenCtx(void** context, void* green) {
    return call(__func__, [&](Runtime&) {
        return green_multiprocessors(green) != 0 ? give(context, green) : cuda::invalid_context;
    });
}
GPUPROJ_CUDA_API CudaError cuGreenCtxGetId(void* green, unsigned long long* id) {
    return green_multiprocessors(green) != 0 ? cuCtxGetId(green, id) : cuda::invalid_context;
}
GPUPROJ_CUDA_API CudaError cuGreenCtxStreamCreate(void** stream, void* green, unsigned flags, int priority) {
    return call(__func__, [&](Runtime& runtime) { return create_stream(runtime, stream, green, flags, priority); });
}

}  // namespace gpuproj::simulate::driver
