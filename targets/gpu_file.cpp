#include "targets/gpu_file.hpp"

#include <cctype>
#include <nlohmann/json.hpp>

#include "model/gpu_io.hpp"

namespace gpuproj {

std::string gpu_file_text(const Gpu& gpu) {
    const nlohmann::ordered_json json = gpu_to_json(gpu);
    std::string text = "{\n";
    for (const auto& [key, value] : json.items()) {
        if (key == "parameters") continue;
        text += "  \"" + key + "\": " + value.dump() + ",\n";
    }
    text += "  \"parameters\": {";
    const char* separator = "\n";
    for (const auto& [key, value] : json["parameters"].items()) {
        text += separator;
        text += "    \"" + key + "\": " + value.dump();
        separator = ",\n";
    }
    return text + "\n  }\n}\n";
}

std::string gpu_file_name(const std::string& name) {
    std::string file;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            file += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (!file.empty() && file.back() != '-') {
            file += '-';
        }
    }
    while (file.ends_with('-')) file.pop_back();
    return file + ".json";
}

}  // namespace gpuproj
