#include "collector/simulate/runtime/registry.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "collector/simulate/engine/assembler/expansions.hpp"
#include "collector/simulate/engine/initial_values.hpp"
#include "collector/simulate/fatbin/cubin.hpp"
#include "collector/simulate/fatbin/fatbin.hpp"
#include "collector/simulate/fatbin/ptx_advice.hpp"
#include "collector/simulate/ptx/link.hpp"
#include "collector/simulate/runtime/refused.hpp"
#include "collector/simulate/runtime/runtime.hpp"

namespace gpuproj::simulate {

namespace {

Fatbin fatbin_at(const void* address) {
    const std::span<const std::byte, fatbin_header_bytes> header(static_cast<const std::byte*>(address),
                                                                 fatbin_header_bytes);
    const auto bytes = fatbin_bytes(header);
    return read_fatbin({static_cast<const std::byte*>(address), bytes.value_or(fatbin_header_bytes)});
}

// The library of the device runtime, which the linker adds: what kernels call of it is built in.
bool is_device_runtime(const Fatbin& fatbin) {
    return std::ranges::any_of(fatbin.entries, [](const FatbinEntry& entry) {
        return entry.kind == FatbinKind::ptx &&
               entry_text(entry).text.find("cuda_device_runtime_cu") != std::string::npos;
    });
}

bool is_fatbin(std::string_view image) {
    return image.size() >= fatbin_header_bytes &&
           fatbin_bytes(std::span<const std::byte, fatbin_header_bytes>(
               reinterpret_cast<const std::byte*>(image.data()), fatbin_header_bytes));
}

// The fat binaries behind a wrapper: of a whole program one, of relocatable code one per translation unit.
std::vector<Fatbin> fatbins_of(const cuda::FatbinWrapper& wrapper) {
    std::vector<Fatbin> all;
    if (wrapper.magic != fatbin_wrapper_magic) return all;
    if (wrapper.version >= 2 && wrapper.units != nullptr) {
        for (const void* const* unit = wrapper.units; *unit != nullptr; ++unit) all.push_back(fatbin_at(*unit));
        std::erase_if(all, is_device_runtime);
    } else if (wrapper.fatbin != nullptr)
        all.push_back(fatbin_at(wrapper.fatbin));
    return all;
}

// Of the texts of one fat binary for one compute capability, the one for more features: sm_90a before sm_90f and sm_90.
int features_of(std::string_view ptx) {
    constexpr std::string_view directive = ".target sm_";
    const auto at = ptx.find(directive);
    if (at == std::string_view::npos) return 0;
    const auto behind = ptx.find_first_not_of("0123456789", at + directive.size());
    if (behind == std::string_view::npos) return 0;
    return ptx[behind] == 'a' ? 2 : ptx[behind] == 'f' ? 1 : 0;
}

// Registers per thread for the reference GPU, from the machine code that is nearest to it, the higher of two alike.
// Even that of another generation tells more of them than PTX does: docs/machine_code.md.
void take_registers(Module& module, const std::vector<Fatbin>& fatbins) {
    const Gpu& reference = Runtime::instance().reference();
    const auto rules = occupancy_rules(reference);
    if (!rules) return;
    module.aim_registers(*rules);
    const int capability = capability_number(reference.compute_capability);
    const auto is_nearer = [&](int target, int than) {
        const int off = std::abs(target - capability), other = std::abs(than - capability);
        return off < other || (off == other && target > than);
    };
    int nearest = 0;  // no machine code
    for (const auto& fatbin : fatbins)
        for (const auto& entry : fatbin.entries)
            if (entry.kind == FatbinKind::machine_code && (nearest == 0 || is_nearer(entry.target, nearest)))
                nearest = entry.target;
    if (nearest == 0) return;
    for (const auto& fatbin : fatbins)
        for (const auto& entry : fatbin.entries)
            if (entry.target == nearest) module.take_registers(registers_of(entry), nearest, *rules);
}

// Names of the variables that PTX declares as `.global .attribute(.managed) .align 4 .b8 name[16] = {...};`.
std::vector<std::string_view> managed_variables_of(std::string_view ptx) {
    constexpr std::string_view attribute = ".attribute(.managed)", blank = " \t\n";
    std::vector<std::string_view> names;
    for (auto at = ptx.find(attribute); at != std::string_view::npos; at = ptx.find(attribute, at + 1)) {
        std::string_view declared = ptx.substr(at, ptx.find_first_of("[=;", at) - at);
        declared.remove_suffix(declared.size() - 1 - declared.find_last_not_of(blank));
        names.push_back(declared.substr(declared.find_last_of(blank) + 1));
    }
    return names;
}

std::string file_of(const void* address) {
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "the program";
    return info.dli_fname;
}

}  // namespace

FatBinary::FatBinary(const cuda::FatbinWrapper& wrapper) : wrapper_(&wrapper), origin_(file_of(&wrapper)) {}

FatBinary::FatBinary(std::string image, std::string origin) : image_(std::move(image)), origin_(std::move(origin)) {}

FatBinary::~FatBinary() {
    if (auto* runtime = Runtime::existing())
        for (const void* variable : managed_)
            runtime->allocations().take(variable, [](const Allocation& found) { return found.of_module; });
}

void FatBinary::note_managed_variables(std::string_view ptx) {
    for (const std::string_view name : managed_variables_of(ptx)) {
        const Variable* variable = module_->variable(name);
        if (variable == nullptr) continue;
        Runtime::instance().allocations().add({.type = cuda::PointerType::managed,
                                               .begin = reinterpret_cast<std::uint64_t>(variable->address),
                                               .bytes = variable->bytes,
                                               .of_module = true});
        managed_.push_back(variable->address);
    }
}

std::vector<Fatbin> FatBinary::fatbins() const {
    if (wrapper_ != nullptr) return fatbins_of(*wrapper_);
    if (is_fatbin(image_)) return {fatbin_at(image_.data())};
    return {};
}

int FatBinary::target() const {
    int ptx = 0, any = 0;
    for (const auto& fatbin : fatbins())
        for (const auto& entry : fatbin.entries) {
            any = std::max(any, entry.target);
            if (entry.kind == FatbinKind::ptx) ptx = std::max(ptx, entry.target);
        }
    return ptx > 0 ? ptx : any;
}

bool FatBinary::has_ptx() const {
    return std::ranges::any_of(fatbins(), [](const Fatbin& fatbin) {
        return std::ranges::any_of(fatbin.entries, [](const auto& e) { return e.kind == FatbinKind::ptx; });
    });
}

Module& FatBinary::module(DeviceMemory& memory) {
    const std::lock_guard lock(mutex_);
    if (!module_) load(memory);
    if (const unsigned resets = Registry::instance().resets(); resets != resets_) {
        resets_ = resets;
        if (!ptx_.empty()) set_variables_back(*module_, ptx_);
    }
    return *module_;
}

void FatBinary::load(DeviceMemory& memory) {
    // PTX by target, one text per fat binary.
    std::map<int, std::vector<std::string>, std::greater<>> candidates;
    std::string problem;  // the first that was met
    const auto met = [&](const std::optional<std::string>& another) {
        if (problem.empty()) problem = another.value_or("");
    };
    const auto all = fatbins();
    std::size_t with_ptx = 0;  // older device runtime libraries are machine code only
    if (wrapper_ == nullptr && all.empty()) {
        candidates[0].push_back(image_);
        with_ptx = 1;
    }
    for (const auto& fatbin : all) {
        met(fatbin.problem);
        with_ptx +=
            std::ranges::any_of(fatbin.entries, [](const auto& e) { return e.kind == FatbinKind::ptx; }) ? 1 : 0;
        std::map<int, std::string> texts;
        for (const auto& entry : fatbin.entries) {
            if (entry.kind != FatbinKind::ptx) continue;
            auto text = entry_text(entry);
            met(text.problem);
            if (text.problem) continue;
            const auto [found, is_new] = texts.try_emplace(entry.target, text.text);
            if (!is_new && features_of(text.text) > features_of(found->second)) found->second = std::move(text.text);
        }
        for (auto& [target, text] : texts) candidates[target].push_back(std::move(text));
    }
    for (const auto& [target, units] : candidates) {
        if (units.size() != with_ptx) continue;  // not in all of the units
        try {
            std::string text = units.size() > 1 ? ptx::link(units) : units.front();
            module_ = std::make_unique<Module>(text, origin_, memory);
            resets_ = Registry::instance().resets();
            if (has_variables(*module_)) ptx_ = std::move(text);
            for (const std::string& unit : units) note_managed_variables(unit);
            take_registers(*module_, all);
            return;
        } catch (const PtxError& error) {
            met(error.what());  // of the highest target; a lower one may do
        }
    }
    // What a program loads itself it may do without, once it is told.
    const auto kind = wrapper_ == nullptr ? records::unsupported_function : records::unsupported;
    if (!problem.empty()) throw Refused(cuda::invalid_ptx, problem, "", kind);
    const int known = target();
    throw Refused(cuda::no_kernel_image, "machine code without PTX in " + origin_, rebuild_with_ptx({&known, 1}));
}

Registry& Registry::instance() {
    static auto* const registry = new Registry;  // never destroyed: unregistering happens at exit, in any order
    return *registry;
}

FatBinary& Registry::add(const cuda::FatbinWrapper& wrapper) {
    const std::lock_guard lock(mutex_);
    const auto same = [&](const auto& binary) { return binary->wrapper() == &wrapper; };
    const auto found = std::find_if(binaries_.begin(), binaries_.end(), same);
    if (found != binaries_.end()) return **found;
    return *binaries_.emplace_back(std::make_unique<FatBinary>(wrapper));
}

FatBinary& Registry::add(std::string image, std::string origin) {
    const std::lock_guard lock(mutex_);
    return *binaries_.emplace_back(std::make_unique<FatBinary>(std::move(image), std::move(origin)));
}

bool Registry::knows(const FatBinary* binary) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(binaries_, [&](const auto& known) { return known.get() == binary; });
}

