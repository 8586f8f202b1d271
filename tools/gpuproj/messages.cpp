#include "tools/gpuproj/messages.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace gpuproj {

const std::vector<std::string>& message_levels() {
    static const std::vector<std::string> levels = {"debug", "info", "warning", "error", "off"};
    return levels;
}

void start_messages() {
    auto logger = spdlog::stderr_logger_st("gpuproj");
    logger->set_pattern("%n: %v");
    spdlog::set_default_logger(std::move(logger));
}

void set_message_level(bool quiet, bool verbose, const std::string& level) {
    const auto chosen = quiet ? spdlog::level::warn : verbose ? spdlog::level::debug : spdlog::level::info;
    spdlog::set_level(level.empty() ? chosen : spdlog::level::from_str(level));
}

}  // namespace gpuproj
