// What arithmetic of the engine relies on: rounding to nearest, subnormal numbers as they are, nothing that traps.
#pragma once

#include <xmmintrin.h>

namespace gpuproj::simulate {

/// The processor's usual floating-point environment as long as it lives. A program's own may be another one, which
/// threads that it begins take over: GCC's -ffast-math has subnormal numbers flushed from the start of the program.
class UsualFloatEnvironment {
public:
    UsualFloatEnvironment() : before_(_mm_getcsr()) { _mm_setcsr(usual); }
    ~UsualFloatEnvironment() { _mm_setcsr(before_); }
    UsualFloatEnvironment(const UsualFloatEnvironment&) = delete;
    UsualFloatEnvironment& operator=(const UsualFloatEnvironment&) = delete;

private:
    static constexpr unsigned usual = 0x1F80;
    unsigned before_;
};

}  // namespace gpuproj::simulate
