#include "collector/launch/work_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <system_error>

#include "model/error.hpp"

namespace gpuproj::launch {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "gpuproj-", pattern = "XXXXXX";

/// In a work directory, locked by the process that it is of. With the host in its name: over a network's file system a
/// lock of another host may not be seen.
std::string lock_name() {
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) != 0) return {};
    return std::string(".lock-") + host.data();
}

/// Opens and locks; -1 where it cannot be, such as when another process has it.
int locked(const fs::path& file, int flags) {
    const int descriptor = open(file.c_str(), flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
    close(descriptor);
    return -1;
}

/// The lock file gets its name when it is locked, so that nobody finds it without its owner.
int lock_of(const fs::path& directory, const std::string& name) {
    if (name.empty()) return -1;
    const auto fresh = directory / (name + ".new");
    const int descriptor = locked(fresh, O_CREAT | O_EXCL);
    std::error_code error;
    fs::rename(fresh, directory / name, error);
    return descriptor;
}

bool is_ours(const fs::path& entry) {
    struct stat status {};
    return lstat(entry.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

/// Removes directories of processes on this host that ended without doing so.
void remove_left_behind(const fs::path& parent, const std::string& lock) {
    if (lock.empty()) return;
    std::error_code error;
    for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
        const auto name = entry->path().filename().string();
        if (!name.starts_with(prefix) || name.size() != prefix.size() + pattern.size()) continue;
        if (!is_ours(entry->path())) continue;
        const int owner = locked(entry->path() / lock, 0);
        if (owner < 0) continue;
        std::error_code ignored;
        fs::remove_all(entry->path(), ignored);
        close(owner);
    }
}

}  // namespace

WorkDirectory::WorkDirectory() {
    const auto parent = fs::temp_directory_path();
    const auto lock = lock_name();
    remove_left_behind(parent, lock);
    std::string name = (parent / (std::string(prefix) + std::string(pattern))).string();
    if (mkdtemp(name.data()) == nullptr) {
        throw Error(name + ": cannot make a temporary directory; set TMPDIR to one that can be written");
    }
    path_ = name;
    lock_ = lock_of(path_, lock);
}

WorkDirectory::~WorkDirectory() {
    std::error_code error;
    fs::remove_all(path_, error);
    if (lock_ >= 0) close(lock_);
}

}  // namespace gpuproj::launch
