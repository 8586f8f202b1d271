// Vectors whose types are named at run time, halves among them: calculated in double precision and rounded once.
#include <algorithm>
#include <cmath>

#include "collector/simulate/libraries/cublas_other_interfaces.hpp"
#include "collector/simulate/libraries/cublas_typed_values.hpp"

namespace gpuproj::simulate::libraries::cublas {

namespace {

C64 number_at(DataType type, const void* at, std::int64_t i) {
    if (type == DataType::c32) return static_cast<const C32*>(at)[i];
    if (type == DataType::c64) return static_cast<const C64*>(at)[i];
    return read<double>(type, at, static_cast<std::size_t>(i));
}
void put(DataType type, void* at, std::int64_t i, C64 value) {
    if (type == DataType::c32)
        static_cast<C32*>(at)[i] = C32(value);
    else if (type == DataType::c64)
        static_cast<C64*>(at)[i] = value;
    else
        write(type, at, static_cast<std::size_t>(i), value.real());
}

struct Vector {
    const void* begin;
    DataType type;
    std::int64_t size, step;

    Vector(const void* at, DataType type_, std::int64_t n, std::int64_t increment)
        : begin(at), type(type_), size(n < 0 ? 0 : n), step(increment) {}
    std::int64_t place(std::int64_t i) const { return (step < 0 ? i - size + 1 : i) * step; }
    C64 operator[](std::int64_t i) const { return number_at(type, begin, place(i)); }
    void set(std::int64_t i, C64 value) const { put(type, const_cast<void*>(begin), place(i), value); }
    void wrote() const {
        if (size > 0)
            gpuproj_library_wrote(begin, static_cast<std::size_t>((size - 1) * std::abs(step) + 1) * bytes_of(type));
    }
};

/// Read when the call is made, or, in device memory, when the work is done.
class TypedScalar {
public:
    TypedScalar(const Handle& handle, DataType type, const void* at)
        : at_(handle.pointer_mode == 0 ? nullptr : at), type_(type) {
        if (handle.pointer_mode == 0) value_ = number_at(type, at, 0);
    }
    C64 operator()() const { return at_ != nullptr ? number_at(type_, at_, 0) : value_; }

private:
    const void* at_;
    DataType type_;
    C64 value_;
};

bool are_known(std::initializer_list<DataType> types) {
    return std::ranges::all_of(types, is_floating);
}

/// What is wrong with a call; success if nothing is.
int check(void* h, std::initializer_list<DataType> types, std::initializer_list<const void*> pointers) {
    if (handle_of(h) == nullptr) return not_initialized;
    for (const void* pointer : pointers)
        if (pointer == nullptr) return invalid_value;
    return are_known(types) ? success : not_supported;
}

/// `value()` goes to the host or to device memory.
template <class F>
int reduce(const char* name, void* h, DataType type, void* result, F&& value) {
    return submit(name, h, {}, result, bytes_of(type), [=] { put(type, result, 0, value()); });
}

int dot(const char* name, void* h, const Vector& x, const Vector& y, DataType type, void* result, bool conjugated) {
    if (const int wrong = check(h, {x.type, y.type, type}, {result}); wrong != success) return wrong;
    return reduce(name, h, type, result, [=] {
        C64 sum{};
        for (std::int64_t i = 0; i < x.size; ++i) sum += (conjugated ? std::conj(x[i]) : x[i]) * y[i];
        return sum;
    });
}

/// The first place, counted from 1, where |re| + |im| is greatest, or least if `sign` is -1.
template <class R>
int extreme(const char* name, void* h, const Vector& x, R* result, double sign) {
    if (const int wrong = check(h, {x.type}, {result}); wrong != success) return wrong;
    return submit(name, h, {}, result, sizeof(R), [=] {
        const auto size = [&](std::int64_t i) { return sign * (std::abs(x[i].real()) + std::abs(x[i].imag())); };
        std::int64_t found = 0;
        for (std::int64_t i = 1; i < x.size; ++i)
            if (size(i) > size(found)) found = i;
        *result = x.size == 0 || x.step < 1 ? 0 : static_cast<R>(found + 1);
    });
}

}  // namespace

GPUPROJ_LIBRARY_API int cublasAxpyEx(void* h, int n, const void* alpha, DataType type_alpha, const void* x,
                                     DataType type_x, int incx, void* y, DataType type_y, int incy, DataType) {
    if (const int wrong = check(h, {type_alpha, type_x, type_y}, {alpha}); wrong != success) return wrong;
    return submit("cublasAxpyEx", h, {}, nullptr, 0,
                  [a = TypedScalar(*handle_of(h), type_alpha, alpha), from = Vector(x, type_x, n, incx),
                   to = Vector(y, type_y, n, incy)] {
                      for (std::int64_t i = 0; i < from.size; ++i) to.set(i, a() * from[i] + to[i]);
                      to.wrote();
                  });
}
GPUPROJ_LIBRARY_API int cublasScalEx(void* h, int n, const void* alpha, DataType type_alpha, void* x, DataType type_x,
                                     int incx, DataType) {
    if (const int wrong = check(h, {type_alpha, type_x}, {alpha}); wrong != success) return wrong;
    return submit("cublasScalEx", h, {}, nullptr, 0,
                  [a = TypedScalar(*handle_of(h), type_alpha, alpha), to = Vector(x, type_x, n, incx)] {
                      for (std::int64_t i = 0; i < to.size; ++i) to.set(i, a() * to[i]);
                      to.wrote();
                  });
}
GPUPROJ_LIBRARY_API int cublasCopyEx(void* h, int n, const void* x, DataType type_x, int incx, void* y, DataType type_y,
                                     int incy) {
    if (const int wrong = check(h, {type_x, type_y}, {}); wrong != success) return wrong;
    return submit("cublasCopyEx", h, {}, nullptr, 0,
                  [from = Vector(x, type_x, n, incx), to = Vector(y, type_y, n, incy)] {
                      for (std::int64_t i = 0; i < from.size; ++i) to.set(i, from[i]);
                      to.wrote();
                  });
}
GPUPROJ_LIBRARY_API int cublasSwapEx(void* h, int n, void* x, DataType type_x, int incx, void* y, DataType type_y,
                                     int incy) {
    if (const int wrong = check(h, {type_x, type_y}, {}); wrong != success) return wrong;
    return submit("cublasSwapEx", h, {}, nullptr, 0,
                  [one = Vector(x, type_x, n, incx), other = Vector(y, type_y, n, incy)] {
                      for (std::int64_t i = 0; i < one.size; ++i) {
                          const C64 kept = one[i];
                          one.set(i, other[i]);
                          other.set(i, kept);
                      }
                      one.wrote();
                      other.wrote();
                  });
}
GPUPROJ_LIBRARY_API int cublasRotEx(void* h, int n, void* x, DataType type_x, int incx, void* y, DataType type_y,
                                    int incy, const void* c, const void* s, DataType type_cs, DataType) {
    if (const int wrong = check(h, {type_x, type_y, type_cs}, {c, s}); wrong != success) return wrong;
    // Beside a complex s, c is real.
    const DataType type_c = type_cs == DataType::c32   ? DataType::f32
                            : type_cs == DataType::c64 ? DataType::f64
                                                       : type_cs;
    const Handle& known = *handle_of(h);
    return submit("cublasRotEx", h, {}, nullptr, 0,
                  [cosine = TypedScalar(known, type_c, c), sine = TypedScalar(known, type_cs, s),
                   one = Vector(x, type_x, n, incx), other = Vector(y, type_y, n, incy)] {
                      for (std::int64_t i = 0; i < one.size; ++i) {
                          const C64 first = one[i], second = other[i];
                          one.set(i, cosine() * first + sine() * second);
                          other.set(i, cosine() * second - std::conj(sine()) * first);
                      }
                      one.wrote();
                      other.wrote();
                  });
}

GPUPROJ_LIBRARY_API int cublasDotEx(void* h, int n, const void* x, DataType type_x, int incx, const void* y,
                                    DataType type_y, int incy, void* result, DataType type, DataType) {
    return dot("cublasDotEx", h, {x, type_x, n, incx}, {y, type_y, n, incy}, type, result, false);
}
GPUPROJ_LIBRARY_API int cublasDotcEx(void* h, int n, const void* x, DataType type_x, int incx, const void* y,
                                     DataType type_y, int incy, void* result, DataType type, DataType) {
    return dot("cublasDotcEx", h, {x, type_x, n, incx}, {y, type_y, n, incy}, type, result, true);
}
GPUPROJ_LIBRARY_API int cublasNrm2Ex(void* h, int n, const void* x, DataType type_x, int incx, void* result,
                                     DataType type, DataType) {
    if (const int wrong = check(h, {type_x, type}, {result}); wrong != success) return wrong;
    return reduce("cublasNrm2Ex", h, type, result, [v = Vector(x, type_x, n, incx)] {
        double sum = 0;
        for (std::int64_t i = 0; i < v.size; ++i) sum = std::hypot(sum, std::abs(v[i]));
        return C64(sum);
    });
}
GPUPROJ_LIBRARY_API int cublasAsumEx(void* h, int n, const void* x, DataType type_x, int incx, void* result,
                                     DataType type, DataType) {
    if (const int wrong = check(h, {type_x, type}, {result}); wrong != success) return wrong;
    return reduce("cublasAsumEx", h, type, result, [v = Vector(x, type_x, n, incx)] {
        double sum = 0;
        for (std::int64_t i = 0; i < v.size; ++i) sum += std::abs(v[i].real()) + std::abs(v[i].imag());
        return C64(sum);
    });
}
#define GPUPROJ_EXTREME(NAME, SIGN)                                                                               \
    GPUPROJ_LIBRARY_API int NAME(void* h, int n, const void* x, DataType type_x, int incx, int* result) {         \
        return extreme(#NAME, h, {x, type_x, n, incx}, result, SIGN);                                             \
    }                                                                                                             \
    GPUPROJ_LIBRARY_API int NAME##_64(void* h, std::int64_t n, const void* x, DataType type_x, std::int64_t incx, \
                                      std::int64_t* result) {                                                     \
        return extreme(#NAME, h, {x, type_x, n, incx}, result, SIGN);                                             \
    }
GPUPROJ_EXTREME(cublasIamaxEx, 1)
GPUPROJ_EXTREME(cublasIaminEx, -1)
GPUPROJ_64(cublasAxpyEx)
GPUPROJ_64(cublasScalEx)
GPUPROJ_64(cublasCopyEx)
GPUPROJ_64(cublasSwapEx)
GPUPROJ_64(cublasRotEx)
GPUPROJ_64(cublasDotEx)
GPUPROJ_64(cublasDotcEx)
GPUPROJ_64(cublasNrm2Ex)
GPUPROJ_64(cublasAsumEx)

}  // namespace gpuproj::simulate::libraries::cublas
