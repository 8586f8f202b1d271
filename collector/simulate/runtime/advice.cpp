#include "collector/simulate/runtime/advice.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "collector/simulate/runtime/api.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::CudaError;
using cuda::Location;

constexpr std::uint64_t page = 4096;             // managed memory moves in pages of the host
constexpr int host_device = -1, no_device = -2;  // cudaCpuDeviceId, cudaInvalidDeviceId

// cudaMemLocationType
enum Place : int { nowhere, device, host, numa_node, own_numa_node };

bool same(const Location& a, const Location& b) {
    return a.type == b.type && a.id == b.id;
}

struct Advice {
    bool read_mostly = false, used_by_device = false, used_by_host = false;
    Location preferred{nowhere, no_device}, prefetched{nowhere, no_device};
};

// Of ranges of pages, by where they begin; pages in none: nothing was said.
class Advices {
public:
    static Advices& instance() {
        static auto* const all = new Advices;
        return *all;
    }
    template <class Change>
    void change(std::uint64_t begin, std::uint64_t end, Change&& change) {
        const std::lock_guard lock(mutex_);
        for (std::uint64_t at = begin; at < end;) {
            auto found = part_from(at, end);
            change(found->second.advice);
            at = found->second.end;
        }
    }
    void forget(std::uint64_t begin, std::uint64_t end) {
        const std::lock_guard lock(mutex_);
        split(begin);
        split(end);
        parts_.erase(parts_.lower_bound(begin), parts_.lower_bound(end));
    }
    // What all the pages have; for each range of them.
    std::vector<Advice> of(std::uint64_t begin, std::uint64_t end) {
        const std::lock_guard lock(mutex_);
        std::vector<Advice> all;
        std::uint64_t told = begin;
        auto part = parts_.upper_bound(begin);
        if (part != parts_.begin() && std::prev(part)->second.end > begin) --part;
        for (; part != parts_.end() && part->first < end; ++part) {
            if (part->first > told) all.emplace_back();
            all.push_back(part->second.advice);
            told = part->second.end;
        }
        if (told < end) all.emplace_back();
        return all;
    }

private:
    struct Part {
        std::uint64_t end = 0;
        Advice advice;
    };
    using Parts = std::map<std::uint64_t, Part>;

    void split(std::uint64_t at) {
        const auto behind = parts_.upper_bound(at);
        if (behind == parts_.begin()) return;
        auto& [begin, part] = *std::prev(behind);
        if (begin == at || part.end <= at) return;
        parts_[at] = part;
        part.end = at;
    }
    // The part that begins at `at`, made where there is none, and ends at `end` at most.
    Parts::iterator part_from(std::uint64_t at, std::uint64_t end) {
        split(at);
        split(end);
        const auto found = parts_.lower_bound(at);
        if (found != parts_.end() && found->first == at) return found;
        const std::uint64_t until = found == parts_.end() ? end : std::min(end, found->first);
        return parts_.emplace(at, Part{until, {}}).first;
    }

    std::mutex mutex_;
    Parts parts_;
};

struct Pages {
    std::uint64_t begin, end;
};

std::optional<Pages> pages_of(Runtime& runtime, const void* pointer, std::size_t bytes) {
    const auto found = runtime.allocations().find(pointer);
    const auto begin = reinterpret_cast<std::uint64_t>(pointer);
    if (!found || found->type != cuda::PointerType::managed || bytes == 0 ||
        bytes > found->bytes - (begin - found->begin))
        return std::nullopt;
    // Its neighbours may have a share of its first and last page here.
    return Pages{std::max(begin / page * page, found->begin),
                 std::min((begin + bytes + page - 1) / page * page, found->begin + found->bytes)};
}

bool is_place(const Location& place) {
    return place.type == device ? place.id == 0 : place.type >= host && place.type <= own_numa_node;
}

// As functions tell it that know devices and the host only.
int device_of(const Location& place) {
    if (place.type == device) return place.id;
    return place.type == host ? host_device : no_device;
}

template <class Get>
Location place_of_all(const std::vector<Advice>& all, Get&& get) {
    const Location first = get(all.front());
    const bool agreed = std::ranges::all_of(all, [&](const Advice& one) { return same(get(one), first); });
    return agreed ? first : Location{nowhere, no_device};
}

// cudaMemRangeAttribute
enum class RangeAttribute : int {
    read_mostly = 1,
    preferred,
    accessed_by,
    last_prefetch,
    preferred_type,
    preferred_id,
    last_prefetch_type,
    last_prefetch_id
};

