#include "collector/simulate/cuda_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <sstream>

#include "collector/launch/launch.hpp"
#include "collector/simulate/fatbin/fatbin.hpp"
#include "collector/simulate/fatbin/mapped_file.hpp"
#include "collector/simulate/fatbin/ptx_advice.hpp"
#include "collector/simulate/session.hpp"
#include "model/error.hpp"

namespace gpuproj::simulate {

namespace {

// Libraries whose kernels come as machine code only, with a stripped runtime inside.
constexpr std::array closed_libraries{"libcublas.so",   "libcublasLt.so", "libcufft.so",      "libcurand.so",
                                      "libcusparse.so", "libcusolver.so", "libcusparseLt.so", "libcutensor.so",
                                      "libcudnn",       "libnccl.so",     "libnpp",           "libnvjpeg.so"};

constexpr const char* on_a_gpu = "profile it on a machine with a GPU (--collector cupti)";

bool starts_with(const std::string& text, std::string_view start) {
    return text.compare(0, start.size(), start) == 0;
}

std::string base_name(const std::string& file) {
    return std::filesystem::path(file).filename().string();
}

bool names(const std::vector<ElfSymbol>& symbols, std::string_view name, bool defined) {
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](const ElfSymbol& s) { return s.name == name && s.defined == defined; });
}

std::optional<std::string> objection_to(const CudaUse& use) {
    if (!use.fat_binary) return std::nullopt;
    if (!use.static_runtime && !use.shared_runtime && use.stripped)
        return use.file +
               ": is stripped, so the CUDA runtime linked into it cannot be found; build it without -s and " +
               "strip, or with nvcc -cudart shared (strip --strip-debug does no harm)";
    return std::nullopt;
}

// Paths in the loader's own list: "libfoo.so.1 => /usr/lib/libfoo.so.1 (0x...)" or "/lib64/ld.so (0x...)".
struct Library {
    std::string name, path;
};
std::vector<Library> libraries_of(const std::string& program) {
    launch::Command command;
    command.words = {program};
    command.environment = {{"LD_TRACE_LOADED_OBJECTS", "1"}};
    std::istringstream lines(launch::output_of(command));
    std::vector<Library> libraries;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name, arrow, path;
        words >> name >> arrow >> path;
        if (arrow == "=>")
            libraries.push_back({name, path});
        else if (!name.empty())
            libraries.push_back({base_name(name), name});
    }
    return libraries;
}

// nvcc -rdc=true leaves empty machine code where no file has kernels.
bool has_functions(const FatbinEntry& entry) {
    const auto content = entry_text(entry);
    return content.problem || content.text.find(".text.") != std::string::npos;
}

bool is_injected(const Library& library) {
    return starts_with(library.name, "libcudart.so.") || library.name == "libcuda.so.1" || has_stand_in(library.name);
}

}  // namespace

CudaUse cuda_use(const std::string& file, const ElfFile& elf) {
    CudaUse use;
    use.file = file;
    use.stripped = !elf.has_symbol_table;
    std::set<int> targets;
    std::vector<FatbinEntry> machine_code;
    for (const auto& section : elf.sections) {
        if (section.name != ".nv_fatbin" && section.name != "__nv_relfatbin") continue;
        for (const auto& fatbin : read_fatbin_section(section.data))
            for (const auto& entry : fatbin.entries) {
                use.ptx = use.ptx || entry.kind == FatbinKind::ptx;
                if (entry.kind == FatbinKind::machine_code) machine_code.push_back(entry);
            }
    }
    for (const auto& entry : machine_code) targets.insert(entry.target);
    use.fat_binary = use.ptx || std::any_of(machine_code.begin(), machine_code.end(), has_functions);
    use.machine_targets.assign(targets.begin(), targets.end());
    use.static_runtime = names(elf.symbols(), "__cudaRegisterFatBinary", true);
    const auto runtime = [](std::string_view library) { return library.starts_with("libcudart.so."); };
    use.shared_runtime = std::any_of(elf.needed.begin(), elf.needed.end(), runtime) ||
                         names(elf.dynamic_symbols(), "__cudaRegisterFatBinary", false);
    use.driver_api = std::find(elf.needed.begin(), elf.needed.end(), "libcuda.so.1") != elf.needed.end();
    return use;
}

std::optional<std::string> objection(const std::vector<CudaUse>& files, const std::vector<std::string>& libraries) {
    const std::string& program = files.front().file;
    for (const auto& library : libraries)
        for (const char* closed : closed_libraries)
            if (starts_with(library, closed))
                return fmt::format(
                    "{}: uses {}, whose kernels come without PTX and cannot be simulated; build it with kernels of its "
                    "own or a header-only library, or {}",
                    program, library, on_a_gpu);
    bool fat_binary = false, ptx = false;
    // What a program loads by the driver API is looked at when it does.
    bool loads_modules = std::any_of(libraries.begin(), libraries.end(),
                                     [](const std::string& name) { return starts_with(name, "libnvrtc.so"); });
    std::vector<int> targets;
    for (const auto& use : files) {
        if (auto problem = objection_to(use)) return problem;
        fat_binary |= use.fat_binary;
        ptx |= use.ptx;
        loads_modules |= use.driver_api;
        targets.insert(targets.end(), use.machine_targets.begin(), use.machine_targets.end());
    }
    if (fat_binary && !ptx && !loads_modules)
        return program + ": has its kernels as machine code only, and PTX is what can be simulated; " +
               rebuild_with_ptx(targets) + " (plain nvcc and -arch=sm_XX keep PTX)";
    return std::nullopt;
}

void check_program(const std::string& program) {
    const MappedFile file(program.c_str());
    const ElfFile elf = read_elf(file.bytes());
    if (elf.problem == "not an ELF file") return;
    if (elf.problem) throw ProfilingError(program + ": " + *elf.problem + "; only those can be simulated");
    if (!elf.dynamic)
        throw ProfilingError(program +
                             ": is linked statically (-static), so nothing can be put under it; link it "
                             "dynamically (the CUDA runtime may be static)");
    std::vector<CudaUse> files{cuda_use(program, elf)};
    std::vector<std::string> names;
    std::string missing;
    for (const auto& library : libraries_of(program)) {
        if (is_injected(library)) continue;
        if (library.path == "not") missing = library.name;  // "=> not found"
        names.push_back(library.name);
        const MappedFile content(library.path.c_str());
        const ElfFile parsed = read_elf(content.bytes());
        if (!parsed.problem) files.push_back(cuda_use(library.path, parsed));
    }
    if (const auto problem = objection(files, names)) throw ProfilingError(*problem);
    if (!missing.empty()) throw Error(program + ": needs " + missing + ", which is not found; set LD_LIBRARY_PATH");
}

}  // namespace gpuproj::simulate
