// PTX of any content is decoded, or refused with a PtxError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "collector/simulate/engine/engine.hpp"

using namespace gpuproj::simulate;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    DeviceMemory memory;
    try {
        const Module module({reinterpret_cast<const char*>(data), size}, "fuzz", memory);
        for (const KernelInfo* kernel : module.kernels()) static_cast<void>(module.kernel(kernel->name));
    } catch (const PtxError&) {
        return 0;
    }
    return 0;
}