CudaError tell(int* data, std::size_t count, RangeAttribute attribute, const std::vector<Advice>& all) {
    if (attribute == RangeAttribute::accessed_by) {
        std::vector<int> users;
        if (std::ranges::all_of(all, &Advice::used_by_device)) users.push_back(0);
        if (std::ranges::all_of(all, &Advice::used_by_host)) users.push_back(host_device);
        users.resize(count, no_device);
        std::ranges::copy(users, data);
        return cuda::success;
    }
    if (count != 1) return cuda::invalid_value;
    const Location preferred = place_of_all(all, [](const Advice& one) { return one.preferred; });
    const Location prefetched = place_of_all(all, [](const Advice& one) { return one.prefetched; });
    switch (attribute) {
        case RangeAttribute::read_mostly:
            *data = std::ranges::all_of(all, &Advice::read_mostly) ? 1 : 0;
            return cuda::success;
        case RangeAttribute::preferred:
            *data = device_of(preferred);
            return cuda::success;
        case RangeAttribute::last_prefetch:
            *data = device_of(prefetched);
            return cuda::success;
        case RangeAttribute::preferred_type:
            *data = preferred.type;
            return cuda::success;
        case RangeAttribute::preferred_id:
            *data = preferred.id;
            return cuda::success;
        case RangeAttribute::last_prefetch_type:
            *data = prefetched.type;
            return cuda::success;
        case RangeAttribute::last_prefetch_id:
            *data = prefetched.id;
            return cuda::success;
        case RangeAttribute::accessed_by:
            break;
    }
    return cuda::invalid_value;
}

CudaError tell(Runtime& runtime, void* data, std::size_t bytes, int attribute, const void* pointer, std::size_t count) {
    const auto pages = pages_of(runtime, pointer, count);
    if (data == nullptr || bytes == 0 || bytes % sizeof(int) != 0 || !pages) return cuda::invalid_value;
    return tell(static_cast<int*>(data), bytes / sizeof(int), static_cast<RangeAttribute>(attribute),
                Advices::instance().of(pages->begin, pages->end));
}

// cudaMemoryAdvise
enum class Advised : int {
    set_read_mostly = 1,
    unset_read_mostly,
    set_preferred,
    unset_preferred,
    set_accessed_by,
    unset_accessed_by
};

}  // namespace

CudaError advise(Runtime& runtime, const void* pointer, std::size_t bytes, int advice, const Location& place) {
    const auto wanted = static_cast<Advised>(advice);
    const auto pages = pages_of(runtime, pointer, bytes);
    if (wanted < Advised::set_read_mostly || wanted > Advised::unset_accessed_by || !pages) return cuda::invalid_value;
    const bool anywhere = wanted == Advised::set_read_mostly || wanted == Advised::unset_read_mostly ||
                          wanted == Advised::unset_preferred;
    if (!anywhere && !is_place(place)) return cuda::invalid_device;
    Advices::instance().change(pages->begin, pages->end, [&](Advice& all) {
        bool& used = place.type == device ? all.used_by_device : all.used_by_host;
        switch (wanted) {
            case Advised::set_read_mostly:
            case Advised::unset_read_mostly:
                all.read_mostly = wanted == Advised::set_read_mostly;
                break;
            case Advised::set_preferred:
                all.preferred = place;
                break;
            case Advised::unset_preferred:
                all.preferred = {nowhere, no_device};
                break;
            case Advised::set_accessed_by:
            case Advised::unset_accessed_by:
                used = wanted == Advised::set_accessed_by;
                break;
        }
    });
    return cuda::success;
}

CudaError prefetch(Runtime& runtime, const void* pointer, std::size_t bytes, const Location& place) {
    const auto pages = pages_of(runtime, pointer, bytes);
    if (!pages) return cuda::invalid_value;
    if (!is_place(place)) return cuda::invalid_device;
    Advices::instance().change(pages->begin, pages->end, [&](Advice& all) { all.prefetched = place; });
    return cuda::success;
}

Location location_of(int device_number) {
    return device_number == host_device ? Location{host, 0} : Location{device, device_number};
}

void forget_advice(std::uint64_t begin, std::size_t bytes) {
    Advices::instance().forget(begin, begin + bytes);
}

