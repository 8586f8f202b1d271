// Making plans, and asking how much memory one would take: the stand-in has its own.
#include "collector/simulate/libraries/cufft_plan.hpp"

#include <algorithm>
#include <initializer_list>

#include "collector/simulate/libraries/data_type.hpp"

namespace gpuproj::simulate::libraries::cufft {

HandlesOfLibrary<Plan>& plans() {
    static auto* const all = new HandlesOfLibrary<Plan>;  // outlives the static objects that still destroy plans
    return *all;
}

namespace {

using Numbers = std::array<long long, most_dimensions>;

// What a function for plans has been given, in one form.
struct Asked {
    int rank = 0;
    Numbers size{};
    Numbers in_embed{}, out_embed{};
    bool embedded = false;  // else the basic layout
    GivenSide in, out;      // their embeds are above: an Asked may be copied
    int type = 0;
    long long batch = 1;
    Result code = success;
};

Asked basic(std::initializer_list<int> size, int type, int batch) {
    Asked asked;
    asked.rank = static_cast<int>(size.size());
    std::copy(size.begin(), size.end(), asked.size.begin());
    asked.type = type;
    asked.batch = batch;
    return asked;
}

template <class Integer>
Asked many(int rank, const Integer* size, const Integer* in_embed, Integer in_step, Integer in_item,
           const Integer* out_embed, Integer out_step, Integer out_item, int type, Integer batch) {
    Asked asked;
    if (rank < 1 || rank > most_dimensions || size == nullptr) {
        asked.code = invalid_value;
        return asked;
    }
    asked.rank = rank;
    asked.type = type;
    asked.batch = batch;
    std::copy_n(size, rank, asked.size.begin());
    asked.in = {nullptr, in_step, in_item};
    asked.out = {nullptr, out_step, out_item};
    asked.embedded = in_embed != nullptr && out_embed != nullptr;
    if (!asked.embedded) return asked;
    std::copy_n(in_embed, rank, asked.in_embed.begin());
    std::copy_n(out_embed, rank, asked.out_embed.begin());
    return asked;
}

Result layout_of(const Asked& asked, Layout& layout) {
    if (asked.code != success) return asked.code;
    GivenSide in = asked.in, out = asked.out;
    if (asked.embedded) {
        in.embed = asked.in_embed.data();
        out.embed = asked.out_embed.data();
    }
    return make_layout(asked.rank, asked.size.data(), in, out, asked.type, asked.batch, layout);
}

// All plans are said to need the same memory of the application's, which nothing is written to. Not none: programs
// allocate it, and what cudaMalloc gives for 0 bytes is no place (BART then takes all its pointers for the host's).
constexpr std::size_t work_bytes = 256;

int tell_size(std::size_t* bytes) {
    if (bytes == nullptr) return invalid_value;
    *bytes = work_bytes;
    return success;
}

int estimate(const Asked& asked, std::size_t* bytes) {
    Layout layout;
    const Result code = layout_of(asked, layout);
    return code == success ? tell_size(bytes) : code;
}

int size_with(int handle, const Asked& asked, std::size_t* bytes) {
    return with_plan(handle, [&](Plan&) { return estimate(asked, bytes); });
}

int make(int handle, const Asked& asked, std::size_t* bytes) {
    return with_plan(handle, [&](Plan& plan) -> int {
        if (plan.layout) return invalid_plan;  // a plan is made once
        Layout layout;
        if (const Result code = layout_of(asked, layout); code != success) return code;
        plan.layout = layout;
        if (bytes != nullptr) *bytes = work_bytes;
        return success;
    });
}

int create(int* handle, Plan plan) noexcept {
    if (handle == nullptr) return invalid_value;
    try {
        *handle = static_cast<int>(plans().add(std::move(plan)));
        return success;
    } catch (const std::bad_alloc&) {
        return alloc_failed;
    }
}

int create(int* handle, const Asked& asked) noexcept {
    Plan plan;
    Layout layout;
    if (const Result code = layout_of(asked, layout); code != success) return code;
    plan.layout = layout;
    return create(handle, std::move(plan));
}

// cufftType of a transform from elements of one cudaDataType to those of another; 0: none that is here.
int type_between(DataType from, DataType to) {
    using enum DataType;
    if (from == c32) return to == c32 ? c2c : to == f32 ? c2r : 0;
    if (from == c64) return to == c64 ? z2z : to == f64 ? z2d : 0;
    if (from == f32 && to == c32) return r2c;
    return from == f64 && to == c64 ? d2z : 0;
}

}  // namespace

/// Gives an empty plan, for cufftMakePlan.
GPUPROJ_LIBRARY_API int cufftCreate(int* handle) {
    return create(handle, Plan{});
}

/// Give a plan of nx (by ny by nz, the last lying together) elements; nothing if what is asked cannot be made.
GPUPROJ_LIBRARY_API int cufftPlan1d(int* handle, int nx, int type, int batch) {
    return create(handle, basic({nx}, type, batch));
}
GPUPROJ_LIBRARY_API int cufftPlan2d(int* handle, int nx, int ny, int type) {
    return create(handle, basic({nx, ny}, type, 1));
}
GPUPROJ_LIBRARY_API int cufftPlan3d(int* handle, int nx, int ny, int nz, int type) {
    return create(handle, basic({nx, ny, nz}, type, 1));
}
GPUPROJ_LIBRARY_API int cufftPlanMany(int* handle, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                                      int ostride, int odist, int type, int batch) {
    return create(handle, many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch));
}

