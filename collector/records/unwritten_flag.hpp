// Whether a process had something to write still when it ended, however it did.
#pragma once

#include <cstdint>
#include <filesystem>

namespace gpuproj::records {

/// One byte of a file in the session's directory that this process and its parent share: what is put there is seen by
/// the parent without a system call, also if the process is killed. If the file cannot be made, nothing is said.
class UnwrittenFlag {
public:
    /// Of this process; one that was there before (a program of the same process id, by exec) stays.
    explicit UnwrittenFlag(const std::filesystem::path& session) noexcept;
    ~UnwrittenFlag();
    UnwrittenFlag(const UnwrittenFlag&) = delete;
    UnwrittenFlag& operator=(const UnwrittenFlag&) = delete;

    void set(bool unwritten) noexcept {
        if (byte_ != nullptr) *byte_ = unwritten ? 1 : 0;
    }

private:
    volatile std::uint8_t* byte_ = nullptr;
};

/// Those of a session's processes: how many there are, and how many say that something was not written.
struct UnwrittenFlags {
    int all = 0, set = 0;
};
UnwrittenFlags read_flags(const std::filesystem::path& session);

}  // namespace gpuproj::records
