#include "collector/simulate/runtime/device_queue.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

namespace gpuproj::simulate {

namespace {

thread_local bool of_queue = false, of_host_functions = false;

/// Functions that ask, make something or add work, by what their names have after cuda or cu. Those that wait for one
/// stream or event do it themselves.
constexpr std::array go_on{"Async",
                           "LaunchKernel",
                           "LaunchCooperative",
                           "LaunchHostFunc",
                           "GraphLaunch",
                           "Get",
                           "Query",
                           "EventCreate",
                           "EventRecord",
                           "EventSync",
                           "EventElapsed",
                           "EventDestroy",
                           "StreamCreate",
                           "StreamSync",
                           "StreamWait",
                           "StreamAdd",
                           "StreamWrite",
                           "StreamBatch",
                           "IsCapturing",
                           "SetDevice",
                           "CtxSet",
                           "CtxPush",
                           "CtxPop",
                           "HostAlloc",
                           "MallocHost",
                           "Malloc",
                           "MemAlloc",
                           "Occupancy",
                           "MemAdvise",
                           "UserObject",
                           "CtxRecord",
                           "CtxWait",
                           "StreamDestroy",
                           "BeginCapture",
                           "EndCapture",
                           "GraphCreate",
                           "GraphAdd",
                           "GraphInstantiate",
                           "GraphDestroy",
                           "GraphExecDestroy",
                           "FuncSet"};
constexpr std::string_view frees = "FreeAsync";  // memory that what runs may still use

}  // namespace

bool StreamOrder::waits_for(const StreamOrder& earlier) const {
    return after_all || earlier.before_all || handle == earlier.handle || (legacy && !earlier.non_blocking) ||
           (earlier.legacy && !non_blocking);
}

void DeviceQueue::start(Server server) {
    if (std::exchange(started_[server], true)) return;
    // Detached: the application may end while a kernel or function of its own is still waiting.
    std::thread([this, server] { serve(server); }).detach();
}

bool DeviceQueue::has_work_for(Server server) const {
    return std::ranges::any_of(entries_, [&](const Entry* entry) { return server_of(*entry) == server; });
}

void DeviceQueue::serve(Server server) {
    of_queue = true;
    of_host_functions = server == host;
    constexpr std::chrono::microseconds pause{200};  // who makes an entry ready does not tell us
    const auto to_be_asked = [](const Entry* entry) { return static_cast<bool>(entry->ties.ready); };
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return has_work_for(server); });
        while (has_work_for(server) && (running_[server] = next(server)) == nullptr) {
            if (std::ranges::any_of(entries_, to_be_asked))
                changed_.wait_for(lock, pause);
            else
                changed_.wait(lock);
        }
        if (running_[server] == nullptr) continue;  // dropped
        Entry& entry = *running_[server];
        entry.begun = std::chrono::steady_clock::now();
        lock.unlock();
        try {
            entry.task();
        } catch (...) {
            entry.error = std::current_exception();
        }
        lock.lock();
        std::erase(entries_, &entry);
        running_[server] = nullptr;
        if (entry.waited_for)
            entry.done = true;  // whoever waits owns it
        else
            delete &entry;
        if (entries_.empty()) busy_.store(false, std::memory_order_release);
        changed_.notify_all();
    }
}

// The first of this thread's that waits for none before it.
DeviceQueue::Entry* DeviceQueue::next(Server server) const {
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
        if (server_of(**entry) != server) continue;
        const bool behind = std::any_of(entries_.begin(), entry, [&](const Entry* earlier) {
            const void* event = (*entry)->ties.awaits;
            return (*entry)->stream.waits_for(earlier->stream) || (event != nullptr && earlier->ties.records == event);
        });
        if (!behind && (!(*entry)->ties.ready || (*entry)->ties.ready())) return *entry;
    }
    return nullptr;
}

void DeviceQueue::run(const StreamOrder& stream, Task task) {
    auto owned = std::make_unique<Entry>(Entry{.stream = stream, .task = std::move(task), .waited_for = true});
    Entry* const entry = owned.get();
    std::unique_lock lock(mutex_);
    start(device);
    entries_.push_back(entry);
    changed_.notify_all();
    changed_.wait(lock, [&] { return entry->done || !entry->waited_for; });
    if (!entry->done) {
        static_cast<void>(owned.release());  // let go: the queue's thread ends it
        return;
    }
    if (entry->error) std::rethrow_exception(entry->error);
}