/// Make an empty plan one of nx (by ny by nz) elements, and tell the bytes of the work area it needs.
GPUPROJ_LIBRARY_API int cufftMakePlan1d(int handle, int nx, int type, int batch, std::size_t* bytes) {
    return make(handle, basic({nx}, type, batch), bytes);
}
GPUPROJ_LIBRARY_API int cufftMakePlan2d(int handle, int nx, int ny, int type, std::size_t* bytes) {
    return make(handle, basic({nx, ny}, type, 1), bytes);
}
GPUPROJ_LIBRARY_API int cufftMakePlan3d(int handle, int nx, int ny, int nz, int type, std::size_t* bytes) {
    return make(handle, basic({nx, ny, nz}, type, 1), bytes);
}
GPUPROJ_LIBRARY_API int cufftMakePlanMany(int handle, int rank, int* n, int* inembed, int istride, int idist,
                                          int* onembed, int ostride, int odist, int type, int batch,
                                          std::size_t* bytes) {
    return make(handle, many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch), bytes);
}
GPUPROJ_LIBRARY_API int cufftMakePlanMany64(int handle, int rank, long long* n, long long* inembed, long long istride,
                                            long long idist, long long* onembed, long long ostride, long long odist,
                                            int type, long long batch, std::size_t* bytes) {
    return make(handle, many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch), bytes);
}

/// The same with the types of the elements instead of the kind of the transform; half precision is refused.
GPUPROJ_LIBRARY_API int cufftXtMakePlanMany(int handle, int rank, long long* n, long long* inembed, long long istride,
                                            long long idist, DataType in_type, long long* onembed, long long ostride,
                                            long long odist, DataType out_type, long long batch, std::size_t* bytes,
                                            int) {
    const int type = type_between(in_type, out_type);
    if (type == 0) {
        gpuproj_library_refuses(library, "cufftXtMakePlanMany for elements that are not float or double");
        return not_supported;
    }
    return make(handle, many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch), bytes);
}

/// Tell the bytes of the work area that such a plan would need.
GPUPROJ_LIBRARY_API int cufftEstimate1d(int nx, int type, int batch, std::size_t* bytes) {
    return estimate(basic({nx}, type, batch), bytes);
}
GPUPROJ_LIBRARY_API int cufftEstimate2d(int nx, int ny, int type, std::size_t* bytes) {
    return estimate(basic({nx, ny}, type, 1), bytes);
}
GPUPROJ_LIBRARY_API int cufftEstimate3d(int nx, int ny, int nz, int type, std::size_t* bytes) {
    return estimate(basic({nx, ny, nz}, type, 1), bytes);
}
GPUPROJ_LIBRARY_API int cufftEstimateMany(int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                                          int ostride, int odist, int type, int batch, std::size_t* bytes) {
    return estimate(many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch), bytes);
}

/// The same, for an existing plan.
GPUPROJ_LIBRARY_API int cufftGetSize1d(int handle, int nx, int type, int batch, std::size_t* bytes) {
    return size_with(handle, basic({nx}, type, batch), bytes);
}
GPUPROJ_LIBRARY_API int cufftGetSize2d(int handle, int nx, int ny, int type, std::size_t* bytes) {
    return size_with(handle, basic({nx, ny}, type, 1), bytes);
}
GPUPROJ_LIBRARY_API int cufftGetSize3d(int handle, int nx, int ny, int nz, int type, std::size_t* bytes) {
    return size_with(handle, basic({nx, ny, nz}, type, 1), bytes);
}
GPUPROJ_LIBRARY_API int cufftGetSizeMany(int handle, int rank, int* n, int* inembed, int istride, int idist,
                                         int* onembed, int ostride, int odist, int type, int batch,
                                         std::size_t* bytes) {
    return size_with(handle, many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch), bytes);
}
GPUPROJ_LIBRARY_API int cufftGetSizeMany64(int handle, int rank, long long* n, long long* inembed, long long istride,
                                           long long idist, long long* onembed, long long ostride, long long odist,
                                           int type, long long batch, std::size_t* bytes) {
    return size_with(handle, many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch), bytes);
}
GPUPROJ_LIBRARY_API int cufftGetSize(int handle, std::size_t* bytes) {
    return with_plan(handle, [&](Plan&) { return tell_size(bytes); });
}

}  // namespace gpuproj::simulate::libraries::cufft
