#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/cut_names.hpp"
#include "reports/format.hpp"
#include "reports/gnuplot_script.hpp"

namespace gpuproj {
namespace {

using namespace script;

constexpr double widest_mark = 3.2;      // of a kernel that takes all the time
constexpr double smallest_mark = 0.7;    // of one that takes none
constexpr double worth_an_arrow = 1.05;  // gains below are not seen
constexpr std::size_t longest_name = 30;

struct Line {
    std::string name;
    std::size_t gpu = 0;
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
    bool peak = false, memory = false;
};

/// A chart on its canvas.
struct Drawing {
    const RooflineChart& chart;
    const Canvas& canvas;
    Axis x, y;
    std::vector<Line> lines;
    std::vector<std::size_t> numbers;  // of the kernels, from 1; 0: not drawn
};

bool text(const Drawing& drawing) {
    return drawing.canvas.format == ChartFormat::text;
}

/// The steps from T_op to T'_op are for charts of few kernels.
bool shows_steps(const Drawing& drawing) {
    return !text(drawing) && drawing.chart.points.size() <= 8;
}

/// Kinds of ceilings worth a line.
std::set<std::string> kinds(const RooflineChart& chart) {
    std::set<std::string> names = {"DRAM"};
    for (const auto& point : chart.points) names.emplace(name_of(point.k_type));
    if (chart.gpus.size() == 1) names.insert({"fp64", "fp32", "fp16", "int", "tensor fp16", "L2", "shared"});
    return names;
}

double power_of_ten_below(double value) {
    return std::pow(10, std::floor(std::log10(value)));
}

double power_of_ten_above(double value) {
    return std::pow(10, std::ceil(std::log10(value)));
}

/// All of the points and every ridge in sight, in whole decades.
void choose_ranges(Drawing& drawing) {
    const auto shown = kinds(drawing.chart);
    double least_x = 0.1, most_x = 10, least_y = INFINITY, most_y = 0;
    for (const auto& point : drawing.chart.points) {
        least_y = std::min({least_y, point.attained.value, point.adjusted.value});
        most_y = std::max(most_y, point.attained.value);
        if (!point.intensity) continue;
        least_x = std::min(least_x, point.intensity->value);
        most_x = std::max(most_x, point.intensity->value);
    }
    for (const auto& gpu : drawing.chart.gpus) {
        double dram = INFINITY;
        for (const auto& memory : gpu.memory) {
            if (memory.name == "DRAM") dram = std::min(dram, memory.bandwidth.value);
        }
        for (const auto& ceiling : gpu.compute) {
            if (!shown.contains(ceiling.name)) continue;
            most_y = std::max(most_y, ceiling.rate.value);
            least_y = std::min(least_y, ceiling.rate.value);
            if (std::isfinite(dram)) most_x = std::max(most_x, ceiling.rate.value / dram);
        }
    }
    if (most_y <= 0) least_y = 1e9, most_y = 1e12;
    const bool in_text = text(drawing);
    const auto& canvas = drawing.canvas;
    drawing.x = {power_of_ten_below(least_x * 0.8), power_of_ten_above(most_x * 1.3), in_text ? 11.0 : 98.0,
                 in_text ? canvas.width - 22 : canvas.width - 420, true};
    drawing.y = {power_of_ten_below(least_y * 0.8), power_of_ten_above(most_y * 1.1), in_text ? 4.0 : 60.0,
                 in_text ? canvas.height - 2 : canvas.height - 40, true};
}

/// Compute ceilings from where the GPU's DRAM line meets them, memory lines up to its highest compute ceiling.
void find_lines(Drawing& drawing) {
    drawing.lines.clear();
    const auto shown = kinds(drawing.chart);
    for (std::size_t at = 0; at < drawing.chart.gpus.size(); ++at) {
        const auto& gpu = drawing.chart.gpus[at];
        double widest = 0, highest = 0;
        for (const auto& memory : gpu.memory) {
            if (shown.contains(memory.name)) widest = std::max(widest, memory.bandwidth.value);
        }
        for (const auto& ceiling : gpu.compute) {
            if (!shown.contains(ceiling.name)) continue;
            highest = std::max(highest, ceiling.rate.value);
            const double from = widest > 0 ? std::max(ceiling.rate.value / widest, drawing.x.low) : drawing.x.low;
            if (from >= drawing.x.high) continue;
            drawing.lines.push_back(
                {ceiling.name, at, from, ceiling.rate.value, drawing.x.high, ceiling.rate.value, ceiling.peak, false});
        }
        for (const auto& memory : gpu.memory) {
            if (!shown.contains(memory.name)) continue;
            const double bandwidth = memory.bandwidth.value;
            const double from = std::max(drawing.x.low, drawing.y.low / bandwidth);
            const double to = std::min(drawing.x.high, (highest > 0 ? highest : drawing.y.high) / bandwidth);
            if (from >= to) continue;
            drawing.lines.push_back({memory.name, at, from, from * bandwidth, to, to * bandwidth, memory.peak, true});
        }
    }
}

/// The kernels in the order of their points: the longest of the first GPU is number 1.
void number_kernels(Drawing& drawing) {
    drawing.numbers.assign(drawing.chart.kernels.size(), 0);
    std::size_t next = 1;
    for (const auto& point : drawing.chart.points) {
        auto& of_kernel = drawing.numbers[point.kernel];
        if (of_kernel == 0) of_kernel = next++;
    }
}

double point_x(const Drawing& drawing, const RooflinePoint& point) {
    return point.intensity ? point.intensity->value : drawing.x.high;
}

Table data_of(const Drawing& drawing) {
    Table data{.title = "",
               .columns = {{"series", "series"},
                           {"gpu", "GPU"},
                           {"type", "type"},
                           {"x_op_per_byte", "x"},
                           {"y_op_per_s", "y"},
                           {"to_x_op_per_byte", "to x"},
                           {"to_y_op_per_s", "to y"},
                           {"share", "share"},
                           {"number", "number"},
                           {"name", "name"}}};
    const auto& chart = drawing.chart;
    const auto gpu_number = [](std::size_t gpu) { return Cell{static_cast<std::int64_t>(gpu)}; };
    for (const auto& line : drawing.lines) {
        data.rows.push_back({std::string(line.peak ? "datasheet" : "ceiling"), gpu_number(line.gpu), line.name, line.x1,
                             line.y1, line.x2, line.y2, Cell{}, Cell{}, printable(chart.gpus[line.gpu].name)});
    }
    for (const auto& point : chart.points) {
        const double x = point_x(drawing, point);
        const auto row = [&](std::string series, double y, double to_y) {
            data.rows.push_back({std::move(series), gpu_number(point.gpu), std::string(name_of(point.k_type)), x, y, x,
                                 to_y, point.share, static_cast<std::int64_t>(drawing.numbers[point.kernel]),
                                 printable(chart.kernels[point.kernel])});
        };
        row("e_mix", point.sustained.value, point.after_mix.value);
        row("e_instr", point.after_mix.value, point.adjusted.value);
        row("adjusted", point.adjusted.value, point.adjusted.value);
        if (point.gain > worth_an_arrow) row("gain", point.attained.value, point.roof.value);
        row(point.measured ? "measured" : "predicted", point.attained.value, point.roof.value);
    }
    return data;
}

/// Rates at the right of their lines, none over another.
std::string compute_labels(const Drawing& drawing) {
    std::vector<const Line*> lines;
    std::vector<double> wanted;
    for (const auto& line : drawing.lines) {
        if (line.memory) continue;
        lines.push_back(&line);
        wanted.push_back(drawing.y.pixel(line.y1));
    }
    const auto size = text_size(drawing.canvas);
    const auto heights = spread(wanted, size.line, drawing.y.from, drawing.y.to);
    std::string out;
    const double gap = text(drawing) ? 1 : 14;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        const auto rate = for_people(lines[at]->y1, Unit::operations_per_second);
        const auto said = text(drawing)
                              ? fmt::format("{} {}", lines[at]->name, rate)
                              : fmt::format("{} {}{}", lines[at]->name, rate, lines[at]->peak ? " datasheet" : "");
        out += label(drawing.canvas, {drawing.x.to + gap, heights[at]}, said, "left", colour(lines[at]->gpu));
        if (!text(drawing))
            out += line(drawing.canvas, {drawing.x.to, wanted[at]}, {drawing.x.to + gap - 2, heights[at]}, "#808080");
    }
    return out;
}

double mark_size(double share) {
    return smallest_mark + (widest_mark - smallest_mark) * std::sqrt(share);
}

/// The marks of the kernels: what no label may cover.
std::vector<Box> marks(const Drawing& drawing) {
    std::vector<Box> boxes;
    for (const auto& point : drawing.chart.points) {
        const Point at{drawing.x.pixel(point_x(drawing, point)), drawing.y.pixel(point.attained.value)};
        const double radius = text(drawing) ? 0.4 : 4.5 * mark_size(point.share);
        boxes.push_back({at.x - radius, at.y - radius, 2 * radius, 2 * radius});
        if (text(drawing)) continue;
        const double dash = drawing.y.pixel(point.adjusted.value), roof = drawing.y.pixel(point.roof.value);
        boxes.push_back({at.x - 8, dash - 3, 16, 6});
        if (point.gain > worth_an_arrow) boxes.push_back({at.x - 2, at.y, 4, roof - at.y});
        if (shows_steps(drawing)) {
            const double step = drawing.y.pixel(point.sustained.value);
            boxes.push_back({at.x - 2, dash, 4, step - dash});
        }
    }
    return boxes;
}

/// The ceilings, in pieces: no number stands on a line.
void add_lines(const Drawing& drawing, std::vector<Box>& taken) {
    constexpr double piece = 4;
    for (const auto& line : drawing.lines) {
        const Point from{drawing.x.pixel(line.x1), drawing.y.pixel(line.y1)};
        const Point to{drawing.x.pixel(line.x2), drawing.y.pixel(line.y2)};
        const double length = std::hypot(to.x - from.x, to.y - from.y);
        for (int i = 0; i * piece <= length; ++i) {
            const double at = i * piece;
            const Point middle{from.x + (to.x - from.x) * at / length, from.y + (to.y - from.y) * at / length};
            taken.push_back({middle.x - 1.5, middle.y - 1.5, 3, 3});
        }
    }
}

/// Memory lines, the steepest first, and the height above which nothing is drawn: their labels stand over it, a row
/// each.
struct Bandwidths {
    std::vector<const Line*> lines;
    double above = 0;
};

Bandwidths bandwidths_of(const Drawing& drawing) {
    Bandwidths found;
    for (const auto& line : drawing.lines) {
        if (line.memory) found.lines.push_back(&line);
        found.above = std::max(found.above, drawing.y.pixel(line.y2));
    }
    for (const auto& box : marks(drawing)) found.above = std::max(found.above, box.bottom + box.height);
    std::stable_sort(found.lines.begin(), found.lines.end(),
                     [](const Line* a, const Line* b) { return a->x2 < b->x2; });
    return found;
}

/// Leaves room over the roofs for the labels of the memory lines.
void make_room(Drawing& drawing) {
    if (text(drawing)) return;
    const auto found = bandwidths_of(drawing);
    const double needed = text_size(drawing.canvas).line * (static_cast<double>(found.lines.size()) + 0.5);
    if (found.above + needed <= drawing.y.to) return;
    // As much more of the axis as makes room: the pixels of a decade shrink as it grows.
    const double share = (found.above - drawing.y.from) / (drawing.y.to - drawing.y.from - needed);
    drawing.y.high = power_of_ten_above(drawing.y.low * std::pow(drawing.y.high / drawing.y.low, share) * 0.999);
    find_lines(drawing);
}

/// Bandwidths over the roofs: each left of a thin line to the upper end of its own, in rows that rise to the right, so
/// that nothing crosses a text. Gives the boxes that they take.
std::string memory_labels(const Drawing& drawing, std::vector<Box>& taken) {
    if (text(drawing)) return {};
    const auto size = text_size(drawing.canvas);
    const auto found = bandwidths_of(drawing);
    std::string out;
    double row = found.above + size.line;
    for (const Line* const memory : found.lines) {
        const auto said =
            fmt::format("{} {}{}", memory->name, for_people(memory->y1 / memory->x1, Unit::bytes_per_second),
                        memory->peak ? " datasheet" : "");
        const Point end{drawing.x.pixel(memory->x2), drawing.y.pixel(memory->y2)};
        const double length = size.character * static_cast<double>(display_width(said)) + 4;
        const double left = std::max(drawing.x.from + 2, end.x - 6 - length);
        out += label(drawing.canvas, {left, row}, said, "left", colour(memory->gpu));
        out += line(drawing.canvas, end, {end.x, row}, "#B0B0B0");
        taken.push_back({left, row - size.line / 2, length, size.line});
        row += size.line;
    }
    return out;
}

/// The number of each kernel beside its point.
std::string point_labels(const Drawing& drawing, std::vector<Box> taken) {
    const auto size = text_size(drawing.canvas);
    std::vector<PointLabel> labels;
    for (const auto& point : drawing.chart.points) {
        const Point at{drawing.x.pixel(point_x(drawing, point)), drawing.y.pixel(point.attained.value)};
        const auto digits = fmt::format("{}", drawing.numbers[point.kernel]);
        labels.push_back({at, size.character * static_cast<double>(digits.size()) + 8, size.line * 0.8});
    }
    const Box area{drawing.x.from, drawing.y.from, drawing.x.to - drawing.x.from, drawing.y.to - drawing.y.from};
    const auto places = place_labels(labels, std::move(taken), area, text(drawing) ? 6 : 90);
    std::string out;
    for (std::size_t at = 0; at < places.size(); ++at) {
        const auto& place = places[at];
        if (!place) continue;  // the list beside the chart has it still
        const auto& point = drawing.chart.points[at];
        const Point middle{place->left + place->width / 2, place->bottom + place->height / 2};
        out += label(drawing.canvas, middle, fmt::format("{}", drawing.numbers[point.kernel]), "center",
                     colour(point.gpu));
        const double away = std::hypot(middle.x - labels[at].anchor.x, middle.y - labels[at].anchor.y);
        if (!text(drawing) && away > 2.5 * size.line) {
            out += line(drawing.canvas, labels[at].anchor, middle, "#B0B0B0");
        }
    }
    return out;
}

bool has_infinite(const RooflineChart& chart) {
    return std::ranges::any_of(chart.points, [](const RooflinePoint& point) { return !point.intensity; });
}

/// What the numbers, colours and marks mean, at the right of the chart.
std::string legend(const Drawing& drawing) {
    if (text(drawing)) return {};
    const auto& chart = drawing.chart;
    const auto size = text_size(drawing.canvas);
    Point at{drawing.x.to + 190, drawing.y.to - size.line / 2};
    std::string out;
    const auto say = [&](const std::string& what, std::string_view in_colour, std::size_t most = 34) {
        out += label(drawing.canvas, at, what, "left", in_colour, 0, most);
        at.y -= size.line;
    };
    for (std::size_t gpu = 0; gpu < chart.gpus.size(); ++gpu) say(chart.gpus[gpu].name, colour(gpu));
    say("filled: measured, open: predicted", "#404040");
    say(fmt::format("by {}", chart.model), "#404040");
    const bool one_gpu = chart.gpus.size() == 1;
    const auto beats = [](const RooflinePoint& point) { return point.gain < 0.95; };
    say(one_gpu ? "area, %: share of the time" : "area: share of the time", "#404040");
    say("dash: its adjusted ceiling", "#404040");
    say(one_gpu ? "arrow, x: gain to what binds" : "arrow: gain to what binds", "#404040");
    if (one_gpu && std::any_of(chart.points.begin(), chart.points.end(), beats))
        say("x below 1: above its ceiling", "#404040");
    if (shows_steps(drawing)) say("dotted: steps E_mix, E_instr", "#404040");
    if (has_infinite(chart)) say("at the right edge: no DRAM traffic", "#404040");
    at.y -= size.line / 2;
    const auto table = roofline_legend(chart);
    std::vector<std::string> names;
    names.reserve(table.rows.size());
    for (const auto& row : table.rows) names.push_back(std::get<std::string>(row[1]));
    names = shortened_apart(names, one_gpu ? 18 : longest_name);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        if (at.y < drawing.y.from + size.line) {
            say(fmt::format("and {} more", table.rows.size() - row), "#404040");
            break;
        }
        const auto& cells = table.rows[row];
        const auto& name = names[row];
        const auto share = std::get<double>(cells[2]);
        const auto* gain = std::get_if<double>(&cells[3]);
        say(one_gpu && gain != nullptr
                ? fmt::format("{} {} {:.1f} % x{:.1f}", std::get<std::int64_t>(cells[0]), name, 100 * share, *gain)
                : fmt::format("{} {}", std::get<std::int64_t>(cells[0]), name),
            "#000000", 40);
    }
    for (std::size_t gpu = 0; gpu < chart.gpus.size(); ++gpu) {
        if (chart.not_drawn[gpu] > 0) {
            say(fmt::format("+ {} kernels, {:.1f} % of the time", chart.not_drawn[gpu],
                            100 * chart.share_not_drawn[gpu]),
                colour(gpu));
        }
    }
    if (!chart.left_out.empty()) say(fmt::format("{} without a place here", chart.left_out.size()), "#404040");
    return out;
}

