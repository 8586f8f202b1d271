// gpuproj targets bench: measures a device of this machine, by the benchmark programs that lie beside gpuproj.
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "collector/launch/launch.hpp"
#include "model/error.hpp"
#include "model/file_io.hpp"
#include "reports/gpus.hpp"
#include "targets/bench.hpp"
#include "targets/catalog.hpp"
#include "targets/gpu_file.hpp"
#include "tools/gpuproj/output.hpp"
#include "tools/gpuproj/targets_actions.hpp"

namespace gpuproj {
namespace {

namespace fs = std::filesystem;

// The vendors' own first: they know more of a device.
constexpr std::array<std::string_view, 3> interfaces = {"cuda", "hip", "opencl"};

// As their makers spell them.
std::string spelled(std::string_view interface) {
    return interface == "cuda" ? "CUDA" : interface == "hip" ? "HIP" : "OpenCL";
}

fs::path program_of(std::string_view interface) {
    return fs::read_symlink("/proc/self/exe").parent_path() / fmt::format("gpuproj-bench-{}", interface);
}

// A file of our own that goes with the scope.
class ScratchFile {
public:
    ScratchFile() : path_((fs::temp_directory_path() / "gpuproj-bench-XXXXXX").string()) {
        const int descriptor = mkstemp(path_.data());
        if (descriptor < 0) throw Error("cannot create a file in " + fs::temp_directory_path().string());
        close(descriptor);
    }
    ~ScratchFile() {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

std::vector<BenchDevice> devices_of(std::string_view interface) {
    const ScratchFile output;
    const auto program = program_of(interface).string();
    launch::Command command;
    command.words = {program, "--list", "--output", output.path()};
    const auto ended = launch::run(command);
    if (ended.status != 0) throw Error(fmt::format("targets bench: {} ended with {}", program, ended.status));
    return read_bench_devices(output.path());
}

struct Interface {
    std::string name;
    std::vector<BenchDevice> devices;
    std::string tried;  // for messages: "CUDA or OpenCL"
};

// The one asked for, or the first that is built and has a device.
Interface choose(const std::string& wanted) {
    Interface found;
    for (const auto name : interfaces) {
        if (wanted != "auto" && wanted != name) continue;
        if (!fs::exists(program_of(name))) continue;
        found.name = name;
        found.devices = devices_of(name);
        found.tried += (found.tried.empty() ? "" : " or ") + spelled(name);
        if (!found.devices.empty()) return found;
    }
    if (found.name.empty()) {
        throw Error(wanted == "auto"
                        ? "targets bench: no benchmark program was built; gpuproj doctor says what is missing"
                        : fmt::format("targets bench: {} was not built; gpuproj doctor says what it needs",
                                      program_of(wanted).filename().string()));
    }
    return found;
}

Table device_table(const std::vector<BenchDevice>& devices) {
    Table table{.title = {},
                .columns = {{"device", "device", Unit::count},
                            {"name", "name"},
                            {"units", "units", Unit::count},
                            {"memory_byte", "memory", Unit::capacity},
                            {"driver", "driver"}}};
    for (std::size_t i = 0; i < devices.size(); ++i) {
        auto& cells = table.rows.emplace_back();
        cells = {static_cast<std::int64_t>(i), devices[i].name, static_cast<std::int64_t>(devices[i].units)};
        cells.emplace_back();
        if (const auto memory = devices[i].memory_byte) cells.back() = *memory;
        cells.emplace_back(devices[i].driver);
    }
    return table;
}

Table comparison_table(const std::vector<BenchComparison>& rows, const std::string& name) {
    Table table{.title = "Measured against " + name,
                .columns = {{"parameter", "parameter"},
                            {"measured", "measured"},
                            {"stored", "stored"},
                            {"ratio", "ratio", Unit::factor},
                            {"normal", "normal"}}};
    for (const auto& row : rows) {
        table.rows.push_back({row.parameter, row.measured, row.stored, row.ratio, row.normal ? "yes" : "no"});
    }
    return table;
}

Table intensity_table(const std::vector<IntensityPoint>& points) {
    Table table{
        .title = "Multiply-adds on floats read from memory: predicted by the roofline of this run, and measured",
        .columns = {{"intensity_op_per_byte", "op/byte", Unit::count},
                    {"measured_op_per_s", "measured", Unit::operations_per_second},
                    {"predicted_op_per_s", "predicted", Unit::operations_per_second},
                    {"error", "error", Unit::fraction}}};
    for (const auto& point : points) {
        table.rows.push_back({point.intensity, point.measured, point.predicted, point.predicted / point.measured - 1});
    }
    return table;
}

}  // namespace

int targets_bench(const Words& words) {
    OutputOptions output;
    std::string interface = "auto";
    std::uint64_t device = 0;
    std::optional<std::string> file;
    std::optional<std::string> raw;
    std::optional<std::string> compare;
    bool list = false;
    bool quick = false;
    bool roofline = false;
    bool force = false;
    CommandLine line(
        "targets bench",
        "Measures a device of this machine: arithmetic, memory, caches, latencies. The result is a GPU file.");
    line.choice("--interface", {"auto", "cuda", "hip", "opencl"}, interface, "programming interface");
    line.flag("--list", list, "the devices, and no more");
    line.number("--device", device, "which one, counted from 0");
    line.flag("--quick", quick, "the six parameters of the roofline models only, with fewer repetitions");
    line.option("-o,--output", "FILE", file, "write the GPU file (.json), which --target takes");
    line.option("--raw", "FILE", raw, "write all that was measured, sweeps included");
    line.option("--compare", "GPU", compare, "against a stored GPU: is this card normal?");
    line.flag("--roofline", roofline, "the sweep over operational intensity, predicted and measured");
    line.flag("-f,--force", force, "overwrite");
    output.declare(line);
    line.parse(words);

    for (const auto& path : {file, raw}) {
        if (path) check_writable(*path, force);
    }
    if (roofline && quick) throw UsageError("targets bench: --quick leaves out what --roofline shows");
    const auto catalog = Catalog::open();
    const auto stored = compare ? std::optional(catalog.get(*compare)) : std::nullopt;
    const auto chosen = choose(interface);
    const auto none =
        fmt::format("targets bench: no {} device; is its driver installed, and may you use it?", chosen.tried);
    if (list && chosen.devices.empty()) {
        spdlog::warn("{}", none);
    } else if (list) {
        const auto table = device_table(chosen.devices);
        print_tables({&table, 1}, output.format());
    }
    if (list) return 0;
    if (chosen.devices.empty()) throw Error(none);
    if (device >= chosen.devices.size()) {
        throw UsageError(fmt::format("targets bench: no {} device {}; there {} {}, counted from 0",
                                     spelled(chosen.name), device, chosen.devices.size() == 1 ? "is" : "are",
                                     chosen.devices.size()));
    }

    const ScratchFile scratch;
    launch::Command command;
    command.words = {program_of(chosen.name).string(), "--device", std::to_string(device), "--output", scratch.path()};
    if (quick) command.words.emplace_back("--quick");
    if (isatty(STDERR_FILENO) == 0) command.words.emplace_back("--quiet");
    const auto ended = launch::run(command);
    if (ended.interrupted) return 128 + *ended.interrupted;
    if (ended.status != 0) throw Error("targets bench: nothing is stored, because measuring failed (see above)");
    const auto results = read_bench_results(scratch.path());
    const Gpu gpu = gpu_from_bench(results, catalog);
    if (const auto note = unsettled_note(results); !note.empty()) spdlog::warn("targets bench: {}", note);
    if (const auto note = shared_device_note(results, gpu); !note.empty()) spdlog::warn("targets bench: {}", note);
    if (raw) write_file(*raw, read_file(scratch.path()), force);
    if (file) write_file(*file, gpu_file_text(gpu), force);

    const auto format = output.format();
    if (roofline) {
        const auto table = intensity_table(predict_intensities(results));
        print_tables({&table, 1}, format);
    } else if (stored) {
        const auto table = comparison_table(compare_bench(results, *stored), stored->name);
        print_tables({&table, 1}, format);
    } else if (!file || format != OutputFormat::terminal) {
        if (format == OutputFormat::json) {
            print_report(gpu_file_text(gpu));
        } else if (format == OutputFormat::terminal) {
            print_report(gpu_to_terminal(gpu, true, stdout_screen()));
        } else {
            const auto table = gpu_parameter_table(gpu, true);
            print_tables({&table, 1}, format);
        }
    }
    return 0;
}

}  // namespace gpuproj
