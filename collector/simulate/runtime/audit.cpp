// libgpuproj_audit.so: puts the stand-in under programs and libraries where preloading cannot, as an auditor of the
// loader ($LD_AUDIT).
//
// Static CUDA runtimes (nvcc's default): their functions are hidden, so no preloaded library can take their place; but
// a file that is not stripped still names them. We are told of every object after it is mapped and before its
// constructors run, at start and at dlopen alike, and write jumps to the stand-in over those functions. An auditor
// lives in a namespace of its own: it shares nothing with the application, and the addresses of the stand-in are read
// from its symbol table.
//
// NVRTC and nvJitLink: a program that asks them for a function by dlsym passes preloaded functions by; so there are
// jumps in them, too.
//
// Libraries found by a path, of dlopen or of the program's RPATH, as Python's packages find them: those would be
// NVIDIA's, which no GPU answers. The loader asks us where to look, and is sent to the stand-in of that SONAME.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/simulate/fatbin/elf.hpp"
#include "collector/simulate/fatbin/mapped_file.hpp"

namespace {

using gpuproj::simulate::ElfFile;
using gpuproj::simulate::ElfSymbol;
using gpuproj::simulate::MappedFile;

constexpr std::string_view stand_in_file = "libgpuproj_simulate.so";
constexpr const char* unsupported_function = "gpuproj_unsupported";

const char* path_of(const link_map& object) {
    return object.l_name[0] == '\0' ? "/proc/self/exe" : object.l_name;
}

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

// Where the stand-in's functions are in this process.
using Addresses = std::map<std::string, std::uint64_t, std::less<>>;

Addresses addresses_of(const link_map& stand_in) {
    const MappedFile file(path_of(stand_in));
    Addresses addresses;
    for (const auto& symbol : gpuproj::simulate::read_elf(file.bytes()).dynamic_symbols())
        if (symbol.function && symbol.defined) addresses.emplace(symbol.name, stand_in.l_addr + symbol.address);
    return addresses;
}

bool contains(const std::vector<ElfSymbol>& symbols, std::string_view name) {
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](const ElfSymbol& s) { return s.defined && s.function && s.name == name; });
}

// The interfaces differ, and a static runtime has no version tag: told by what each version has and has not.
std::string_view interface_of(const std::vector<ElfSymbol>& symbols) {
    if (contains(symbols, "cudaGetDeviceProperties_v2")) return "gpuproj_v12_";
    if (!contains(symbols, "cudaThreadSynchronize")) return "gpuproj_v13_";
    if (contains(symbols, "cudaStreamSetAttribute")) return "gpuproj_v11_";
    if (contains(symbols, "cudaGraphCreate")) return "gpuproj_v10_";
    if (contains(symbols, "cudaLaunchCooperativeKernel")) return "gpuproj_v9_";
    if (contains(symbols, "cudaMemPrefetchAsync")) return "gpuproj_v8_";
    return contains(symbols, "cudaMallocManaged") ? "gpuproj_v6_" : "gpuproj_v5_";
}

std::uint64_t find(const Addresses& addresses, const std::string& name) {
    const auto found = addresses.find(name);
    return found == addresses.end() ? 0 : found->second;
}

// A function of the static runtime and where it is to go.
struct Diversion {
    std::string name;
    std::uint64_t from = 0, to = 0;  // to: 0 if the stand-in has no such function
};

std::vector<Diversion> diversions(const link_map& object, const ElfFile& elf, const Addresses& addresses) {
    const auto symbols = elf.symbols();
    // A shared runtime exports its functions and is left alone; so are we ourselves.
    if (!contains(symbols, "__cudaRegisterFatBinary") || contains(elf.dynamic_symbols(), "__cudaRegisterFatBinary"))
        return {};
    const std::string versioned(interface_of(symbols));
    std::vector<Diversion> all;
    for (const auto& symbol : symbols) {
        constexpr std::uint64_t jump_bytes = 5;
        if (!symbol.function || !symbol.defined || symbol.bytes < jump_bytes ||
            !gpuproj::simulate::is_runtime_name(symbol.name))
            continue;
        const std::string name(symbol.name);
        std::uint64_t to = find(addresses, versioned + name);
        if (to == 0) to = find(addresses, name);
        // Unknown to us: a newer function of the runtime, whose symbols are hidden, or one of the program's own.
        if (to == 0 && !symbol.hidden) continue;
        all.push_back({name, object.l_addr + symbol.address, to});
    }
    return all;
}

// The functions of NVRTC that give machine code.
std::vector<Diversion> diversions_of_nvrtc(const link_map& object, const ElfFile& elf, const Addresses& addresses) {
    std::vector<Diversion> all;
    for (const auto& symbol : elf.dynamic_symbols()) {
        if (!symbol.function || !symbol.defined || !symbol.name.starts_with("nvrtcGetCUBIN")) continue;
        const std::string name(symbol.name);
        if (const std::uint64_t to = find(addresses, name)) all.push_back({name, object.l_addr + symbol.address, to});
    }
    return all;
}

