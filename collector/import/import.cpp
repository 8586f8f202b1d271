#include "collector/import/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "collector/import/importer.hpp"
#include "collector/import/recognise.hpp"
#include "collector/records/merge.hpp"
#include "collector/records/times.hpp"
#include "model/error.hpp"

namespace gpuproj::import {

namespace {

template <class Action>
void for_each_counter(Action action) {
    std::apply([&](const auto&... field) { (action(field), ...); }, KernelMetrics::fields);
}

double number_of(double value) {
    return value;
}
template <Dimension D>
double number_of(Quantity<D> value) {
    return value.value;
}

/// Says which counters are lost in a sum because some launches have none.
void tell_lost(const std::vector<KernelRecord>& launches, const std::vector<KernelRecord>& sums, Findings& findings) {
    const auto sum_of = records::sum_of_each(launches);
    for_each_counter([&](const auto& field) {
        const auto has = [&](const KernelRecord& record) { return (record.metrics.*field.member).has_value(); };
        if (std::ranges::all_of(sums, has)) return;
        std::vector<bool> some(sums.size());
        for (std::size_t i = 0; i < launches.size(); ++i) {
            if (has(launches[i])) some[sum_of[i]] = true;
        }
        for (std::size_t i = 0; i < sums.size(); ++i) {
            if (has(sums[i]) || !some[i]) continue;
            findings.warn({}, fmt::format("{}: {} is there for some launches only, so its sum is not known",
                                          sums[i].kernel, field.key));
        }
    });
}

struct Read {
    Imported imported;
    std::vector<KernelRecord> kernels;
};

/// Empty where the file does not say.
std::string gpu_of(int device, const Imported& imported) {
    const auto found = imported.gpus.find(device);
    return found == imported.gpus.end() ? "" : found->second;
}

/// Keeps the launches and copies of one GPU.
std::string choose_gpu(Imported& imported, const ImportOptions& options, Findings& findings) {
    std::vector<std::string> names;
    for (const auto& view : imported.views) {
        for (const auto& record : view) {
            const auto name = gpu_of(record.device, imported);
            if (std::ranges::find(names, name) == names.end()) names.push_back(name);
        }
    }
    const auto chosen = records::choose_gpu(names, options.is_reference, findings.file());
    std::erase(names, "");
    if (!options.is_reference && names.size() > 1) {
        findings.problem({}, fmt::format("has kernels of several GPUs ({}): choose one with --ref; those of all but {}",
                                         fmt::join(names, ", "), chosen.name()));
    }
    // Of one device that is named, what names none is of it too: a summary beside counters.
    const bool one_device = chosen.takes_unnamed && imported.gpus.size() == 1;
    std::size_t unnamed = 0;
    for (auto& view : imported.views) {
        for (auto& record : view) {
            if (one_device && gpu_of(record.device, imported).empty()) record.device = imported.gpus.begin()->first;
        }
        std::erase_if(view, [&](const KernelRecord& record) {
            const auto gpu = gpu_of(record.device, imported);
            const bool other = !chosen.takes(gpu);
            unnamed += other && gpu.empty() ? 1 : 0;
            return other;
        });
    }
    if (unnamed > 0) {
        findings.warn({}, fmt::format("{} kernels whose GPU the file does not name are left out, as it has kernels of "
                                      "several ({})",
                                      unnamed, fmt::join(names, ", ")));
    }
    std::erase_if(imported.transfers, [&](const ImportedTransfer& copy) {
        return !copy.gpu.empty() && !chosen.names.empty() && !chosen.takes(copy.gpu);
    });
    return chosen.name();
}

/// Counters of `more`, sums over its launches, as sums over the launches of `into`.
KernelMetrics as_of_launches(const KernelRecord& into, const KernelRecord& more, Findings& findings) {
    KernelMetrics metrics = more.metrics;
    if (more.launches == into.launches) return metrics;
    scale(metrics, static_cast<double>(into.launches) / static_cast<double>(more.launches));
    findings.warn({}, fmt::format("{}: {} launches counted here, {} before; counters from here are scaled to these",
                                  into.kernel, more.launches, into.launches));
    return metrics;
}

/// Fills what `into` does not know of the same launches.
void unite(KernelRecord& into, const KernelRecord& more, Findings& findings) {
    constexpr double tolerance = 0.01;
    const KernelMetrics metrics = as_of_launches(into, more, findings);
    for_each_counter([&](const auto& field) {
        auto& mine = into.metrics.*field.member;
        const auto& other = metrics.*field.member;
        if (!other) return;
        if (!mine) {
            mine = other;
            return;
        }
        const double a = number_of(*mine), b = number_of(*other);
        if (std::abs(a - b) > tolerance * std::max(a, b)) {
            findings.warn({},
                          fmt::format("{}: {} is {} here and {} before, which is kept", into.kernel, field.key, b, a));
        }
    });
    // That the launches differ in number is told already.
    if (!into.duration) records::add_times(into, std::span(&more, 1));
}

/// The times of `timed`, all launches of one kernel, for the counted record of that kernel.
void take_times(KernelRecord& counted, const std::vector<KernelRecord>& timed, Findings& findings) {
    const KernelRecord& first = timed.front();
    const bool one_size = timed.size() == 1;
    if (one_size && !counted.grid && !counted.block) {
        counted.grid = first.grid;
        counted.block = first.block;
        counted.dynamic_shared = first.dynamic_shared;
        counted.static_shared = first.static_shared;
        counted.registers_per_thread = first.registers_per_thread;
    } else if (!one_size && !counted.grid) {
        counted.notes.push_back(fmt::format(
            "launched in {} sizes, which the counters do not tell apart: grid and block are left open", timed.size()));
    }
    if (counted.duration) return;
    if (const auto warning = records::add_times(counted, timed)) findings.warn({}, *warning);
}

/// Can `timed` be launches that `counted` counted? Sizes that one of them does not know are no difference.
bool may_be_launches_of(const KernelRecord& counted, const KernelRecord& timed) {
    const auto agree = [](const auto& x, const auto& y) { return !x || !y || *x == *y; };
    return counted.kernel == timed.kernel && counted.device == timed.device && agree(counted.grid, timed.grid) &&
           agree(counted.block, timed.block);
}

/// Says of which counted kernels some launches were timed, in other sizes, and not counted, and how long these took.
void tell_uncounted_sizes(const std::vector<KernelRecord>& counted, const std::vector<KernelRecord>& uncounted,
                          Findings& findings) {
    struct Total {
        std::uint64_t launches = 0;
        Seconds time;
    };
    std::map<std::pair<std::string_view, int>, Total> totals;
    for (const auto& record : uncounted) {
        const auto is_it = [&](const KernelRecord& k) {
            return k.kernel == record.kernel && k.device == record.device;
        };
        if (std::ranges::none_of(counted, is_it)) continue;
        Total& total = totals[{record.kernel, record.device}];
        total.launches += record.launches;
        if (record.duration) total.time += record.duration->sum;
    }
    constexpr double milli = 1e-3;
    for (const auto& entry : totals) {  // by [kernel, total] clang-tidy-16 would crash
        findings.warn({}, fmt::format("{}: {} launches, {:.4g} ms in all, are of sizes (grid and block) that were not "
                                      "counted; kept without counters, and not predicted",
                                      entry.first.first, entry.second.launches, entry.second.time.value / milli));
    }
}

/// Records of several files or views about the same launches, joined.
std::vector<KernelRecord> joined(std::vector<KernelRecord> all, Findings& findings) {
    std::vector<KernelRecord> counted, timed;
    for (auto& record : all) (records::has_counters(record) ? counted : timed).push_back(std::move(record));
    std::vector<KernelRecord> kernels;
    for (auto& record : counted) {
        const auto same =
            std::ranges::find_if(kernels, [&](const KernelRecord& k) { return records::same_launch(k, record); });
        if (same == kernels.end()) {
            kernels.push_back(std::move(record));
        } else {
            unite(*same, record, findings);
        }
    }
    std::vector<bool> used(timed.size());
    for (auto& kernel : kernels) {
        std::vector<KernelRecord> mine;
        for (std::size_t i = 0; i < timed.size(); ++i) {
            if (!may_be_launches_of(kernel, timed[i])) continue;
            mine.push_back(timed[i]);
            used[i] = true;
        }
        if (!mine.empty()) take_times(kernel, mine, findings);
    }
    std::vector<KernelRecord> rest;
    for (std::size_t i = 0; i < timed.size(); ++i) {
        if (!used[i]) rest.push_back(std::move(timed[i]));
    }
    tell_uncounted_sizes(kernels, rest, findings);
    kernels.insert(kernels.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
    return kernels;
}

/// The launches of each view summed: those of different views are the same ones.
std::vector<KernelRecord> sums_of(const std::vector<std::vector<KernelRecord>>& views, Findings& findings) {
    std::vector<KernelRecord> all;
    for (const auto& view : views) {
        const auto sums = records::sum_records(view);
        tell_lost(view, sums, findings);
        all.insert(all.end(), sums.begin(), sums.end());
    }
    return all;
}

/// The launches one by one, of the view that has counters.
std::vector<KernelRecord> launches_of(std::vector<std::vector<KernelRecord>>& views, Findings& findings) {
    std::erase_if(views, [](const auto& view) { return view.empty(); });
    if (views.empty()) return {};
    if (views.size() > 1) {
        findings.problem({},
                         "shows the same launches more than once, such as counters and times, and which are the same "
                         "is not known: import it without --per-launch; all but one of these");
    }
    const auto counted =
        std::ranges::find_if(views, [](const auto& view) { return std::ranges::any_of(view, records::has_counters); });
    return std::move(counted == views.end() ? views.front() : *counted);
}

/// Samples of GPUs become records, by the peak rates of each.
void count_samples(Imported& imported, const ImportOptions& options, Findings& findings) {
    std::map<int, std::vector<DeviceSample>> by_device;
    for (const auto& sample : imported.samples) {
        by_device[sample.device].push_back(sample);
        if (const auto used = sample.memory_used)
            imported.peak_device_memory = std::max(imported.peak_device_memory.value_or(*used), *used);
    }
    std::size_t longest = 0;
    auto& records = imported.views.emplace_back();  // of one time, and of GPUs that are told apart by their numbers
    for (const auto& [device, samples] : by_device) {
        const std::string name = gpu_of(device, imported);
        const auto gpu = options.find_gpu ? options.find_gpu(name) : std::nullopt;
        if (!gpu) {
            findings.fatal({},
                           fmt::format("has shares of what {} can do at most, which is not known: name the GPU with "
                                       "--ref, as gpuproj targets list calls it",
                                       name.empty() ? "a GPU" : name));
        }
        std::ranges::move(records_of(samples, options.sample_interval, *gpu, findings), std::back_inserter(records));
        longest = std::max(longest, samples.size());
    }
    imported.host_time = static_cast<double>(longest) * options.sample_interval;
    if (records.empty()) findings.fatal({}, "no GPU had work in any of its samples");
}

/// A file, what is wrong in it, and the GPU that it is of.
struct FileRead {
    Findings findings;
    Read read;
    std::string gpu;
};

Read read_file(const InputFile& file, const ImportOptions& options, Findings& findings, std::string& gpu) {
    const std::string text = as_utf8(file.text);
    const Importer& importer = importer_for(file.text, text, findings);
    Read read{importer.read(text, findings), {}};
    if (!read.imported.samples.empty()) count_samples(read.imported, options, findings);
    const auto is_empty = [](const auto& view) { return view.empty(); };
    if (std::ranges::all_of(read.imported.views, is_empty))
        findings.fatal({}, fmt::format("has no kernels ({})", importer.name));
    gpu = choose_gpu(read.imported, options, findings);
    auto& views = read.imported.views;
    // What is timed and not counted is one record per launch too: a trace.
    read.kernels = options.per_launch ? launches_of(views, findings) : sums_of(views, findings);
    return read;
}

/// Gives what files that name no device took, such as a summary, to the device that the others name; where they name
/// several, nobody knows which it is of, and it is left out.
void give_devices(std::span<FileRead> files) {
    std::map<int, std::string> devices;
    for (const auto& file : files) devices.insert(file.read.imported.gpus.begin(), file.read.imported.gpus.end());
    if (devices.empty()) return;
    for (auto& [findings, read, gpu] : files) {
        if (!read.imported.gpus.empty()) continue;
        if (devices.size() == 1) {
            for (auto& kernel : read.kernels) kernel.device = devices.begin()->first;
            continue;
        }
        std::string names;
        for (const auto& [device, name] : devices)
            names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", name, device);
        findings.warn({}, fmt::format("its {} kernels are left out: it does not name their GPU, and the other files "
                                      "have kernels of several ({})",
                                      read.kernels.size(), names));
        read.kernels.clear();
    }
}

template <class T>
void keep_first(std::optional<T>& into, const std::optional<T>& more) {
    if (!into) into = more;
}

}  // namespace

ImportResult import_files(std::span<const InputFile> files, const ImportOptions& options) {
    if (files.empty()) throw UsageError("no file to import");
    ImportResult result;
    Profile& profile = result.profile;
    profile.provenance.counters = "measured";
    std::vector<KernelRecord> all;
    std::vector<std::string> tools, sources;
    std::vector<FileRead> reads;
    reads.reserve(files.size());
    for (const auto& file : files) {
        auto& [findings, read, gpu] = reads.emplace_back(FileRead{Findings(file.name, options.lenient), {}, {}});
        read = read_file(file, options, findings, gpu);
    }
    give_devices(reads);
    for (auto& [findings, read, gpu] : reads) {
        if (profile.gpu.empty()) {
            profile.gpu = gpu;
        } else if (!gpu.empty() && gpu != profile.gpu) {
            findings.fatal({}, fmt::format("is of {}, the files before it are of {}: import each GPU's by itself", gpu,
                                           profile.gpu));
        }
        if (std::ranges::find(tools, read.imported.tool) == tools.end()) tools.push_back(read.imported.tool);
        sources.push_back(findings.file());
        const Provenance& known = read.imported.provenance;
        keep_first(profile.provenance.command, known.command);
        keep_first(profile.provenance.driver_version, known.driver_version);
        keep_first(profile.provenance.core_clock, known.core_clock);
        keep_first(profile.provenance.memory_clock, known.memory_clock);
        keep_first(result.compute_capability, read.imported.compute_capability);
        keep_first(profile.peak_device_memory, read.imported.peak_device_memory);
        keep_first(profile.host_time, read.imported.host_time);
        if (!read.imported.samples.empty()) {
            if (files.size() > 1) {
                findings.fatal({},
                               "has samples of GPUs, which are of no kernels that other files may have: import it by "
                               "itself; gpuproj merge joins the profiles of several nodes");
            }
            profile.provenance.counters = "derived";
            profile.notes.emplace_back(
                "sampled by DCGM: a record is the time in which one unit was busiest, whatever ran then; counts are "
                "the shares of the pipes' peak rates, and all DRAM traffic is given as reads");
        }
        std::vector<Transfer> transfers;
        transfers.reserve(read.imported.transfers.size());
        for (auto& copy : read.imported.transfers) transfers.push_back(std::move(copy.transfer));
        if (profile.transfers.empty()) profile.transfers = records::sum_transfers(transfers);
        if (options.per_launch && files.size() == 1) {
            profile.kernels = std::move(read.kernels);
        } else {
            all.insert(all.end(), read.kernels.begin(), read.kernels.end());
            if (&findings == &reads.back().findings) profile.kernels = joined(std::exchange(all, {}), findings);
        }
        const auto messages = findings.messages();
        result.warnings.insert(result.warnings.end(), messages.begin(), messages.end());
    }
    profile.provenance.collector = fmt::format("import:{}", fmt::join(tools, "+"));
    profile.provenance.source = fmt::format("{}", fmt::join(sources, ", "));
    if (std::ranges::none_of(profile.kernels, records::has_counters)) {
        result.warnings.push_back(
            fmt::format("{}: times and no counters: predictions need both; give the file of the "
                        "counters too",
                        *profile.provenance.source));
    }
    return result;
}

std::vector<std::string_view> format_names() {
    std::vector<std::string_view> names;
    for (const auto* importer : importers()) names.push_back(importer->name);
    return names;
}

}  // namespace gpuproj::import
