#include "collector/launch/work_directory.hpp"

#include <cstdlib>
#include <string>

#include "model/error.hpp"

namespace gpuproj::launch {

WorkDirectory::WorkDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "gpuproj-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw Error(name + ": cannot make a temporary directory; set TMPDIR to one that can be written");
    }
    path_ = name;
}

WorkDirectory::~WorkDirectory() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
}

}  // namespace gpuproj::launch