// All functions of nvJitLink, which are there by plain names and with the toolkit's version (__nvJitLinkCreate_12_4).
std::vector<Diversion> diversions_of_jit_link(const link_map& object, const ElfFile& elf, const Addresses& addresses) {
    std::vector<Diversion> all;
    std::set<std::uint64_t> seen;  // names of one function
    for (const auto& symbol : elf.dynamic_symbols()) {
        std::string_view name = symbol.name;
        if (name.starts_with("__")) name.remove_prefix(2);
        name = name.substr(0, name.find('_'));
        if (!symbol.function || !symbol.defined || !name.starts_with("nvJitLink")) continue;
        const std::uint64_t to = find(addresses, "gpuproj_" + std::string(name));
        if (to == 0 || !seen.insert(symbol.address).second) continue;
        all.push_back({std::string(name), object.l_addr + symbol.address, to});
    }
    return all;
}

// Shared libraries of NVIDIA's some of whose exported functions are ours.
using FindDiversions = std::vector<Diversion> (*)(const link_map&, const ElfFile&, const Addresses&);
constexpr std::array<std::pair<std::string_view, FindDiversions>, 2> exporting{
    {{"libnvrtc.so", diversions_of_nvrtc}, {"libnvJitLink.so", diversions_of_jit_link}}};

// How those of one object that was mapped are found; nullptr: it can have none.
FindDiversions finder_for(const link_map& object, const ElfFile& elf) {
    for (const auto& [file, finder] : exporting)
        if (file_name(object.l_name).starts_with(file)) return finder;
    return elf.has_symbol_table ? diversions : nullptr;
}

// Addresses of this process are numbers where they come from files and the loader.
template <class T>
T* at_address(std::uint64_t address) {
    return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

void* map_at(std::uint64_t address, std::size_t bytes) {
    void* memory = mmap(at_address<void>(address & ~std::uint64_t{0xFFF}), bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

// Memory within reach of a near jump from `origin`, or nullptr: below, or above at a distance that leaves the heap room
// to grow.
std::uint8_t* memory_near(std::uint64_t origin, std::size_t bytes) {
    constexpr std::uint64_t step = 1 << 20, reach = std::uint64_t{1} << 30, heap_room = reach / 2;
    for (std::uint64_t distance = step; distance < reach && distance < origin; distance += step)
        if (void* memory = map_at(origin - distance, bytes)) return static_cast<std::uint8_t*>(memory);
    for (std::uint64_t distance = heap_room; distance < reach; distance += step)
        if (void* memory = map_at(origin + distance, bytes)) return static_cast<std::uint8_t*>(memory);
    return nullptr;
}

template <class T>
void put(std::uint8_t*& at, T value) {
    std::memcpy(at, &value, sizeof value);
    at += sizeof value;
}

constexpr std::size_t far_jump_bytes = 14, load_argument_bytes = 10;

// jmp *0(%rip); the address follows.
void put_far_jump(std::uint8_t*& at, std::uint64_t to) {
    put(at, std::uint16_t{0x25FF});
    put(at, std::uint32_t{0});
    put(at, to);
}

// movabs $value, %rdi
void put_load_argument(std::uint8_t*& at, std::uint64_t value) {
    put(at, std::uint16_t{0xBF48});
    put(at, value);
}

// Overwrites the first bytes of a function with a near jump; its page is made writable meanwhile.
void put_near_jump(std::uint64_t from, const std::uint8_t* to) {
    constexpr std::uint64_t page = 4096, jump_bytes = 5;
    const std::uint64_t first = from & ~(page - 1);
    const std::uint64_t bytes = ((from + jump_bytes - first) + page - 1) & ~(page - 1);
    if (mprotect(at_address<void>(first), bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
    auto* at = at_address<std::uint8_t>(from);
    const auto distance = static_cast<std::int32_t>(reinterpret_cast<std::uint64_t>(to) - (from + jump_bytes));
    put(at, std::uint8_t{0xE9});
    put(at, distance);
    mprotect(at_address<void>(first), bytes, PROT_READ | PROT_EXEC);
}

void divert(const std::vector<Diversion>& all, std::uint64_t unsupported) {
    std::size_t bytes = 0;
    for (const auto& one : all) bytes += far_jump_bytes + load_argument_bytes + one.name.size() + 1;
    std::uint8_t* const memory = memory_near(all.front().from, bytes);
    if (memory == nullptr) return;
    std::uint8_t* at = memory;
    std::vector<std::uint8_t*> trampolines;
    for (const auto& one : all) {
        const std::uint8_t* name = at;
        if (one.to == 0) {  // its name first, as the argument of gpuproj_unsupported
            std::memcpy(at, one.name.c_str(), one.name.size() + 1);
            at += one.name.size() + 1;
        }
        trampolines.push_back(at);
        if (one.to == 0) put_load_argument(at, reinterpret_cast<std::uint64_t>(name));
        put_far_jump(at, one.to == 0 ? unsupported : one.to);
    }
    if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) != 0) return;
    for (std::size_t i = 0; i < all.size(); ++i) put_near_jump(all[i].from, trampolines[i]);
}

// Where this file lies, and the stand-ins with it; ends with a slash.
std::string own_directory() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&own_directory), &info) == 0) return {};
    const std::string_view path(info.dli_fname);
    return std::string(path.substr(0, path.rfind('/') + 1));
}