void DeviceQueue::let_go() {
    const std::lock_guard lock(mutex_);
    running_[device]->waited_for = false;
    running_[device]->let_go = true;
    busy_.store(true, std::memory_order_release);
    changed_.notify_all();
}

bool DeviceQueue::call(const StreamOrder& stream, Task task, std::chrono::milliseconds patience) {
    auto owned = std::make_unique<Entry>(
        Entry{.stream = stream, .task = std::move(task), .ties = {.calls_host = true}, .waited_for = true});
    Entry* const entry = owned.get();
    std::unique_lock lock(mutex_);
    start(host);
    entries_.push_back(entry);
    changed_.notify_all();
    if (changed_.wait_for(lock, patience, [&] { return entry->done; })) return false;
    static_cast<void>(owned.release());  // let go: the thread for host functions ends it
    entry->waited_for = false;
    busy_.store(true, std::memory_order_release);
    return running_[host] == entry;
}

void DeviceQueue::add(const StreamOrder& stream, Task task, Ties ties) {
    auto owned = std::make_unique<Entry>(Entry{.stream = stream, .task = std::move(task), .ties = std::move(ties)});
    const std::lock_guard lock(mutex_);
    start(server_of(*owned));
    entries_.push_back(owned.get());
    static_cast<void>(owned.release());
    busy_.store(true, std::memory_order_release);
    changed_.notify_all();
}

bool DeviceQueue::on_its_thread() {
    return of_queue;
}

bool DeviceQueue::in_host_function() {
    return of_host_functions;
}

bool DeviceQueue::refuses(std::string_view function) {
    constexpr std::array allowed{"Get", "Peek", "SetDevice", "CtxSet", "CtxPush", "CtxPop"};
    return of_host_functions && std::ranges::none_of(allowed, [&](std::string_view part) {
               return function.find(part) != std::string_view::npos;
           });
}

bool DeviceQueue::holds(const StreamOrder& stream) {
    if (!busy() || of_queue) return false;
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(entries_, [&](const Entry* entry) { return stream.waits_for(entry->stream); });
}

bool DeviceQueue::holds_event(const void* event) {
    if (!busy() || of_queue) return false;
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(entries_, [&](const Entry* entry) { return entry->ties.records == event; });
}

template <class Holds>
void DeviceQueue::wait_while(Holds&& holds) {
    if (!busy() || of_queue) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return std::ranges::none_of(entries_, holds); });
}

void DeviceQueue::wait() {
    wait_while([](const Entry*) { return true; });
}

void DeviceQueue::wait_for(const StreamOrder& stream) {
    wait_while([&](const Entry* entry) { return stream.waits_for(entry->stream); });
}

void DeviceQueue::wait_for_event(const void* event) {
    wait_while([&](const Entry* entry) { return entry->ties.records == event; });
}

void DeviceQueue::wait_before(std::string_view function) {
    if (!busy()) return;
    const auto has = [&](std::string_view part) { return function.find(part) != std::string_view::npos; };
    if (!has(frees) && std::ranges::any_of(go_on, has)) return;
    if (has("Memcpy") || has("Memset")) return wait_for(StreamOrder{});
    wait();
}

void DeviceQueue::finish(std::chrono::milliseconds longest) {
    constexpr std::chrono::milliseconds pause{5};
    std::unique_lock lock(mutex_);
    for (;; changed_.wait_for(lock, pause)) {
        if (const Entry* function = running_[host]; function != nullptr) {
            if (std::chrono::steady_clock::now() - function->begun > longest) return;
            continue;
        }
        const Entry* kernel = running_[device];
        const bool goes_on = kernel != nullptr ? !kernel->let_go : next(device) != nullptr;
        if (!goes_on && next(host) == nullptr) return;
    }
}

bool DeviceQueue::drop() {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [&](const Entry* entry) {
        if (std::ranges::find(running_, entry) != running_.end() || entry->waited_for) return false;
        delete entry;
        return true;
    });
    return has_work_for(device);
}

}  // namespace gpuproj::simulate
