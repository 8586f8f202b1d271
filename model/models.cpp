#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <vector>

#include "model/calibrated.hpp"
#include "model/error.hpp"
#include "model/model.hpp"
#include "model/near_names.hpp"
#include "model/quantitative_roofline.hpp"
#include "model/roofline.hpp"

namespace gpuproj {

namespace {
constexpr std::array table{
    Model{"calibrated", "The time of every resource that a kernel uses, combined, with an interval",
          "docs/calibrated.md",
          "instruction counts by type, DRAM sectors, the reference GPU's parameters; better with grid and block, L2 "
          "sectors, shared-memory passes, global accesses, registers, achieved occupancy, reference time",
          predict_calibrated, prepare_calibrated},
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
