#include "collector/simulate/engine/launch/alike.hpp"

#include <tuple>

#include "collector/simulate/engine/launch/traffic.hpp"

namespace gpuproj::simulate {

namespace {

/// Of shares that several threads of the host average, whose sums differ in the last digit.
constexpr double same_share = 0.01;

/// What is known only where memory is simulated; all else are instructions. By kind: of the counters in one of these,
/// those that are little of the whole need not be alike.
constexpr std::tuple dram{&KernelMetrics::dram_read, &KernelMetrics::dram_write};
constexpr std::tuple l2{&KernelMetrics::l2_read, &KernelMetrics::l2_write};
constexpr std::tuple accesses{&KernelMetrics::warp_inst_global_load, &KernelMetrics::warp_inst_global_store,
                              &KernelMetrics::warp_inst_local,       &KernelMetrics::warp_inst_atomic,
                              &KernelMetrics::warp_inst_shared_load, &KernelMetrics::warp_inst_shared_store,
                              &KernelMetrics::warp_inst_constant,    &KernelMetrics::warp_inst_texture,
                              &KernelMetrics::constant_replay};
constexpr std::tuple others{
    std::tuple{&KernelMetrics::thread_inst_global_load, &KernelMetrics::thread_inst_global_store},
    std::tuple{&KernelMetrics::warp_inst_coalesced, &KernelMetrics::warp_inst_uncoalesced},
    std::tuple{&KernelMetrics::global_line, &KernelMetrics::uncoalesced_line},
    std::tuple{&KernelMetrics::shared_wavefront, &KernelMetrics::shared_bank_conflict},
    std::tuple{&KernelMetrics::thread_atomic_hottest},
    std::tuple{&KernelMetrics::global_load, &KernelMetrics::global_store, &KernelMetrics::uncoalesced,
               &KernelMetrics::l1_hit},
    std::tuple{&KernelMetrics::global_load_requested, &KernelMetrics::global_store_requested}};
constexpr std::tuple traffic = std::tuple_cat(std::tuple{dram, l2, accesses}, others);

double number(const Maybe<double>& value) {
    return value.value_or(0);
}
template <Dimension D>
double number(const Maybe<Quantity<D>>& value) {
    return value ? value->value : 0;
}
template <Dimension D>
bool same(const Maybe<Quantity<D>>& a, const Maybe<Quantity<D>>& b) {
    return a == b;
}
bool same(const Maybe<double>& a, const Maybe<double>& b) {
    return within(same_share, number(a), number(b));
}

template <class Kind>
double sum(const KernelMetrics& a, const Kind& kind) {
    return std::apply([&](const auto... member) { return (number(a.*member) + ...); }, kind);
}

void take_traffic(KernelMetrics& to, const KernelMetrics& from) {
    const auto take = [&](const auto... member) { ((to.*member = from.*member), ...); };
    std::apply([&](const auto&... kind) { (std::apply(take, kind), ...); }, traffic);
    to.dram_channel_balance = from.dram_channel_balance;
    to.dram_read_page_share = from.dram_read_page_share;
    to.dram_write_page_share = from.dram_write_page_share;
    to.achieved_occupancy = from.achieved_occupancy;  // nobody looks at where blocks run
}

}  // namespace

bool alike_traffic(const KernelMetrics& a, const KernelMetrics& b, double share) {
    // Each counter of a kind, or the difference in it is little of `whole`.
    const auto counters = [&](const auto& kind, double whole) {
        return std::apply(
            [&](const auto... member) {
                return (within(share, number(a.*member), number(b.*member), least_of(whole)) && ...);
            },
            kind);
    };
    const auto alike = [&](const auto& kind) { return counters(kind, sum(a, kind)); };
    return alike(accesses) && alike(l2) && counters(dram, sum(a, l2)) &&
           std::apply([&](const auto&... kind) { return (alike(kind) && ...); }, others);
}

bool alike_instructions(const KernelMetrics& a, const KernelMetrics& b, double share) {
    KernelMetrics other = b;
    take_traffic(other, a);
    const double rare = number(a.warp_inst) / 10;
    return std::apply(
        [&](const auto&... field) {
            return (within(share, number(a.*field.member), number(other.*field.member), rare) && ...);
        },
        KernelMetrics::fields);
}

bool same_instructions(const KernelMetrics& a, KernelMetrics b) {
    take_traffic(b, a);
    return std::apply([&](const auto&... field) { return (same(a.*field.member, b.*field.member) && ...); },
                      KernelMetrics::fields);
}

void take_traffic(Counted& to, const Counted& from) {
    take_traffic(to.metrics, from.metrics);
    to.other_gpus.l2 = from.other_gpus.l2;
    to.other_gpus.l2_in_halves = from.other_gpus.l2_in_halves;
    to.other_gpus.l1 = from.other_gpus.l1;
    to.other_gpus.banks = from.other_gpus.banks;
}

}  // namespace gpuproj::simulate
