// NVML: beginning and ending, versions, and what is not there.
#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <string>

#include "collector/simulate/libraries/nvml_types.hpp"

namespace gpuproj::simulate::libraries::nvml {

namespace {

std::atomic<int> uses{0};

// The first driver that knows CUDA 13.0, which is the version that the stand-ins give (CUDA 13.0's release notes).
constexpr const char *driver_version = "580.65.06", *nvml_version = "13.580.65.06";
constexpr int cuda_version = 13000;

// Which functions were asked for what is not known. Said at the end: NVML may be asked before CUDA is used.
class Unsupported {
public:
    Unsupported() = default;
    Unsupported(const Unsupported&) = delete;
    Unsupported& operator=(const Unsupported&) = delete;
    ~Unsupported() {
        try {
            say();
        } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): out of memory, at the very end
        }
    }
    void add(const char* function) {
        const std::lock_guard lock(mutex_);
        functions_.insert(function);
    }

private:
    void say() const {
        if (functions_.empty()) return;
        std::string all;
        for (const auto& function : functions_) all += (all.empty() ? "" : ", ") + function;
        gpuproj_note(
            ("NVML was asked for what a simulation does not know, and answered 'not supported': " + all).c_str());
    }

    std::mutex mutex_;
    std::set<std::string, std::less<>> functions_;
};
Unsupported all_unsupported;

int begin() noexcept {
    DeviceFacts facts;
    if (!gpuproj_device_facts(&facts)) return driver_not_loaded;
    ++uses;
    return success;
}

// These need no nvmlInit.
int give_cuda_version(int* version) noexcept {
    if (version == nullptr) return invalid_argument;
    *version = cuda_version;
    return success;
}

struct ErrorRow {
    int status;
    const char* text;
};
constexpr std::array errors{
    ErrorRow{0, "Success"},
    ErrorRow{1, "Uninitialized"},
    ErrorRow{2, "Invalid Argument"},
    ErrorRow{3, "Not Supported"},
    ErrorRow{4, "Insufficient Permissions"},
    ErrorRow{5, "Already Initialized"},
    ErrorRow{6, "Not Found"},
    ErrorRow{7, "Insufficient Size"},
    ErrorRow{8, "Insufficient External Power"},
    ErrorRow{9, "Driver Not Loaded"},
    ErrorRow{10, "Timeout"},
    ErrorRow{11, "Interrupt Request Issue"},
    ErrorRow{12, "NVML Shared Library Not Found"},
    ErrorRow{13, "Function Not Found"},
    ErrorRow{14, "Corrupted infoROM"},
    ErrorRow{15, "GPU is lost"},
    ErrorRow{16, "GPU requires reset"},
    ErrorRow{17, "Blocked by the operating system"},
    ErrorRow{18, "Driver/library version mismatch"},
    ErrorRow{19, "In use by another client"},
    ErrorRow{20, "Insufficient Memory"},
    ErrorRow{21, "No data"},
    ErrorRow{25, "Argument version mismatch"},
};

}  // namespace

bool initialised() noexcept {
    return uses > 0;
}

Status unsupported(const char* function) noexcept {
    try {
        all_unsupported.add(function);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the answer is the same without the note
    }
    return not_supported;
}

Status give_text(char* out, unsigned size, std::string_view text) {
    if (out == nullptr) return invalid_argument;
    if (size <= text.size()) return insufficient_size;
    out[text.copy(out, text.size())] = '\0';
    return success;
}

GPUPROJ_LIBRARY_API int nvmlInit() {
    return begin();
}
GPUPROJ_LIBRARY_API int nvmlInit_v2() {
    return begin();
}
// The flags say that it is no error to find no GPU, and that none is to be attached.
GPUPROJ_LIBRARY_API int nvmlInitWithFlags(unsigned) {
    return begin();
}

GPUPROJ_LIBRARY_API int nvmlShutdown() {
    for (int now = uses; now > 0;)
        if (uses.compare_exchange_weak(now, now - 1)) return success;
    return uninitialized;
}

GPUPROJ_LIBRARY_API const char* nvmlErrorString(int status) {
    const auto* const found =
        std::find_if(errors.begin(), errors.end(), [&](const ErrorRow& row) { return row.status == status; });
    return found == errors.end() ? "Unknown Error" : found->text;
}

GPUPROJ_LIBRARY_API int nvmlSystemGetDriverVersion(char* version, unsigned length) {
    return ask([&](const DeviceFacts&) { return give_text(version, length, driver_version); });
}

GPUPROJ_LIBRARY_API int nvmlSystemGetNVMLVersion(char* version, unsigned length) {
    return give_text(version, length, nvml_version);
}

GPUPROJ_LIBRARY_API int nvmlSystemGetCudaDriverVersion(int* version) {
    return give_cuda_version(version);
}
GPUPROJ_LIBRARY_API int nvmlSystemGetCudaDriverVersion_v2(int* version) {
    return give_cuda_version(version);
}

}  // namespace gpuproj::simulate::libraries::nvml
