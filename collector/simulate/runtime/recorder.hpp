// Writes down what the application does, for gpuproj to read: see collector/records/log.hpp.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "collector/records/log.hpp"
#include "collector/records/unwritten_flag.hpp"

namespace gpuproj::simulate {

/// Thread-safe. Amounts are gathered and appended to the file when `flush_period` has passed since the last time, or
/// when nothing has come for `idle_period`, or the first hundred times that the host reads a result or waits for one,
/// so that little is lost however the process ends; failures are written at once. Nothing throws: an application must
/// not notice that the disk is full. Whether something is not written yet is in a file of its own
/// (records::UnwrittenFlag), which outlives the process.
class Recorder {
public:
    /// Lines go to <session>/<process id>.jsonl.
    explicit Recorder(const std::filesystem::path& session, bool per_launch);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// A launch that is under way, of which nothing can have been written.
    class Running {
    public:
        explicit Running(Recorder& recorder) noexcept;
        ~Running();
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;

    private:
        Recorder& recorder_;
    };

    void launch(const KernelRecord& record) noexcept;
    /// A launch that the filter passed over; each name is written once.
    void passed_over(const std::string& kernel) noexcept;
    /// The host has waited for the device, and may look at memory that both use.
    void host_waited() noexcept;
    void transfer(const char* direction, std::size_t bytes) noexcept;
    /// A function of a closed library, done on the host.
    void host_call(const char* library, const char* function) noexcept;
    void peak_device_memory(std::uint64_t bytes) noexcept;
    /// Each (kind, what, kernel) once.
    void failure(const records::Failure& failure) noexcept;
    /// Each text once.
    void note(const std::string& text) noexcept;
    /// Writes what is gathered: the process may be about to end.
    void write_all() noexcept;
    /// Writes what is gathered, and that the process ended in order.
    void end() noexcept;

private:
    using Clock = std::chrono::steady_clock;
    static constexpr auto flush_period = std::chrono::milliseconds(100), idle_period = std::chrono::milliseconds(5);

    void write(const std::string& text) noexcept;
    /// Something is to be written: sees to it that it is.
    void gathered();
    void flush_when_idle();
    void flush_if_due();
    bool flush_early();
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

    records::UnwrittenFlag unwritten_;
    int running_ = 0, early_flushes_ = 100;
    bool gathered_ = false, lost_ = false, stop_ = false;  // lost_: something could not be written
    std::uint64_t changes_ = 0;
    std::condition_variable changed_;
    bool started_ = false;
    std::thread flusher_;  // from the first amount on
};

}  // namespace gpuproj::simulate