// Up to CUDA 12 a place is a device's number, from 13 on a struct.
GPUPROJ_CUDA_API CudaError gpuproj_v8_cudaMemAdvise(const void* pointer, std::size_t bytes, int advice, int place) {
    return api("cudaMemAdvise",
               [&](Runtime& runtime) { return advise(runtime, pointer, bytes, advice, location_of(place)); });
}
GPUPROJ_CUDA_ALIAS(gpuproj_v9_cudaMemAdvise, gpuproj_v8_cudaMemAdvise);
GPUPROJ_CUDA_ALIAS(gpuproj_v10_cudaMemAdvise, gpuproj_v8_cudaMemAdvise);
GPUPROJ_CUDA_ALIAS(gpuproj_v11_cudaMemAdvise, gpuproj_v8_cudaMemAdvise);
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaMemAdvise, gpuproj_v8_cudaMemAdvise);
GPUPROJ_CUDA_API CudaError cudaMemAdvise_v2(const void* pointer, std::size_t bytes, int advice, Location place) {
    return api("cudaMemAdvise", [&](Runtime& runtime) { return advise(runtime, pointer, bytes, advice, place); });
}
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaMemAdvise, cudaMemAdvise_v2);

GPUPROJ_CUDA_API CudaError gpuproj_v8_cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int place, void*) {
    return api("cudaMemPrefetchAsync",
               [&](Runtime& runtime) { return prefetch(runtime, pointer, bytes, location_of(place)); });
}
GPUPROJ_CUDA_ALIAS(gpuproj_v8_cudaMemPrefetchAsync_ptsz, gpuproj_v8_cudaMemPrefetchAsync);
GPUPROJ_CUDA_ALIAS(gpuproj_v9_cudaMemPrefetchAsync, gpuproj_v8_cudaMemPrefetchAsync);
GPUPROJ_CUDA_ALIAS(gpuproj_v9_cudaMemPrefetchAsync_ptsz, gpuproj_v8_cudaMemPrefetchAsync);
GPUPROJ_CUDA_ALIAS(gpuproj_v10_cudaMemPrefetchAsync, gpuproj_v8_cudaMemPrefetchAsync);
GPUPROJ_CUDA_ALIAS(gpuproj_v10_cudaMemPrefetchAsync_ptsz, gpuproj_v8_cudaMemPrefetchAsync);
GPUPROJ_CUDA_ALIAS(gpuproj_v11_cudaMemPrefetchAsync, gpuproj_v8_cudaMemPrefetchAsync);
GPUPROJ_CUDA_ALIAS(gpuproj_v11_cudaMemPrefetchAsync_ptsz, gpuproj_v8_cudaMemPrefetchAsync);
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaMemPrefetchAsync, gpuproj_v8_cudaMemPrefetchAsync);
GPUPROJ_CUDA_ALIAS(gpuproj_v12_cudaMemPrefetchAsync_ptsz, gpuproj_v8_cudaMemPrefetchAsync);
GPUPROJ_CUDA_API CudaError cudaMemPrefetchAsync_v2(const void* pointer, std::size_t bytes, Location place, unsigned,
                                                   void*) {
    return api("cudaMemPrefetchAsync", [&](Runtime& runtime) { return prefetch(runtime, pointer, bytes, place); });
}
GPUPROJ_CUDA_ALIAS(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync_v2);
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaMemPrefetchAsync, cudaMemPrefetchAsync_v2);
GPUPROJ_CUDA_ALIAS(gpuproj_v13_cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync_v2);

GPUPROJ_CUDA_API CudaError cudaMemRangeGetAttribute(void* data, std::size_t bytes, int attribute, const void* pointer,
                                                    std::size_t count) {
    return api(__func__, [&](Runtime& runtime) { return tell(runtime, data, bytes, attribute, pointer, count); });
}
GPUPROJ_CUDA_API CudaError cudaMemRangeGetAttributes(void** data, std::size_t* bytes, const int* attributes,
                                                     std::size_t attribute_count, const void* pointer,
                                                     std::size_t count) {
    return api(__func__, [&](Runtime& runtime) {
        if (data == nullptr || bytes == nullptr || attributes == nullptr || attribute_count == 0)
            return cuda::invalid_value;
        for (std::size_t i = 0; i < attribute_count; ++i) {
            const CudaError code = tell(runtime, data[i], bytes[i], attributes[i], pointer, count);
            if (code != cuda::success) return code;
        }
        return cuda::success;
    });
}

}  // namespace gpuproj::simulate
