// Activations of functions: their registers, their local memory, and the way back to who called them.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "collector/simulate/engine/checks.hpp"
#include "collector/simulate/engine/thread_stack.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

namespace {

std::atomic<std::size_t> stack_bytes{1024};  // where nobody says

/// Nested calls that every stack is taken to have room for: how much of a frame is in registers is ptxas' decision.
constexpr std::size_t always_possible = 512;

/// Is there no room for one more call, of a function that begins its memory at `begin`?
bool is_full(std::size_t depth, std::size_t begin, const Code& code) {
    constexpr std::size_t least_frame = 16;  // the way back and what a caller keeps: the ABI's stack is aligned to that
    return depth >= always_possible && begin + code.local_bytes + depth * least_frame > stack_bytes;
}

void finish_warp(Warp& warp) {
    warp.state() = WarpState::done;
    warp.pause = true;
    warp.block->alive_warps -= 1;
    warp.sm->alive_warps -= 1;
}

/// Every lane's local memory is to have `wanted` bytes; what is there is kept.
void reserve_local(Warp& warp, std::size_t wanted) {
    if (wanted <= warp.local_stride) return;
    const auto stride = static_cast<std::uint32_t>(std::max<std::size_t>(wanted, std::size_t{warp.local_stride} * 2));
    warp.local_stride = (stride + 3) / 4 * 4;
    warp.local.resize(std::size_t{warp.local_stride} * lanes);
}

/// Where local memory behind a call's own begins.
std::uint32_t top_of(const Frame& frame) {
    return frame.local_base + frame.code->local_bytes + frame.allocated;
}

std::byte* deeper_frame(Warp& warp, std::size_t depth, const Code& code) {
    constexpr std::size_t align = 64;
    if (warp.arena.size() <= depth) warp.arena.resize(depth + 1);
    std::vector<FrameMemory>& known = warp.arena[depth];
    auto own = known.begin();
    if (warp.parted) own = std::ranges::find(known, &code, &FrameMemory::code);
    if (own == known.end()) own = known.insert(own, FrameMemory{});
    own->code = &code;
    if (own->bytes < code.frame_bytes) {
        own->memory = std::make_unique<std::byte[]>(code.frame_bytes + align);
        own->bytes = code.frame_bytes;
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(own->memory.get());
    return own->memory.get() + (align - begin % align) % align;
}

/// One element of a lane, of a size that the compiler knows where it is a usual one.
void copy_element(std::byte* to, const std::byte* from, std::uint32_t bytes) {
    switch (bytes) {
        case 4:
            std::memcpy(to, from, 4);
            break;
        case 8:
            std::memcpy(to, from, 8);
            break;
        default:
            std::memcpy(to, from, bytes);
    }
}

/// What the place of a register had before is another function's, or another launch's.
void clear_unwritten(const Frame& frame, std::uint32_t mask) {
    for (const UnwrittenRegister& reg : frame.code->unwritten) {
        std::byte* const at = frame.base + reg.ref;
        if (reg.width == 0) {
            *reinterpret_cast<std::uint32_t*>(at) &= ~mask;
            continue;
        }
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
            std::memset(at + static_cast<std::size_t>(std::countr_zero(rest)) * reg.width, 0, reg.width);
    }
}

/// From the first instruction of an activation on, with all lanes.
void run_from_start(Warp& warp, const Frame& frame) {
    clear_unwritten(frame, warp.active);
    enter(warp, frame);
    warp.pc = frame.code->instructions.data();
    warp.stack.push_back({warp.pc, nullptr, warp.active});
}

}  // namespace

void set_thread_stack(std::size_t bytes) {
    stack_bytes = bytes;
}

void enter(Warp& warp, const Frame& frame) {
    const LaunchContext& launch = *warp.sm->launch;
    const auto function = static_cast<std::size_t>(frame.code - launch.program->functions.data());
    const std::uint32_t first = launch.first_slot[function];
    warp.frame = frame.base;
    warp.code = frame.code;
    warp.constants = frame.code->constants.data();
    warp.stack_base = frame.stack_base;
    warp.warp_counts = warp.sm->warp_counts.data() + first;
    warp.thread_counts = warp.sm->thread_counts.data() + first;
}

std::uint32_t grow_stack(Warp& warp, std::uint32_t bytes) {
    constexpr std::uint32_t most = 512U << 10;  // what a thread can have
    Frame& frame = warp.frames.back();
    const std::uint32_t begin = top_of(frame);
    if (bytes > most || begin + bytes > most) {
        throw LaunchFault(FaultKind::illegal_address,
                          fmt::format("stack overflow: {} bytes of local memory in kernel {}",
                                      std::uint64_t{begin} + bytes, warp.sm->launch->kernel->name));
    }
    frame.allocated += bytes;
    reserve_local(warp, std::size_t{begin} + bytes);
    return begin;
}

void push_frame(Warp& warp, const Code& code, const CallSite* site) {
    const std::size_t depth = warp.frames.size();
    const std::size_t begin = depth == 0 ? 0 : top_of(warp.frames.back());
    if (is_full(depth, begin, code))
        throw LaunchFault(
            FaultKind::illegal_address,
            fmt::format("stack overflow: {} nested calls in kernel {}, with {} bytes of stack (cudaLimitStackSize)",
                        depth, warp.sm->launch->kernel->name, stack_bytes.load()));
    Frame frame;
    frame.code = &code;
    frame.base = depth == 0 ? warp.block->frames + warp.index * warp.sm->launch->frame_stride
                            : deeper_frame(warp, depth - 1, code);
    frame.stack_base = warp.stack.size();
    frame.site = site;
    frame.call_mask = warp.active;
    frame.local_base = static_cast<std::uint32_t>(begin);
    reserve_local(warp, std::size_t{frame.local_base} + code.local_bytes);
    warp.frames.push_back(frame);
    run_from_start(warp, frame);
}

void begin_kernel(Warp& warp) {
    warp.local.clear();  // what is there again will be zeros
    warp.local_stride = 0;
    if (warp.frames.empty()) return push_frame(warp, *warp.sm->launch->kernel, nullptr);
    Frame& frame = warp.frames.front();  // a warp ends in the kernel's own activation
    frame.call_mask = warp.active;
    frame.allocated = 0;
    reserve_local(warp, frame.code->local_bytes);
    run_from_start(warp, frame);
}

void pass_between(const std::byte* from_frame, const CallArea& from, std::byte* to_frame, const CallArea& to,
                  std::uint32_t mask) {
    const std::byte* source = from_frame + from.offset;
    std::byte* destination = to_frame + to.offset;
    if (mask == full_mask && from.bytes == to.bytes) {
        std::memcpy(destination, source, std::size_t{to.bytes} * lanes);
        return;
    }
    const std::uint32_t bytes = std::min(from.bytes, to.bytes);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
        copy_element(destination + lane * to.bytes, source + lane * from.bytes, bytes);
    }
}

void unwind(Warp& warp) {
    for (;;) {
        const Frame& frame = warp.frames.back();
        while (warp.stack.size() > frame.stack_base && (warp.stack.back().mask == 0 || warp.stack.back().pc == nullptr))
            warp.stack.pop_back();
        if (warp.stack.size() > frame.stack_base) {
            warp.active = warp.stack.back().mask;
            warp.pc = warp.stack.back().pc;
            return;
        }
        if (warp.frames.size() == 1) {
            if (!next_strand(warp)) finish_warp(warp);
            return;
        }
        // Back to the caller, with the results of the lanes that are still there.
        const Frame done = frame;
        warp.frames.pop_back();
        const Frame& caller = warp.frames.back();
        if (done.site != nullptr) {
            const std::size_t count = std::min(done.site->results.size(), done.code->results.size());
            for (std::size_t i = 0; i < count; ++i)
                pass_between(done.base, done.code->results[i], caller.base, done.site->results[i], done.call_mask);
        }
        enter(warp, caller);
    }
}

}  // namespace gpuproj::simulate