/// Rows of one series of the data as vectors.
std::string vectors(const Canvas& canvas, std::string_view series, std::size_t gpu, std::string_view style) {
    return fmt::format(
        "{} using (strcol(1) eq '{}' && $2 == {} ? $4 : NaN):5:($6-$4):($7-$5) with vectors {} linecolor rgb '{}'",
        quoted(canvas.data_file, canvas.data_file.size()), series, gpu, style, colour(gpu));
}

std::string plots(const Drawing& drawing) {
    std::vector<std::string> parts;
    const auto& canvas = drawing.canvas;
    const auto file = quoted(canvas.data_file, canvas.data_file.size());
    for (std::size_t gpu = 0; gpu < drawing.chart.gpus.size(); ++gpu) {
        parts.push_back(vectors(canvas, "datasheet", gpu, "nohead dashtype 2 linewidth 1"));
        parts.push_back(vectors(canvas, "ceiling", gpu, "nohead linewidth 2"));
        if (text(drawing)) {
            continue;  // its points are their numbers
        }
        if (shows_steps(drawing)) {
            parts.push_back(vectors(canvas, "e_mix", gpu, "nohead dashtype 3 linewidth 1"));
            parts.push_back(vectors(canvas, "e_instr", gpu, "nohead dashtype 3 linewidth 1"));
        }
        parts.push_back(vectors(canvas, "gain", gpu, "head filled size screen 0.006,20 linewidth 1"));
        parts.push_back(
            fmt::format("{} using (strcol(1) eq 'adjusted' && $2 == {} ? $4/1.15 : NaN):5:($4*0.28):(0) with "
                        "vectors nohead linewidth 3 linecolor rgb '{}'",
                        file, gpu, colour(gpu)));
        for (const auto& [series, mark] : {std::pair{"measured", 7}, std::pair{"predicted", 6}}) {
            parts.push_back(fmt::format(
                "{} using (strcol(1) eq '{}' && $2 == {} ? $4 : NaN):5:({}+{}*sqrt($8)) with points "
                "pointtype {} pointsize variable linewidth 1.5 linecolor rgb '{}'",
                file, series, gpu, number(smallest_mark), number(widest_mark - smallest_mark), mark, colour(gpu)));
        }
    }
    if (parts.empty()) parts.emplace_back("NaN");
    return fmt::format("plot {} notitle\n", fmt::join(parts, " notitle, \\\n     "));
}

}  // namespace

