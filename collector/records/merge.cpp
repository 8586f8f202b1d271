#include "collector/records/merge.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace gpuproj::records {

namespace {

double mean_of_both(double a, double weight_a, double b, double weight_b) {
    return (a * weight_a + b * weight_b) / (weight_a + weight_b);
}

void add_value(Maybe<double>& total, double launches, const Maybe<double>& more, double more_launches) {
    if (!total || !more) {
        total.reset();
        return;
    }
    total = mean_of_both(*total, launches, *more, more_launches);
}

template <Dimension D>
void add_value(Maybe<Quantity<D>>& total, double, const Maybe<Quantity<D>>& more, double) {
    if (!total || !more) {
        total.reset();
        return;
    }
    *total += *more;
}

/// A share of some traffic, of both by what each of them moves: launches without any say nothing about it.
Maybe<double> share_of_both(const Maybe<double>& a, const Maybe<Sectors>& traffic_a, const Maybe<double>& b,
                            const Maybe<Sectors>& traffic_b) {
    if (traffic_b && traffic_b->value == 0) return a;
    if (traffic_a && traffic_a->value == 0) return b;
    if (!a || !b || !traffic_a || !traffic_b) return std::nullopt;
    return mean_of_both(*a, traffic_a->value, *b, traffic_b->value);
}

Maybe<Sectors> sum(const Maybe<Sectors>& a, const Maybe<Sectors>& b) {
    return a && b ? Maybe<Sectors>(*a + *b) : std::nullopt;
}

void add_duration(std::optional<Duration>& total, const std::optional<Duration>& more) {
    if (!more) return;
    if (!total) {
        total = more;
        return;
    }
    total->add(*more);
}

void round_mean(Maybe<double>& mean) {
    constexpr double digits = 1e9;
    if (mean) mean = std::round(*mean * digits) / digits;
}
template <Dimension D>
void round_mean(Maybe<Quantity<D>>&) {}

// Launches are added as many at a time as the clock made of them, and floating-point sums depend on that in their last
// digits; equal runs give equal profiles.
void round_means(KernelRecord& sum) {
    if (sum.launches < 2) return;
    std::apply([&](const auto&... field) { (round_mean(sum.metrics.*field.member), ...); }, KernelMetrics::fields);
    round_mean(sum.sampled_fraction);
}

auto key(const KernelRecord& r) {
    const auto bytes = r.dynamic_shared ? std::optional(r.dynamic_shared->value) : std::nullopt;
    return std::tuple(std::string_view(r.kernel), r.mangled ? std::string_view(*r.mangled) : std::string_view(), r.grid,
                      r.block, bytes, r.device);
}

}  // namespace

void add_metrics(KernelMetrics& total, double launches, const KernelMetrics& more, double more_launches) {
    const auto read_pages =
        share_of_both(total.dram_read_page_share, total.dram_read, more.dram_read_page_share, more.dram_read);
    const auto written_pages =
        share_of_both(total.dram_write_page_share, total.dram_write, more.dram_write_page_share, more.dram_write);
    const auto balance = share_of_both(total.dram_channel_balance, sum(total.dram_read, total.dram_write),
                                       more.dram_channel_balance, sum(more.dram_read, more.dram_write));
    std::apply(
        [&](const auto&... field) {
            (add_value(total.*field.member, launches, more.*field.member, more_launches), ...);
        },
        KernelMetrics::fields);
    total.dram_read_page_share = read_pages;
    total.dram_write_page_share = written_pages;
    total.dram_channel_balance = balance;
}

void add_record(KernelRecord& total, const KernelRecord& more) {
    const auto launches = static_cast<double>(total.launches);
    const auto more_launches = static_cast<double>(more.launches);
    add_metrics(total.metrics, launches, more.metrics, more_launches);
    if (total.other_gpus && more.other_gpus)
        add(*total.other_gpus, *more.other_gpus);
    else
        total.other_gpus.reset();
    if (total.sampled_fraction || more.sampled_fraction)
        total.sampled_fraction = mean_of_both(total.sampled_fraction.value_or(1), launches,
                                              more.sampled_fraction.value_or(1), more_launches);
    total.launches += more.launches;
    add_duration(total.duration, more.duration);
    for (const auto& note : more.notes)
        if (std::find(total.notes.begin(), total.notes.end(), note) == total.notes.end()) total.notes.push_back(note);
}

bool has_counters(const KernelRecord& record) {
    return std::apply([&](const auto&... field) { return ((record.metrics.*field.member).has_value() || ...); },
                      KernelMetrics::fields);
}

bool same_launch(const KernelRecord& a, const KernelRecord& b) {
    return key(a) == key(b);
}

std::vector<std::size_t> sum_of_each(std::span<const KernelRecord> records) {
    std::map<decltype(key(records.front())), std::size_t> place;
    std::vector<std::size_t> sums;
    sums.reserve(records.size());
    for (const auto& record : records) sums.push_back(place.emplace(key(record), place.size()).first->second);
    return sums;
}

std::vector<KernelRecord> sum_records(std::span<const KernelRecord> records) {
    const auto place = sum_of_each(records);
    std::vector<KernelRecord> sums;
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (place[i] == sums.size())
            sums.push_back(records[i]);
        else
            add_record(sums[place[i]], records[i]);
    }
    for (auto& sum : sums) round_means(sum);
    return sums;
}

std::vector<Transfer> sum_transfers(std::span<const Transfer> transfers) {
    std::vector<Transfer> sums;
    for (const auto& transfer : transfers) {
        const auto same = [&](const Transfer& sum) { return sum.direction == transfer.direction; };
        const auto sum = std::find_if(sums.begin(), sums.end(), same);
        if (sum == sums.end()) {
            sums.push_back(transfer);
            continue;
        }
        sum->count += transfer.count;
        sum->bytes += transfer.bytes;
        auto& duration = sum->duration;
        if (duration && transfer.duration)
            *duration += *transfer.duration;
        else
            duration.reset();
    }
    return sums;
}

}  // namespace gpuproj::records
