#include "collector/simulate/engine/block_pool.hpp"

#include <algorithm>

namespace gpuproj::simulate {

std::size_t BlockPool::prepare(std::size_t blocks, std::size_t warps, std::size_t frame_bytes) {
    // No multiple of a power of two: the same registers of all warps would meet in the same sets of the host's caches.
    constexpr std::size_t line = 64;
    std::size_t stride = (frame_bytes + line - 1) / line * line;
    if (stride / line % 2 == 0) stride += line;
    block_bytes_ = stride * warps;
    first_frame_ = frames_.reserve(block_bytes_ * blocks);
    most_ = blocks;
    shelves_.clear();
    // Those that come first are taken first.
    for (std::size_t i = std::min(most_, all_.size()); i-- > 0;) {
        Lent& lent = *all_[i];
        lent.frames = first_frame_ + i * block_bytes_;
        shelf_of(lent.whose).push_back(&lent);
    }
    return stride;
}

std::vector<BlockPool::Lent*>& BlockPool::shelf_of(std::thread::id thread) {
    const auto found = std::ranges::find(shelves_, thread, &Shelf::whose);
    return found != shelves_.end() ? found->free : shelves_.emplace_back(Shelf{thread, {}}).free;
}

BlockContext* BlockPool::take() {
    const std::scoped_lock lock(mutex_);
    const std::thread::id self = std::this_thread::get_id();
    if (std::vector<Lent*>& own = shelf_of(self); !own.empty()) {
        Lent* const lent = own.back();
        own.pop_back();
        return lent;
    }
    if (all_.size() < most_) {
        Lent& made = *all_.emplace_back(std::make_unique<Lent>());
        made.frames = first_frame_ + (all_.size() - 1) * block_bytes_;
        made.whose = self;
        return &made;
    }
    // Of who has the most the one that was not used the longest.
    std::vector<Lent*>& others =
        std::ranges::max_element(shelves_, {}, [](const Shelf& shelf) { return shelf.free.size(); })->free;
    Lent* const lent = others.front();
    others.erase(others.begin());
    lent->whose = self;
    return lent;
}

void BlockPool::give_back(BlockContext* block) {
    const std::scoped_lock lock(mutex_);
    auto* const lent = static_cast<Lent*>(block);  // as all are that it gives
    lent->whose = std::this_thread::get_id();
    shelf_of(lent->whose).push_back(lent);
}

}  // namespace gpuproj::simulate
