// Numbers whose dimension the compiler checks. Values are in base units (operation, instruction, byte, sector,
// cycle, second); prefixes exist only where a number is printed.
#pragma once

#include <compare>

namespace gpuproj {

/// Exponents of the base units.
struct Dimension {
    int operation = 0;    // one multiply-add is 2
    int instruction = 0;  // thread-level unless the name says warp
    int byte = 0;
    int sector = 0;  // a DRAM or cache sector of 32 bytes
    int cycle = 0;
    int second = 0;
    int watt = 0;

    friend constexpr bool operator==(const Dimension&, const Dimension&) = default;
    friend constexpr Dimension operator+(Dimension a, Dimension b) {
        return {a.operation + b.operation, a.instruction + b.instruction, a.byte + b.byte, a.sector + b.sector,
                a.cycle + b.cycle,         a.second + b.second,           a.watt + b.watt};
    }
    friend constexpr Dimension operator-(Dimension a, Dimension b) {
        return {a.operation - b.operation, a.instruction - b.instruction, a.byte - b.byte, a.sector - b.sector,
                a.cycle - b.cycle,         a.second - b.second,           a.watt - b.watt};
    }
};

template <Dimension D>
struct Quantity {
    double value = 0.0;

    friend constexpr auto operator<=>(Quantity, Quantity) = default;
    friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
    friend constexpr Quantity operator*(double k, Quantity q) { return {k * q.value}; }
    friend constexpr Quantity operator/(Quantity q, double k) { return {q.value / k}; }
    constexpr Quantity& operator+=(Quantity other) {
        value += other.value;
        return *this;
    }
};

template <Dimension A, Dimension B>
constexpr Quantity<A + B> operator*(Quantity<A> a, Quantity<B> b) {
    return {a.value * b.value};
}

template <Dimension A, Dimension B>
constexpr Quantity<A - B> operator/(Quantity<A> a, Quantity<B> b) {
    return {a.value / b.value};
}

/// The quotient of two quantities of one dimension is a plain number.
template <Dimension D>
constexpr double ratio(Quantity<D> a, Quantity<D> b) {
    return a.value / b.value;
}

using Operations = Quantity<Dimension{.operation = 1}>;
using Instructions = Quantity<Dimension{.instruction = 1}>;
using Bytes = Quantity<Dimension{.byte = 1}>;
using Sectors = Quantity<Dimension{.sector = 1}>;
using Cycles = Quantity<Dimension{.cycle = 1}>;
using Seconds = Quantity<Dimension{.second = 1}>;
using Watts = Quantity<Dimension{.watt = 1}>;

using OperationsPerSecond = Quantity<Dimension{.operation = 1, .second = -1}>;
using InstructionsPerSecond = Quantity<Dimension{.instruction = 1, .second = -1}>;
using InstructionsPerCycle = Quantity<Dimension{.instruction = 1, .cycle = -1}>;
using BytesPerSecond = Quantity<Dimension{.byte = 1, .second = -1}>;
using BytesPerCycle = Quantity<Dimension{.byte = 1, .cycle = -1}>;
using OperationsPerByte = Quantity<Dimension{.operation = 1, .byte = -1}>;  // operational intensity
using OperationsPerInstruction = Quantity<Dimension{.operation = 1, .instruction = -1}>;
using BytesPerSector = Quantity<Dimension{.byte = 1, .sector = -1}>;
using Hertz = Quantity<Dimension{.cycle = 1, .second = -1}>;

inline constexpr BytesPerSector bytes_per_sector{32};
inline constexpr int threads_per_warp = 32;

}  // namespace gpuproj
