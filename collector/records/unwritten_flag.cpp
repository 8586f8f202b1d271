#include "collector/records/unwritten_flag.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

namespace gpuproj::records {

namespace {

constexpr const char* extension = ".unwritten";

}  // namespace

UnwrittenFlag::UnwrittenFlag(const std::filesystem::path& session) noexcept try {
    std::filesystem::path path;
    int file = -1;
    for (int number = 0; file < 0; ++number) {
        path = session / (std::to_string(getpid()) + '-' + std::to_string(number) + extension);
        file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0 && errno != EEXIST) return;
    }
    // Written, so that there is room for it: a full disk would else be a signal to the application.
    const std::uint8_t nothing = 0;
    if (write(file, &nothing, 1) == 1) {
        void* const page = mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (page != MAP_FAILED) byte_ = static_cast<volatile std::uint8_t*>(page);
    }
    close(file);
    if (byte_ == nullptr) unlink(path.c_str());
} catch (...) {  // no memory for a name
}

UnwrittenFlag::~UnwrittenFlag() {
    if (byte_ != nullptr) munmap(const_cast<std::uint8_t*>(byte_), 1);
}

UnwrittenFlags read_flags(const std::filesystem::path& session) {
    UnwrittenFlags flags;
    for (const auto& entry : std::filesystem::directory_iterator(session)) {
        if (entry.path().extension() != extension) continue;
        ++flags.all;
        std::ifstream file(entry.path(), std::ios::binary);
        if (file.get() != 0) ++flags.set;
    }
    return flags;
}

}  // namespace gpuproj::records
