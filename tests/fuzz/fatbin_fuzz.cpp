// Fat binaries of any content are read without reading outside them, and their texts decompressed.
#include <cstddef>
#include <cstdint>
#include <span>

#include "collector/simulate/fatbin/fatbin.hpp"

using namespace gpuproj::simulate;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    for (const Fatbin& fatbin : read_fatbin_section(std::as_bytes(std::span(data, size))))
        for (const FatbinEntry& entry : fatbin.entries) static_cast<void>(entry_text(entry));
    return 0;
}
