// A large part of a struct that is mostly absent, in eight bytes.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace gpuproj {

/// A value of its own, or nothing: used as std::optional is, but kept elsewhere, so that where there is none it takes
/// no room. Copies copy the value.
template <class T>
class Boxed {
public:
    using value_type = T;

    Boxed() = default;
    Boxed(std::nullopt_t) {}
    Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
    Boxed(const Boxed& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
    Boxed(Boxed&&) noexcept = default;
    Boxed& operator=(const Boxed& other) { return *this = Boxed(other); }  // NOLINT(*-assign-operator): it does
    Boxed& operator=(Boxed&&) noexcept = default;
    ~Boxed() = default;

    bool has_value() const { return value_ != nullptr; }
    explicit operator bool() const { return has_value(); }
    const T& operator*() const { return *value_; }
    T& operator*() { return *value_; }
    const T* operator->() const { return value_.get(); }
    T* operator->() { return value_.get(); }

    T& emplace() { return *(value_ = std::make_unique<T>()); }
    void reset() { value_.reset(); }

private:
    std::unique_ptr<T> value_;
};

}  // namespace gpuproj
