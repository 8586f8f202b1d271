#include "model/other_gpus.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "model/l1_cache.hpp"
#include "model/l2_cache.hpp"
#include "model/shared_banks.hpp"

namespace gpuproj {

namespace {

/// "8.6" is 86.
int number(const std::string& compute_capability) {
    return capability_of(compute_capability).value_or(0);
}

const MachineCodeCounts* row_for(const std::vector<MachineCodeCounts>& rows, int capability) {
    if (rows.empty()) return nullptr;
    const MachineCodeCounts* row = &rows.front();
    for (const MachineCodeCounts& candidate : rows)
        if (number(candidate.compute_capability) <= capability) row = &candidate;
    return row;
}

void add_value(std::string&, const std::string&) {}
template <Dimension D>
void add_value(Quantity<D>& total, const Quantity<D>& more) {
    total += more;
}

void add_code(std::vector<MachineCodeCounts>& total, const std::vector<MachineCodeCounts>& more) {
    if (total.empty() || more.empty()) return total.clear();
    std::set<std::pair<int, std::string>> capabilities;
    const auto take = [&](const MachineCodeCounts& row) {
        capabilities.emplace(number(row.compute_capability), row.compute_capability);
    };
    std::ranges::for_each(total, take);
    std::ranges::for_each(more, take);
    std::vector<MachineCodeCounts> sums;
    for (const auto& [capability, name] : capabilities) {
        MachineCodeCounts sum = *row_for(total, capability);
        sum.compute_capability = name;
        const MachineCodeCounts& added = *row_for(more, capability);
        std::apply([&](const auto&... field) { (add_value(sum.*field.member, added.*field.member), ...); },
                   MachineCodeCounts::fields);
        sums.push_back(std::move(sum));
    }
    total = std::move(sums);
}

void scale(std::string&, double) {}
template <Dimension D>
void scale(Quantity<D>& value, double factor) {
    value = Quantity<D>{std::round(factor * value.value)};
}
template <class Row>
void scale_rows(std::vector<Row>& rows, std::string_view key, double factor) {
    for (Row& row : rows)
        std::apply([&](const auto&... field) { ((field.key == key ? scale(row.*field.member, factor) : void()), ...); },
                   Row::fields);
}

/// Sums rows of the same sizes; `sum` adds the rest of a row.
template <class Row, class Sum>
void add_sizes(std::vector<Row>& total, const std::vector<Row>& more, const Sum& sum) {
    if (!std::ranges::equal(total, more, {}, &Row::size, &Row::size)) return total.clear();
    for (std::size_t i = 0; i < total.size(); ++i) sum(total[i], more[i]);
}

/// Between two sizes by the logarithm of the size, beyond all by the nearest. `rows` are not empty.
template <class Row, class Value>
double at_size(const std::vector<Row>& rows, double size, const Value& value) {
    if (size <= rows.front().size.value) return value(rows.front());
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const double low = rows[i - 1].size.value, high = rows[i].size.value;
        if (size > high) continue;
        const double share = low > 0 ? std::log(size / low) / std::log(high / low) : size / high;
        return (1 - share) * value(rows[i - 1]) + share * value(rows[i]);
    }
    return value(rows.back());
}

/// A count on the reference, as it would be elsewhere by estimates of both. Where there is less of it elsewhere the
/// ratio of the estimates is the best that is known, since what one misses the other misses too; where there is more,
/// what was not there on the reference cannot be in the ratio.
double moved(double counted, double here, double there) {
    if (there <= here) return here > 0 ? counted * there / here : counted;
    return counted + there - here;
}

void set_code(KernelMetrics& m, const MachineCodeCounts& code) {
    const auto set = [](Maybe<Instructions>& counter, Instructions count) {
        if (counter) counter = count;
    };
    set(m.warp_inst, code.warp_inst);
    set(m.thread_inst, code.thread_inst);
    set(m.thread_inst_fp32, code.fp32);
    set(m.thread_inst_fp32_fma, code.fp32_fma);
    set(m.thread_inst_fp64, code.fp64);
    set(m.thread_inst_fp64_fma, code.fp64_fma);
    set(m.thread_inst_fp16, code.fp16);
    set(m.thread_inst_fp16_fma, code.fp16_fma);
    set(m.thread_inst_integer, code.integer);
    set(m.thread_inst_integer_multiply, code.integer_multiply);
    set(m.thread_inst_integer_shift, code.integer_shift);
    set(m.thread_inst_special, code.special);
    set(m.thread_inst_conversion, code.conversion);
    set(m.thread_inst_control, code.control);
    set(m.thread_inst_misc, code.misc);
}

void set_dram(KernelMetrics& m, const OtherGpus& other, const Gpu& reference, const Gpu& target) {
    if (other.l2.empty() || !reference.l2_size || !target.l2_size) return;
    const auto move = [&](Maybe<Sectors>& counter, Sectors TrafficOfL2::*member) {
        if (!counter) return;
        const auto with_l2_of = [&](const Gpu& gpu) {
            // Profiles of earlier versions know nothing of halves.
            const bool halves = l2_halves(gpu) > 1 && !other.l2_in_halves.empty();
            return at_size(halves ? other.l2_in_halves : other.l2, gpu.l2_size->value.value,
                           [&](const TrafficOfL2& row) { return (row.*member).value; });
        };
        counter = Sectors{moved(counter->value, with_l2_of(reference), with_l2_of(target))};
    };
    move(m.dram_read, &TrafficOfL2::dram_read);
    move(m.dram_write, &TrafficOfL2::dram_write);
}

void set_l2(KernelMetrics& m, const std::vector<HitsOfL1>& l1, const Gpu& target, double resident_shared) {
    if (l1.empty() || !m.l2_read || !m.l1_hit) return;
    const L1 there = l1_of(target, static_cast<std::uint64_t>(resident_shared));
    const double size = there.global_loads ? static_cast<double>(there.bytes) : 0;
    const double hits = at_size(l1, size, [](const HitsOfL1& row) { return row.hits.value; });
    m.l2_read = Sectors{std::max(m.l2_read->value + m.l1_hit->value - hits, 0.0)};
    m.l1_hit = Sectors{hits};
}

void set_shared(KernelMetrics& m, const std::vector<PassesOfBanks>& banks, const Gpu& target) {
    const auto row = std::ranges::find(banks, shared_bank_size(target), &PassesOfBanks::size);
    if (row == banks.end()) return;
    if (m.shared_wavefront) m.shared_wavefront = row->wavefront;
    if (m.shared_bank_conflict) m.shared_bank_conflict = row->conflict;
}

}  // namespace

