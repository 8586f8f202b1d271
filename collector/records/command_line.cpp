#include "collector/records/command_line.hpp"

#include <fmt/chrono.h>

#include <ctime>

#include "collector/records/sha256.hpp"
#include "model/file_io.hpp"

namespace gpuproj::records {

namespace {

std::string quoted(const std::string& word) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

}  // namespace

std::string command_line(const std::vector<std::string>& words) {
    std::string line;
    for (const auto& word : words) {
        if (!line.empty()) line += ' ';
        line += quoted(word);
    }
    return line;
}

Provenance run_provenance(const std::string& collector, const std::string& counters,
                          const std::vector<std::string>& command, const std::string& program) {
    Provenance provenance;
    provenance.counters = counters;
    provenance.collector = collector;
    provenance.command = command_line(command);
    provenance.program_sha256 = sha256(read_file(program));
    provenance.tool_version = GPUPROJ_VERSION;
    provenance.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    return provenance;
}

}  // namespace gpuproj::records
