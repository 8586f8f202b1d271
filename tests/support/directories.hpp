// Where the sources and the build lie. One file knows, so that the other objects do not depend on the place.
#pragma once

#include <string>

namespace gpuproj::test {

std::string source_directory();
std::string binary_directory();

}  // namespace gpuproj::test
