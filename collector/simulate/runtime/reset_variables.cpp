#include "collector/simulate/runtime/reset_variables.hpp"

#include <utility>

#include "collector/simulate/engine/initial_values.hpp"

namespace gpuproj::simulate {

ResetVariables& ResetVariables::instance() {
    static auto* const all = new ResetVariables;
    return *all;
}

void ResetVariables::add(const Module& module, std::string ptx) {
    if (!has_variables(module)) return;
    const std::lock_guard lock(mutex_);
    texts_[&module] = {std::move(ptx), resets_};
}

void ResetVariables::remove(const Module& module) {
    const std::lock_guard lock(mutex_);
    texts_.erase(&module);
}

void ResetVariables::set_back(const Module& module) {
    const std::lock_guard lock(mutex_);
    const auto found = texts_.find(&module);
    if (found == texts_.end() || found->second.resets == resets_) return;
    found->second.resets = resets_;
    set_variables_back(module, found->second.ptx);
}

}  // namespace gpuproj::simulate
