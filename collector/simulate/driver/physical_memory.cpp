#include "collector/simulate/driver/physical_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace gpuproj::simulate::driver {

PhysicalMemory::PhysicalMemory(std::size_t bytes) : file_(memfd_create("gpuproj", MFD_CLOEXEC)), bytes_(bytes) {
    if (file_ < 0 || ftruncate(file_, static_cast<off_t>(bytes)) == 0) return;
    close(file_);
    file_ = -1;
}

PhysicalMemory::~PhysicalMemory() {
    if (file_ >= 0) close(file_);  // what is mapped stays
}

}  // namespace gpuproj::simulate::driver
