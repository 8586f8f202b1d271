#include "collector/simulate/engine/steady.hpp"

#include <tuple>

#include "collector/simulate/engine/sample.hpp"
#include "collector/simulate/engine/traffic.hpp"

namespace gpuproj::simulate {

namespace {

constexpr double alike_share = 0.01;
constexpr std::uint64_t launches_enough = 5;  // the caches are warm then, as of Repeats
// Of a kernel that is steady, the first launch of each period is simulated, and compared.
constexpr std::uint64_t period = 32;
constexpr std::size_t most_entries = 4096;
// To put contents of L2 back must cost less than it takes to simulate the memory of a launch: a byte takes some 0.1 ns,
// an instruction of a warp 20 and more.
constexpr double bytes_per_instruction = 50;
constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;

/// What is known only where memory is simulated; all else are instructions.
constexpr std::tuple dram{&KernelMetrics::dram_read, &KernelMetrics::dram_write};
constexpr std::tuple traffic{&KernelMetrics::warp_inst_global_load,
                             &KernelMetrics::warp_inst_global_store,
                             &KernelMetrics::warp_inst_local,
                             &KernelMetrics::warp_inst_atomic,
                             &KernelMetrics::warp_inst_shared_load,
                             &KernelMetrics::warp_inst_shared_store,
                             &KernelMetrics::warp_inst_constant,
                             &KernelMetrics::warp_inst_texture,
                             &KernelMetrics::thread_inst_global_load,
                             &KernelMetrics::thread_inst_global_store,
                             &KernelMetrics::warp_inst_coalesced,
                             &KernelMetrics::warp_inst_uncoalesced,
                             &KernelMetrics::shared_wavefront,
                             &KernelMetrics::shared_bank_conflict,
                             &KernelMetrics::constant_replay,
                             &KernelMetrics::global_load,
                             &KernelMetrics::global_store,
                             &KernelMetrics::global_load_requested,
                             &KernelMetrics::global_store_requested,
                             &KernelMetrics::uncoalesced,
                             &KernelMetrics::l1_hit,
                             &KernelMetrics::l2_read,
                             &KernelMetrics::l2_write};

double number(const Maybe<double>& value) {
    return value.value_or(0);
}
template <Dimension D>
double number(const Maybe<Quantity<D>>& value) {
    return value ? value->value : 0;
}
template <class Value>
bool close(const Maybe<Value>& a, const Maybe<Value>& b, double least = 0) {
    return within(alike_share, number(a), number(b), least);
}
template <Dimension D>
bool same(const Maybe<Quantity<D>>& a, const Maybe<Quantity<D>>& b) {
    return a == b;
}
/// Shares: occupancy is averaged by several threads of the host, whose sums differ in the last digit.
bool same(const Maybe<double>& a, const Maybe<double>& b) {
    return close(a, b);
}

bool alike_traffic(const KernelMetrics& a, const KernelMetrics& b) {
    const double least = least_dram(number(a.l2_read) + number(a.l2_write));
    return std::apply([&](const auto... member) { return (close(a.*member, b.*member) && ...); }, traffic) &&
           std::apply([&](const auto... member) { return (close(a.*member, b.*member, least) && ...); }, dram);
}
/// `to` gets the traffic of `from`, and the shares that go with it.
void take_traffic(KernelMetrics& to, const KernelMetrics& from) {
    std::apply([&](const auto... member) { ((to.*member = from.*member), ...); }, std::tuple_cat(traffic, dram));
    to.dram_channel_balance = from.dram_channel_balance;
}
bool same_instructions(const KernelMetrics& a, KernelMetrics b) {
    take_traffic(b, a);
    return std::apply([&](const auto&... field) { return (same(a.*field.member, b.*field.member) && ...); },
                      KernelMetrics::fields);
}

}  // namespace

bool Steady::knows(const Repeats::Key& key) {
    const auto found = entries_.find(key);
    if (found != entries_.end() && found->second.steady && found->second.launches % period != 0) return true;
    if (owed_ != nullptr) l2_.put_back(*owed_);
    owed_ = nullptr;
    return false;
}

void Steady::simulated(const Repeats::Key& key, const KernelMetrics& metrics) {
    if (entries_.size() >= most_entries && !entries_.contains(key)) {
        entries_.clear();
        behind_.clear();
    }
    Entry& entry = entries_[key];
    ++entry.launches;
    instructions_ += number(metrics.thread_inst);
    const std::size_t bytes = l2_.contents_bytes();
    const bool worth_it = number(metrics.warp_inst) * bytes_per_instruction >= static_cast<double>(bytes);
    entry.steady = worth_it && entry.launches >= launches_enough && instructions_ >= enough_ &&
                   same_instructions(entry.last, metrics) && alike_traffic(entry.last, metrics);
    entry.last = metrics;
    behind_.erase(key);
    if (entry.steady && (behind_.size() + 1) * bytes <= most_kept_bytes) behind_.emplace(key, l2_.contents());
}

void Steady::complete(const Repeats::Key& key, KernelMetrics& metrics) {
    Entry& entry = entries_.at(key);
    ++entry.launches;
    const auto kept = behind_.find(key);
    owed_ = kept == behind_.end() ? nullptr : &kept->second;
    take_traffic(metrics, entry.last);
    entry.steady = same_instructions(entry.last, metrics);
    const double before = number(entry.last.thread_inst_load_store);
    if (!entry.steady && before > 0)
        take_traffic(metrics, scaled(entry.last, number(metrics.thread_inst_load_store) / before));
}

void Steady::dropped(std::uint64_t first_sector, std::uint64_t sectors) {
    for (auto& [key, contents] : behind_) l2_.drop_from(contents, first_sector, sectors);
}

}  // namespace gpuproj::simulate