// The stand-in for the library that the loader is about to look for at `path`; empty if there is none.
std::string stand_in_for(std::string_view path, const std::string& directory) {
    if (path == "libcuda.so") return directory + "libcuda.so.1";  // the name for linking, where no driver has put it
    if (path.find('/') == std::string_view::npos || directory.empty() || path.starts_with(directory)) return {};
    if (!file_name(path).starts_with("libcu") && !file_name(path).starts_with("libnvidia-ml.so")) return {};
    const MappedFile file(std::string(path).c_str());
    const auto elf = gpuproj::simulate::read_elf(file.bytes());
    if (elf.problem || elf.soname.empty()) return {};
    for (const char* place : {"", "libraries/"}) {
        std::string candidate = directory + place + std::string(elf.soname);
        if (access(candidate.c_str(), R_OK) == 0) return candidate;
    }
    return {};
}

class Auditor {
public:
    void opened(link_map* object) {
        mapped_.push_back(object);
        if (file_name(object->l_name) == stand_in_file) stand_in_ = object;
    }
    // The file to open in place of `wanted`, which may be `wanted` itself.
    char* found(char* wanted) {
        const auto file = stand_in_for(wanted, directory_);
        // The loader keeps what it is given.
        return file.empty() ? wanted : const_cast<char*>(names_.insert(file).first->c_str());
    }
    void closed(link_map* object) { std::erase(mapped_, object); }
    void all_mapped() {
        if (stand_in_ == nullptr) return;
        for (const link_map* object : mapped_) {
            const MappedFile file(path_of(*object));
            const auto elf = gpuproj::simulate::read_elf(file.bytes());
            const FindDiversions find_all = elf.problem ? nullptr : finder_for(*object, elf);
            if (find_all == nullptr) continue;
            if (addresses_.empty()) addresses_ = addresses_of(*stand_in_);
            const auto all = find_all(*object, elf, addresses_);
            if (!all.empty()) divert(all, find(addresses_, unsupported_function));
        }
        mapped_.clear();
    }

private:
    std::vector<link_map*> mapped_;  // since the last time all were mapped
    link_map* stand_in_ = nullptr;
    Addresses addresses_;
    std::string directory_ = own_directory();
    std::set<std::string, std::less<>> names_;
};

// The loader calls us before any constructor of ours has run.
Auditor& auditor() {
    static auto* const instance = new Auditor;
    return *instance;
}

// Nothing thrown may reach the loader; what is not diverted then reaches the real runtime, which finds no GPU.
template <class Body>
void guarded(Body&& body) noexcept {
    try {
        body(auditor());
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
}

}  // namespace

// Their parameters are those of link.h.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-non-const-parameter)
extern "C" {

__attribute__((visibility("default"))) unsigned la_version(unsigned version) {
    return std::min<unsigned>(version, LAV_CURRENT);
}

__attribute__((visibility("default"))) unsigned la_objopen(link_map* object, Lmid_t space, std::uintptr_t* cookie) {
    *cookie = reinterpret_cast<std::uintptr_t>(object);
    if (space == LM_ID_BASE) guarded([&](Auditor& a) { a.opened(object); });
    return 0;  // symbol bindings do not interest us
}

__attribute__((visibility("default"))) char* la_objsearch(const char* name, std::uintptr_t*, unsigned) {
    auto* const wanted = const_cast<char*>(name);
    char* file = wanted;
    guarded([&](Auditor& a) { file = a.found(wanted); });
    return file;
}

__attribute__((visibility("default"))) unsigned la_objclose(std::uintptr_t* cookie) {
    guarded([&](Auditor& a) { a.closed(at_address<link_map>(*cookie)); });
    return 0;
}

__attribute__((visibility("default"))) void la_activity(std::uintptr_t*, unsigned flag) {
    if (flag == LA_ACT_CONSISTENT) guarded([](Auditor& a) { a.all_mapped(); });
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-non-const-parameter)
