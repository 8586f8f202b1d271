#include "collector/records/session.hpp"

#include <nlohmann/json.hpp>

#include "model/error.hpp"
#include "model/file_io.hpp"
#include "model/gpu_io.hpp"
#include "model/schema.hpp"

namespace gpuproj::records {

void write_config(const SessionConfig& config, const std::filesystem::path& session) {
    nlohmann::ordered_json json{{"reference", gpu_to_json(config.reference)},
                                {"launch_skip", config.filter.launch_skip},
                                {"per_launch", config.per_launch},
                                {"seed", config.seed},
                                {"threads", config.threads},
                                {"ignore_out_of_bounds", config.ignore_out_of_bounds},
                                {"count_every_launch", config.count_every_launch}};
    if (config.filter.name) json["kernel_name"] = *config.filter.name;
    if (config.filter.launch_count) json["launch_count"] = *config.filter.launch_count;
    if (config.sample) json["sample"] = {{"blocks", config.sample->blocks}, {"only", config.sample->only}};
    write_file(session / config_name, json_text(json), true);
}

SessionConfig read_config(const std::filesystem::path& session) {
    const auto file = session / config_name;
    const auto json = read_json(file);
    try {
        SessionConfig config;
        config.reference = gpu_from_json(json.at("reference"), file.string());
        config.filter.launch_skip = json.at("launch_skip");
        config.per_launch = json.at("per_launch");
        config.seed = json.at("seed");
        config.threads = json.at("threads");
        config.ignore_out_of_bounds = json.at("ignore_out_of_bounds");
        config.count_every_launch = json.at("count_every_launch");
        if (json.contains("sample"))
            config.sample = BlockSample{json.at("sample").at("blocks"), json.at("sample").at("only")};
        if (json.contains("kernel_name")) config.filter.name = json.at("kernel_name").get<std::string>();
        if (json.contains("launch_count")) config.filter.launch_count = json.at("launch_count").get<std::uint64_t>();
        return config;
    } catch (const nlohmann::json::exception& problem) {
        throw Error(file.string() + ": " + problem.what());
    }
}

}  // namespace gpuproj::records
