// alpha and beta: read when the call is made, or, in device memory, when the work is done; one number or one for each
// row.
#pragma once

#include "collector/simulate/libraries/cublasLt_dense.hpp"

namespace gpuproj::simulate::libraries::cublas_lt {

class Factor {
public:
    static Factor zero(DataType type) { return {type, nullptr, false, 0}; }
    static Factor on_host(DataType type, const void* at) {
        Factor factor = zero(type);
        std::memcpy(factor.value_, at, element_bytes(type));
        return factor;
    }
    static Factor on_device(DataType type, const void* at) { return {type, at, false, 0}; }
    /// `stride`: elements to the vector of the next batch.
    static Factor of_rows(DataType type, const void* at, std::int64_t stride) { return {type, at, true, stride}; }

    bool is_vector() const { return vector_; }
    /// The number, or that of row `row`.
    template <class T>
    T get(std::int64_t row = 0, std::int64_t batch = 0) const {
        return scalar_at<T>(type_, at_ != nullptr ? at_ : value_,
                            vector_ ? static_cast<std::size_t>(row + batch * stride_) : 0);
    }
    /// One for each of `count` rows.
    template <class T>
    std::vector<T> of_each_row(std::int64_t count, std::int64_t batch) const {
        std::vector<T> all(static_cast<std::size_t>(count), vector_ ? T{} : get<T>());
        for (std::int64_t i = 0; vector_ && i < count; ++i) all[static_cast<std::size_t>(i)] = get<T>(i, batch);
        return all;
    }
    /// Does what it is multiplied with not matter, as far as can be known before the work is done?
    bool is_known_zero() const {
        if (at_ != nullptr) return false;
        if (type_ == DataType::c32) return get<C32>() == C32{};
        if (type_ == DataType::c64) return get<C64>() == C64{};
        return get<double>() == 0;
    }

private:
    Factor(DataType type, const void* at, bool vector, std::int64_t stride)
        : type_(type), at_(at), vector_(vector), stride_(stride) {}

    DataType type_;
    const void* at_;  // in device memory
    bool vector_;
    std::int64_t stride_;
    alignas(16) std::byte value_[16]{};
};

/// alpha and beta of a call.
struct Factors {
    Factor alpha, beta;
};

}  // namespace gpuproj::simulate::libraries::cublas_lt
