#include "reports/headroom_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/format.hpp"

namespace gpuproj {
namespace {

Cell seconds(const std::optional<Seconds>& duration) {
    return duration ? Cell{duration->value} : Cell{};
}

std::size_t shown_of(const Headroom& headroom, std::size_t most) {
    return most == 0 ? headroom.rows.size() : std::min(most, headroom.rows.size());
}

}  // namespace

Table headroom_table(const Headroom& headroom, const Profile& profile, std::size_t most) {
    Table table{.title = fmt::format("Headroom on {}, by application time saved", headroom.gpu),
                .columns = {{"kernel", "kernel"},
                            {"launches", "launches", Unit::count},
                            {"time_s", "time", Unit::seconds},
                            {"measured_s", "measured", Unit::seconds},
                            {"predicted_s", "predicted", Unit::seconds},
                            {"bound_s", "bound", Unit::seconds},
                            {"limiter", "by"},
                            {"headroom", "headroom", Unit::factor},
                            {"share", "of application", Unit::fraction},
                            {"saved_s", "saved", Unit::seconds},
                            {"application_speed_up", "application", Unit::factor},
                            {"reason", "reason"}}};
    const auto shown = shown_of(headroom, most);
    for (std::size_t at = 0; at < shown; ++at) {
        const auto& row = headroom.rows[at];
        table.rows.push_back({row.name, static_cast<std::int64_t>(row.launches), row.time.value, seconds(row.measured),
                              row.predicted.value, row.bound.duration.value, std::string(name_of(row.bound.limiter)),
                              row.factor, row.share, row.saved.value, row.speed_up, Cell{}});
    }
    if (shown < headroom.rows.size()) {
        Seconds time, saved;
        double share = 0;
        for (std::size_t at = shown; at < headroom.rows.size(); ++at) {
            time += headroom.rows[at].time;
            saved += headroom.rows[at].saved;
            share += headroom.rows[at].share;
        }
        table.rows.push_back({fmt::format("{} more kernels", headroom.rows.size() - shown), Cell{}, time.value, Cell{},
                              Cell{}, Cell{}, Cell{}, Cell{}, share, saved.value, Cell{}, Cell{}});
    }
    const auto left_out = most == 0 ? headroom.left_out.size() : std::min(most, headroom.left_out.size());
    for (std::size_t at = 0; at < left_out; ++at) {
        const auto& kernel = headroom.left_out[at];
        const auto& record = profile.kernels[kernel.kernel];
        std::vector<Cell> cells(table.columns.size());
        cells.front() = record.kernel;
        cells[1] = static_cast<std::int64_t>(record.launches);
        cells.back() = kernel.reason;
        table.rows.push_back(std::move(cells));
    }
    if (left_out < headroom.left_out.size()) {
        std::vector<Cell> cells(table.columns.size());
        cells.front() = fmt::format("{} more left out", headroom.left_out.size() - left_out);
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Table loss_table(const Headroom& headroom, std::size_t most) {
    Table table{.title = "If one thing were ideal",
                .columns = {{"kernel", "kernel"},
                            {"loss", "what"},
                            {"if_ideal_s", "time then", Unit::seconds},
                            {"saved_s", "saved", Unit::seconds},
                            {"saved_share", "of the kernel", Unit::fraction},
                            {"ideal", "ideal"},
                            {"advice", "advice"},
                            {"reason", "not known"}}};
    table.key_columns = 2;
    for (std::size_t at = 0; at < shown_of(headroom, most); ++at) {
        const auto& row = headroom.rows[at];
        for (const auto& loss : row.losses) {
            table.rows.push_back({row.name, std::string(loss.name), loss.if_ideal.value, loss.saved.value,
                                  ratio(loss.saved, row.time), std::string(loss.ideal),
                                  loss.advice.empty() ? Cell{} : Cell{loss.advice}, Cell{}});
        }
        for (const auto& unknown : row.unknown) {
            table.rows.push_back(
                {row.name, std::string(unknown.name), Cell{}, Cell{}, Cell{}, Cell{}, Cell{}, unknown.reason});
        }
    }
    return table;
}

Table bound_table(const Headroom& headroom, std::size_t most) {
    Table table{.title = "What each resource alone would take",
                .columns = {{"kernel", "kernel"},
                            {"limiter", "resource"},
                            {"bound_s", "bound", Unit::seconds},
                            {"headroom", "time / bound", Unit::factor}}};
    table.key_columns = 2;
    for (std::size_t at = 0; at < shown_of(headroom, most); ++at) {
        const auto& row = headroom.rows[at];
        for (const auto& bound : row.bounds) {
            table.rows.push_back(
                {row.name, std::string(name_of(bound.limiter)), bound.duration.value, ratio(row.time, bound.duration)});
        }
    }
    return table;
}

Table application_table(const Headroom& headroom) {
    Table table{.title = "The application",
                .columns = {{"part", "part"}, {"time_s", "time", Unit::seconds}, {"share", "share", Unit::fraction}}};
    const auto add = [&](std::string part, Seconds time) {
        table.rows.push_back({std::move(part), time.value, ratio(time, headroom.application)});
    };
    if (headroom.application.value <= 0) return table;
    add("kernels", headroom.kernels);
    if (headroom.transfers.value > 0) add("transfers", headroom.transfers);
    if (headroom.idle) add("GPU idle", *headroom.idle);
    if (headroom.host) add(headroom.idle ? "host" : "host and idle", *headroom.host);
    add("total", headroom.application);
    table.footer_rows = 1;
    return table;
}

std::vector<std::string> advice(const Headroom& headroom, std::size_t most) {
    std::vector<std::string> sentences;
    for (std::size_t at = 0; at < shown_of(headroom, most); ++at) {
        for (const auto& loss : headroom.rows[at].losses) {
            if (!loss.advice.empty())
                sentences.push_back(
                    fmt::format("{}, {}: {}.", shortened(headroom.rows[at].name, 80), loss.name, loss.advice));
        }
    }
    return sentences;
}

std::vector<std::string> headroom_notes(const Headroom& headroom) {
    std::vector<std::string> notes;
    if (!headroom.measured) {
        notes.emplace_back(
            "The profile has no measured times of all its kernels on this GPU: predicted ones (calibrated) stand in, "
            "so "
            "that the headroom is what the model takes for lost, not what was seen to be lost.");
    }
    if (!headroom.host) {
        notes.emplace_back(
            headroom.transfers.value > 0
                ? "The application's time is that of its kernels and of the transfers whose time is known; "
                  "host time is not."
                : "The application's time is that of its kernels alone: transfers and host time are not "
                  "known.");
    }
    if (headroom.idle && !headroom.rows.empty() && *headroom.idle > headroom.rows.front().saved) {
        notes.push_back(
            fmt::format("Between its first and last work the GPU had nothing to do for {}, {} of the application's "
                        "time: more than any kernel could save.",
                        for_people(headroom.idle->value, Unit::seconds),
                        for_people(ratio(*headroom.idle, headroom.application), Unit::fraction)));
    }
    notes.emplace_back(
        "The bound is the longest time that one resource alone would take at its sustained rate. Losses are the time "
        "with "
        "one thing made ideal and all else as counted: they overlap and do not add up.");
    const auto faster = std::count_if(headroom.rows.begin(), headroom.rows.end(),
                                      [](const KernelHeadroom& row) { return row.factor < 1; });
    if (faster > 0)
        notes.push_back(
            fmt::format("{} kernels are faster than their bound: the model takes a resource for slower than it "
                        "is, and their headroom is not known.",
                        faster));
    return notes;
}

}  // namespace gpuproj
