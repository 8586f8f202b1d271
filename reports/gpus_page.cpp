#include "reports/gpus_page.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "reports/gpus.hpp"
#include "reports/html.hpp"
#include "reports/html_columns.hpp"
#include "reports/html_parts.hpp"

namespace gpuproj {
namespace {

using Json = nlohmann::ordered_json;

Json parameter_names() {
    Json names = Json::array();
    const auto add = [&](const auto& field) {
        names.push_back(
            {{"key", field.key}, {"unit", unit_name(parameter_unit(field.key))}, {"meaning", field.meaning}});
    };
    std::apply([&](const auto&... field) { (add(field), ...); }, Gpu::fields);
    return names;
}

// Parameters by their place: [place, value, quality, uncertainty, place of the source].
Json values_of(const Gpu& gpu, TextPool& texts) {
    Json values = Json::array();
    const auto table = gpu_parameter_table(gpu, true);
    std::size_t row = 0;
    std::size_t place = 0;
    const auto add = [&](const auto& field) {
        if (const auto& known = gpu.*field.member) {
            values.push_back({place, cell_to_json(table.rows[row++][1]), static_cast<int>(known->quality),
                              known->uncertainty ? Json(*known->uncertainty) : Json(), texts.place(known->source)});
        }
        ++place;
    };
    std::apply([&](const auto&... field) { (add(field), ...); }, Gpu::fields);
    return values;
}

}  // namespace

std::string gpus_page(std::span<const Gpu> gpus, std::string_view tool_version) {
    TextPool texts;
    Json list = Json::array();
    for (const Gpu& gpu : gpus) {
        list.push_back({{"name", gpu.name},
                        {"aliases", gpu.aliases},
                        {"vendor", gpu.vendor},
                        {"architecture", gpu.architecture},
                        {"compute_capability", gpu.compute_capability},
                        {"quality", rates_quality(gpu)},
                        {"values", values_of(gpu, texts)}});
    }
    const Json page = {{"answer", {{"title", "gpus"}}},   {"tool_version", tool_version},
                       {"parameters", parameter_names()}, {"qualities", quality_names},
                       {"gpus", std::move(list)},         {"texts", texts.all()}};
    const std::string data = json_for_script(page);
    const std::array<std::pair<std::string_view, std::string_view>, 3> parts = {
        {{"style", html_part("style.css")}, {"script", html_part("gpu_list.js")}, {"data", data}}};
    return filled(html_part("gpu_list.html"), parts);
}

}  // namespace gpuproj
