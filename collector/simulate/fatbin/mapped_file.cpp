#include "collector/simulate/fatbin/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpuproj::simulate {

MappedFile::MappedFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status {};
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        const auto size = static_cast<std::size_t>(status.st_size);
        void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (memory != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(memory), size};
    }
    close(file);
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace gpuproj::simulate
