#include "model/gpu_io.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/json_fields.hpp"
#include "model/schema.hpp"

namespace gpuproj {

namespace {

constexpr std::string_view schema = "gpuproj.gpu";
constexpr std::string_view parameters_key = "parameters";
constexpr std::array<std::string_view, 3> outside_identity{"schema", "version", parameters_key};
constexpr std::span<const Migration> migrations;
static_assert(gpu_version == migrations.size() + 1);

/// A rate, size or count of 0 would be divided by: what a GPU does not have is absent.
template <class Q>
void check_known(const MaybeKnown<Q>& known, const JsonPath& path) {
    if (!known) return;
    if (known->source.empty()) reject(JsonPath{&path, "source"}, "is empty; say where the value comes from");
    const bool positive = [&] {
        if constexpr (json_detail::is_quantity<Q>) return known->value.value > 0;
        if constexpr (std::is_same_v<Q, int> || std::is_same_v<Q, double>) return known->value > 0;
        if constexpr (json_detail::is_vector<Q>) {
            return !known->value.empty() && std::ranges::all_of(known->value, [](const LoadsBandwidth& point) {
                return point.loads > 0 && point.bandwidth.value > 0;
            });
        }
        return true;
    }();
    if (!positive) reject(JsonPath{&path, "value"}, "must be above 0; leave out what the GPU does not have");
}

}  // namespace

Gpu gpu_from_json(nlohmann::json json, const std::string& where) {
    migrate(json, schema, migrations, where);
    const JsonPath root{nullptr, where};
    Gpu gpu;
    read_table(gpu, Gpu::identity, json, root, outside_identity);
    if (gpu.name.empty()) reject(JsonPath{&root, "name"}, "is empty; give the GPU's name");

    const JsonPath parameters{&root, parameters_key};
    const auto found = json.find(parameters_key);
    if (found == json.end()) reject(parameters, "is missing; it holds the GPU's rates and sizes");
    read_table(gpu, Gpu::fields, *found, parameters);
    std::apply(
        [&](const auto&... field) {
            (check_known(gpu.*field.member, JsonPath{&parameters, field.key}), ...);
        },
        Gpu::fields);
    return gpu;
}

nlohmann::ordered_json gpu_to_json(const Gpu& gpu) {
    nlohmann::ordered_json json{{"schema", schema}, {"version", gpu_version}};
    write_table(json, gpu, Gpu::identity);
    auto parameters = nlohmann::ordered_json::object();
    write_table(parameters, gpu, Gpu::fields);
    json[std::string(parameters_key)] = std::move(parameters);
    return json;
}

Gpu read_gpu(const std::filesystem::path& file) {
    return gpu_from_json(read_json(file), file.string());
}

}  // namespace gpuproj
