#include "collector/simulate/engine/counting.hpp"

#include <cmath>

#include "collector/simulate/engine/expansions.hpp"

namespace gpuproj::simulate {

namespace {

struct Totals {
    std::array<double, class_count> warp{}, thread{};
};

std::vector<std::uint64_t> sum_of(std::span<const SmContext> sms, std::vector<std::uint64_t> SmContext::*counts) {
    std::vector<std::uint64_t> total((sms.front().*counts).size());
    for (const SmContext& sm : sms)
        for (std::size_t i = 0; i < total.size(); ++i) total[i] += (sm.*counts)[i];
    return total;
}

/// What was executed of one cost: instructions of warps, and of threads.
struct Executed {
    double warp = 0, thread = 0;
};

Totals weigh(const LaunchContext& launch, int capability, std::span<const SmContext> sms) {
    const auto warps = sum_of(sms, &SmContext::warp_counts), threads = sum_of(sms, &SmContext::thread_counts);
    const std::vector<Cost>& costs = launch.program->costs;
    std::vector<Executed> executed(costs.size());
    for (std::size_t f = 0; f < launch.first_slot.size(); ++f) {
        if (launch.first_slot[f] == no_slot) continue;
        const Code& code = launch.program->functions[f];
        for (std::size_t i = 0; i < code.cost.size(); ++i) {
            const std::uint32_t slot = code.guarded[i] != 0 ? code.instructions[i].slot : code.slot_of[i];
            Executed& sum = executed[code.cost[i]];
            sum.warp += static_cast<double>(warps[launch.first_slot[f] + code.slot_of[i]]);
            sum.thread += static_cast<double>(threads[launch.first_slot[f] + slot]);
        }
    }
    Totals totals;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        if (executed[i].warp == 0) continue;
        const Mix& mix = resolve(costs[i], capability);
        for (std::size_t c = 0; c < class_count; ++c) {
            totals.warp[c] += static_cast<double>(mix[c]) * executed[i].warp;
            totals.thread[c] += static_cast<double>(mix[c]) * executed[i].thread;
        }
    }
    return totals;
}

}  // namespace

Traffic traffic_of(std::span<const SmContext> sms, const L2Counters& l2) {
    Traffic traffic{{}, l2};
    for (const SmContext& sm : sms) {
        for (const auto member : simulated_counters) traffic.memory.*member += sm.counters.*member;
        traffic.memory.divergent_branches += sm.counters.divergent_branches;
        traffic.memory.out_of_bounds += sm.counters.out_of_bounds;
    }
    return traffic;
}

KernelMetrics metrics_of(const LaunchContext& launch, int capability, std::span<const SmContext> sms,
                         const Traffic& traffic, double occupancy) {
    const auto& [memory, l2] = traffic;
    const Totals totals = weigh(launch, capability, sms);
    // Expansions have fractional means; a count is whole.
    const auto thread = [&](Class c) { return Instructions{std::round(totals.thread[static_cast<std::size_t>(c)])}; };
    const auto warp = [&](Class c) { return Instructions{std::round(totals.warp[static_cast<std::size_t>(c)])}; };
    const auto count = [](std::uint64_t n) { return Instructions{static_cast<double>(n)}; };
    const auto sectors = [](std::uint64_t n) { return Sectors{static_cast<double>(n)}; };
    const auto tensor = [&](Class c) { return Operations{std::round(totals.warp[static_cast<std::size_t>(c)])}; };

    KernelMetrics m;
    m.thread_inst_fp32_fma = thread(Class::fp32_fma);
    m.thread_inst_fp64_fma = thread(Class::fp64_fma);
    m.thread_inst_load_store = thread(Class::load_store);
    m.warp_inst = warp(Class::total);
    m.thread_inst_fp32 = thread(Class::fp32);
    m.thread_inst_fp64 = thread(Class::fp64);
    m.thread_inst_integer = thread(Class::integer);
    m.dram_read = sectors(l2.dram_read_sectors);
    m.dram_write = sectors(l2.dram_write_sectors);

    m.thread_inst = thread(Class::total);
    m.thread_inst_fp16 = thread(Class::fp16);
    m.thread_inst_fp16_fma = thread(Class::fp16_fma);
    m.thread_inst_special = thread(Class::special);
    m.thread_inst_conversion = thread(Class::conversion);
    m.thread_inst_control = thread(Class::control);
    m.thread_inst_misc = thread(Class::misc);
    m.thread_inst_communication = thread(Class::communication);
    m.thread_inst_integer_add = thread(Class::integer_add);
    m.thread_inst_integer_multiply = thread(Class::integer_multiply);
    m.thread_inst_integer_shift = thread(Class::integer_shift);
    m.thread_inst_integer_logic = thread(Class::integer_logic);
    m.thread_inst_integer_compare = thread(Class::integer_compare);
    m.tensor_fp16 = tensor(Class::tensor_fp16);
    m.tensor_bf16 = tensor(Class::tensor_bf16);
    m.tensor_tf32 = tensor(Class::tensor_tf32);
    m.tensor_fp64 = tensor(Class::tensor_fp64);
    m.tensor_int8 = tensor(Class::tensor_int8);
    m.tensor_fp8 = tensor(Class::tensor_fp8);
    m.tensor_int4 = tensor(Class::tensor_int4);
    m.tensor_int1 = tensor(Class::tensor_int1);
    m.warp_inst_tensor = warp(Class::tensor);
    m.warp_inst_special = warp(Class::special);
    m.warp_inst_branch = warp(Class::branch);
    m.warp_inst_branch_divergent = count(memory.divergent_branches);
    m.warp_inst_barrier = warp(Class::barrier);
    m.warp_inst_global_load = count(memory.global_loads);
    m.warp_inst_global_store = count(memory.global_stores);
    m.warp_inst_local = count(memory.locals);
    m.warp_inst_atomic = count(memory.atomics);
    m.warp_inst_shared_load = count(memory.shared_loads);
    m.warp_inst_shared_store = count(memory.shared_stores);
    m.warp_inst_constant = count(memory.constants);
    m.warp_inst_texture = count(memory.textures);
    m.warp_memory_task = warp(Class::memory_task);
    m.thread_inst_global_load = count(memory.thread_loads);
    m.thread_inst_global_store = count(memory.thread_stores);
    m.warp_inst_coalesced = count(memory.coalesced);
    m.warp_inst_uncoalesced = count(memory.uncoalesced);

    m.shared_wavefront = count(memory.shared_passes);
    m.shared_bank_conflict = count(memory.shared_conflicts);
    m.constant_replay = count(memory.constant_replays);
    m.global_load = sectors(memory.load_sectors);
    m.global_store = sectors(memory.store_sectors);
    m.global_load_requested = Bytes{static_cast<double>(memory.load_bytes)};
    m.global_store_requested = Bytes{static_cast<double>(memory.store_bytes)};
    m.uncoalesced = sectors(memory.uncoalesced_sectors);
    m.l1_hit = sectors(memory.l1_hits);
    m.l2_read = sectors(l2.read_sectors);
    m.l2_write = sectors(l2.write_sectors + l2.atomic_sectors);
    m.achieved_occupancy = occupancy;
    if (const double balance = l2.channel_balance(); balance > 0) m.dram_channel_balance = balance;
    return m;
}

}  // namespace gpuproj::simulate
