#include "reports/application.hpp"

#include <algorithm>

#include "model/warnings.hpp"

namespace gpuproj {
namespace {

bool over_the_link(const Transfer& transfer) {
    return transfer.direction == "host_to_device" || transfer.direction == "device_to_host";
}

std::optional<Seconds> measured_kernels(const Profile& profile) {
    Seconds sum;
    for (const auto& kernel : profile.kernels) {
        const auto measured = measured_duration(kernel);
        if (!measured) return std::nullopt;
        sum += *measured;
    }
    return sum;
}

struct Transfers {
    std::optional<Seconds> linked, local;  // absent where no such time is known
    Bytes untimed;                         // over the link, of those whose time is not known
};

Transfers transfers_of(const Profile& profile) {
    Transfers sums;
    for (const auto& transfer : profile.transfers) {
        if (!transfer.duration) {
            if (over_the_link(transfer)) sums.untimed += transfer.bytes;
            continue;
        }
        auto& sum = over_the_link(transfer) ? sums.linked : sums.local;
        sum = sum.value_or(Seconds{}) + *transfer.duration;
    }
    return sums;
}

/// The link's part of the transfers on one GPU, and how it is known.
void add_linked_transfers(ApplicationTime& time, const Transfers& transfers, const Gpu* here, const Gpu& there) {
    if (transfers.linked) {
        const bool both_known = here != nullptr && here->link_bandwidth && there.link_bandwidth;
        const bool scaled = both_known || (here != nullptr && here->name == there.name);
        const double factor = both_known ? ratio(here->link_bandwidth->value, there.link_bandwidth->value) : 1;
        time.transfers = factor * *transfers.linked;
        time.transfers_are = scaled ? transfers_scaled : transfers_as_measured;
        if (!scaled) time.not_modelled += *time.transfers;
    } else if (transfers.untimed.value > 0 && there.link_bandwidth) {
        time.transfers = transfers.untimed / there.link_bandwidth->value;
        time.transfers_are = transfers_from_bytes;
    }
}

Cell seconds(const std::optional<Seconds>& duration) {
    return duration ? Cell{duration->value} : Cell{};
}

}  // namespace

MeasuredApplication measured_application(const Profile& profile) {
    const auto transfers = transfers_of(profile);
    MeasuredApplication measured{.kernels = measured_kernels(profile), .transfers = transfers.linked, .host = {}};
    if (transfers.local) measured.transfers = measured.transfers.value_or(Seconds{}) + *transfers.local;
    if (profile.host_time && measured.kernels) {
        const Seconds rest = *profile.host_time - *measured.kernels - measured.transfers.value_or(Seconds{});
        measured.host = std::max(rest, Seconds{});
    }
    return measured;
}

std::vector<ApplicationTime> application_times(const EvaluationInput& input, const std::vector<EvaluationTotal>& totals,
                                               std::size_t model) {
    const auto transfers = transfers_of(input.profile);
    const auto host = measured_application(input.profile).host;
    std::vector<ApplicationTime> times;
    for (std::size_t target = 0; target < input.targets.size(); ++target) {
        const auto& total = totals[target * input.models.size() + model];
        ApplicationTime time;
        time.gpu = input.targets[target]->name;
        time.kernels = total.duration;
        time.covered_share = total.covered_share;
        time.host = host;
        time.not_modelled = host.value_or(Seconds{});
        add_linked_transfers(time, transfers, input.reference, *input.targets[target]);
        if (transfers.local) {
            time.transfers = time.transfers.value_or(Seconds{}) + *transfers.local;
            time.not_modelled += *transfers.local;
        }
        if (time.kernels) {
            time.total = *time.kernels + time.transfers.value_or(Seconds{}) + host.value_or(Seconds{});
            if (host) time.not_modelled_share = ratio(time.not_modelled, *time.total);
        }
        times.push_back(std::move(time));
    }
    return times;
}

Table application_projection_table(const std::string& program, const std::vector<ApplicationTime>& times) {
    Table table{.title = "The whole application: transfers scaled by the link, host and idle time as measured",
                .columns = {{"program", "program"},
                            {"gpu", "GPU"},
                            {"kernels_s", "kernels", Unit::seconds},
                            {"transfers_s", "transfers", Unit::seconds},
                            {"transfers_are", "transfers are"},
                            {"host_s", "host and idle", Unit::seconds},
                            {"total_s", "total", Unit::seconds},
                            {"not_modelled_share", "not modelled", Unit::fraction},
                            {"covered_share", "kernels covered", Unit::fraction}}};
    table.key_columns = 2;
    for (const auto& time : times) {
        table.rows.push_back({program, time.gpu, seconds(time.kernels), seconds(time.transfers),
                              time.transfers_are.empty() ? Cell{} : Cell{std::string(time.transfers_are)},
                              seconds(time.host), seconds(time.total),
                              time.not_modelled_share ? Cell{*time.not_modelled_share} : Cell{}, time.covered_share});
    }
    return table;
}

}  // namespace gpuproj
