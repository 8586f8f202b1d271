// NVIDIA DCGM: what `dcgmi dmon -e FIELDS` prints, a line per GPU and look at it, columns between blanks under a header
// that comes again and again:
//     #Entity   GRACT  DRAMA
//     ID
//     GPU 0     0.987  0.412
// Samples of whole GPUs, not of kernels; the meaning of the fields is that of DCGM's dcgm_fields.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "collector/import/importer.hpp"

namespace gpuproj::import {

namespace {

struct Share {
    std::string_view column;
    std::optional<double> DeviceSample::*into;
};
constexpr auto shares = std::to_array<Share>({
    {"GRACT", &DeviceSample::active},
    {"SMACT", &DeviceSample::sm_active},
    {"SMOCC", &DeviceSample::occupancy},
    {"TENSO", &DeviceSample::tensor},
    {"DRAMA", &DeviceSample::dram},
    {"FP64A", &DeviceSample::fp64},
    {"FP32A", &DeviceSample::fp32},
    {"FP16A", &DeviceSample::fp16},
    {"TIMMA", &DeviceSample::tensor_int8},
    {"THMMA", &DeviceSample::tensor_half},
    {"TDFMA", &DeviceSample::tensor_fp64},
    {"INTAC", &DeviceSample::integer},
});
constexpr std::string_view gpu_name = "DVNAM", core_clock = "SMCLK", memory_used = "FBUSD";
/// Without these nothing can be told of most programs.
constexpr auto wanted = std::to_array<std::string_view>({"GRACT", "DRAMA", "FP64A", "FP32A", "TENSO"});
constexpr std::string_view advice = "dcgmi dmon -e 1001,1002,1003,1004,1005,1006,1007,1008,100,252 samples all of it";

std::vector<std::string_view> words_of(std::string_view line) {
    constexpr std::string_view blanks = " \t\r";
    std::vector<std::string_view> words;
    for (auto begin = line.find_first_not_of(blanks); begin != std::string_view::npos;) {
        const auto end = std::min(line.find_first_of(blanks, begin), line.size());
        words.push_back(line.substr(begin, end - begin));
        begin = line.find_first_not_of(blanks, end);
    }
    return words;
}

/// The columns behind the entity: "#Entity GRACT", and "# Entity GRACT" of older versions. None for other lines.
std::optional<std::vector<std::string_view>> columns_of(std::string_view line) {
    if (line.find("Entity") == std::string_view::npos) return std::nullopt;
    auto words = words_of(line);
    const std::size_t skipped = words.size() > 1 && words[0] == "#" && words[1] == "Entity" ? 2
                                : !words.empty() && words[0] == "#Entity"                   ? 1
                                                                                            : 0;
    if (skipped == 0) return std::nullopt;
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(skipped));
    return words;
}

template <class Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

class Reader {
public:
    Reader(std::string_view text, Findings& findings) : rows_(text), findings_(findings) {}

    Imported read();

private:
    void take_line(std::string_view line, int line_number);
    void take_value(DeviceSample& sample, std::string_view column, std::string_view text, int line_number);
    void tell_missing();
    bool has(std::string_view column) const { return std::ranges::find(columns_, column) != columns_.end(); }

    RowReader rows_;
    Findings& findings_;
    std::vector<std::string_view> columns_;
    bool told_instances_ = false;
    Imported imported_;
};

void Reader::take_value(DeviceSample& sample, std::string_view column, std::string_view text, int line_number) {
    // Ratios of two clocks that are not read at one moment may come out above 1.
    constexpr double most = 1.1, mega = 1e6, mebi = 1048576;
    if (text == "N/A") return;
    const auto* const share = std::ranges::find(shares, column, &Share::column);
    const bool is_clock = column == core_clock, is_memory = column == memory_used;
    if (share == shares.end() && !is_clock && !is_memory) return;
    const auto value = number<double>(text);
    const double limit = share == shares.end() ? 1e9 : most;
    const bool fits = value && *value >= 0 && *value <= limit;
    if (!fits) {
        findings_.problem(
            {line_number, column},
            fmt::format("'{}' is not {}", text, share == shares.end() ? "a number of 0 or more" : "a share of 0 to 1"));
        return;
    }
    if (share != shares.end()) sample.*share->into = std::min(*value, 1.0);
    if (is_clock && *value > 0) sample.core_clock = Hertz{*value * mega};
    if (is_memory) sample.memory_used = Bytes{*value * mebi};
}

void Reader::take_line(std::string_view line, int line_number) {
    if (auto columns = columns_of(line)) {
        columns_ = std::move(*columns);
        return;
    }
    auto words = words_of(line);
    if (words.size() < 2) return;
    if (words[0] == "GPU-I" || words[0] == "GPU-CI") {
        if (!told_instances_)
            findings_.warn({line_number}, "instances (MIG) are left out: their shares are of what the instance has");
        told_instances_ = true;
        return;
    }
    if (words[0] != "GPU" || columns_.empty()) return;  // a link, a switch, or what somebody else printed
    DeviceSample sample;
    const auto device = number<int>(words[1]);
    if (!device || *device < 0) return;
    sample.device = *device;
    words.erase(words.begin(), words.begin() + 2);
    // The name of a GPU is several words.
    const auto named = std::find(columns_.begin(), columns_.end(), gpu_name);
    const bool has_name = named != columns_.end();
    if (has_name ? words.size() < columns_.size() : words.size() != columns_.size()) {
        findings_.problem({line_number},
                          fmt::format("{} values where the header has {} columns", words.size(), columns_.size()));
        return;
    }
    const auto name_at = static_cast<std::size_t>(named - columns_.begin());
    const std::size_t more = words.size() - columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (i != name_at) take_value(sample, columns_[i], words[i < name_at ? i : i + more], line_number);
    }
    if (has_name) {
        const auto first = words[name_at], last = words[name_at + more];
        imported_.gpus.insert_or_assign(sample.device, std::string(first.data(), last.data() + last.size()));
    }
    imported_.samples.push_back(sample);
}

void Reader::tell_missing() {
    std::vector<std::string_view> missing;
    for (const auto column : wanted)
        if (!has(column)) missing.push_back(column);
    if (!has("GRACT"))
        findings_.warn({}, "no GRACT: all of the time is taken for the GPU's, also where it waited for the host");
    std::erase(missing, "GRACT");
    if (has("THMMA")) std::erase(missing, "TENSO");
    if (!missing.empty()) findings_.warn({}, fmt::format("no {}: {}", fmt::join(missing, ", "), advice));
}

Imported Reader::read() {
    imported_.tool = "dcgmi dmon";
    while (true) {
        const int line_number = rows_.line();
        const auto line = rows_.next_line();
        if (!line) break;
        take_line(*line, line_number);
    }
    const bool of_use = std::ranges::any_of(shares, [&](const Share& share) { return has(share.column); });
    if (!of_use) findings_.fatal({}, fmt::format("samples by DCGM without any of its profiling fields: {}", advice));
    tell_missing();
    return std::move(imported_);
}

bool recognises(std::string_view text) {
    RowReader rows(text);
    auto line = rows.next_line();
    while (line && !columns_of(*line)) line = rows.next_line();
    return line.has_value();
}

Imported read(std::string_view text, Findings& findings) {
    return Reader(text, findings).read();
}

}  // namespace

const Importer dcgmi_dmon{"DCGM samples", recognises, read};

}  // namespace gpuproj::import
