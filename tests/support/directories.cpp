#include "tests/support/directories.hpp"

namespace gpuproj::test {

std::string source_directory() {
    return GPUPROJ_SOURCE_DIR;
}

std::string binary_directory() {
    return GPUPROJ_BINARY_DIR;
}

}  // namespace gpuproj::test
