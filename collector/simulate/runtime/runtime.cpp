#include "collector/simulate/runtime/runtime.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

#include "collector/simulate/engine/assembler/expansions.hpp"
#include "collector/simulate/runtime/kernels.hpp"
#include "collector/simulate/runtime/refused.hpp"
#include "collector/simulate/runtime/refused_launches.hpp"
#include "model/error.hpp"

namespace gpuproj::simulate {

namespace {

namespace fs = std::filesystem;

// As on a GPU: CUDA state does not survive fork. The parent's recorder is not ours to write to.
Refused forked(const fs::path& session) {
    Recorder recorder(session, false);
    Refused refused(cuda::initialization_error, "CUDA in a forked child of a process that has used CUDA",
                    "fork before the first CUDA call, or exec after it", records::unsupported_function);
    recorder.failure({std::string(refused.kind()), refused.what(), std::nullopt, refused.advice()});
    recorder.end();
    return refused;
}

KernelRecord record_of(const KernelInfo& info, const LaunchRequest& request) {
    KernelRecord record;
    record.kernel = records::demangle(info.name);
    if (record.kernel != info.name) record.mangled = info.name;
    record.grid = request.grid;
    record.block = request.block;
    record.dynamic_shared = Bytes{static_cast<double>(request.dynamic_shared_bytes)};
    record.static_shared = Bytes{static_cast<double>(info.static_shared_bytes)};
    record.local_per_thread = Bytes{static_cast<double>(info.local_bytes)};
    record.registers_per_thread = info.registers;
    if (info.register_bounds != RegisterBounds{}) record.register_bounds = info.register_bounds;
    if (info.registers_from == 0) return record;
    record.notes.push_back(
        info.registers == info.registers_there
            ? fmt::format("registers per thread are those of the machine code for sm_{}", info.registers_from)
            : fmt::format("registers per thread, {}, are estimated from the {} that machine code for sm_{} has",
                          info.registers, info.registers_there, info.registers_from));
    return record;
}

std::uint64_t host_memory() {
    return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

constexpr int oldest_target = 20;

// The targets that NVRTC compiles for, where the program has it; ascending.
std::vector<int> compiled_at_run_time() {
    auto* const count_of = reinterpret_cast<int (*)(int*)>(dlsym(RTLD_DEFAULT, "nvrtcGetNumSupportedArchs"));
    auto* const list = reinterpret_cast<int (*)(int*)>(dlsym(RTLD_DEFAULT, "nvrtcGetSupportedArchs"));
    int count = 0;
    if (count_of == nullptr || list == nullptr || count_of(&count) != 0 || count <= 0) return {};
    std::vector<int> targets(static_cast<std::size_t>(count));
    if (list(targets.data()) != 0) return {};
    return targets;
}

// What the program was compiled for. One that loads or compiles its kernels later gets the reference's compute
// capability, or the nearest that its compiler knows.
int target_of(const Gpu& reference) {
    if (const int built = Registry::instance().highest_target(); built > 0) return std::max(built, oldest_target);
    const int wanted = std::max(capability_number(reference.compute_capability), oldest_target);
    const auto known = compiled_at_run_time();
    if (known.empty()) return wanted;
    const auto above = std::upper_bound(known.begin(), known.end(), wanted);
    return above == known.begin() ? known.front() : *(above - 1);
}

// The process whose state `instance` is; a forked child sees its parent's.
std::atomic<Runtime*> runtime{nullptr};

// The runtime outlives the static objects of the application; its last word is said when libraries are closed down.
struct LastWord {
    ~LastWord() {
        if (auto* existing = Runtime::existing()) existing->recorder().end();
    }
};
const LastWord last_word;

cuda::CudaError code_of(FaultKind kind) {
    switch (kind) {
        case FaultKind::illegal_address:
        case FaultKind::outside_allocations:
            return cuda::illegal_address;
        case FaultKind::misaligned_address:
            return cuda::misaligned_address;
        case FaultKind::assertion:
            return cuda::assertion_failed;
        case FaultKind::timeout:
        case FaultKind::stopped:
            return cuda::launch_timeout;
        case FaultKind::unsupported:
            return cuda::not_supported;
        case FaultKind::invalid_launch:
            return cuda::invalid_configuration;
        case FaultKind::trap:
        case FaultKind::barrier:
            return cuda::launch_failure;
    }
    return cuda::launch_failure;
}

/// Whether this process was forked from one that has a Runtime.
std::atomic<bool> in_child = false;

}  // namespace

DeviceDescription describe_for_process(const Gpu& reference) {
    return describe_device(reference, target_of(reference), host_memory());
}

Runtime::Runtime(const fs::path& session, const records::SessionConfig& config)
    : process_(getpid()),
      session_(session),
      config_(config),
      recorder_(session, config.per_launch),
      device_(describe_for_process(config.reference)),
      questions_{[this](int attribute) { return device_attribute(*this, attribute); },
                 [this](const KernelInfo& info, int threads, std::size_t dynamic_shared_bytes) {
                     return resident_blocks(*this, info, threads, dynamic_shared_bytes);
                 }},
      selector_(config.filter) {
    // Every call of CUDA's asks; getpid() would go to the kernel each time.
    pthread_atfork(nullptr, nullptr, [] { in_child.store(true, std::memory_order_relaxed); });
}

Runtime* Runtime::create() {
    const char* session = std::getenv(records::session_variable);
    if (session == nullptr) throw Refused(cuda::no_device, "not started by gpuproj", "", records::internal);
    try {
        return new Runtime(session, records::read_config(session));
    } catch (const Error& error) {
        throw Refused(cuda::initialization_error, error.what(), "", records::internal);
    }
}

Runtime& Runtime::instance() {
    static std::mutex mutex;
    Runtime* current = runtime.load(std::memory_order_acquire);
    if (current == nullptr) {
        const std::lock_guard lock(mutex);
        current = runtime.load(std::memory_order_acquire);
        if (current == nullptr) {
            current = create();
            runtime.store(current, std::memory_order_release);
        }
    }
    if (in_child.load(std::memory_order_relaxed)) throw forked(current->session_);
    return *current;
}

Runtime* Runtime::existing() noexcept {
    Runtime* current = runtime.load(std::memory_order_acquire);
    return current != nullptr && !in_child.load(std::memory_order_relaxed) ? current : nullptr;
}

Engine& Runtime::engine() {
    if (!engine_) {
        EngineOptions options;
        options.threads = config_.threads;
        options.seed = config_.seed;
        if (config_.sample) options.sample = Sample{config_.sample->blocks, config_.sample->only};
        options.ignore_out_of_bounds = config_.ignore_out_of_bounds;
        options.count_every_launch = config_.count_every_launch;
        options.progress = [this](double share) { show_progress(share); };
        options.cut_off = &CutOff::flag();
        engine_ = std::make_unique<Engine>(config_.reference, memory_, options);
    }
    return *engine_;
}

void Runtime::show_progress(double share) {
    constexpr auto period = std::chrono::milliseconds(200);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_progress_ < period) return;
    last_progress_ = now;
    progress_shown_ = true;
    if (!cut_off_) cut_off_.emplace();
    // Replaced whole, so that the reader never sees half of it.
    const auto part = session_ / (std::to_string(process_) + ".part");
    std::ofstream(part) << running_ << '\n' << share << '\n';
    std::error_code error;
    fs::rename(part, session_ / records::progress_name, error);
}

void Runtime::clear_progress() {
    if (!progress_shown_) return;
    progress_shown_ = false;
    std::error_code error;
    fs::remove(session_ / records::progress_name, error);
}

void Runtime::launch_is_over() {
    if (cut_off_) {
        recorder_.write_all();
        cut_off_.reset();
    }
    clear_progress();  // of a kernel during which the process ends, it stays
}

void Runtime::run(const LaunchRequest& request) {
    const std::lock_guard lock(engine_mutex_);
    launch_with_children(request);
    std::vector<std::function<void()>> untold;
    {
        const std::lock_guard lock_untold(untold_mutex_);
        untold.swap(untold_);
    }
    for (const auto& tell : untold) tell();
}

void Runtime::launch(const Module& module, const KernelInfo& info, LaunchRequest request, const StreamOrder& stream) {
    request.module = &module;
    request.kernel = info.name;
    if (!info.may_wait) return run(request);
    if (DeviceQueue::on_its_thread()) {
        request.stop = &stop_;
        request.waits = [this] { queue_.let_go(); };
        return run(request);
    }
    const auto waited_before = [&] {
        const std::lock_guard lock(waiting_mutex_);
        return waiting_.contains(info.name);
    };
    stop_at_exit();
    const bool at_once = waited_before();
    const std::vector<std::byte> parameters(request.parameters.begin(), request.parameters.end());
    queue_.run(stream, [this, request, parameters, at_once]() mutable {
        request.parameters = parameters;
        request.stop = &stop_;
        request.host_goes_on = at_once;
        if (at_once) queue_.let_go();
        request.waits = [&] {
            if (at_once) return;
            const std::lock_guard lock(waiting_mutex_);
            waiting_.emplace(request.kernel);
            queue_.let_go();
        };
        run(request);
    });
}

void Runtime::call_host(const void* function, std::function<void()> task, const StreamOrder& stream) {
    constexpr std::chrono::milliseconds patience{20};  // as kernels have that wait
    const auto noted = [&] {
        const std::lock_guard lock(waiting_mutex_);
        return waiting_functions_.contains(function);
    };
    stop_at_exit();
    if (noted()) return queue_.add(stream, std::move(task), {.calls_host = true});
    if (!queue_.call(stream, std::move(task), patience)) return;
    const std::lock_guard lock(waiting_mutex_);
    waiting_functions_.insert(function);
}

bool Runtime::launch_with_children(LaunchRequest request) {
    const KernelInfo& info = *request.module->kernel(request.kernel);
    request.questions = &questions_;
    KernelRecord record = record_of(info, request);
    request.count = selector_.selects(record.kernel);
    running_ = record.kernel;
    last_progress_ = std::chrono::steady_clock::now();
    const Recorder::Running running(recorder_);
    const LaunchReport report = engine().launch(request);
    const bool done = record_launch(record, request, report);
    launch_is_over();
    return done && std::ranges::all_of(report.children, [&](const ChildLaunch& child) {
               if (child.kernel.empty()) return transfer(child);
               LaunchRequest next;
               next.module = request.module;
               next.kernel = child.kernel;
               next.grid = child.grid;
               next.block = child.block;
               next.dynamic_shared_bytes = child.dynamic_shared_bytes;
               next.parameters = child.parameters;
               return launch_with_children(next);
           });
}

bool Runtime::record_launch(KernelRecord& record, const LaunchRequest& request, const LaunchReport& report) {
    if (const auto bytes = memory_.full_heap())
        recorder_.note(
            fmt::format("malloc in kernels found no room in their heap of {} bytes: it is as large as "
                        "cudaDeviceSetLimit(cudaLimitMallocHeapSize) says, 8388608 without",
                        *bytes));
    if (report.fault && report.fault->kind == FaultKind::stopped) {
        recorder_.note("kernel " + record.kernel + " was running still when the program ended, and is not counted");
        return false;
    }
    if (report.fault) {
        const auto& fault = *report.fault;
        const bool ours = fault.kind == FaultKind::unsupported;
        const bool outside = fault.kind == FaultKind::outside_allocations && !config_.ignore_out_of_bounds;
        recorder_.failure({std::string(ours ? records::unsupported : records::kernel_fault), fault.message,
                           record.kernel,
                           outside ? "if a GPU runs it all the same, --out-of-bounds ignore does too" : ""});
        sticky_error_ = code_of(fault.kind);
        return false;
    }
    for (const RefusedChild& child : report.refused)
        note_refused_launch(recorder_, records::demangle(child.kernel), record.kernel, {child.code, child.why});
    if (request.count) {
        record.metrics = report.counted.metrics;
        record.other_gpus = report.counted.other_gpus;
        note_what_was_left_out(record, request.grid, report);
        recorder_.launch(record);
    } else {
        recorder_.passed_over(record.kernel);
    }
    return true;
}

bool Runtime::transfer(const ChildLaunch& transfer) {
    const auto reaches = [&](const void* pointer) {
        const auto address = reinterpret_cast<std::uint64_t>(pointer);
        const auto range = memory_.find(address);
        return range && range->contains(address, transfer.bytes);
    };
    if (transfer.bytes == 0) return true;
    if (!reaches(transfer.to) || (transfer.from != nullptr && !reaches(transfer.from))) {
        recorder_.failure(
            {std::string(records::kernel_fault),
             fmt::format("a copy of {} bytes asked for by kernel {} leaves its memory", transfer.bytes, running_),
             running_, ""});
        sticky_error_ = cuda::illegal_address;
        return false;
    }
    if (transfer.from != nullptr)
        std::memmove(transfer.to, transfer.from, transfer.bytes);
    else
        std::memset(transfer.to, 0, transfer.bytes);  // as the code of CUDA's device runtime does
    if (transfer.value != 0)
        recorder_.note(fmt::format(
            "kernel {} asked cudaMemsetAsync for bytes of {}, and got zeros: the device runtime of CUDA, up "
            "to 13.0 at least, does not look at the value",
            running_, transfer.value & 0xFF));
    if (transfer.from != nullptr) engine().device_access(transfer.from, transfer.bytes, false);
    engine().device_access(transfer.to, transfer.bytes, true);
    return true;
}

void Runtime::note_what_was_left_out(KernelRecord& record, const Dim3& grid, const LaunchReport& report) {
    const std::uint64_t blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
    if (report.counted_blocks < blocks) {
        record.sampled_fraction = static_cast<double>(report.counted_blocks) / static_cast<double>(blocks);
        record.notes.push_back(fmt::format(
            "{} of {} blocks{} were counted, and the counters scaled by {:.4g}", report.counted_blocks, blocks,
            report.cut_off ? ", those that had begun when the launch was cut off," : "", 1 / *record.sampled_fraction));
    }
    if (report.passed_over)
        record.notes.emplace_back(
            "launches of the same kernel and shape as others before, whose counters agreed within 5 %, were not "
            "executed, and count as the last of those that were");
    const bool left_out = report.passed_over || (report.counted_blocks < blocks && !report.cut_off);
    if (left_out && config_.sample && config_.sample->only)
        recorder_.note("only a sample of the blocks was executed: the results of the application are not valid");
    if (report.waited)
        record.notes.emplace_back(
            "seems to have waited for the host: if so, how often it looked depends on how long that took");
    if (report.repeated)
        record.notes.emplace_back(
            "launches that repeat an earlier one exactly (kernel, arguments, contents of the memory they touch) were "
            "not executed again, and count as that one did");
    if (report.alike)
        record.notes.emplace_back(
            "launches in a row that did to memory what those before them did (same kernel and shape, traffic for each "
            "load and store within 1 %) were executed, but some have the traffic of the last one for which it was "
            "simulated, by their loads and stores");
    else if (report.steady)
        record.notes.emplace_back(
            "launches that did to memory what those before them did (same kernel, shape, arguments and instructions, "
            "traffic within 1 %) were executed, but their traffic is that of the last one for which it was simulated");
    if (report.estimated_share > 0)
        record.notes.emplace_back(
            "what long launches do to memory was simulated in parts spread over each, once these agreed within 5 %, "
            "and is counted alike for the parts between them");
    if (report.sampled_lines > 0)
        record.notes.emplace_back(
            "what long launches do to memory was simulated in full for their beginning, and behind it for a sample of "
            "the lines, which stand for the others");
    if (report.accesses_out_of_bounds > 0)
        record.notes.emplace_back("reads or writes outside allocations, within a page of them, and was let do so");
}

void Runtime::tell_engine(std::function<void()> what) {
    const std::unique_lock lock(engine_mutex_, std::try_to_lock);
    if (lock.owns_lock()) return what();
    const std::lock_guard lock_untold(untold_mutex_);
    untold_.push_back(std::move(what));
}

void Runtime::host_wrote(const void* begin, std::size_t bytes) {
    tell_engine([this, begin, bytes] {
        if (engine_) engine_->host_wrote(begin, bytes);
    });
}

void Runtime::released(const void* begin, std::size_t bytes) {
    tell_engine([this, begin, bytes] {
        if (engine_) engine_->released(begin, bytes);
    });
}

void Runtime::device_access(const void* begin, std::size_t bytes, bool written) {
    tell_engine([this, begin, bytes, written] { engine().device_access(begin, bytes, written); });
}

std::uint64_t Runtime::version_of(const void* begin, std::size_t bytes) {
    const std::unique_lock lock(engine_mutex_, std::try_to_lock);
    // Without an engine, and while a kernel runs, what was written is not noted at once.
    if (!lock.owns_lock() || !engine_) return 0;
    const auto address = reinterpret_cast<std::uint64_t>(begin);
    const auto range = memory_.find(address);
    return range && range->contains(address, bytes) ? memory_.version(*range).value_or(0) : 0;
}

std::optional<int> Runtime::share(const void* begin) {
    const std::lock_guard lock(engine_mutex_);
    return memory_.share(begin);
}

void Runtime::fail(cuda::CudaError code) {
    cuda::CudaError none = cuda::success;
    if (code != cuda::success) sticky_error_.compare_exchange_strong(none, code);
}

void Runtime::stop_at_exit() {
    // Before what static objects of ours hold is gone.
    static const bool stops_at_exit = std::atexit([] {
                                          if (auto* existing = Runtime::existing()) existing->stop();
                                      }) == 0;
    static_cast<void>(stops_at_exit);
}

void Runtime::stop() noexcept {
    constexpr std::chrono::milliseconds longest{5000}, pause{1};
    queue_.finish(longest);
    stop_ = true;
    for (const auto begin = std::chrono::steady_clock::now();
         queue_.drop() && std::chrono::steady_clock::now() - begin < longest;)
        std::this_thread::sleep_for(pause);
}

}  // namespace gpuproj::simulate
