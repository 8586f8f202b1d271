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
};

Transfers transfers_of(const Profile& profile) {
    Transfers sums;
    for (const auto& transfer : profile.transfers) {
        if (!transfer.duration) continue;
        auto& sum = over_the_link(transfer) ? sums.linked : sums.local;
        sum = sum.value_or(Seconds{}) + *transfer.duration;
    }
    return sums;
}

Cell seconds(const std::optional<Seconds>& duration) {
    return duration ? Cell{duration->value} : Cell{};
}

}  // namespace

std::vector<ApplicationTime> application_times(const EvaluationInput& input, const std::vector<EvaluationTotal>& totals,
                                               std::size_t model) {
    const auto& profile = input.profile;
    const auto transfers = transfers_of(profile);
    const auto kernels = measured_kernels(profile);
    std::optional<Seconds> host;
    if (profile.host_time && kernels) {
        const Seconds rest =
            *profile.host_time - *kernels - transfers.linked.value_or(Seconds{}) - transfers.local.value_or(Seconds{});
        host = std::max(rest, Seconds{});
    }
    std::vector<ApplicationTime> times;
    for (std::size_t target = 0; target < input.targets.size(); ++target) {
        const Gpu& gpu = *input.targets[target];
        const auto& total = totals[target * input.models.size() + model];
        ApplicationTime time;
        time.gpu = gpu.name;
        time.kernels = total.duration;
        time.covered_share = total.covered_share;
        time.host = host;
        Seconds not_modelled = host.value_or(Seconds{});
        if (transfers.linked) {
            Seconds linked = *transfers.linked;
            const auto* here = input.reference;
            const bool same = here != nullptr && here->name == gpu.name;
            if (here != nullptr && here->link_bandwidth && gpu.link_bandwidth) {
                linked = ratio(here->link_bandwidth->value, gpu.link_bandwidth->value) * linked;
            } else if (!same) {
                time.transfers_scaled = false;
                not_modelled += linked;
            }
            time.transfers = linked;
        }
        if (transfers.local) {
            time.transfers = time.transfers.value_or(Seconds{}) + *transfers.local;
            not_modelled += *transfers.local;
        }
        if (time.kernels) {
            time.total = *time.kernels + time.transfers.value_or(Seconds{}) + host.value_or(Seconds{});
            time.not_modelled_share = ratio(not_modelled, *time.total);
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
                            {"transfers_scaled", "scaled"},
                            {"host_s", "host and idle", Unit::seconds},
                            {"total_s", "total", Unit::seconds},
                            {"not_modelled_share", "not modelled", Unit::fraction},
                            {"covered_share", "kernels covered", Unit::fraction}}};
    table.key_columns = 2;
    for (const auto& time : times) {
        table.rows.push_back({program, time.gpu, seconds(time.kernels), seconds(time.transfers),
                              time.transfers ? Cell{time.transfers_scaled} : Cell{}, seconds(time.host),
                              seconds(time.total), time.not_modelled_share ? Cell{*time.not_modelled_share} : Cell{},
                              time.covered_share});
    }
    return table;
}

}  // namespace gpuproj
