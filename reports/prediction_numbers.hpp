// The numbers of a prediction that tables and JSON have by the same names.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "model/prediction.hpp"
#include "reports/unit.hpp"

namespace gpuproj {

/// Absent ones have their names too, so that every row has the same keys.
struct NamedNumber {
    std::string_view key;
    std::string_view heading;
    Unit unit;
    std::optional<double> value;
};

/// The kernel parameters without their type; all absent for nullptr.
std::array<NamedNumber, 7> numbers_of(const KernelParameters* parameters);
std::array<NamedNumber, 10> numbers_of(const Intermediates* intermediates);

}  // namespace gpuproj
