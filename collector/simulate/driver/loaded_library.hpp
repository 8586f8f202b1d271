// Where a library of NVIDIA's that the program has loaded lies.
#pragma once

#include <link.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace gpuproj::simulate::driver {

/// The path of the library whose file name begins like this ("libnvrtc.so"), as the loader has it; empty where none is
/// loaded into the program's namespace.
inline std::string path_of_loaded(std::string_view file_name) {
    struct Search {
        std::string_view file_name;
        std::string path;
    } search{file_name, {}};
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* data) {
            auto& wanted = *static_cast<Search*>(data);
            const std::string_view path(object->dlpi_name);
            if (!path.substr(path.rfind('/') + 1).starts_with(wanted.file_name)) return 0;
            wanted.path = path;
            return 1;
        },
        &search);
    return search.path;
}

}  // namespace gpuproj::simulate::driver
