#include "collector/simulate/engine/launch/l2_backlog.hpp"

#include <algorithm>
#include <utility>

namespace gpuproj::simulate {

namespace {

/// Requests of a piece: some microseconds, for which others may have to wait.
constexpr std::size_t piece = 256;

}  // namespace

L2Backlog::L2Backlog(L2Cache& l2, std::size_t threads) : l2_(l2), parts_(std::max<std::size_t>(threads / 2, 1)) {}

void L2Backlog::begin(std::size_t sms) {
    for (Queues& queues : queues_) queues.resize(std::max(queues.size(), sms));
    added_.store(0);
    served_.store(0);
}

void L2Backlog::add_round() {
    std::uint64_t added = 0;
    {
        const std::scoped_lock lock(mutex_);
        added = added_.fetch_add(1, std::memory_order_release) + 1;
        if (!is_open_) open();
    }
    finish_before(added - std::min(added, may_be_left_.load(std::memory_order_relaxed)));
}

void L2Backlog::finish() {
    finish_before(added_.load());
}

void L2Backlog::abandon() noexcept {
    try {
        finish();
    } catch (...) {
        l2_.end_round();
        for (Part& part : parts_) part.stage.store(Stage::is_done);
        is_open_ = false;
    }
    for (Queues& queues : queues_)
        for (auto& queue : queues) queue.clear();
}

/// The next round that has requests. The mutex is held.
void L2Backlog::open() {
    std::uint64_t round = served_.load(std::memory_order_relaxed);
    const auto is_empty = [](const auto& queue) { return queue.empty(); };
    while (round < added_.load(std::memory_order_relaxed) && std::ranges::all_of(queues_of(round), is_empty)) ++round;
    is_open_ = round < added_.load(std::memory_order_relaxed);
    served_.store(round, std::memory_order_release);
    if (!is_open_) return;
    const std::size_t parts = l2_.begin_round(queues_of(round), serving_threads());
    left_.store(parts, std::memory_order_relaxed);
    for (std::size_t part = 0; part < parts; ++part) parts_[part].stage.store(Stage::waits, std::memory_order_release);
}

/// All parts of a round are served.
void L2Backlog::close() {
    const std::scoped_lock lock(mutex_);
    l2_.end_round();
    for (auto& queue : queues_of(served_.load(std::memory_order_relaxed))) queue.clear();
    served_.fetch_add(1, std::memory_order_release);
    open();
}

bool L2Backlog::serve_piece(std::size_t part) noexcept {
    std::atomic<Stage>& stage = parts_[part].stage;
    Stage waits = Stage::waits;
    if (stage.load(std::memory_order_relaxed) != waits ||
        !stage.compare_exchange_strong(waits, Stage::runs, std::memory_order_acq_rel))
        return false;
    bool more = false;
    try {
        more = l2_.serve(part, piece);
        stage.store(more ? Stage::waits : Stage::is_done, std::memory_order_release);
        if (!more && left_.fetch_sub(1, std::memory_order_acq_rel) == 1) close();
    } catch (...) {
        const std::scoped_lock lock(mutex_);
        if (!error_) error_ = std::current_exception();
    }
    return true;
}

bool L2Backlog::serve_overdue(std::size_t thread) noexcept {
    const std::uint64_t left = added_.load(std::memory_order_relaxed) - served_.load(std::memory_order_relaxed);
    return left >= may_be_left_.load(std::memory_order_relaxed) && serve(thread);
}

bool L2Backlog::serve(std::size_t thread) noexcept {
    return thread < parts_.size() && serve_piece(thread);
}

void L2Backlog::finish_before(std::uint64_t round) {
    while (served_.load(std::memory_order_acquire) < round) {
        bool did = false;
        for (std::size_t part = 0; part < parts_.size(); ++part) did = serve_piece(part) || did;
        if (!did) __builtin_ia32_pause();
        const std::scoped_lock lock(mutex_);
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }
}

}  // namespace gpuproj::simulate
