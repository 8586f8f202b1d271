// What every importer gives, and what they share.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/import/device_samples.hpp"
#include "collector/import/findings.hpp"
#include "collector/import/rows.hpp"
#include "collector/metric_names/metric_names.hpp"
#include "collector/metric_names/units.hpp"
#include "model/profile.hpp"

namespace gpuproj::import {

struct ImportedTransfer {
    Transfer transfer{};
    std::string gpu{};  // as the tool names it, empty where the file does not say
};

/// What one file holds. Records are as the file has them: one per launch, or one per kernel.
struct Imported {
    std::string tool{};  // ncu, nvprof, nsys, rocprofv3, gpuroofperf, dcgmi dmon
    /// A file may show the same launches in several ways, such as counters and a trace, or ncu's pages: each by itself.
    std::vector<std::vector<KernelRecord>> views{};
    /// Of a tool that looks at GPUs and not at kernels, in place of views.
    std::vector<DeviceSample> samples{};
    std::vector<ImportedTransfer> transfers{};
    std::map<int, std::string> gpus{};                // by device ordinal, as the tool names them
    std::optional<std::string> compute_capability{};  // "7.0", where the file says that and no name
    Provenance provenance{};                          // what the file says of it
    std::optional<Bytes> peak_device_memory{};
    std::optional<Seconds> host_time{};
};

/// Reads one file's text, UTF-8. Throws Error through `findings`.
struct Importer {
    std::string_view name;  // for people
    bool (*recognises)(std::string_view text);
    Imported (*read)(std::string_view text, Findings& findings);
};

extern const Importer ncu_csv;
extern const Importer nvprof_csv;
extern const Importer rocprof_csv;
extern const Importer gpuroofperf_json;
extern const Importer nsys_csv;
extern const Importer dcgmi_dmon;

/// Where the values of one kernel stand: its first line and, in files with a row per metric, the line of each. Names
/// are the keys of the kernel's VendorMetrics, which stay where they are.
struct ValueLines {
    int first = 0;
    std::vector<std::pair<std::string_view, int>> of_metric{};

    int of(std::string_view metric) const;
};

/// Warns where counters cannot be right together: more multiply-adds than floating-point instructions, more conflicts
/// than wavefronts, fractions above 1. `values` tell by which of the tool's metrics; `launches` as summed in `kernel`.
void check_counters(const KernelRecord& kernel, MetricFamily family, const VendorMetrics& values,
                    const ValueLines& lines, Findings& findings);

/// Fills `kernel.metrics` from the mean of its launches, leaves out what a profile cannot hold, and checks the rest.
void take_metrics(KernelRecord& kernel, MetricFamily family, const VendorMetrics& values, const ValueLines& lines,
                  Findings& findings);

/// One launch timed, or several; a time of 0 is none.
void take_duration(KernelRecord& kernel, double seconds, std::uint64_t count);

/// The shortest and longest of the launches that `kernel.duration` is of, in seconds; passed over where they cannot be.
void take_extremes(KernelRecord& kernel, std::optional<double> shortest, std::optional<double> longest);

/// A count of 1 to 1e15. None for anything else.
std::optional<std::uint64_t> whole_number(std::string_view text, NumberStyle style);

/// How many launches a row is of, from its cell in `column`. None, and a problem, for anything but a count.
std::optional<std::uint64_t> launches_of(const Row& row, const Header& header, std::string_view column,
                                         NumberStyle style, Findings& findings);

/// How the file writes numbers, from the cells that `numbers` adds for each row behind its first header.
NumberStyle style_of(std::string_view text, const HeaderKind& kind,
                     const std::function<void(const Header&, const Row&, std::vector<std::string>& cells)>& numbers);

/// "(256, 1, 1)", "256,1,1", "256 x 1 x 1", "256": absent numbers are 1. None for anything else, zeros among it.
std::optional<Dim3> dimensions(std::string_view text);

/// "Tesla K20c (0)" -> "Tesla K20c", 0.
std::pair<std::string, int> device_of(std::string_view text);

/// "host_to_device" and the like, of how NVIDIA's tools call a copy or memset; empty for anything else.
std::string_view direction_of(std::string_view name);

/// Demangled, blanks at both ends removed; "?" where there is none.
std::string kernel_name(std::string_view text);

/// Says that a column's name is there a second time: which is meant is not known, and where that is no obstacle the
/// first is read. Columns whose name `may_repeat` are passed over, and those without a name.
void check_repeated_columns(const Header& header, bool (*may_repeat)(std::string_view name), Findings& findings);

/// Says that the row is not whole, and where; the reader goes on behind its first line. True if so.
bool is_damaged(const Row& row, std::size_t least, std::size_t most, RowReader& reader, Findings& findings);

}  // namespace gpuproj::import
