// Sparse vectors with dense ones.
#include "collector/simulate/libraries/cusparse_numbers.hpp"

namespace gpuproj::simulate::libraries::cusparse {

namespace {

/// f(k, place): where entry k belongs in a dense vector.
template <class F>
void for_each_place(const SparseVector& x, F&& f) {
    with_index_type(x.index_type, [&](auto index) {
        const auto* const places = static_cast<const typename decltype(index)::Type*>(x.indices);
        for (std::int64_t k = 0; k < x.nonzeros; ++k) f(k, std::int64_t{places[k]} - x.base);
    });
}

/// The numbers of both, of the same type: f(values of x, values of y).
template <class T, class F>
void with_values(const SparseVector& x, const DenseVector& y, F&& f) {
    with_stored_type<T>(x.type, [&](auto known) {
        using V = typename decltype(known)::Type;
        f(static_cast<V*>(x.values), static_cast<V*>(y.values));
    });
}

void wrote_all(const SparseVector& x) {
    wrote(x.values, x.nonzeros, bytes_of(x.type));
}
void wrote_all(const DenseVector& y) {
    wrote(y.values, y.size, bytes_of(y.type));
}

/// Checks, then f(Of<T>{}) for the type of both vectors.
template <class F>
int with_type_of(const char* function, void* h, const SparseVector* x, const DenseVector* y, F&& f) {
    if (handle_of(h) == nullptr) return not_initialized;
    if (x == nullptr || y == nullptr || x->size != y->size || x->type != y->type) return invalid_value;
    return with_compute_type(function, calculated_as(x->type), std::forward<F>(f));
}

template <class To, class From>
void copy_places(const SparseVector& x, std::size_t bytes, To&& to, From&& from) {
    for_each_place(x, [&](std::int64_t k, std::int64_t place) { std::memcpy(to(k, place), from(k, place), bytes); });
}

void* at(void* begin, std::int64_t i, std::size_t bytes) {
    return static_cast<char*>(begin) + i * static_cast<std::int64_t>(bytes);
}

}  // namespace

GPUPROJ_LIBRARY_API int cusparseAxpby(void* h, const void* alpha, const SparseVector* x, const void* beta,
                                      const DenseVector* y) {
    if (alpha == nullptr || beta == nullptr) return invalid_value;
    return with_type_of("cusparseAxpby", h, x, y, [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        const Handle& handle = *handle_of(h);
        return submit("cusparseAxpby", h, [a = Scalar<T>(handle, alpha), b = Scalar<T>(handle, beta), x = *x, y = *y] {
            with_values<T>(x, y, [&]<class V>(const V* from, V* to) {
                const T factor = b();
                if (factor != T{1})
                    for (std::int64_t i = 0; i < y.size; ++i)
                        to[i] = factor == T{} ? V{} : stored<V>(factor * calculated<T>(to[i]));
                for_each_place(x, [&](std::int64_t k, std::int64_t place) {
                    to[place] = stored<V>(calculated<T>(to[place]) + a() * calculated<T>(from[k]));
                });
            });
            wrote_all(y);
        });
    });
}
GPUPROJ_LIBRARY_API int cusparseGather(void* h, const DenseVector* y, const SparseVector* x) {
    return with_type_of("cusparseGather", h, x, y, [&](auto) -> int {
        return submit("cusparseGather", h, [x = *x, y = *y, bytes = bytes_of(x->type)] {
            copy_places(
                x, bytes, [&](std::int64_t k, std::int64_t) { return at(x.values, k, bytes); },
                [&](std::int64_t, std::int64_t place) { return at(y.values, place, bytes); });
            wrote_all(x);
        });
    });
}
GPUPROJ_LIBRARY_API int cusparseScatter(void* h, const SparseVector* x, const DenseVector* y) {
    return with_type_of("cusparseScatter", h, x, y, [&](auto) -> int {
        return submit("cusparseScatter", h, [x = *x, y = *y, bytes = bytes_of(x->type)] {
            copy_places(
                x, bytes, [&](std::int64_t, std::int64_t place) { return at(y.values, place, bytes); },
                [&](std::int64_t k, std::int64_t) { return at(x.values, k, bytes); });
            wrote_all(y);
        });
    });
}
GPUPROJ_LIBRARY_API int cusparseRot(void* h, const void* c, const void* s, const SparseVector* x,
                                    const DenseVector* y) {
    if (c == nullptr || s == nullptr) return invalid_value;
    return with_type_of("cusparseRot", h, x, y, [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        const Handle& handle = *handle_of(h);
        return submit("cusparseRot", h, [c = Scalar<T>(handle, c), s = Scalar<T>(handle, s), x = *x, y = *y] {
            with_values<T>(x, y, [&]<class V>(V* sparse, V* dense) {
                for_each_place(x, [&](std::int64_t k, std::int64_t place) {
                    const T first = calculated<T>(sparse[k]), second = calculated<T>(dense[place]);
                    sparse[k] = stored<V>(c() * first + s() * second);
                    dense[place] = stored<V>(c() * second - s() * first);
                });
            });
            wrote_all(x);
            wrote_all(y);
        });
    });
}

GPUPROJ_LIBRARY_API int cusparseSpVV_bufferSize(void* h, Operation, const SparseVector*, const DenseVector*,
                                                const void*, DataType, std::size_t* bytes) {
    return give_buffer_size(h, bytes);
}
GPUPROJ_LIBRARY_API int cusparseSpVV(void* h, Operation op, const SparseVector* x, const DenseVector* y, void* result,
                                     DataType type, void*) {
    const Handle* const handle = handle_of(h);
    if (handle == nullptr) return not_initialized;
    if (x == nullptr || y == nullptr || result == nullptr || x->size != y->size) return invalid_value;
    const int code = with_compute_type("cusparseSpVV", type, [&](auto known) -> int {
        using T = typename decltype(known)::Type;
        if (!stored_as<T>(x->type) || !stored_as<T>(y->type)) return not_supported;
        return submit("cusparseSpVV", h, [op, result, x = *x, y = *y, on_device = handle->pointer_mode == 1] {
            const Numbers<T> sparse(x.type, x.values, x.nonzeros), dense(y.type, y.values, y.size);
            T sum{};
            for_each_place(x, [&](std::int64_t k, std::int64_t place) {
                sum += (op == Operation::conjugate ? conjugate(sparse[k]) : sparse[k]) * dense[place];
            });
            *static_cast<T*>(result) = sum;
            if (on_device) wrote(result, 1, sizeof(T));
        });
    });
    return code == success && handle->pointer_mode == 0 ? finish(h) : code;
}

}  // namespace gpuproj::simulate::libraries::cusparse