void Registry::retire(const FatBinary* binary) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = std::ranges::find_if(binaries_, [&](const auto& entry) { return entry.get() == binary; });
        if (found == binaries_.end()) return;
        retired_.push_back(std::move(*found));
        binaries_.erase(found);
    }
    remove(binary);
}

Kernel& Registry::kernel_by_name(FatBinary& owner, std::string_view name) {
    const std::lock_guard lock(mutex_);
    for (const auto& [host, kernel] : kernels_)
        if (kernel->owner == &owner && kernel->name == name) return *kernel;
    auto kernel = std::make_unique<Kernel>();
    kernel->owner = &owner;
    kernel->name = name;
    const void* const key = kernel.get();  // it stands for itself
    return *(kernels_[key] = std::move(kernel));
}

void Registry::remove(const FatBinary* binary) {
    const std::lock_guard lock(mutex_);
    std::erase_if(kernels_, [&](const auto& entry) {
        if (entry.second->owner != binary) return false;
        hosts_.erase(entry.second.get());
        return true;
    });
    std::erase_if(variables_, [&](const auto& entry) { return entry.second.owner == binary; });
    std::erase_if(binaries_, [&](const auto& entry) { return entry.get() == binary; });
}

void Registry::add_kernel(FatBinary& owner, const void* host, const char* name) {
    const std::lock_guard lock(mutex_);
    auto& kernel = kernels_[host];
    if (kernel) hosts_.erase(kernel.get());
    kernel = std::make_unique<Kernel>();
    kernel->owner = &owner;
    kernel->name = name;
    hosts_[kernel.get()] = host;
}

