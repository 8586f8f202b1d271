// The plans that the application has made.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>

#include "collector/simulate/libraries/cufft_calculation.hpp"
#include "collector/simulate/libraries/handles_of_library.hpp"

namespace gpuproj::simulate::libraries::cufft {

struct Plan {
    std::optional<Layout> layout;  // none between cufftCreate and cufftMakePlan
    void* stream = nullptr;
    std::array<std::shared_ptr<Calculation>, 2> calculations;  // by direction, made when first needed
    std::map<int, long long> properties;
};

/// All live plans; a cufftHandle is the number.
HandlesOfLibrary<Plan>& plans();

/// Calls `use` with the plan, and gives what that gives; invalid_plan if there is none, alloc_failed if memory is
/// short.
template <class Use>
int with_plan(int handle, Use&& use) noexcept {
    try {
        int code = invalid_plan;
        if (handle > 0)
            plans().with(static_cast<std::uintptr_t>(handle), [&](Plan& plan) { code = std::forward<Use>(use)(plan); });
        return code;
    } catch (const std::bad_alloc&) {
        return alloc_failed;
    } catch (const std::exception&) {
        return internal_error;
    }
}

}  // namespace gpuproj::simulate::libraries::cufft
