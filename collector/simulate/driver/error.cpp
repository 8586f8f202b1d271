// Names and texts of errors.
#include <algorithm>
#include <array>

#include "collector/simulate/driver/driver.hpp"
#include "collector/simulate/driver/runtime_functions.hpp"

namespace gpuproj::simulate::driver {

namespace {

struct Row {
    int code;
    const char* name;
};

// Those given here, by number.
constexpr std::array names{
    Row{0, "CUDA_SUCCESS"},
    Row{1, "CUDA_ERROR_INVALID_VALUE"},
    Row{2, "CUDA_ERROR_OUT_OF_MEMORY"},
    Row{3, "CUDA_ERROR_NOT_INITIALIZED"},
    Row{4, "CUDA_ERROR_DEINITIALIZED"},
    Row{100, "CUDA_ERROR_NO_DEVICE"},
    Row{101, "CUDA_ERROR_INVALID_DEVICE"},
    Row{200, "CUDA_ERROR_INVALID_IMAGE"},
    Row{201, "CUDA_ERROR_INVALID_CONTEXT"},
    Row{209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    Row{217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"},
    Row{218, "CUDA_ERROR_INVALID_PTX"},
    Row{301, "CUDA_ERROR_FILE_NOT_FOUND"},
    Row{400, "CUDA_ERROR_INVALID_HANDLE"},
    Row{401, "CUDA_ERROR_ILLEGAL_STATE"},
    Row{500, "CUDA_ERROR_NOT_FOUND"},
    Row{600, "CUDA_ERROR_NOT_READY"},
    Row{700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    Row{701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    Row{702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
    Row{705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"},
    Row{710, "CUDA_ERROR_ASSERT"},
    Row{712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
    Row{713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
    Row{716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    Row{719, "CUDA_ERROR_LAUNCH_FAILED"},
    Row{720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
    Row{801, "CUDA_ERROR_NOT_SUPPORTED"},
    Row{900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    Row{901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
    Row{902, "CUDA_ERROR_STREAM_CAPTURE_MERGE"},
    Row{903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
    Row{904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
    Row{905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"},
    Row{906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
    Row{907, "CUDA_ERROR_CAPTURED_EVENT"},
    Row{908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"},
    Row{999, "CUDA_ERROR_UNKNOWN"},
};

const Row* row_of(int code) {
    const auto* const found =
        std::find_if(names.begin(), names.end(), [&](const Row& row) { return row.code == code; });
    return found == names.end() ? nullptr : found;
}

}  // namespace

// These two need no cuInit.
GPUPROJ_CUDA_API CudaError cuGetErrorName(int code, const char** name) {
    if (name == nullptr) return cuda::invalid_value;
    const Row* row = row_of(code);
    *name = row == nullptr ? nullptr : row->name;
    return row == nullptr ? cuda::invalid_value : cuda::success;
}
GPUPROJ_CUDA_API CudaError cuGetErrorString(int code, const char** text) {
    if (text == nullptr) return cuda::invalid_value;
    const bool known = row_of(code) != nullptr;
    *text = known ? cudaGetErrorString(code) : nullptr;
    return known ? cuda::success : cuda::invalid_value;
}

}  // namespace gpuproj::simulate::driver
