// gpuproj doctor: what works on this machine and what to do about the rest.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <regex>

#include "collector/launch/launch.hpp"
#include "collector/machine/obstacles.hpp"
#include "model/error.hpp"
#include "targets/catalog.hpp"
#include "tools/gpuproj/build_info.hpp"
#include "tools/gpuproj/choose_collector.hpp"
#include "tools/gpuproj/output.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {
namespace {

namespace fs = std::filesystem;

/// One thing looked at. `remedy` is empty where nothing is to be done.
struct Check {
    std::string what;
    bool works = false;
    std::string found;
    std::string remedy;
};

/// What `program argument` prints; empty if it fails.
std::string output_of(const std::string& program, const std::string& argument) {
    std::string quoted;
    for (const char c : program) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    const auto command = fmt::format("'{}' {} 2>/dev/null", quoted, argument);
    const auto close = [](FILE* pipe) { pclose(pipe); };
    const std::unique_ptr<FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
    std::string text;
    std::array<char, 4096> buffer{};
    while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) text += buffer.data();
    return text;
}

/// What stands in the brackets of `pattern` in `text`; empty if it does not match.
std::string part_of(const std::string& text, const char* pattern) {
    std::smatch match;
    return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

Check check_nvcc() {
    const auto nvcc = find_vendor_tool("nvcc");
    if (!nvcc) {
        return {"CUDA compiler", false, "no nvcc in $CUDA_HOME, $PATH or /usr/local/cuda",
                fmt::format("to build CUDA programs, on Debian 12: {}", get_cuda_command)};
    }
    return {"CUDA compiler", true,
            fmt::format("{}, {}", *nvcc, part_of(output_of(*nvcc, "--version"), "release ([0-9.]+)")), ""};
}

Check check_cupti() {
    for (const auto& root :
         {std::string(std::getenv("CUDA_HOME") != nullptr ? std::getenv("CUDA_HOME") : "/usr/local/cuda"),
          std::string("/usr/local/cuda"), std::string("/usr")}) {
        for (const auto* directory :
             {"lib64", "lib", "extras/CUPTI/lib64", "targets/x86_64-linux/lib", "lib/x86_64-linux-gnu"}) {
            std::error_code none;
            for (const auto& entry : fs::directory_iterator(fs::path(root) / directory, none)) {
                const auto name = entry.path().filename().string();
                if (name.starts_with("libcupti.so")) return {"CUPTI", true, entry.path().string(), ""};
            }
        }
    }
    return {"CUPTI", false, "no libcupti.so", "comes with the CUDA toolkit; only measuring on an NVIDIA GPU needs it"};
}

Check check_driver(const MachineFacts& facts) {
    if (!facts.nvidia_driver.empty()) return {"NVIDIA driver", true, facts.nvidia_driver, ""};
    return {"NVIDIA driver", false, "not loaded", "none is needed to simulate: name the reference GPU with --ref"};
}

std::vector<Check> check_gpus(const MachineFacts& facts) {
    std::vector<Check> checks;
    for (const auto& gpu : facts.gpus) checks.push_back({"GPU", true, fmt::format("{} {}", gpu.vendor, gpu.name), ""});
    if (checks.empty()) checks.push_back({"GPU", false, "none found", "simulate one: gpuproj run ./app --ref GTX480"});
    return checks;
}

/// The hardware collectors matter only where there is hardware, or a driver for it.
std::vector<Check> check_collectors(const MachineFacts& facts) {
    std::vector<Check> checks;
    const bool hardware = !facts.gpus.empty() || !facts.nvidia_driver.empty();
    for (std::size_t at = 0; at < collector_names().size(); ++at) {
        const auto kind = static_cast<CollectorKind>(at);
        const auto name = fmt::format("collector {}", collector_names()[at]);
        if (kind == CollectorKind::simulate) {
            const auto reason = unavailable(kind);
            checks.push_back({name, !reason, reason.value_or("works"), ""});
            continue;
        }
        if (!hardware) continue;
        const auto found = obstacles(kind, facts);
        if (found.empty()) checks.push_back({name, true, "nothing speaks against it", ""});
        for (const auto& obstacle : found) checks.push_back({name, false, obstacle.what, obstacle.remedy});
    }
    return checks;
}

Check check_tool(const std::string& what, const std::string& name, const std::string& remedy) {
    const auto file = find_vendor_tool(name);
    return file ? Check{what, true, *file, ""} : Check{what, false, fmt::format("no {}", name), remedy};
}

Check check_targets() {
    try {
        const auto catalog = Catalog::open();
        std::size_t own = 0;
        for (const auto& gpu : catalog.gpus()) own += gpu.file.empty() ? 0 : 1;
        return {"stored GPUs", true, fmt::format("{}, {} of them your own", catalog.gpus().size(), own), ""};
    } catch (const Error& error) {
        return {"stored GPUs", false, error.what(), "correct $GPUPROJ_TARGETS"};
    }
}

/// What was probed, and the compute capability of the first GPU where it is stored.
MachineFacts machine_with_capability() {
    auto facts = probe_machine();
    try {
        const auto catalog = Catalog::open();
        if (!facts.gpus.empty())
            facts.capability = Catalog::load(catalog.find(facts.gpus.front().name)).compute_capability;
    } catch (const Error&) {
        return facts;  // not stored: its capability is not known
    }
    return facts;
}

std::vector<Check> all_checks() {
    std::vector<Check> checks = {{"gpuproj", true, std::string(version), ""}};
    for (const auto part : left_out_parts()) checks.push_back({"left out of this build", false, std::string(part), ""});
    checks.push_back(check_targets());
    const auto facts = machine_with_capability();
    checks.push_back(check_driver(facts));
    for (auto& gpu : check_gpus(facts)) checks.push_back(std::move(gpu));
    for (auto& collector : check_collectors(facts)) checks.push_back(std::move(collector));
    checks.push_back(check_nvcc());
    checks.push_back(check_cupti());
    checks.push_back(check_tool("Nsight Compute", "ncu", "only measuring with ncu needs it"));
    checks.push_back(check_tool("nvprof", "nvprof", "only measuring on GPUs before Volta needs it"));
    checks.push_back(check_tool("rocprofv3", "rocprofv3", "only measuring on AMD GPUs needs it"));
    checks.push_back(
        check_tool("gnuplot", "gnuplot", "static and terminal charts need it: sudo apt-get install -y gnuplot-nox"));
    return checks;
}

}  // namespace

int doctor_verb(const Words& words) {
    OutputOptions output;
    CommandLine line("doctor", "What works on this machine and what to do about the rest.");
    output.declare(line);
    line.parse(words);

    const auto checks = all_checks();
    const auto format = output.format();
    if (format != OutputFormat::terminal) {
        Table table{.title = "gpuproj doctor",
                    .columns = {{"check", "check"}, {"works", "works"}, {"found", "found"}, {"remedy", "remedy"}}};
        for (const auto& check : checks) {
            table.rows.push_back(
                {check.what, check.works, check.found, check.remedy.empty() ? Cell{} : Cell{check.remedy}});
        }
        print_tables({&table, 1}, format);
        return 0;
    }
    constexpr std::size_t indent = 28;
    const auto width = stdout_screen().width;
    std::string text;
    for (const auto& check : checks) {
        const auto said = check.remedy.empty() ? check.found : fmt::format("{}; {}", check.found, check.remedy);
        text += fmt::format("{:<3} {:<23} {}\n", check.works ? "ok" : "-", check.what, wrapped(said, width, indent));
    }
    print_report(text);
    return 0;
}

}  // namespace gpuproj
