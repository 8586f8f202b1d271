// A private directory for what a run writes.
#pragma once

#include <filesystem>

namespace gpuproj::launch {

/// Made in $TMPDIR, readable by the user alone, removed at the end; of a process that was killed, by the next that
/// makes one there. Throws Error if it cannot be made.
class WorkDirectory {
public:
    WorkDirectory();
    ~WorkDirectory();
    WorkDirectory(const WorkDirectory&) = delete;
    WorkDirectory& operator=(const WorkDirectory&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    int lock_ = -1;  // held as long as we live
};

}  // namespace gpuproj::launch
