// Files that begin like those of this importer's tool, and are anything behind that.
#include "tests/support/import_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    gpuproj::fuzz::import_any(data, size);
    return 0;
}
