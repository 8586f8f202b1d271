// What an injected library wrote is understood, or refused with an Error; a line cut off at the end is no error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "collector/records/log.hpp"
#include "collector/records/merge.hpp"
#include "model/error.hpp"

using namespace gpuproj;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    records::Log log;
    try {
        records::read_lines({reinterpret_cast<const char*>(data), size}, "fuzz", log);
    } catch (const Error&) {
        return 0;
    }
    static_cast<void>(records::sum_records(log.kernels));
    static_cast<void>(records::sum_transfers(log.transfers));
    return 0;
}
