// Around the accesses of a run: what they leave behind to be counted, and the way of those that are for handlers.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "collector/simulate/engine/native/emitter.hpp"
#include "collector/simulate/engine/native/registers.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate::native {

namespace {

constexpr std::uint32_t most_elements = 4, word_bytes = 4;

/// Accesses whose lanes lie as those of an earlier one do, as they have the same base: loads of device memory, and
/// accesses of shared memory that are some times their size apart.
class Leaders {
public:
    /// `found`: the accesses of the run so far.
    explicit Leaders(const std::vector<RecordedAccess>& found) : found_(found) {}

    /// The number of the access that this one follows; its own, which is the next, if there is none. Others may follow
    /// it then.
    std::uint32_t leader_of(const RecordedAccess& access) {
        const auto number = static_cast<std::uint32_t>(found_.size());
        if (!can_lead(access)) return number;
        const auto leader =
            std::ranges::find_if(leaders_, [&](std::uint32_t other) { return leads(found_[other], access); });
        if (leader != leaders_.end()) return *leader;
        leaders_.push_back(number);
        return number;
    }
    void written(Ref ref) {
        std::erase_if(leaders_, [&](std::uint32_t leader) { return found_[leader].inst->a == ref; });
    }

private:
    static bool can_lead(const RecordedAccess& access) {
        return (access.shared || !access.store) && access.inst->has_base && access.inst->guard == no_ref;
    }
    static bool leads(const RecordedAccess& leader, const RecordedAccess& access) {
        const Inst &first = *leader.inst, &inst = *access.inst;
        const std::uint32_t bytes = bytes_of(inst);
        if (first.a != inst.a || leader.shared != access.shared || bytes_of(first) != bytes) return false;
        const std::int64_t apart = std::max(moved_bytes(inst, bytes), word_bytes);
        return !access.shared || (first.wide_bytes == inst.wide_bytes && (first.imm - inst.imm) % apart == 0);
    }
    static std::uint32_t bytes_of(const Inst& inst) { return std::uint32_t{inst.bytes} * inst.count; }

    const std::vector<RecordedAccess>& found_;
    std::vector<std::uint32_t> leaders_;
};

}  // namespace

/// Gives each access of the run its places on the stack, behind `stack` bytes; gives the size of all.
std::uint32_t Emitter::place_accesses(std::span<const Step> steps, std::uint32_t stack) {
    recorded_at_.clear();
    slow_ways_.clear();
    moves_ = false;
    std::vector<RecordedAccess> found;
    std::vector<std::uint32_t> where;
    const std::uint32_t values = stack;
    std::uint32_t end = stack + most_elements * element_bytes;
    Leaders leaders(found);
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
        const Inst& inst = *steps[i].inst;
        const Accesses accesses = accesses_of(*steps[i].spec, inst);
        if (accesses.any) {
            RecordedAccess access{&inst, inst.handler};
            access.values = values;
            access.register_bytes = steps[i].spec->d_width;
            access.shared = accesses.shared;
            access.store = accesses.store;
            access.like = leaders.leader_of(access);
            access.follows = access.like < found.size() && !access.shared;
            if (access.follows) {
                access.addresses = found[access.like].addresses;
                access.lies = found[access.like].lies;
            } else {
                access.addresses = end;
                end += slot_bytes * (accesses.shared ? 1 : 2);
                access.lies = end;
                if (inst.guard != no_ref) access.lanes = end + octets;
                end += octet_bytes;
            }
            moves_ = moves_ || !accesses.shared;
            found.push_back(access);
            RecordedAccess& first = found[access.like];
            if (inst.wide_bytes != 0) (access.store ? first.like_stores : first.like_loads) += 1;
            where.push_back(i);
        }
        for (const Ref ref : steps[i].writes) leaders.written(ref);
    }
    if (found.empty()) return stack;
    recorded_.push_back(std::move(found));
    for (std::size_t i = 0; i < where.size(); ++i) recorded_at_[where[i]] = &recorded_.back()[i];
    return end;
}

