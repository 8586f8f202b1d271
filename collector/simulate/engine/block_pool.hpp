// The memory of running blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "collector/simulate/engine/huge_pages.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

/// Lends the memory of a block (its warps, their registers, its shared memory) from its first instruction to its last.
/// What a thread gave back last is lent to it first, in later launches as well: it is in the caches of its core still.
/// What lies in another's comes line by line, and is lent only where there may be no more.
class BlockPool {
public:
    /// For a launch: at most `blocks` at once, of `warps` warps with `frame_bytes` of registers each. Everything that
    /// was lent is given back. Gives the bytes from one warp's registers to the next one's. Throws std::bad_alloc.
    std::size_t prepare(std::size_t blocks, std::size_t warps, std::size_t frame_bytes);
    BlockContext* take();
    void give_back(BlockContext* block);

private:
    struct Lent : BlockContext {
        std::thread::id whose;  // that had it last
    };
    /// What a thread gave back and may have again.
    struct Shelf {
        std::thread::id whose;
        std::vector<Lent*> free;
    };
    std::vector<Lent*>& shelf_of(std::thread::id thread);

    std::mutex mutex_;
    std::vector<std::unique_ptr<Lent>> all_;
    std::size_t most_ = 0;  // of them in this launch
    std::vector<Shelf> shelves_;
    HugePages frames_;
    std::byte* first_frame_ = nullptr;
    std::size_t block_bytes_ = 0;  // of registers
};

}  // namespace gpuproj::simulate
