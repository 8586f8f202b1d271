#include "collector/simulate/driver/physical_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpuproj::simulate::driver {

PhysicalMemory::PhysicalMemory(std::size_t bytes) : file_(memfd_create("gpuproj", MFD_CLOEXEC)), bytes_(bytes) {
    if (file_ < 0 || ftruncate(file_, static_cast<off_t>(bytes)) == 0) return;
    close(file_);
    file_ = -1;
}

std::shared_ptr<PhysicalMemory> PhysicalMemory::of_file(int file) {
    struct stat status {};
    const int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
    const bool is_memory = own >= 0 && fstat(own, &status) == 0 && S_ISREG(status.st_mode);
    if (own >= 0 && !is_memory) close(own);
    return std::shared_ptr<PhysicalMemory>(is_memory ? new PhysicalMemory(own, static_cast<std::size_t>(status.st_size))
                                                     : new PhysicalMemory(-1, 0));
}

PhysicalMemory::~PhysicalMemory() {
    if (file_ >= 0) close(file_);  // what is mapped stays
}

}  // namespace gpuproj::simulate::driver