Table roofline_legend(const RooflineChart& chart) {
    Table table{.title = "",
                .columns = {{"number", "", Unit::count},
                            {"kernel", "kernel"},
                            {"share", "share", Unit::fraction},
                            {"gain", "to its roof", Unit::factor},
                            {"binding", "bound by"}}};
    table.key_columns = 2;
    std::vector<bool> listed(chart.kernels.size(), false);
    for (const auto& point : chart.points) {
        if (listed[point.kernel]) continue;
        listed[point.kernel] = true;
        table.rows.push_back({static_cast<std::int64_t>(table.rows.size() + 1), chart.kernels[point.kernel],
                              point.share, point.gain, std::string(name_of(point.binding))});
    }
    return table;
}

GnuplotChart gnuplot_roofline(const RooflineChart& chart, const Canvas& canvas) {
    Drawing drawing{chart, canvas, {}, {}, {}, {}};
    choose_ranges(drawing);
    find_lines(drawing);
    make_room(drawing);
    number_kernels(drawing);
    std::string out = head(canvas);
    out += margins(canvas, drawing.x, drawing.y);
    out += fmt::format("set logscale xy\nset xrange [{}:{}]\nset yrange [{}:{}]\n", number(drawing.x.low),
                       number(drawing.x.high), number(drawing.y.low), number(drawing.y.high));
    out += "set format x '10^{%L}'\nset format y '%.0s %cop/s'\nset grid xtics ytics linecolor rgb '#E0E0E0'\n";
    if (text(drawing)) {
        out += "set format x '%g'\nunset grid\nset xlabel 'operations per byte of DRAM traffic' noenhanced\n";
    } else {
        out += "set xlabel 'operational intensity: operations per byte of DRAM traffic' noenhanced\n";
        out += y_title(canvas, drawing.y, "throughput: operations per second");
        out += fmt::format("set title {} noenhanced\n",
                           quoted(fmt::format("Roofline{}{}", chart.gpus.size() == 1 ? " of " : "",
                                              chart.gpus.size() == 1 ? chart.gpus[0].name : ""),
                                  80));
    }
    auto taken = marks(drawing);
    out += compute_labels(drawing);
    out += memory_labels(drawing, taken);
    if (!text(drawing)) add_lines(drawing, taken);
    out += point_labels(drawing, std::move(taken));
    out += legend(drawing);
    if (text(drawing) && has_infinite(chart))
        out += label(canvas, {drawing.x.to, 0.5}, "at the right edge: no DRAM traffic", "right", "#404040");
    out += plots(drawing);
    return {std::move(out), data_of(drawing)};
}

}  // namespace gpuproj
