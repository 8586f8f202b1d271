#include "collector/import/recognise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "collector/import/import.hpp"

namespace gpuproj::import {

namespace {

constexpr std::array all{&gpuroofperf_json, &ncu_csv, &rocprof_csv, &nvprof_csv, &nsys_csv, &dcgmi_dmon};

/// What else people take for such a file: by its beginning, or by words in it.
struct Foreign {
    std::string_view mark, answer;
};
constexpr auto foreign = std::to_array<Foreign>({
    {"SQLite format 3",
     "a database of nvprof, nvvp or nsys: nvprof --csv -i FILE or nsys stats -r cuda_gpu_trace -f csv FILE makes a CSV "
     "of it"},
    {"NVR", "a report of Nsight Compute: ncu --import FILE --csv --page raw --print-units base makes a CSV of it"},
    {"\x7F"
     "ELF",
     "a program: gpuproj run or profile runs it"},
    {"PK\x03\x04", "a zip archive or spreadsheet: save the sheet as CSV"},
    {"\x1F\x8B", "compressed: unpack it first"},
});

/// Words by which a tool says that it measured nothing.
constexpr auto failures = std::to_array<Foreign>({
    {"ERR_NVGPUCTRPERM", "the tool was not allowed to read performance counters; gpuproj doctor says how to allow it"},
    {"No kernels were profiled", "the tool profiled no kernel: the program launched none, or the filter chose none"},
    {"No events/metrics were profiled", "the tool profiled no kernel: the program launched none on the GPU chosen"},
    {"GFLOPS - SP", "measurements of a GPU by gpuroofperf-bench: gpuproj targets import reads them"},
    {"No CUDA application was profiled", "nvprof saw no CUDA program: the command launched none on a GPU it supports"},
    {"GPU profiling skipped", "nvprof could not use the GPU; gpuproj doctor says what keeps it from working"},
    {"No supported GPUs", "the tool found no GPU that it supports"},
});

constexpr std::string_view nvidia_smi =
    "nvidia-smi's utilization, the share of time in which any kernel ran: dcgmi dmon -e "
    "1001,1002,1003,1004,1005,1006,1007,1008 samples what they did";

/// Files that tools write for other programs, which have no counters.
constexpr auto other_files = std::to_array<Foreign>({
    {"\"traceEvents\"",
     "a trace of PyTorch's profiler or of Chrome's format: times and no counters; give what ncu --csv --page raw or "
     "rocprofv3 writes of the program, or let gpuproj profile run it"},
    {"\"ph\"", "a trace in Chrome's format: times and no counters; give what ncu --csv --page raw or rocprofv3 writes"},
    {"\"KERNEL_DISPATCH\"",
     "a trace of rocprofv3, without counters: give its *_counter_collection.csv, which has the times too (rocprofv3 "
     "--pmc ... --output-format csv)"},
    {"TotalDurationNs",
     "statistics of rocprof, without counters: give *_counter_collection.csv of rocprofv3 --pmc ... --output-format "
     "csv"},
    {"\"KernelName\"",
     "of rocprof before version 3: profile with rocprofv3 --pmc ... --output-format csv, whose counters are by name "
     "and launch"},
    {"DCGM_FI_PROF_",
     "what dcgm-exporter has for Prometheus, one look at the GPUs: dcgmi dmon -e "
     "1001,1002,1003,1004,1005,1006,1007,1008 "
     "prints one after the other"},
    {"utilization.gpu", nvidia_smi},
    {"# gpu ", nvidia_smi},  // its dmon
});

/// What tools print for people.
constexpr auto printed_tables = std::to_array<Foreign>({
    {"CUDA GPU Kernel Summary", "nsys stats' table for people: nsys stats -r cuda_gpu_trace -f csv makes a CSV of it"},
    {"==PROF==", "ncu's output for people: ncu --csv --page raw --print-units base writes what is read here"},
    {"Section: ", "ncu's output for people: ncu --csv --page raw --print-units base writes what is read here"},
    {"NVPROF is profiling", "nvprof's output for people: with --csv --log-file FILE it writes what is read here"},
});

/// Reports that only their own tool reads; what they begin with differs between versions.
constexpr auto reports_by_name = std::to_array<Foreign>({
    {".ncu-rep", "a report of Nsight Compute: ncu --import FILE --csv --page raw --print-units base makes a CSV of it"},
    {".nsys-rep", "a report of Nsight Systems: nsys stats -r cuda_gpu_trace -f csv FILE makes a CSV of its times"},
    {".qdrep", "a report of Nsight Systems: nsys stats -r gputrace -f csv FILE makes a CSV of its times"},
    {".nvvp", "a file of nvprof or nvvp: nvprof --csv -i FILE makes a CSV of it"},
});

/// Columns that a format needs, the telling ones first.
struct Needed {
    std::string_view tool;
    std::array<std::string_view, 5> columns;
};
constexpr auto needed = std::to_array<Needed>({
    {"ncu", {"Kernel Name", "ID", "Metric Name", "Metric Value", "Metric Unit"}},
    {"nvprof --metrics", {"Kernel", "Invocations", "Metric Name", "Avg", "Device"}},
    {"nvprof --print-gpu-trace", {"Start", "Duration", "Grid X", "Block X", "Name"}},
    {"nvprof", {"Time(%)", "Time", "Calls", "Name", ""}},
    {"rocprofv3", {"Kernel_Name", "Counter_Name", "Counter_Value", "", ""}},
});

/// The first line that has several of the columns of a format, and which it lacks.
void report_missing_columns(std::string_view text, const Findings& findings) {
    constexpr int most_lines = 2000;
    RowReader rows(text);
    for (int i = 0; i < most_lines; ++i) {
        const int line_number = rows.line();
        const auto line = rows.next_line();
        if (!line) return;
        if (line->find(',') == std::string_view::npos) continue;
        const Header header(split_row(*line, ','), line_number);
        for (const auto& format : needed) {
            std::vector<std::string_view> missing;
            int there = 0, wanted = 0;
            for (const auto column : format.columns) {
                if (column.empty()) continue;
                ++wanted;
                if (header.has(column)) {
                    ++there;
                } else {
                    missing.push_back(column);
                }
            }
            if (there >= 2 && there >= wanted / 2) {
                findings.fatal({line_number}, fmt::format("looks like a header of {}, but has no column \"{}\"",
                                                          format.tool, fmt::join(missing, "\", \"")));
            }
        }
    }
}

/// Names of all formats, for messages.
std::string formats() {
    return fmt::format("{}", fmt::join(format_names(), ", "));
}

}  // namespace

std::span<const Importer* const> importers() {
    return all;
}

const Importer& importer_for(std::string_view bytes, std::string_view text, const Findings& findings) {
    if (trimmed(text).empty()) {
        findings.fatal({},
                       "is empty; did the tool print to the terminal instead? ncu writes with --log-file FILE, nvprof "
                       "too");
    }
    for (const auto& kind : foreign) {
        if (bytes.starts_with(kind.mark)) findings.fatal({}, kind.answer);
    }
    for (const auto& kind : reports_by_name) {
        if (findings.file().ends_with(kind.mark)) findings.fatal({}, kind.answer);
    }
    if (text.find('\0') != std::string_view::npos) {
        findings.fatal({}, fmt::format("is a binary file; import reads {}", formats()));
    }
    for (const auto* importer : all) {
        if (importer->recognises(text)) return *importer;
    }
    if (text.find("\"gpuproj.profile\"") != std::string_view::npos) {
        findings.fatal({}, "is a profile already: predict reads it as it is, merge joins several");
    }
    const auto answer = [&](std::span<const Foreign> kinds) {
        for (const auto& kind : kinds) {
            if (text.find(kind.mark) != std::string_view::npos) findings.fatal({}, kind.answer);
        }
    };
    answer(failures);
    answer(other_files);
    report_missing_columns(text, findings);
    answer(printed_tables);
    findings.fatal({}, fmt::format("is of no tool that import knows: {}", formats()));
}

}  // namespace gpuproj::import
