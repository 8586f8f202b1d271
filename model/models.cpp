#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <vector>

#include "model/error.hpp"
#include "model/model.hpp"
#include "model/near_names.hpp"
#include "model/quantitative_roofline.hpp"
#include "model/roofline.hpp"

namespace gpuproj {

namespace {
constexpr std::array table{
    Model{"quantitative-roofline", "Roofline whose compute ceiling is lowered by the kernel's instruction mix",
          "Konstantinidis 2017, chapters 4 and 5",
          "instruction counts by type, loads and stores, DRAM sectors; fp32, fp64, int, shared-memory rates, bandwidth",
          predict_quantitative_roofline},
    Model{"roofline", "Roofline on datasheet peaks", "Konstantinidis 2017, (2.1)-(2.3), after Williams et al. 2009",
          "floating-point instructions and multiply-adds, DRAM sectors; datasheet peaks and bandwidth",
          predict_roofline},
};
}  // namespace

std::span<const Model> models() {
    return table;
}

const Model& find_model(std::string_view name) {
    std::vector<std::string> names;
    for (const Model& model : table) {
        if (model.name == name) return model;
        names.emplace_back(model.name);
    }
    throw UsageError(fmt::format("unknown model '{}'{}; the models are {}", name, did_you_mean(name, names),
                                 fmt::join(names, ", ")));
}

}  // namespace gpuproj
