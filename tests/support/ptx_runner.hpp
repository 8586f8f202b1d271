// Runs PTX written as text in a test on the engine: whole kernels, or one instruction over rows of operands.
#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "collector/simulate/engine/engine.hpp"

namespace gpuproj::test {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using f32 = float;
using f64 = double;
/// Values whose C++ meaning is in their bits.
struct f16 {
    u16 bits = 0;
    bool operator==(const f16&) const = default;
};
struct bf16 {
    u16 bits = 0;
    bool operator==(const bf16&) const = default;
};

/// A kernel's parameters, laid out as PTX does it: each at a multiple of its size.
class Arguments {
public:
    template <class... T>
    explicit Arguments(const T&... values) {
        (append(&values, sizeof(T)), ...);
    }
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    void append(const void* value, std::size_t bytes);
    std::vector<std::byte> bytes_;
};

struct Shape {
    Dim3 grid{1, 1, 1}, block{32, 1, 1};
    u32 dynamic_shared_bytes = 0;
    bool cooperative = false;
    Dim3 cluster{0, 0, 0};
};

/// An instruction n times, a line each.
inline std::string times(int n, const std::string& instruction) {
    std::string text;
    for (int i = 0; i < n; ++i) text += instruction + "\n";
    return text;
}

/// ".version", ".target" and ".address_size" lines in front of `body`.
std::string module_text(std::string_view body, std::string_view target = "sm_90");

/// One simulated GPU with its memory; `gpu` is a stored one.
class PtxRunner {
public:
    explicit PtxRunner(std::string_view gpu = "GTX 480", simulate::EngineOptions options = {},
                       simulate::MachineCode machine_code = simulate::MachineCode::usual);

    /// Loads `ptx` and launches its kernel "k".
    simulate::LaunchReport run(std::string_view ptx, const Shape& shape, const Arguments& arguments);
    simulate::LaunchReport run(const simulate::Module& module, const Shape& shape, const Arguments& arguments);
    /// Of any name, with its parameters as they lie in memory.
    simulate::LaunchReport run(std::string_view ptx, std::string_view kernel, const Shape& shape,
                               std::span<const std::byte> parameters);

    /// Memory of the simulated GPU; zeros.
    template <class T>
    std::span<T> allocate(std::size_t count) {
        auto* memory = static_cast<T*>(memory_.allocate(count * sizeof(T)));
        std::memset(static_cast<void*>(memory), 0, count * sizeof(T));
        buffers_.push_back(std::as_bytes(std::span(memory, count)));
        return {memory, count};
    }
    template <class T>
    std::span<T> allocate(const std::vector<T>& values) {
        const std::span<T> memory = allocate<T>(values.size());
        std::memcpy(static_cast<void*>(memory.data()), values.data(), values.size() * sizeof(T));
        return memory;
    }
    simulate::DeviceMemory& memory() { return memory_; }

private:
    simulate::DeviceMemory memory_;
    std::vector<std::span<const std::byte>> buffers_;  // of allocate()
    simulate::Engine engine_;
    simulate::MachineCode machine_code_;
};

template <class T>
constexpr const char* type_name() {
    if constexpr (std::is_same_v<T, u8>) return "u8";
    if constexpr (std::is_same_v<T, s8>) return "s8";
    if constexpr (std::is_same_v<T, u16>) return "u16";
    if constexpr (std::is_same_v<T, s16>) return "s16";
    if constexpr (std::is_same_v<T, u32>) return "u32";
    if constexpr (std::is_same_v<T, s32>) return "s32";
    if constexpr (std::is_same_v<T, u64>) return "u64";
    if constexpr (std::is_same_v<T, s64>) return "s64";
    if constexpr (std::is_same_v<T, f32>) return "f32";
    if constexpr (std::is_same_v<T, f64>) return "f64";
    if constexpr (std::is_same_v<T, f16>) return "f16";
    if constexpr (std::is_same_v<T, bf16>) return "bf16";
}

template <class T>
u64 bits_of(T value) {
    u64 bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}
template <class T>
T from_bits(u64 bits) {
    T value{};
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
    return value;
}
template <class T>
bool is_nan(T value) {
    if constexpr (std::is_floating_point_v<T>)
        return value != value;
    else if constexpr (std::is_same_v<T, f16>)
        return (value.bits & 0x7FFF) > 0x7C00;
    else if constexpr (std::is_same_v<T, bf16>)
        return (value.bits & 0x7FFF) > 0x7F80;
    else
        return false;
}
/// Equal bits, or both not a number.
struct Exactly {
    template <class T>
    bool operator()(T got, T want) const {
        return bits_of(got) == bits_of(want) || (is_nan(got) && is_nan(want));
    }
};
/// Within a relative error, for the approximate instructions; zeros, infinities and NaN exactly.
struct Within {
    double relative;
    template <class T>
    bool operator()(T got, T want) const {
        if (Exactly{}(got, want)) return true;
        const auto g = static_cast<double>(got), w = static_cast<double>(want);
        return std::abs(g - w) <= relative * std::abs(w);
    }
};

/// Values as bits, so that what follows is compiled once: `types` of the operands and `result` as type_name gives them.
using Bits = std::array<u64, 4>;
void check_rows(std::string_view body, const std::vector<const char*>& types, const char* result,
                const std::function<u64(const Bits&)>& meaning, const std::function<bool(u64, u64)>& equal,
                std::size_t ordinary);

/// Runs `body` (which uses %a, %b, %c, %e and gives %d; scratch: %p, %q, %s0-7, %l0-7, %h0-3) over the cross product of
/// its operands' edge values and `ordinary` others, and compares with what `meaning` says in C++.
template <class D, class... A, class F, class Equal = Exactly>
void check_body(std::string_view body, F&& meaning, Equal equal = {}, std::size_t ordinary = 6) {
    static_assert(sizeof...(A) <= 4);
    const auto on_bits = [&]<std::size_t... I>(const Bits& row, std::index_sequence<I...>) {
        return bits_of(static_cast<D>(meaning(from_bits<A>(row[I])...)));
    };
    check_rows(
        body, {type_name<A>()...}, type_name<D>(),
        [&](const Bits& row) { return on_bits(row, std::index_sequence_for<A...>{}); },
        [&](u64 got, u64 want) { return equal(from_bits<D>(got), from_bits<D>(want)); }, ordinary);
}

/// check_body of "OPCODE %d, %a, ...;".
template <class D, class... A, class F, class Equal = Exactly>
void check(std::string_view opcode, F&& meaning, Equal equal = {}, std::size_t ordinary = 6) {
    std::string body(opcode);
    body += " %d";
    constexpr std::array names{", %a", ", %b", ", %c", ", %e"};
    for (std::size_t i = 0; i < sizeof...(A); ++i) body += names[i];
    check_body<D, A...>(body + ";", meaning, equal, ordinary);
}

}  // namespace gpuproj::test
