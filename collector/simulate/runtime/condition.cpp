#include "collector/simulate/runtime/condition.hpp"

#include <map>
#include <mutex>
#include <variant>

#include "collector/simulate/runtime/graph.hpp"

namespace gpuproj::simulate {

namespace {

struct Conditions {
    std::mutex mutex;
    std::map<std::uint64_t, std::weak_ptr<Condition>> all;  // by handle
};
Conditions& conditions() {
    static auto* const all = new Conditions;
    return *all;
}

std::uint64_t handle_of(const Condition& condition) {
    return reinterpret_cast<std::uintptr_t>(&condition.value);
}

}  // namespace

Condition::Condition(Runtime& owner) : runtime(owner) {
    runtime.memory().add(&value, sizeof value);
}

Condition::~Condition() {
    {
        const std::lock_guard lock(conditions().mutex);
        conditions().all.erase(handle_of(*this));
    }
    runtime.memory().remove(&value);
}

std::shared_ptr<Condition> condition_at(std::uint64_t handle) {
    const std::lock_guard lock(conditions().mutex);
    const auto found = conditions().all.find(handle);
    return found == conditions().all.end() ? nullptr : found->second.lock();
}

std::shared_ptr<Condition> make_condition(Runtime& runtime, std::uint64_t& handle) {
    auto made = std::make_shared<Condition>(runtime);
    handle = handle_of(*made);
    const std::lock_guard lock(conditions().mutex);
    conditions().all[handle] = made;
    return made;
}

void set_conditions_at_launch(const Graph& graph) {
    for (const auto& node : graph.nodes) {
        if (const auto* child = std::get_if<ChildGraphWork>(&node->work)) set_conditions_at_launch(*child->graph);
        const auto* conditional = std::get_if<ConditionalWork>(&node->work);
        if (conditional == nullptr) continue;
        Condition& condition = *conditional->condition;
        if (condition.set_at_launch) condition.value = condition.at_launch;
        for (const auto& body : conditional->bodies) set_conditions_at_launch(*body);
    }
}

}  // namespace gpuproj::simulate
