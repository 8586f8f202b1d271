#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/format.hpp"
#include "reports/gnuplot_script.hpp"

namespace gpuproj {
namespace {

using namespace script;

constexpr std::string_view memory_half = "#FDF3DC", compute_half = "#E4EFF7";  // pale: as on the page
constexpr std::string_view memory_words = "#8A5F00", compute_words = "#0072B2";

struct Drawing {
    const QuadrantChart& chart;
    const Canvas& canvas;
    std::size_t gpus = 0;  // drawn: the first ones
    bool steps = false;
    Axis x, y;
};

bool text(const Drawing& drawing) {
    return drawing.canvas.format == ChartFormat::text;
}

void choose_ranges(Drawing& drawing) {
    double x = 0, y = 0;
    const auto take = [&](const RatePoint& point) {
        x = std::max(x, point.bandwidth.value);
        y = std::max(y, point.throughput.value);
    };
    for (std::size_t at = 0; at < drawing.gpus; ++at) {
        const auto& gpu = drawing.chart.gpus[at];
        take(gpu.adjusted);
        if (gpu.measured) take(*gpu.measured);
        if (!drawing.steps) continue;
        take(gpu.sustained);
        if (gpu.peak) take(*gpu.peak);
    }
    if (x <= 0 || y <= 0) x = 1e9, y = 1e9;
    const bool in_text = text(drawing);
    drawing.x = {0, x * 1.12, in_text ? 11.0 : 90.0, in_text ? drawing.canvas.width - 3 : drawing.canvas.width - 300};
    drawing.y = {0, y * 1.12, in_text ? 4.0 : 60.0, in_text ? drawing.canvas.height - 2 : drawing.canvas.height - 40};
}

/// gnuplot's format of an axis' numbers: with a decimal where its steps are less than one of its prefix.
std::string_view mantissa(double high) {
    const double decades = std::fmod(std::floor(std::log10(high)), 3);
    return decades == 0 ? "%.1s" : "%.0s";
}

/// Where the half-line leaves the chart.
Point end_of_line(const Drawing& drawing) {
    if (!drawing.chart.slope) return {0, drawing.y.high};
    const double slope = drawing.chart.slope->value;
    return slope * drawing.x.high <= drawing.y.high ? Point{drawing.x.high, slope * drawing.x.high}
                                                    : Point{drawing.y.high / slope, drawing.y.high};
}

Table data_of(const Drawing& drawing) {
    Table data{.title = "",
               .columns = {{"series", "series"},
                           {"gpu", "GPU"},
                           {"x_byte_per_s", "x"},
                           {"y_op_per_s", "y"},
                           {"to_x_byte_per_s", "to x"},
                           {"to_y_op_per_s", "to y"},
                           {"name", "name"}}};
    const auto end = end_of_line(drawing);
    data.rows.push_back({std::string("kernel"), Cell{}, 0.0, 0.0, end.x, end.y, printable(drawing.chart.name)});
    for (std::size_t at = 0; at < drawing.gpus; ++at) {
        const auto& gpu = drawing.chart.gpus[at];
        const auto row = [&](std::string series, const RatePoint& from, const RatePoint& to) {
            data.rows.push_back({std::move(series), static_cast<std::int64_t>(at), from.bandwidth.value,
                                 from.throughput.value, to.bandwidth.value, to.throughput.value, printable(gpu.name)});
        };
        if (gpu.peak) row("datasheet", *gpu.peak, gpu.sustained);
        row("sustained", gpu.sustained, gpu.after_mix);
        row("after_mix", gpu.after_mix, gpu.adjusted);
        row("adjusted", gpu.adjusted, gpu.attained);
        row("attained", gpu.attained, gpu.attained);
        if (gpu.predicted) row("predicted", *gpu.predicted, *gpu.predicted);
        if (gpu.measured) row("measured", *gpu.measured, *gpu.measured);
    }
    return data;
}

/// The half above the line, where memory binds, and the half below it, where computing does.
std::string halves(const Drawing& drawing) {
    if (text(drawing)) return {};
    const auto end = end_of_line(drawing);
    const bool leaves_at_top = end.y >= drawing.y.high;
    const auto corner = fmt::format("{},{}", number(drawing.x.high), number(drawing.y.high));
    const auto at_end = fmt::format("{},{}", number(end.x), number(end.y));
    const auto above = leaves_at_top ? "" : fmt::format(" to {}", corner);
    const auto below = leaves_at_top ? fmt::format(" to {}", corner) : "";
    return fmt::format(
        "set object polygon from 0,0 to {}{} to 0,{} to 0,0 behind fillstyle solid noborder fillcolor rgb '{}'\n"
        "set object polygon from 0,0 to {}{} to {},0 to 0,0 behind fillstyle solid noborder fillcolor rgb '{}'\n",
        at_end, above, number(drawing.y.high), memory_half, at_end, below, number(drawing.x.high), compute_half);
}

/// GPU names beside their adjusted points, free of points and of each other.
std::string names(const Drawing& drawing) {
    const auto size = text_size(drawing.canvas);
    std::vector<Box> taken;
    const double radius = text(drawing) ? 0.4 : 6;
    const auto pixel = [&](const RatePoint& point) {
        return Point{drawing.x.pixel(point.bandwidth.value), drawing.y.pixel(point.throughput.value)};
    };
    const auto take = [&](const RatePoint& point) {
        const auto at = pixel(point);
        taken.push_back({at.x - radius, at.y - radius, 2 * radius, 2 * radius});
    };
    // Lines are obstacles, in pieces: the half-line, and each GPU's way to it.
    const auto take_line = [&](const Point& from, const Point& to) {
        const double pieces = std::max(std::ceil(std::hypot(to.x - from.x, to.y - from.y) / radius), 1.0);
        for (double piece = 0; piece <= pieces && !text(drawing); ++piece) {
            const Point at{from.x + (to.x - from.x) * piece / pieces, from.y + (to.y - from.y) * piece / pieces};
            taken.push_back({at.x - 2, at.y - 2, 4, 4});
        }
    };
    const auto end = end_of_line(drawing);
    take_line({drawing.x.from, drawing.y.from}, {drawing.x.pixel(end.x), drawing.y.pixel(end.y)});
    std::vector<PointLabel> labels;
    for (std::size_t at = 0; at < drawing.gpus; ++at) {
        const auto& gpu = drawing.chart.gpus[at];
        take(gpu.adjusted);
        take(gpu.attained);
        take_line(pixel(gpu.adjusted), pixel(gpu.attained));
        if (gpu.measured) take(*gpu.measured);
        if (drawing.steps) {
            take_line(pixel(gpu.adjusted), pixel(gpu.sustained));
            if (gpu.peak) take_line(pixel(gpu.sustained), pixel(*gpu.peak));
            take(gpu.sustained);
            take(gpu.after_mix);
            if (gpu.peak) take(*gpu.peak);
        }
        labels.push_back(
            {pixel(gpu.adjusted), size.character * static_cast<double>(display_width(gpu.name)) + 12, size.line * 0.9});
    }
    const Box area{drawing.x.from, drawing.y.from, drawing.x.to - drawing.x.from, drawing.y.to - drawing.y.from};
    const auto places = place_labels(labels, std::move(taken), area, text(drawing) ? 10 : 200);
    std::string out;
    for (std::size_t at = 0; at < places.size(); ++at) {
        if (!places[at]) continue;
        const Point middle{places[at]->left + places[at]->width / 2, places[at]->bottom + places[at]->height / 2};
        out += label(drawing.canvas, middle, drawing.chart.gpus[at].name, "center", colour(at));
        if (text(drawing)) continue;
        const Point near{std::clamp(labels[at].anchor.x, places[at]->left, places[at]->left + places[at]->width),
                         std::clamp(labels[at].anchor.y, places[at]->bottom, places[at]->bottom + places[at]->height)};
        if (std::hypot(near.x - labels[at].anchor.x, near.y - labels[at].anchor.y) > 2 * size.line)
            out += line(drawing.canvas, labels[at].anchor, near, "#808080");
    }
    return out;
}

/// What the marks mean, and each GPU's answer.
std::string legend(const Drawing& drawing) {
    if (text(drawing)) return {};
    const auto size = text_size(drawing.canvas);
    Point at{drawing.x.to + 14, drawing.y.to - size.line / 2};
    std::string out;
    const auto say = [&](const std::string& what, std::string_view in_colour) {
        out += label(drawing.canvas, at, what, "left", in_colour, 0, 38);
        at.y -= size.line;
    };
    say(drawing.chart.name, "#000000");
    say(drawing.chart.slope ? fmt::format("slope {}", for_people(drawing.chart.slope->value, Unit::operations_per_byte))
                            : std::string("no DRAM traffic: upright"),
        "#000000");
    say("yellow half: memory binds", memory_words);
    say("blue half: computing binds", compute_words);
    say("disc: GPU, adjusted to the kernel", "#404040");
    say("square: attained, on the line", "#404040");
    say("cross: measured", "#404040");
    const auto is_predicted = [](const QuadrantGpu& gpu) { return gpu.predicted.has_value(); };
    if (std::any_of(drawing.chart.gpus.begin(), drawing.chart.gpus.end(), is_predicted))
        say("triangle: the chart's other model", "#404040");
    if (drawing.steps) say("ring: datasheet; small: the steps", "#404040");
    at.y -= size.line / 2;
    for (std::size_t gpu = 0; gpu < drawing.gpus; ++gpu) {
        if (at.y < drawing.y.from + 2 * size.line) {
            say(fmt::format("and {} more", drawing.gpus - gpu), "#404040");
            break;
        }
        const auto& row = drawing.chart.gpus[gpu];
        say(fmt::format("{} {} {}", shortened(row.name, 20), for_people(row.duration.value, Unit::seconds),
                        name_of(row.limiter)),
            colour(gpu));
    }
    const auto not_drawn = drawing.chart.gpus.size() - drawing.gpus;
    if (not_drawn > 0) say(fmt::format("{} GPUs not drawn", not_drawn), "#404040");
    if (!drawing.chart.left_out.empty())
        say(fmt::format("{} GPUs lack a rate", drawing.chart.left_out.size()), "#404040");
    return out;
}

std::string plots(const Drawing& drawing) {
    const auto file = quoted(drawing.canvas.data_file, drawing.canvas.data_file.size());
    std::vector<std::string> parts = {
        fmt::format("{} using (strcol(1) eq 'kernel' ? $3 : NaN):4:($5-$3):($6-$4) with vectors nohead linewidth 2 "
                    "linecolor rgb '#404040'",
                    file)};
    const auto vectors = [&](std::string_view series, std::size_t gpu, std::string_view style) {
        parts.push_back(
            fmt::format("{} using (strcol(1) eq '{}' && $2 == {} ? $3 : NaN):4:($5-$3):($6-$4) with vectors {} "
                        "linecolor rgb '{}'",
                        file, series, gpu, style, colour(gpu)));
    };
    const auto points = [&](std::string_view series, std::size_t gpu, std::string_view style) {
        parts.push_back(
            fmt::format("{} using (strcol(1) eq '{}' && $2 == {} ? $3 : NaN):4 with points {} linecolor rgb "
                        "'{}'",
                        file, series, gpu, style, colour(gpu)));
    };
    for (std::size_t gpu = 0; gpu < drawing.gpus; ++gpu) {
        vectors("adjusted", gpu, "nohead dashtype 2 linewidth 1");
        if (text(drawing)) {
            points("adjusted", gpu, "");
            continue;
        }
        if (drawing.steps) {
            vectors("datasheet", gpu, "head size screen 0.006,20 linewidth 1 dashtype 3");
            vectors("sustained", gpu, "head filled size screen 0.006,20 linewidth 1");
            vectors("after_mix", gpu, "head filled size screen 0.006,20 linewidth 1");
            points("datasheet", gpu, "pointtype 6 pointsize 1.4 linewidth 1.5");
            points("sustained", gpu, "pointtype 7 pointsize 0.7");
            points("after_mix", gpu, "pointtype 7 pointsize 0.7");
        }
        points("adjusted", gpu, "pointtype 7 pointsize 1.2");
        points("attained", gpu, "pointtype 5 pointsize 0.7");
        points("predicted", gpu, "pointtype 8 pointsize 1.2 linewidth 1.5");
        points("measured", gpu, "pointtype 2 pointsize 1.6 linewidth 2");
    }
    return fmt::format("plot {} notitle\n", fmt::join(parts, " notitle, \\\n     "));
}

}  // namespace

GnuplotChart gnuplot_quadrant(const QuadrantChart& chart, const Canvas& canvas, bool steps, std::size_t most_gpus) {
    Drawing drawing{chart, canvas, std::min(chart.gpus.size(), most_gpus), steps, {}, {}};
    choose_ranges(drawing);
    std::string out = head(canvas);
    out += margins(canvas, drawing.x, drawing.y);
    out += fmt::format("set xrange [0:{}]\nset yrange [0:{}]\n", number(drawing.x.high), number(drawing.y.high));
    out += fmt::format("set format x '{} %cB/s'\nset format y '{} %cop/s'\n", mantissa(drawing.x.high),
                       mantissa(drawing.y.high));
    if (text(drawing)) {
        out += "set xlabel 'DRAM bandwidth; * adjusted GPU, lines to what it attains' noenhanced\n";
        out += fmt::format("set xtics {}\n", number(drawing.x.high / 4));
    } else {
        out += fmt::format(
            "set xlabel 'memory bandwidth' noenhanced\nset title {} noenhanced\n",
            quoted(fmt::format("Quadrant-split of {} ({})", shortened(chart.name, 50), name_of(chart.k_type)), 80));
    }
    out += halves(drawing);
    out += names(drawing);
    out += legend(drawing);
    out += plots(drawing);
    return {std::move(out), data_of(drawing)};
}

}  // namespace gpuproj