/// Behind the octets: what they accessed is counted, if anything is.
void Emitter::count_accesses() {
    const std::vector<RecordedAccess>& accesses = recorded_.back();
    Xbyak::Label counted;
    cmp(byte[warp + offsetof(RunningWarp, counts)], 0);
    je(counted, T_NEAR);
    mov(address, warp);
    mov(rsi, reinterpret_cast<std::uint64_t>(accesses.data()));
    mov(edx, static_cast<std::uint32_t>(accesses.size()));
    mov(rcx, rsp);
    vzeroupper();
    const CountAccesses count = avx2::count_accesses;
    mov(rax, reinterpret_cast<std::uint64_t>(count));
    call(rax);
    mov(warp, address);
    load_pointers();
    L(counted);
    if (!moves_) return;
    std::uint32_t in_device = 0;
    for (const RecordedAccess& access : accesses) in_device += access.shared ? 0 : 1;
    // As behind every access (give_way_to_block): warps of a block mostly work on neighbouring memory.
    add(dword[warp + offsetof(RunningWarp, accesses)], in_device);
    mov(byte[warp + offsetof(RunningWarp, pause)], 1);
}

Emitter::SlowWay& Emitter::slow_way() {
    slow_ways_.emplace_back();
    slow_ways_.back().access = &recorded();
    return slow_ways_.back();
}

std::optional<Emitter::Ymm> Emitter::taking_part(const Step& step) {
    const bool guarded = step.inst->guard != no_ref;
    if (all_lanes_ && !guarded) return std::nullopt;
    const Ymm lanes_on = scratch();
    if (!guarded) {
        invert(lanes_on, Ymm(idle_lanes));
        return lanes_on;
    }
    const Ymm guard = predicate(step.inst->guard);
    if (step.inst->guard_negated)
        invert(lanes_on, guard);
    else
        vmovaps(lanes_on, guard);
    if (!all_lanes_) vpandn(lanes_on, Ymm(idle_lanes), lanes_on);
    return lanes_on;
}

void Emitter::slow_ways(const Xbyak::Label& fault) {
    for (SlowWay& way : slow_ways_) {
        L(way.begin);
        const auto at = [&](const SlowWay::Value& value) { return ptr[rsp + (way.access->values + value.at)]; };
        if (way.lanes)
            vmovmskps(eax, *way.lanes);
        else
            mov(eax, (1U << octet_lanes) - 1);
        for (const SlowWay::Value& value : way.stored) vmovups(at(value), value.ymm);
        mov(address, reinterpret_cast<std::uint64_t>(way.access));
        call(slow_access_);
        test(al, al);
        jz(fault, T_NEAR);
        for (const SlowWay::Value& value : way.loaded) vmovups(value.ymm, at(value));
        jmp(way.done, T_NEAR);
    }
}

/// What all slow ways have in common: `address` the access, eax the lanes; al false for a fault. Everything else is as
/// it was. The stack pointer of the run is 16-byte aligned.
void Emitter::make_slow_access() {
    constexpr int vectors = 16;
    const std::array kept{rcx, rdx, rsi, rdi, r8, r9, r10, r11};
    constexpr std::uint32_t pushed = sizeof(std::uint64_t) * (1 + kept.size());  // with the way back
    constexpr std::uint32_t room = vectors * octet_bytes + pushed % 16;
    align(16);
    L(slow_access_);
    for (const Xbyak::Reg64& reg : kept) push(reg);
    sub(rsp, room);
    for (int i = 0; i < vectors; ++i) vmovups(ptr[rsp + static_cast<std::size_t>(i) * octet_bytes], Ymm(i));
    vzeroupper();
    mov(rsi, address);
    mov(ecx, edx);
    lea(rdx, ptr[rsp + room + pushed]);
    mov(r8d, eax);
    const AccessOctet access = avx2::access_octet;
    mov(rax, reinterpret_cast<std::uint64_t>(access));
    call(rax);
    for (int i = 0; i < vectors; ++i) vmovups(Ymm(i), ptr[rsp + static_cast<std::size_t>(i) * octet_bytes]);
    add(rsp, room);
    for (std::size_t i = kept.size(); i-- > 0;) pop(kept[i]);
    ret();
}

}  // namespace gpuproj::simulate::native
