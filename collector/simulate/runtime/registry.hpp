// What the application registers before main: fat binaries, kernels and variables, and the modules made of them when
// they are first used.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/simulate/engine/engine.hpp"
#include "collector/simulate/runtime/abi.hpp"

namespace gpuproj::simulate {

class FatBinary;
struct Fatbin;

/// A kernel as the application names it: the address of its host function, or of this (cudaKernel_t, cudaFunction_t).
struct Kernel {
    FatBinary* owner = nullptr;
    std::string name;                                       // in the PTX
    std::optional<std::uint32_t> max_dynamic_shared_bytes;  // as asked for by cudaFuncSetAttribute
    int preferred_carveout = -1;
    bool large_clusters = false;  // more blocks in them than every GPU has room for, as cudaFuncSetAttribute allows
};

struct HostVariable {
    FatBinary* owner = nullptr;
    std::string name;
    std::size_t bytes = 0;
    void** managed_pointer = nullptr;  // where the host looks for a managed variable's address
};

/// One registered fat binary, or one loaded by the driver API. Its module is made at first use, once.
class FatBinary {
public:
    explicit FatBinary(const cuda::FatbinWrapper& wrapper);
    /// `image`: PTX or a whole fat binary.
    FatBinary(std::string image, std::string origin);
    ~FatBinary();
    FatBinary(const FatBinary&) = delete;
    FatBinary& operator=(const FatBinary&) = delete;

    /// Parses the PTX; later calls give the same, its variables set back where Registry::reset_variables() was called.
    /// Throws Refused (no PTX, PTX that is not supported).
    Module& module(DeviceMemory& memory);
    /// The highest compute capability with PTX (80 for compute_80), else of machine code; 0 if there is none.
    int target() const;
    bool has_ptx() const;
    const std::string& origin() const { return origin_; }
    const cuda::FatbinWrapper* wrapper() const { return wrapper_; }

private:
    void load(DeviceMemory& memory);
    void note_managed_variables(std::string_view ptx);
    std::vector<Fatbin> fatbins() const;

    const cuda::FatbinWrapper* wrapper_ = nullptr;
    std::string image_;   // without a wrapper
    std::string origin_;  // file it is in
    std::mutex mutex_;
    std::unique_ptr<Module> module_;
    std::string ptx_;                   // of it, if it has variables
    unsigned resets_ = 0;               // of the registry that its variables have followed
    std::vector<const void*> managed_;  // where its managed variables are
};

/// Thread-safe. Used by constructors of libraries, maybe before any of this library's own have run.
class Registry {
public:
    static Registry& instance();

    FatBinary& add(const cuda::FatbinWrapper& wrapper);
    FatBinary& add(std::string image, std::string origin);
    bool knows(const FatBinary* binary);
    void remove(const FatBinary* binary);
    /// Its kernels are known no more, but the module stays: launches are told apart by it.
    void retire(const FatBinary* binary);
    void add_kernel(FatBinary& owner, const void* host, const char* name);
    void add_variable(FatBinary& owner, const void* host, const char* name, std::size_t bytes, void** managed);

    /// A kernel that no host function stands for; the same for the same name.
    Kernel& kernel_by_name(FatBinary& owner, std::string_view name);

    /// `function` is a host function or a Kernel; nullptr if it is neither.
    Kernel* kernel(const void* function);
    const HostVariable* variable(const void* host);
    std::vector<const HostVariable*> managed_variables(const FatBinary& owner);
    /// Over all fat binaries with PTX, else over all; 0 without any.
    int highest_target();
    /// The device is reset: from now on every module's next use gives its variables what they were to begin with, as on
    /// a GPU, where the modules are loaded anew.
    void reset_variables() { ++resets_; }
    /// How often that was.
    unsigned resets() const { return resets_; }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<FatBinary>> binaries_, retired_;
    std::map<const void*, std::unique_ptr<Kernel>> kernels_;  // by host function
    std::map<const void*, const void*> hosts_;                // Kernel -> host function
    std::map<const void*, HostVariable> variables_;
    std::atomic<unsigned> resets_{0};
};

}  // namespace gpuproj::simulate
