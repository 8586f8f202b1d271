#include "collector/simulate/engine/block_pool.hpp"

#include <algorithm>
#include <iterator>

namespace gpuproj::simulate {

std::size_t BlockPool::prepare(std::size_t blocks, std::size_t warps, std::size_t frame_bytes) {
    // No multiple of a power of two: the same registers of all warps would meet in the same sets of the host's caches.
    constexpr std::size_t line = 64;
    std::size_t stride = (frame_bytes + line - 1) / line * line;
    if (stride / line % 2 == 0) stride += line;
    block_bytes_ = stride * warps;
    first_frame_ = frames_.reserve(block_bytes_ * blocks);
    free_.clear();
    lent_ = 0;
    return stride;
}

BlockContext* BlockPool::take() {
    const std::scoped_lock lock(mutex_);
    if (!free_.empty()) {
        // Not far from the end: there may be many.
        constexpr std::ptrdiff_t far = 64;
        const auto end = free_.rbegin() + std::min(far, std::ssize(free_));
        const auto own = std::ranges::find(free_.rbegin(), end, std::this_thread::get_id(), &Free::whose);
        const auto taken = own == end ? free_.rbegin() : own;
        BlockContext* const block = taken->block;
        free_.erase(std::next(taken).base());
        return block;
    }
    if (lent_ == all_.size()) all_.push_back(std::make_unique<BlockContext>());
    BlockContext* block = all_[lent_].get();
    block->frames = first_frame_ + lent_ * block_bytes_;
    ++lent_;
    return block;
}

void BlockPool::give_back(BlockContext* block) {
    const std::scoped_lock lock(mutex_);
    free_.push_back({block, std::this_thread::get_id()});
}

}  // namespace gpuproj::simulate
