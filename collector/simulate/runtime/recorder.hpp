// Writes down what the application does, for gpuproj to read: see collector/records/log.hpp.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "collector/records/log.hpp"

namespace gpuproj::simulate {

/// Thread-safe. Amounts are gathered and appended to the file when `flush_period` has passed since the last time, so
/// that little is lost however the process ends; failures are written at once. Nothing throws: an application must not
/// notice that the disk is full. The parent then misses the line `end`.
class Recorder {
public:
    /// Lines go to <session>/<process id>.jsonl.
    explicit Recorder(const std::filesystem::path& session, bool per_launch);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    void launch(const KernelRecord& record) noexcept;
    /// A launch that the filter passed over; each name is written once.
    void passed_over(const std::string& kernel) noexcept;
    void transfer(const char* direction, std::size_t bytes) noexcept;
    /// A function of a closed library, done on the host.
    void host_call(const char* library, const char* function) noexcept;
    void peak_device_memory(std::uint64_t bytes) noexcept;
    /// Each (kind, what, kernel) once.
    void failure(const records::Failure& failure) noexcept;
    /// Each text once.
    void note(const std::string& text) noexcept;
    /// Writes what is gathered, and that the process ended in order.
    void end() noexcept;

private:
    using Clock = std::chrono::steady_clock;
    static constexpr auto flush_period = std::chrono::milliseconds(100);

    void write(const std::string& text) noexcept;
    void flush_if_due();
    void flush();

    std::mutex mutex_;
    int file_ = -1;
    bool per_launch_;
    std::vector<KernelRecord> kernels_;
    std::vector<Transfer> transfers_;
    std::vector<records::HostCall> host_calls_;
    double peak_ = 0;
    bool peak_changed_ = false;
    std::set<std::string> written_;  // failures, notes and names that were written
    Clock::time_point last_flush_{};
};

}  // namespace gpuproj::simulate
