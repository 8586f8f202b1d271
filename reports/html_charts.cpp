#include "reports/html_charts.hpp"

#include <nlohmann/json.hpp>

#include "reports/headroom_report.hpp"
#include "reports/html_columns.hpp"

namespace gpuproj {
namespace {

using Json = nlohmann::ordered_json;

Cell place(std::size_t at) {
    return static_cast<std::int64_t>(at);
}

template <class Named>
Cell name_or_empty(const std::optional<Named>& value) {
    return value ? Cell{std::string(name_of(*value))} : Cell{};
}

Json gpu_to_json(const RooflineGpu& gpu) {
    Table compute{.title = "",
                  .columns = {{"name", "ceiling"},
                              {"rate_op_per_s", "rate", Unit::operations_per_second},
                              {"quality", "known as"},
                              {"peak", "datasheet"}}};
    for (const auto& ceiling : gpu.compute) {
        compute.rows.push_back({ceiling.name, ceiling.rate.value, std::string(name_of(ceiling.quality)), ceiling.peak});
    }
    Table memory{.title = "",
                 .columns = {{"name", "ceiling"},
                             {"bandwidth_byte_per_s", "bandwidth", Unit::bytes_per_second},
                             {"quality", "known as"},
                             {"peak", "datasheet"}}};
    for (const auto& ceiling : gpu.memory) {
        memory.rows.push_back(
            {ceiling.name, ceiling.bandwidth.value, std::string(name_of(ceiling.quality)), ceiling.peak});
    }
    return {{"compute", columns_to_json(compute, true)}, {"memory", columns_to_json(memory, true)}};
}

}  // namespace

Json roofline_to_json(const RooflineChart& chart) {
    Table points{.title = "Roofline",
                 .columns = {{"kernel", "kernel"},
                             {"gpu", "GPU"},
                             {"k_type", "type"},
                             {"intensity_op_per_byte", "intensity", Unit::operations_per_byte},
                             {"duration_s", "time", Unit::seconds},
                             {"attained_op_per_s", "attained", Unit::operations_per_second},
                             {"measured", "measured"},
                             {"share", "share", Unit::fraction},
                             {"sustained_op_per_s", "T_op", Unit::operations_per_second},
                             {"after_mix_op_per_s", "T_op E_mix", Unit::operations_per_second},
                             {"adjusted_op_per_s", "T'_op", Unit::operations_per_second},
                             {"e_instr", "E_instr", Unit::fraction},
                             {"roof_op_per_s", "roof", Unit::operations_per_second},
                             {"binding", "roof is"},
                             {"gain", "gain", Unit::factor},
                             {"limiter", "limited by"}}};
    for (const auto& p : chart.points) {
        points.rows.push_back({place(p.kernel), place(p.gpu), std::string(name_of(p.k_type)),
                               p.intensity ? Cell{p.intensity->value} : Cell{}, p.duration.value, p.attained.value,
                               p.measured, p.share, p.sustained.value, p.after_mix.value, p.adjusted.value, p.e_instr,
                               p.roof.value, std::string(name_of(p.binding)), p.gain, name_or_empty(p.model_limiter)});
    }
    Table left_out{.title = "Not on the roofline",
                   .columns = {{"kernel", "kernel"}, {"gpu", "GPU"}, {"reason", "reason"}}};
    for (const auto& out : chart.left_out) left_out.rows.push_back({place(out.kernel), place(out.gpu), out.reason});
    Table not_drawn{.title = "Shorter kernels",
                    .columns = {{"kernels", "kernels", Unit::count}, {"share", "share", Unit::fraction}}};
    for (std::size_t gpu = 0; gpu < chart.gpus.size(); ++gpu)
        not_drawn.rows.push_back({place(chart.not_drawn[gpu]), chart.share_not_drawn[gpu]});
    Json gpus = Json::array();
    for (const auto& gpu : chart.gpus) gpus.push_back(gpu_to_json(gpu));
    return {{"gpus", std::move(gpus)},
            {"points", columns_to_json(points, true)},
            {"left_out", columns_to_json(left_out)},
            {"not_drawn", columns_to_json(not_drawn, true)}};
}

Json quadrants_to_json(std::span<const QuadrantChart> charts) {
    Json json = Json::array();
    for (const auto& chart : charts) {
        Table gpus{.title = "Quadrant-split",
                   .columns = {{"gpu", "GPU"},
                               {"quality", "known as"},
                               {"peak_byte_per_s", "datasheet B", Unit::bytes_per_second},
                               {"peak_op_per_s", "datasheet T", Unit::operations_per_second},
                               {"bandwidth_byte_per_s", "B_mem", Unit::bytes_per_second},
                               {"sustained_op_per_s", "T_op", Unit::operations_per_second},
                               {"after_mix_op_per_s", "T_op E_mix", Unit::operations_per_second},
                               {"adjusted_op_per_s", "T'_op", Unit::operations_per_second},
                               {"e_instr", "E_instr", Unit::fraction},
                               {"attained_byte_per_s", "attained B", Unit::bytes_per_second},
                               {"attained_op_per_s", "attained T", Unit::operations_per_second},
                               {"limiter", "limited by"},
                               {"duration_s", "time", Unit::seconds},
                               {"measured_byte_per_s", "measured B", Unit::bytes_per_second},
                               {"measured_op_per_s", "measured T", Unit::operations_per_second},
                               {"predicted_byte_per_s", "predicted B", Unit::bytes_per_second},
                               {"predicted_op_per_s", "predicted T", Unit::operations_per_second}}};
        for (const auto& gpu : chart.gpus) {
            const auto x = [](const auto& point) { return point ? Cell{point->bandwidth.value} : Cell{}; };
            const auto y = [](const auto& point) { return point ? Cell{point->throughput.value} : Cell{}; };
            gpus.rows.push_back({place(gpu.target), std::string(name_of(gpu.quality)), x(gpu.peak), y(gpu.peak),
                                 gpu.sustained.bandwidth.value, gpu.sustained.throughput.value,
                                 gpu.after_mix.throughput.value, gpu.adjusted.throughput.value, gpu.e_instr,
                                 gpu.attained.bandwidth.value, gpu.attained.throughput.value,
                                 std::string(name_of(gpu.limiter)), gpu.duration.value, x(gpu.measured),
                                 y(gpu.measured), x(gpu.predicted), y(gpu.predicted)});
        }
        Table left_out{.title = "GPUs not drawn", .columns = {{"gpu", "GPU"}, {"reason", "reason"}}};
        for (const auto& out : chart.left_out) left_out.rows.push_back({out.gpu, out.reason});
        json.push_back(
            {{"kernel", chart.kernel},
             {"k_type", name_of(chart.k_type)},
             {"slope_op_per_byte", brief_number(chart.slope ? std::optional(chart.slope->value) : std::nullopt)},
             {"w_comp_op", brief_number(chart.w_comp.value)},
             {"w_traf_byte", brief_number(chart.w_traf.value)},
             {"reason", chart.reason ? Json(*chart.reason) : Json(nullptr)},
             {"gpus", columns_to_json(gpus, true)},
             {"left_out", columns_to_json(left_out)}});
    }
    return json;
}

Json headroom_to_json(const Headroom& headroom, std::size_t most_kernels) {
    Table kernels{.title = "Headroom",
                  .columns = {{"kernel", "kernel"},
                              {"time_s", "time", Unit::seconds},
                              {"measured", "measured"},
                              {"bound_s", "lower bound", Unit::seconds},
                              {"bound_is", "bound by"},
                              {"factor", "headroom", Unit::factor},
                              {"share", "share", Unit::fraction},
                              {"saved_s", "saved", Unit::seconds},
                              {"speed_up", "application", Unit::factor}}};
    Table losses{.title = "Losses",
                 .columns = {{"kernel", "kernel"},
                             {"loss", "loss"},
                             {"ideal", "ideal is"},
                             {"if_ideal_s", "time if ideal", Unit::seconds},
                             {"saved_s", "saved", Unit::seconds},
                             {"advice", "advice"},
                             {"reason", "not known because"}}};
    for (const auto& row : headroom.rows) {
        kernels.rows.push_back({place(row.kernel), row.time.value, row.measured.has_value(), row.bound.duration.value,
                                std::string(name_of(row.bound.limiter)), row.factor, row.share, row.saved.value,
                                row.speed_up});
        if (kernels.rows.size() > most_kernels) continue;
        for (const auto& loss : row.losses) {
            auto& cells = losses.rows.emplace_back();
            cells = {place(row.kernel), std::string(loss.name), std::string(loss.ideal), loss.if_ideal.value,
                     loss.saved.value};
            cells.resize(losses.columns.size());
            if (!loss.advice.empty()) cells[5] = loss.advice;
        }
        for (const auto& unknown : row.unknown) {
            auto& cells = losses.rows.emplace_back(losses.columns.size());
            cells[0] = place(row.kernel);
            cells[1] = std::string(unknown.name);
            cells[6] = unknown.reason;
        }
    }
    Table left_out{.title = "Without headroom", .columns = {{"kernel", "kernel"}, {"reason", "reason"}}};
    for (const auto& out : headroom.left_out) left_out.rows.push_back({place(out.kernel), out.reason});
    return {{"gpu", headroom.gpu},
            {"measured", headroom.measured},
            {"application_s", brief_number(headroom.application.value)},
            {"kernels_s", brief_number(headroom.kernels.value)},
            {"transfers_s", brief_number(headroom.transfers.value)},
            {"gpu_idle_s", brief_number(headroom.idle ? std::optional(headroom.idle->value) : std::nullopt)},
            {"host_s", brief_number(headroom.host ? std::optional(headroom.host->value) : std::nullopt)},
            {"notes", headroom_notes(headroom)},
            {"kernels", columns_to_json(kernels, true)},
            {"losses", columns_to_json(losses, true)},
            {"left_out", columns_to_json(left_out)}};
}

}  // namespace gpuproj
