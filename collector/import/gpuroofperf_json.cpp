// Kernel parameters of gpuroofperf-toolkit (`gpuroofperf-cli.py -o kernels.json`): the model's parameters instead of
// counters, from which the counters follow.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "collector/import/importer.hpp"
#include "collector/import/json_places.hpp"

namespace gpuproj::import {

namespace {

using nlohmann::json;

constexpr double sector_byte = bytes_per_sector.value;
constexpr double millisecond = 1e-3;
constexpr double level = 0.1;  // of utilization, in tenths of the peak

class Kernel {
public:
    Kernel(const std::string& name, const json& values, const JsonPlaces& places, Findings& findings)
        : name_(name), values_(values), places_(places), findings_(findings) {}

    /// A number from 0 to 1e30; none, and told, where there is none.
    std::optional<double> number(std::string_view key) {
        constexpr double most = 1e30;
        const auto found = values_.find(key);
        if (found == values_.end()) {
            problem(key, "is missing");
            return std::nullopt;
        }
        const double value = found->is_number() ? found->get<double>() : -1;
        if (value >= 0 && value <= most) return value;
        problem(key, "is not a number of 0 or more");
        return std::nullopt;
    }
    std::string text(std::string_view key) const {
        const auto found = values_.find(key);
        return found != values_.end() && found->is_string() ? found->get<std::string>() : "";
    }
    const json* object(std::string_view key) const {
        const auto found = values_.find(key);
        return found != values_.end() && found->is_object() ? &*found : nullptr;
    }
    void problem(std::string_view key, std::string_view what) {
        findings_.problem({places_.line({"data", name_, key}), key}, fmt::format("{} in kernel '{}'", what, name_));
    }

private:
    const std::string& name_;
    const json& values_;
    const JsonPlaces& places_;
    Findings& findings_;
};

/// Instructions and multiply-adds of the dominant type; the other types are taken as none, as its model does.
bool set_dominant(KernelMetrics& m, std::string_view type, double instructions, double multiply_adds) {
    m.thread_inst_fp32 = m.thread_inst_fp64 = m.thread_inst_fp32_fma = m.thread_inst_fp64_fma = Instructions{0};
    if (type == "fp_32") {
        m.thread_inst_fp32 = Instructions{instructions};
        m.thread_inst_fp32_fma = Instructions{multiply_adds};
    } else if (type == "fp_64") {
        m.thread_inst_fp64 = Instructions{instructions};
        m.thread_inst_fp64_fma = Instructions{multiply_adds};
    } else if (type == "fp_16") {
        m.thread_inst_fp16 = Instructions{instructions};
        m.thread_inst_fp16_fma = Instructions{multiply_adds};
    } else if (type == "integer") {
        m.thread_inst_integer = Instructions{instructions};
    } else {
        return false;
    }
    return true;
}

void take_utilizations(KernelMetrics& m, const json& levels) {
    VendorMetrics values;
    for (const auto& [name, value] : levels.items()) {
        constexpr double most = 10;
        if (!value.is_number() || !(value.get<double>() >= 0) || value.get<double>() > most) continue;
        values.emplace(name, value.get<double>() * level);
    }
    const auto filled = to_kernel_metrics(MetricFamily::nvprof, values);
    m.compute_utilization = filled.compute_utilization;
    m.load_store_utilization = filled.load_store_utilization;
    m.shared_utilization = filled.shared_utilization;
    m.l1_utilization = filled.l1_utilization;
    m.l2_utilization = filled.l2_utilization;
    m.dram_utilization = filled.dram_utilization;
}

std::optional<KernelRecord> read_kernel(const std::string& name, const json& values, const JsonPlaces& places,
                                        Findings& findings) {
    Kernel kernel(name, values, places, findings);
    const auto operations = kernel.number("compute_ops"), bytes = kernel.number("dram_bytes"),
               efficiency = kernel.number("opmix_efficiency"), compute = kernel.number("mix_compute"),
               load_store = kernel.number("mix_ldst"), count = kernel.number("count");
    if (!operations || !bytes || !efficiency || !compute || !load_store || !count) return std::nullopt;
    constexpr double most_launches = 1e15;
    if (*count < 1 || *count > most_launches || *count != std::floor(*count)) {
        kernel.problem("count", "is not a whole number of launches");
        return std::nullopt;
    }
    // W = instructions + multiply-adds, E = W / (2 x instructions), mix = instructions / (32 x warp instructions).
    if (*operations <= 0 || *efficiency < 0.5 || *efficiency > 1 || *compute <= 0 || *compute > 1 || *load_store > 1) {
        kernel.problem("mix_compute", "no counters follow from these parameters (no operations, or shares above 1)");
        return std::nullopt;
    }
    KernelRecord record;
    record.kernel = kernel_name(name);
    record.launches = static_cast<std::uint64_t>(*count);
    const double instructions = std::round(*operations / (2 * *efficiency));
    const double all = instructions / *compute;
    KernelMetrics& m = record.metrics;
    if (!set_dominant(m, kernel.text("dominant_op"), instructions, *operations - instructions)) {
        kernel.problem("dominant_op", "is none of fp_32, fp_64, fp_16 and integer");
        return std::nullopt;
    }
    m.warp_inst = Instructions{std::max(1.0, std::round(all / threads_per_warp))};
    m.thread_inst_load_store = Instructions{std::round(*load_store * all)};
    m.dram_read = Sectors{*bytes / sector_byte};
    m.dram_write = Sectors{0};
    record.notes.emplace_back("the file has no reads apart from writes of DRAM: all are taken as reads");
    record.notes.emplace_back("the file has counters of the dominant type of operation only: others are taken as none");
    if (const auto* levels = kernel.object("utilizations")) take_utilizations(m, *levels);
    if (values.contains("reference_time")) {
        if (const auto time = kernel.number("reference_time")) {
            take_duration(record, *time * millisecond, record.launches);
        }
    }
    return record;
}

bool recognises(std::string_view text) {
    if (!trimmed(text).starts_with('{') || text.find("\"data\"") == std::string_view::npos) return false;
    return text.find("\"dominant_op\"") != std::string_view::npos ||
           text.find("\"mix_ldst\"") != std::string_view::npos;
}

Imported read(std::string_view text, Findings& findings) {
    const json file = json::parse(text, nullptr, false);
    if (!file.is_object() || !file.contains("data") || !file["data"].is_object()) {
        findings.fatal({}, "not whole: no JSON object with the kernels in \"data\"");
    }
    Imported imported;
    imported.tool = "gpuroofperf";
    const auto text_of = [&](const char* key) -> std::optional<std::string> {
        if (!file.contains(key) || !file[key].is_string()) return std::nullopt;
        return file[key].get<std::string>();
    };
    if (const auto device = text_of("device"); device && !trimmed(*device).empty()) {
        imported.gpus.emplace(0, trimmed(*device));
    }
    imported.provenance.command = text_of("invocation");
    if (const auto driver = text_of("driver"); driver && *driver != "-") imported.provenance.driver_version = driver;
    const JsonPlaces places = find_json_places(text);
    for (const auto& [path, line] : places.repeated) {
        findings.problem({line, path.substr(path.rfind('\n') + 1)}, "repeats an earlier key, whose value is lost");
    }
    auto& kernels = imported.views.emplace_back();
    for (const auto& [name, values] : file["data"].items()) {
        if (!values.is_object()) {
            findings.problem({places.line({"data", name}), name}, "is not a kernel");
            continue;
        }
        if (auto record = read_kernel(name, values, places, findings)) kernels.push_back(std::move(*record));
    }
    return imported;
}

}  // namespace

const Importer gpuroofperf_json{"gpuroofperf kernels", recognises, read};

}  // namespace gpuproj::import
