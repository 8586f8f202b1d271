#include "collector/records/log.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "collector/records/unwritten_flag.hpp"
#include "model/error.hpp"
#include "model/file_io.hpp"
#include "model/json_fields.hpp"

namespace gpuproj::records {

std::string to_text(const Line& line) {
    return value_to_json(line).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

void read_lines(std::string_view text, const std::string& where, Log& log) {
    std::map<int, std::string> devices;  // of this process
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = text.find('\n');
        if (end == std::string_view::npos) return;  // cut off when the process died
        const auto raw = text.substr(0, end);
        text.remove_prefix(end + 1);
        const auto json = nlohmann::json::parse(raw, nullptr, false);
        const std::string here = where + ":" + std::to_string(number);
        if (json.is_discarded()) throw Error(here + ": not a record of gpuproj; please report this");
        auto line = read_value<Line>(json, JsonPath{nullptr, here, 0});
        if (line.begin) ++log.begun;
        if (line.end) ++log.ended;
        if (line.device) devices[line.device->ordinal] = line.device->name;
        if (line.kernel) {
            log.gpus.push_back(devices[line.kernel->device]);
            log.kernels.push_back(std::move(*line.kernel));
            // Processes count their launches by themselves.
            const auto process = static_cast<std::uint64_t>(log.begun) << 32U;
            log.graph_launches.push_back(line.graph_launch ? process | *line.graph_launch : 0);
        }
        if (line.host_call) log.host_calls.push_back(std::move(*line.host_call));
        if (line.transfer) log.transfers.push_back(std::move(*line.transfer));
        if (line.failure) log.failures.push_back(std::move(*line.failure));
        if (line.passed_over) log.passed_over.push_back(std::move(*line.passed_over));
        if (line.note) log.notes.push_back(std::move(*line.note));
        if (line.gpu_idle_time) log.gpu_idle_times.push_back(*line.gpu_idle_time);
        if (line.peak_device_memory)
            log.peak_device_memory = std::max(log.peak_device_memory.value_or(Bytes{}), *line.peak_device_memory);
    }
}

Log read_logs(const std::filesystem::path& session) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(session))
        if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    Log log;
    for (const auto& file : files) read_lines(read_file(file), file.filename().string(), log);
    const UnwrittenFlags flags = read_flags(session);
    log.unwritten = flags.all == log.begun ? flags.set : log.begun - log.ended;
    return log;
}

}  // namespace gpuproj::records
