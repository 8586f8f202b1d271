// The values that conditional nodes of graphs look at.
#pragma once

#include <cstdint>
#include <memory>

#include "collector/simulate/runtime/runtime.hpp"

namespace gpuproj::simulate {

struct Graph;

/// Kernels write `value` through its handle, which is its address.
struct Condition {
    explicit Condition(Runtime& owner);
    ~Condition();
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;

    Runtime& runtime;
    std::uint32_t value = 0;
    std::uint32_t at_launch = 0;
    bool set_at_launch = false;
};

/// The condition with this handle, whichever graph it was made for: a node within a body may look at one of a graph
/// around it. nullptr if there is none (any more).
std::shared_ptr<Condition> condition_at(std::uint64_t handle);
/// A new one, and its handle.
std::shared_ptr<Condition> make_condition(Runtime& runtime, std::uint64_t& handle);

/// Gives the conditions of all nodes, however deep, the values that they have when the graph is launched. A body that
/// is run again finds what it left: it is not launched.
void set_conditions_at_launch(const Graph& graph);

}  // namespace gpuproj::simulate
