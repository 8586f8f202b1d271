// A kernel or host function that waits for the host, and what streams are given meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string_view>

namespace gpuproj::simulate {

/// Which of a device's streams wait for each other: those of one handle, and the legacy stream and all that were not
/// made "non-blocking".
struct StreamOrder {
    const void* handle = nullptr;  // identity_of() a stream
    bool legacy = true;
    bool non_blocking = false;
    bool after_all = false;   // waits for all streams
    bool before_all = false;  // all streams wait for it
    bool waits_for(const StreamOrder& earlier) const;
};

/// What ties work to more than the work before it in its stream.
struct Ties {
    const void* records = nullptr;  // an event
    const void* awaits = nullptr;   // the same: not before what is in the queue and records it
    std::function<bool()> ready{};  // not before this is true; looked at again and again, and must not throw
    bool calls_host = false;        // is a host function: done by the thread for those
};

/// Work of streams is done by whoever asks for it, before the call returns. A kernel that may wait for the host runs on
/// this queue's thread instead: when it does wait it is let go, its caller goes on, and what the kernel's stream is
/// given from then on is done after it, in this order. Streams that wait for a value in memory are held up in the same
/// way, but other streams overtake them. Host functions run on a second thread, so that those which wait for something
/// hold up their stream alone. Thread-safe; never destroyed once it has run anything.
class DeviceQueue {
public:
    using Task = std::function<void()>;

    /// Runs `task` on the queue's thread; returns when it is over or has called let_go(). Rethrows what it threw.
    void run(const StreamOrder& stream, Task task);
    /// Called by the task that runs: whoever waits for it in run() goes on.
    void let_go();
    /// Runs a host function on the thread for those; returns when it is over, or let go because that took longer than
    /// `patience`. True: it was running all the same. The task must not throw.
    bool call(const StreamOrder& stream, Task task, std::chrono::milliseconds patience);
    /// Behind what was let go. The task must not throw.
    void add(const StreamOrder& stream, Task task, Ties ties = {});

    /// Has anything been let go that is not over, or is behind it?
    bool busy() const { return busy_.load(std::memory_order_acquire); }
    /// On one of its threads.
    static bool on_its_thread();
    static bool in_host_function();
    /// Is this a function of the CUDA API that host functions must not call?
    static bool refuses(std::string_view function);
    /// Would work of this stream have to wait for something that was let go?
    bool holds(const StreamOrder& stream);
    bool holds_event(const void* event);

    /// These return at once on the queue's own thread, and where nothing was let go.
    void wait();
    void wait_for(const StreamOrder& stream);
    void wait_for_event(const void* event);
    /// What `function` of the CUDA API waits for before it begins: everything, unless it only asks or adds work.
    void wait_before(std::string_view function);

    /// Waits until there is nothing left, or only what waits for a kernel that was let go, for a value in memory, or
    /// for a host function that has been running for longer than `longest`.
    void finish(std::chrono::milliseconds longest);
    /// Drops what has not begun. True if a kernel is running still.
    bool drop();

private:
    struct Entry {
        StreamOrder stream;
        Task task;
        Ties ties{};
        bool waited_for = false;  // somebody is in run()
        std::exception_ptr error{};
        bool done = false;
        bool let_go = false;
        std::chrono::steady_clock::time_point begun{};
    };
    enum Server : std::size_t { device, host, servers };  // threads
    static Server server_of(const Entry& entry) { return entry.ties.calls_host ? host : device; }
    void serve(Server server);
    void start(Server server);
    bool has_work_for(Server server) const;
    Entry* next(Server server) const;
    template <class Holds>
    void wait_while(Holds&& holds);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Entry*> entries_;             // not over, in the order of the calls
    std::array<Entry*, servers> running_{};  // of them
    std::atomic<bool> busy_{false};
    std::array<bool, servers> started_{};
};

}  // namespace gpuproj::simulate
