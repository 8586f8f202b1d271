#include "tools/gpuproj/html_output.hpp"

#include <spdlog/spdlog.h>

#include <filesystem>

#include "reports/html.hpp"
#include "tools/gpuproj/output_file.hpp"

namespace gpuproj {

std::string report_title(const Profile& profile, const std::string& file) {
    const auto& command = profile.provenance.command;
    if (command && !command->empty()) {
        const auto program = command->substr(0, command->find(' '));
        return program.substr(program.rfind('/') + 1) + command->substr(program.size());
    }
    auto stem = std::filesystem::path(file).stem().string();
    if (!stem.empty()) return stem;
    return profile.provenance.source.value_or("unnamed application");
}

void write_html(const std::string& page, const std::string& file, bool overwrite) {
    write_output(file, page, overwrite);
    spdlog::info("page written to {}", output_name(file));
    if (!html_has_charts()) {
        spdlog::warn(
            "the page has tables in the place of its charts: gpuproj was built without Plotly, which "
            "tools/quickstart.sh gets from npm");
    }
}

}  // namespace gpuproj
