// A signal that would end the process while a kernel runs lets the kernel be counted first.
#pragma once

#include <atomic>

namespace gpuproj::simulate {

/// While one lives, SIGINT, SIGTERM and SIGHUP, as far as they would end the process, raise `flag` instead, once; the
/// next one ends it. Who finds the flag raised finishes what it does; the process ends with the object, as the signal
/// would have had it. One at a time.
class CutOff {
public:
    CutOff();
    ~CutOff();
    CutOff(const CutOff&) = delete;
    CutOff& operator=(const CutOff&) = delete;

    static const std::atomic<bool>& flag();
};

}  // namespace gpuproj::simulate
