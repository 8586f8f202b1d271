// Memory of the GPU that has no address of its own (cuMemCreate): a file without a name, which may be mapped in several
// places at once and keeps what it holds from one to the next.
#pragma once

#include <cstddef>

namespace gpuproj::simulate::driver {

class PhysicalMemory {
public:
    /// Zeros. Where there is no such file, file() is -1.
    explicit PhysicalMemory(std::size_t bytes);
    PhysicalMemory(const PhysicalMemory&) = delete;
    PhysicalMemory& operator=(const PhysicalMemory&) = delete;
    ~PhysicalMemory();

    int file() const { return file_; }
    std::size_t bytes() const { return bytes_; }

private:
    int file_;
    std::size_t bytes_;
};

}  // namespace gpuproj::simulate::driver