void Registry::add_variable(FatBinary& owner, const void* host, const char* name, std::size_t bytes, void** managed) {
    const std::lock_guard lock(mutex_);
    variables_[host] = {&owner, name, bytes, managed};
}

Kernel* Registry::kernel(const void* function) {
    const std::lock_guard lock(mutex_);
    if (const auto handle = hosts_.find(function); handle != hosts_.end()) function = handle->second;
    const auto found = kernels_.find(function);
    return found == kernels_.end() ? nullptr : found->second.get();
}

const HostVariable* Registry::variable(const void* host) {
    const std::lock_guard lock(mutex_);
    const auto found = variables_.find(host);
    return found == variables_.end() ? nullptr : &found->second;
}

std::vector<const HostVariable*> Registry::managed_variables(const FatBinary& owner) {
    const std::lock_guard lock(mutex_);
    std::vector<const HostVariable*> found;
    for (const auto& [host, variable] : variables_)
        if (variable.owner == &owner && variable.managed_pointer != nullptr) found.push_back(&variable);
    return found;
}

int Registry::highest_target() {
    const std::lock_guard lock(mutex_);
    int ptx = 0, any = 0;
    for (const auto& binary : binaries_) {
        const int target = binary->target();
        any = std::max(any, target);
        if (binary->has_ptx()) ptx = std::max(ptx, target);
    }
    return ptx > 0 ? ptx : any;
}

}  // namespace gpuproj::simulate
