#include "reports/application.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/warnings.hpp"
#include "reports/format.hpp"

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
    MeasuredApplication measured;
    measured.kernels = measured_kernels(profile);
    measured.transfers = transfers.linked;
    if (transfers.local) measured.transfers = measured.transfers.value_or(Seconds{}) + *transfers.local;
    if (!measured.kernels) return measured;
    measured.idle = profile.gpu_idle;
    if (profile.host_time) {
        const Seconds rest = *profile.host_time - *measured.kernels - measured.transfers.value_or(Seconds{}) -
                             measured.idle.value_or(Seconds{});
        measured.host = std::max(rest, Seconds{});
        measured.overlap = std::max(Seconds{} - rest, Seconds{});
    }
    return measured;
}

std::vector<std::string> application_notes(const MeasuredApplication& measured) {
    std::vector<std::string> notes;
    if (measured.overlap.value > 0) {
        notes.push_back(fmt::format(
            "Kernels and transfers ran at once for {} or more: one after another they take longer than the application "
            "did. Their overlap is not modelled.",
            for_people(measured.overlap.value, Unit::seconds)));
    }
    if (measured.host && !measured.idle) {
        notes.emplace_back(
            "Idle time of the GPU is not known by itself and is in the host's: profiles of CUPTI tell them apart.");
    }
    if (!measured.host) {
        notes.emplace_back(
            "The host's time is not known, and so neither is the share of the application that is not modelled.");
    }
    return notes;
}

std::vector<ApplicationTime> application_times(const EvaluationInput& input, const std::vector<EvaluationTotal>& totals,
                                               std::size_t model) {
    const auto transfers = transfers_of(input.profile);
    const auto measured = measured_application(input.profile);
    std::vector<ApplicationTime> times;
    for (std::size_t target = 0; target < input.targets.size(); ++target) {
        const auto& total = totals[target * input.models.size() + model];
        ApplicationTime time;
        time.gpu = input.targets[target]->name;
        time.kernels = total.duration;
        time.covered_share = total.covered_share;
        time.kernels_refused = total.kernels_refused;
        time.idle = measured.idle;
        time.host = measured.host;
        const Seconds unchanged = time.idle.value_or(Seconds{}) + time.host.value_or(Seconds{});
        time.not_modelled = unchanged;
        add_linked_transfers(time, transfers, input.reference, *input.targets[target]);
        if (transfers.local) {
            time.transfers = time.transfers.value_or(Seconds{}) + *transfers.local;
            time.not_modelled += *transfers.local;
        }
        if (time.kernels) {
            time.total = *time.kernels + time.transfers.value_or(Seconds{}) + unchanged;
            if (time.host) time.not_modelled_share = ratio(time.not_modelled, *time.total);
        }
        times.push_back(std::move(time));
    }
    return times;
}

bool knows_more_than_kernels(const std::vector<ApplicationTime>& times) {
    return std::any_of(times.begin(), times.end(),
                       [](const ApplicationTime& time) { return time.transfers || time.idle || time.host; });
}

Table application_projection_table(const EvaluationInput& input, const std::vector<EvaluationTotal>& totals) {
    Table table = application_projection_table({"model", "model"}, "", {});
    for (std::size_t model = 0; model < input.models.size(); ++model) {
        const auto times = application_times(input, totals, model);
        if (!knows_more_than_kernels(times)) continue;
        const auto of_model =
            application_projection_table(table.columns.front(), std::string(input.models[model]->name), times);
        table.rows.insert(table.rows.end(), of_model.rows.begin(), of_model.rows.end());
    }
    return table;
}

Table application_projection_table(const Column& first, const std::string& what,
                                   const std::vector<ApplicationTime>& times) {
    Table table{.title = "The whole application: transfers by the link; idle and host time, where known, as measured",
                .columns = {first,
                            {"gpu", "GPU"},
                            {"kernels_s", "kernels", Unit::seconds},
                            {"transfers_s", "transfers", Unit::seconds},
                            {"transfers_are", "transfers are"},
                            {"gpu_idle_s", "GPU idle", Unit::seconds},
                            {"host_s", "host", Unit::seconds},
                            {"total_s", "total", Unit::seconds},
                            {"not_modelled_share", "not modelled", Unit::fraction},
                            {"covered_share", "kernels covered", Unit::fraction}}};
    table.key_columns = 2;
    for (const auto& time : times) {
        table.rows.push_back({what, time.gpu, seconds(time.kernels), seconds(time.transfers),
                              time.transfers_are.empty() ? Cell{} : Cell{std::string(time.transfers_are)},
                              seconds(time.idle), seconds(time.host), seconds(time.total),
                              time.not_modelled_share ? Cell{*time.not_modelled_share} : Cell{}, time.covered_share});
    }
    return table;
}

}  // namespace gpuproj
