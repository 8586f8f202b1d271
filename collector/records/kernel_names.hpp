// Names of kernels as people write them.
#pragma once

#include <optional>
#include <regex>
#include <string>

#include "collector/collect.hpp"

namespace gpuproj::records {

/// "void add<float>(float*, int)" for its mangled name; names that are not mangled come back as they are.
std::string demangle(const std::string& name);

/// "add" for "void ns::add<float>(float*, int)": without return type, scopes, template arguments and parameters.
std::string base_name(const std::string& demangled);

/// Chooses the launches to count, as KernelFilter says. Not thread-safe.
class LaunchSelector {
public:
    /// Throws UsageError if the filter's regular expression is none.
    explicit LaunchSelector(const KernelFilter& filter);
    /// To be asked once per launch, in order.
    bool selects(const std::string& demangled);

private:
    bool name_matches(const std::string& demangled) const;

    KernelFilter filter_;
    std::optional<std::regex> regex_;
    std::uint64_t matching_ = 0;
};

}  // namespace gpuproj::records
