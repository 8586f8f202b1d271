#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/cut_names.hpp"
#include "reports/format.hpp"
#include "reports/gnuplot_script.hpp"

namespace gpuproj {
namespace {

using namespace script;

constexpr std::string_view memory_half = "#FDF3DC", compute_half = "#E4EFF7";  // pale: as on the page
constexpr std::string_view memory_words = "#8A5F00", compute_words = "#0072B2";

constexpr double widest_linear = 20;  // times the smallest rate: beyond, points crowd in the corner of linear axes

struct Drawing {
    const QuadrantChart& chart;
    const Canvas& canvas;
    std::size_t gpus = 0;  // drawn: the first ones
    bool steps = false;
    Axis x, y;
    bool logarithmic = false;
};

bool text(const Drawing& drawing) {
    return drawing.canvas.format == ChartFormat::text;
}

/// Every point that is drawn: GPUs, and what they attain.
std::vector<RatePoint> drawn_points(const Drawing& drawing) {
    std::vector<RatePoint> points;
    for (std::size_t at = 0; at < drawing.gpus; ++at) {
        const auto& gpu = drawing.chart.gpus[at];
        points.insert(points.end(), {gpu.adjusted, gpu.attained});
        if (gpu.measured) points.push_back(*gpu.measured);
        if (gpu.predicted) points.push_back(*gpu.predicted);
        if (!drawing.steps) continue;
        points.insert(points.end(), {gpu.sustained, gpu.after_mix});
        if (gpu.peak) points.push_back(*gpu.peak);
    }
    return points;
}

/// How many times the smallest rate of the GPUs their largest is, in the direction where that is more.
double spread_of_rates(const Drawing& drawing) {
    double least_x = INFINITY, most_x = 0, least_y = INFINITY, most_y = 0;
    for (std::size_t at = 0; at < drawing.gpus; ++at) {
        const auto& point = drawing.chart.gpus[at].adjusted;
        const double x = point.bandwidth.value, y = point.throughput.value;
        least_x = std::min(least_x, x), most_x = std::max(most_x, x);
        least_y = std::min(least_y, y), most_y = std::max(most_y, y);
    }
    return drawing.gpus == 0 ? 1 : std::max(most_x / least_x, most_y / least_y);
}

bool wants_logarithmic(const Drawing& drawing, QuadrantAxes axes) {
    if (!drawing.chart.slope) return false;
    return axes == QuadrantAxes::automatic ? spread_of_rates(drawing) > widest_linear
                                           : axes == QuadrantAxes::logarithmic;
}

void choose_ranges(Drawing& drawing) {
    Axis x{INFINITY, 0, 0, 0, drawing.logarithmic}, y = x;
    const auto take = [](Axis& axis, double value) {
        axis.high = std::max(axis.high, value);
        if (value > 0) axis.low = std::min(axis.low, value);
    };
    for (const auto& point : drawn_points(drawing)) {
        take(x, point.bandwidth.value);
        take(y, point.throughput.value);
    }
    if (x.high <= 0 || y.high <= 0) x.high = y.high = 1e9, x.low = y.low = 1e8;
    const bool in_text = text(drawing);
    const double width = drawing.canvas.width, height = drawing.canvas.height;
    x.from = in_text ? 11.0 : 112.0, x.to = in_text ? width - 3 : width - 300;
    y.from = in_text ? 4.0 : 60.0, y.to = in_text ? height - 2 : height - 40;
    for (auto* const axis : {&x, &y}) {
        axis->low = axis->logarithmic ? axis->low / 1.6 : 0;
        axis->high *= axis->logarithmic ? 1.6 : 1.12;
    }
    drawing.x = x, drawing.y = y;
}

/// Numbers at a logarithmic axis: decades, and twice and five times these where they are few and have room, `room`
/// being what a number takes along the axis.
std::string log_tics(std::string_view axis_name, const Axis& axis, double room) {
    const double decades = std::log10(axis.high / axis.low);
    const int first = static_cast<int>(std::floor(std::log10(axis.low)));
    const auto tics = [&](std::initializer_list<double> factors) {
        std::vector<std::string> numbers;
        for (int exponent = first; exponent < first + 12; ++exponent) {
            for (const double factor : factors) {
                const double value = factor * std::pow(10, exponent);
                if (value >= axis.low && value <= axis.high) numbers.push_back(number(value));
            }
        }
        return numbers;
    };
    auto numbers = tics({1, 2, 5});
    const bool too_many = decades > 3 || std::log10(2) / decades * (axis.to - axis.from) < room;
    if (auto fewer = tics({1}); too_many && fewer.size() > 1) numbers = std::move(fewer);
    return fmt::format("set {}tics ({})\n", axis_name, fmt::join(numbers, ", "));
}

/// gnuplot's format of an axis' numbers: with a decimal where its steps are less than one of its prefix.
std::string_view mantissa(const Axis& axis) {
    const double decades = std::fmod(std::floor(std::log10(axis.high)), 3);
    return decades == 0 && !axis.logarithmic ? "%.1s" : "%.0s";
}

/// The kernel's line, as much of it as the chart shows.
struct HalfLine {
    Point start, end;
};

/// Where the half-line enters the chart and where it leaves it; upright at its left edge without DRAM traffic.
HalfLine half_line(const Drawing& drawing) {
    const auto &x = drawing.x, &y = drawing.y;
    if (!drawing.chart.slope) return {{x.low, y.low}, {x.low, y.high}};
    const double slope = drawing.chart.slope->value;
    return {slope * x.low >= y.low ? Point{x.low, slope * x.low} : Point{y.low / slope, y.low},
            slope * x.high <= y.high ? Point{x.high, slope * x.high} : Point{y.high / slope, y.high}};
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
    const auto line = half_line(drawing);
    data.rows.push_back({std::string("kernel"), Cell{}, line.start.x, line.start.y, line.end.x, line.end.y,
                         printable(drawing.chart.name)});
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
    const auto &x = drawing.x, &y = drawing.y;
    const auto line = half_line(drawing);
    const Point start = line.start, end = line.end;
    const auto polygon = [&start](std::vector<Point> corners, std::string_view in_colour) {
        corners.push_back(start);
        std::vector<std::string> places;
        places.reserve(corners.size());
        for (const auto& corner : corners) places.push_back(fmt::format("{},{}", number(corner.x), number(corner.y)));
        return fmt::format("set object polygon from {} to {} behind fillstyle solid noborder fillcolor rgb '{}'\n",
                           places.back(), fmt::join(places, " to "), in_colour);
    };
    std::vector<Point> above = {end}, below = {end};
    if (end.y < y.high) above.push_back({x.high, y.high});
    if (end.y >= y.high) below.push_back({x.high, y.high});
    above.push_back({x.low, y.high});
    below.push_back({x.high, y.low});
    if (start.y <= y.low) above.push_back({x.low, y.low});
    if (start.y > y.low) below.push_back({x.low, y.low});
    return polygon(std::move(above), memory_half) + polygon(std::move(below), compute_half);
}

/// GPU names beside their adjusted points, free of points and of each other.
std::string names(const Drawing& drawing) {
    if (text(drawing)) return {};  // its points are letters, and a table says whose
    const auto size = text_size(drawing.canvas);
    std::vector<Box> taken;
    constexpr double radius = 6;
    const auto pixel = [&](const RatePoint& point) {
        return Point{drawing.x.pixel(point.bandwidth.value), drawing.y.pixel(point.throughput.value)};
    };
    const auto take = [&](const RatePoint& point) {
        const auto at = pixel(point);
        taken.push_back({at.x - radius, at.y - radius, 2 * radius, 2 * radius});
    };
    // Lines are obstacles, in pieces: the half-line, and each GPU's way to it.
    const auto take_line = [&](const Point& from, const Point& to) {
        const int pieces = std::max(static_cast<int>(std::ceil(std::hypot(to.x - from.x, to.y - from.y) / radius)), 1);
        for (int piece = 0; piece <= pieces; ++piece) {
            const Point at{from.x + (to.x - from.x) * piece / pieces, from.y + (to.y - from.y) * piece / pieces};
            taken.push_back({at.x - 2, at.y - 2, 4, 4});
        }
    };
    const auto kernel_line = half_line(drawing);
    const Point start = kernel_line.start, end = kernel_line.end;
    take_line({drawing.x.pixel(start.x), drawing.y.pixel(start.y)}, {drawing.x.pixel(end.x), drawing.y.pixel(end.y)});
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
    const auto places = place_labels(labels, std::move(taken), area, 200);
    std::string out;
    for (std::size_t at = 0; at < places.size(); ++at) {
        const auto& place = places[at];
        if (!place) continue;
        const Point middle{place->left + place->width / 2, place->bottom + place->height / 2};
        out += label(drawing.canvas, middle, drawing.chart.gpus[at].name, "center", colour(at));
        const Point near{std::clamp(labels[at].anchor.x, place->left, place->left + place->width),
                         std::clamp(labels[at].anchor.y, place->bottom, place->bottom + place->height)};
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
    say(drawing.chart.slope
            ? fmt::format("slope {}{}", for_people(drawing.chart.slope->value, Unit::operations_per_byte),
                          drawing.logarithmic ? "; log axes" : "")
            : std::string("no DRAM traffic: upright"),
        "#000000");
    say("yellow half: memory binds", memory_words);
    say("blue half: computing binds", compute_words);
    say("disc: GPU, adjusted to the kernel", "#404040");
    say("square: attained, on the line", "#404040");
    say("cross: measured", "#404040");
    const auto is_predicted = [](const QuadrantGpu& gpu) { return gpu.predicted.has_value(); };
    if (std::any_of(drawing.chart.gpus.begin(), drawing.chart.gpus.end(), is_predicted))
        say(fmt::format("triangle: predicted by {}", drawing.chart.model), "#404040");
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
        if (text(drawing)) continue;
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
    // On a terminal the point types are letters from A on. The first GPU stands before those that share its cell.
    for (std::size_t gpu = drawing.gpus; text(drawing) && gpu-- > 0;)
        points("adjusted", gpu, fmt::format("pointtype {}", gpu + 1));
    return fmt::format("plot {} notitle\n", fmt::join(parts, " notitle, \\\n     "));
}

}  // namespace

Table quadrant_legend(const QuadrantChart& chart, std::size_t most_gpus) {
    Table table{.title = "",
                .columns = {{"letter", ""},
                            {"gpu", "GPU"},
                            {"bandwidth_byte_per_s", "bandwidth", Unit::bytes_per_second},
                            {"adjusted_op_per_s", "adjusted", Unit::operations_per_second},
                            {"attained_op_per_s", "attained", Unit::operations_per_second},
                            {"duration_s", "time", Unit::seconds},
                            {"limiter", "limited by"}}};
    table.key_columns = 2;
    for (std::size_t at = 0; at < std::min(chart.gpus.size(), most_gpus); ++at) {
        const auto& gpu = chart.gpus[at];
        table.rows.push_back({std::string(1, static_cast<char>('A' + at)), gpu.name, gpu.adjusted.bandwidth.value,
                              gpu.adjusted.throughput.value, gpu.attained.throughput.value, gpu.duration.value,
                              std::string(name_of(gpu.limiter))});
    }
    return table;
}

GnuplotChart gnuplot_quadrant(const QuadrantChart& chart, const Canvas& canvas, const QuadrantLook& look) {
    Drawing drawing{chart, canvas, std::min(chart.gpus.size(), look.most_gpus), look.steps, {}, {}, false};
    drawing.logarithmic = wants_logarithmic(drawing, look.axes);
    choose_ranges(drawing);
    std::string out = head(canvas);
    out += margins(canvas, drawing.x, drawing.y);
    out += fmt::format("set xrange [{}:{}]\nset yrange [{}:{}]\n", number(drawing.x.low), number(drawing.x.high),
                       number(drawing.y.low), number(drawing.y.high));
    out += fmt::format("set format x '{} %cB/s'\nset format y '{} %cop/s'\n", mantissa(drawing.x), mantissa(drawing.y));
    if (drawing.logarithmic) {
        constexpr double characters = 8;  // "500 GB/s"
        const auto size = text_size(drawing.canvas);
        out += fmt::format("set logscale xy\n{}{}", log_tics("x", drawing.x, characters * size.character),
                           log_tics("y", drawing.y, 1.2 * size.line));
    } else if (text(drawing)) {
        out += fmt::format("set xtics {}\n", number(drawing.x.high / 4));
    }
    if (text(drawing)) {
        out += "set xlabel 'DRAM bandwidth; letters: GPUs, adjusted; lines to what they attain' noenhanced\n";
    } else {
        out += fmt::format(
            "set xlabel 'memory bandwidth: bytes of DRAM traffic per second' noenhanced\n"
            "set title {} noenhanced\n",
            quoted(fmt::format("Quadrant-split of {} ({})", shortened(chart.name, 50), name_of(chart.k_type)), 80));
        out += y_title(canvas, drawing.y, "throughput: operations per second");
    }
    out += halves(drawing);
    out += names(drawing);
    out += legend(drawing);
    out += plots(drawing);
    return {std::move(out), data_of(drawing)};
}

}  // namespace gpuproj
