#include "collector/simulate/runtime/recorder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "collector/records/merge.hpp"

namespace gpuproj::simulate {

namespace {

using records::Line;

// Runs `body`; lack of memory costs the record, not the application.
template <class Body>
void guarded(std::mutex& mutex, Body&& body) noexcept {
    try {
        const std::lock_guard lock(mutex);
        body();
    } catch (...) {  // NOLINT(bugprone-empty-catch): nothing may leave, and there is nowhere to say it
    }
}

std::string program_name() {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::string("?") : program.string();
}

}  // namespace

Recorder::Recorder(const std::filesystem::path& session, bool per_launch)
    : per_launch_(per_launch), unwritten_(session) {
    const auto file = session / (std::to_string(getpid()) + ".jsonl");
    file_ = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    write(to_text(Line{.begin = program_name()}));
}

Recorder::~Recorder() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    if (flusher_.joinable()) flusher_.join();
    if (file_ >= 0) close(file_);
}

Recorder::Running::Running(Recorder& recorder) noexcept : recorder_(recorder) {
    guarded(recorder.mutex_, [&] {
        ++recorder.running_;
        recorder.unwritten_.set(true);
    });
}
Recorder::Running::~Running() {
    guarded(recorder_.mutex_, [&] {
        --recorder_.running_;
        recorder_.gathered();
    });
}

void Recorder::launch(const KernelRecord& record) noexcept {
    guarded(mutex_, [&] {
        const auto same = [&](const KernelRecord& r) { return records::same_launch(r, record); };
        const auto found = per_launch_ ? kernels_.end() : std::find_if(kernels_.begin(), kernels_.end(), same);
        if (found == kernels_.end())
            kernels_.push_back(record);
        else
            records::add_record(*found, record);
        gathered();
        flush_if_due();
    });
}

void Recorder::passed_over(const std::string& kernel) noexcept {
    guarded(mutex_, [&] {
        if (written_.insert("passed over " + kernel).second) write(to_text(Line{.passed_over = kernel}));
    });
}

void Recorder::transfer(const char* direction, std::size_t bytes) noexcept {
    guarded(mutex_, [&] {
        const auto same = [&](const Transfer& t) { return t.direction == direction; };
        auto found = std::find_if(transfers_.begin(), transfers_.end(), same);
        if (found == transfers_.end()) found = transfers_.insert(transfers_.end(), Transfer{direction, 0, {}, {}});
        ++found->count;
        found->bytes += Bytes{static_cast<double>(bytes)};
        gathered();
        if (std::string_view(direction) != "device_to_host" || !flush_early()) flush_if_due();
    });
}

void Recorder::host_waited() noexcept {
    guarded(mutex_, [&] {
        if (gathered_) flush_early();
    });
}

void Recorder::host_call(const char* library, const char* function) noexcept {
    guarded(mutex_, [&] {
        const auto same = [&](const auto& call) { return call.library == library && call.function == function; };
        auto found = std::find_if(host_calls_.begin(), host_calls_.end(), same);
        if (found == host_calls_.end()) found = host_calls_.insert(host_calls_.end(), {library, function, 0});
        ++found->count;
        gathered();
        flush_if_due();
    });
}

void Recorder::peak_device_memory(std::uint64_t bytes) noexcept {
    guarded(mutex_, [&] {
        if (static_cast<double>(bytes) <= peak_) return;
        peak_ = static_cast<double>(bytes);
        peak_changed_ = true;
        gathered();
    });
}

void Recorder::failure(const records::Failure& failure) noexcept {
    guarded(mutex_, [&] {
        if (!written_.insert("failure " + failure.kind + failure.what + failure.kernel.value_or("")).second) return;
        flush();
        write(to_text(Line{.failure = failure}));
    });
}

void Recorder::note(const std::string& text) noexcept {
    guarded(mutex_, [&] {
        if (written_.insert("note " + text).second) write(to_text(Line{.note = text}));
    });
}

void Recorder::write_all() noexcept {
    guarded(mutex_, [&] { flush(); });
}

void Recorder::end() noexcept {
    guarded(mutex_, [&] {
        flush();
        write(to_text(Line{.end = true}));
    });
}

void Recorder::gathered() {
    unwritten_.set(true);
    ++changes_;
    if (!std::exchange(gathered_, true)) changed_.notify_all();
    if (std::exchange(started_, true)) return;
    try {
        flusher_ = std::thread([this] { flush_when_idle(); });
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): what comes is written when it is due
    }
}

// Programs end in ways that tell nobody: Go's os.Exit, _exit, a signal.
void Recorder::flush_when_idle() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return gathered_ || stop_; });
        const std::uint64_t seen = changes_;
        changed_.wait_for(lock, idle_period, [&] { return stop_; });
        if (stop_) return;
        if (changes_ != seen || !gathered_) continue;
        try {
            flush();
        } catch (...) {  // as of guarded()
            return;
        }
    }
}

void Recorder::flush_if_due() {
    if (Clock::now() - last_flush_ >= flush_period) flush();
}

// A short program may end behind its result.
bool Recorder::flush_early() {
    if (early_flushes_ == 0) return false;
    --early_flushes_;
    flush();
    return true;
}

void Recorder::flush() {
    std::string text;
    for (auto& kernel : kernels_) text += to_text(Line{.kernel = std::move(kernel)});
    kernels_.clear();
    for (auto& transfer : transfers_) text += to_text(Line{.transfer = std::move(transfer)});
    transfers_.clear();
    for (auto& call : host_calls_) text += to_text(Line{.host_call = std::move(call)});
    host_calls_.clear();
    if (peak_changed_) text += to_text(Line{.peak_device_memory = Bytes{peak_}});
    peak_changed_ = false;
    write(text);
    last_flush_ = Clock::now();
    gathered_ = false;
    unwritten_.set(running_ > 0 || lost_);
}

void Recorder::write(const std::string& text) noexcept {
    // One write per batch: O_APPEND then keeps it whole among those of a process of the same id (exec).
    for (std::size_t done = 0; !lost_ && done < text.size();) {
        const auto n = ::write(file_, text.data() + done, text.size() - done);
        if (n > 0) done += static_cast<std::size_t>(n);
        if (n >= 0 || errno == EINTR) continue;
        lost_ = true;
        unwritten_.set(true);
    }
}

}  // namespace gpuproj::simulate
