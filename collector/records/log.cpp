#include "collector/records/log.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "collector/records/unwritten_flag.hpp"
#include "model/error.hpp"
#include "model/file_io.hpp"
#include "model/json_fields.hpp"

namespace gpuproj::records {

std::string to_text(const Line& line) {
    return value_to_json(line).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

namespace {

template <class T>
void permute(std::vector<T>& all, std::size_t first, std::span<const std::size_t> places) {
    std::vector<T> sorted;
    sorted.reserve(places.size());
    for (const std::size_t place : places) sorted.push_back(std::move(all[first + place]));
    std::ranges::move(sorted, all.begin() + static_cast<std::ptrdiff_t>(first));
}

/// Brings the kernels from `first` on, one process' own, into the order of their launches.
void sort_launches(Log& log, std::size_t first, std::span<const std::uint64_t> order) {
    if (std::ranges::is_sorted(order)) return;
    std::vector<std::size_t> places(order.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::stable_sort(places, {}, [&](std::size_t place) { return order[place]; });
    permute(log.kernels, first, places);
    permute(log.gpus, first, places);
    permute(log.graph_launches, first, places);
}

}  // namespace

void read_lines(std::string_view text, const std::string& where, Log& log) {
    std::map<int, std::string> devices;  // of this process
    const std::size_t first = log.kernels.size();
    std::vector<std::uint64_t> order;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = text.find('\n');
        if (end == std::string_view::npos) break;  // cut off when the process died
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
            order.push_back(line.order.value_or(order.empty() ? 0 : order.back()));
        }
        if (line.host_call) log.host_calls.push_back(std::move(*line.host_call));
        if (line.transfer) log.transfers.push_back(std::move(*line.transfer));
        if (line.failure) log.failures.push_back(std::move(*line.failure));
        if (line.passed_over) log.passed_over.push_back(std::move(*line.passed_over));
        if (line.note) log.notes.push_back(std::move(*line.note));
        if (line.core_clock) log.core_clocks.push_back(*line.core_clock);
        if (line.counter_passes) log.counter_passes = std::max(log.counter_passes, *line.counter_passes);
        if (line.counter_runs) log.counter_runs = std::max(log.counter_runs, *line.counter_runs);
        if (line.gpu_idle_time) log.gpu_idle_times.push_back(*line.gpu_idle_time);
        if (line.peak_device_memory)
            log.peak_device_memory = std::max(log.peak_device_memory.value_or(Bytes{}), *line.peak_device_memory);
    }
    sort_launches(log, first, order);
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