void add(OtherGpus& total, const OtherGpus& more) {
    add_code(total.machine_code, more.machine_code);
    const auto add_traffic = [](TrafficOfL2& sum, const TrafficOfL2& row) {
        sum.dram_read += row.dram_read;
        sum.dram_write += row.dram_write;
    };
    add_sizes(total.l2, more.l2, add_traffic);
    add_sizes(total.l2_in_halves, more.l2_in_halves, add_traffic);
    add_sizes(total.l1, more.l1, [](HitsOfL1& sum, const HitsOfL1& row) { sum.hits += row.hits; });
    add_sizes(total.banks, more.banks, [](PassesOfBanks& sum, const PassesOfBanks& row) {
        sum.wavefront += row.wavefront;
        sum.conflict += row.conflict;
    });
}

OtherGpus scaled(OtherGpus other, double factor) {
    const auto scale_all = [&](auto& row) {
        const auto of = [&](const auto& field) {
            if (!field.key.ends_with("_size_byte")) scale(row.*field.member, factor);
        };
        std::apply([&](const auto&... field) { (of(field), ...); }, std::decay_t<decltype(row)>::fields);
    };
    std::ranges::for_each(other.machine_code, scale_all);
    std::ranges::for_each(other.l2, scale_all);
    std::ranges::for_each(other.l2_in_halves, scale_all);
    std::ranges::for_each(other.l1, scale_all);
    std::ranges::for_each(other.banks, scale_all);
    return other;
}

void scale_counter(OtherGpus& other, std::string_view key, double factor) {
    scale_rows(other.machine_code, key, factor);
    scale_rows(other.l2, key, factor);
    scale_rows(other.l2_in_halves, key, factor);
    scale_rows(other.l1, key, factor);
    scale_rows(other.banks, key, factor);
}

const MachineCodeCounts* code_for(const OtherGpus& other, const std::string& compute_capability) {
    constexpr int volta = 70;  // other makers' GPUs multiply integers in one instruction, as it does
    const int capability = number(compute_capability);
    return row_for(other.machine_code, capability == 0 ? volta : capability);
}

KernelMetrics metrics_on(const KernelMetrics& metrics, const OtherGpus& other, const Gpu& reference, const Gpu& target,
                         double resident_shared) {
    KernelMetrics m = metrics;
    if (const auto* const code = code_for(other, target.compute_capability)) set_code(m, *code);
    set_dram(m, other, reference, target);
    set_l2(m, other.l1, target, resident_shared);
    set_shared(m, other.banks, target);
    return m;
}

}  // namespace gpuproj
