// A GPU file is refused with an Error, or it is read, and what is written of it reads the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "model/error.hpp"
#include "model/gpu_io.hpp"

using namespace gpuproj;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto json = nlohmann::json::parse(data, data + size, nullptr, false);
    if (json.is_discarded()) return 0;
    try {
        const auto written = gpu_to_json(gpu_from_json(json, "fuzz"));
        if (gpu_to_json(gpu_from_json(written, "written")) != written) std::abort();
    } catch (const Error&) {
        return 0;
    }
    return 0;
}
