// Variables of modules after the device was reset: what they were to begin with, as on a GPU, where the modules are
// loaded anew.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "collector/simulate/engine/engine.hpp"

namespace gpuproj::simulate {

/// Thread-safe.
class ResetVariables {
public:
    static ResetVariables& instance();

    /// `ptx` is kept if `module` has variables.
    void add(const Module& module, std::string ptx);
    void remove(const Module& module);
    /// The device is reset: from now on every module's next use sets its variables back.
    void reset() { ++resets_; }
    /// Before a use of `module`.
    void before_use(const Module& module) {
        if (resets_ != 0) set_back(module);
    }

private:
    struct Text {
        std::string ptx;
        unsigned resets = 0;  // that have been followed
    };
    void set_back(const Module& module);

    std::atomic<unsigned> resets_{0};
    std::mutex mutex_;
    std::map<const Module*, Text> texts_;
};

}  // namespace gpuproj::simulate
