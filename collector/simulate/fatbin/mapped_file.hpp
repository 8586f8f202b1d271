// A file's bytes without reading them all: programs and libraries may have gigabytes.
#pragma once

#include <cstddef>
#include <span>

namespace gpuproj::simulate {

/// Read-only. Empty if the file cannot be opened or is empty.
class MappedFile {
public:
    explicit MappedFile(const char* path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::span<const std::byte> bytes_;
};

}  // namespace gpuproj::simulate
