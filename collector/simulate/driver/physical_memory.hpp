// Memory of the GPU that has no address of its own (cuMemCreate): a file without a name, which may be mapped in several
// places at once and keeps what it holds from one to the next.
#pragma once

#include <cstddef>
#include <memory>

namespace gpuproj::simulate::driver {

class PhysicalMemory {
public:
    /// Zeros. Where there is no such file, file() is -1.
    explicit PhysicalMemory(std::size_t bytes);
    /// That of another PhysicalMemory, maybe of another process; the number of the file stays the caller's. Where it is
    /// none, file() is -1.
    static std::shared_ptr<PhysicalMemory> of_file(int file);
    PhysicalMemory(const PhysicalMemory&) = delete;
    PhysicalMemory& operator=(const PhysicalMemory&) = delete;
    ~PhysicalMemory();

    int file() const { return file_; }
    std::size_t bytes() const { return bytes_; }

private:
    PhysicalMemory(int file, std::size_t bytes) : file_(file), bytes_(bytes) {}

    int file_;
    std::size_t bytes_;
};

}  // namespace gpuproj::simulate::driver
