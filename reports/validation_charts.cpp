#include "reports/validation_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/cut_names.hpp"
#include "reports/gnuplot_script.hpp"
#include "reports/kernel_names.hpp"

namespace gpuproj {
namespace {

using namespace script;

constexpr std::size_t most_coloured = 12, most_kernels = 30;
constexpr std::size_t longest_name = 32;
constexpr std::string_view other_colour = "#A0A0A0", line_colour = "#808080";

std::vector<PairGroup> by_kernel(const Validation& v) {
    return grouped(v.pairs, [&](const PredictedPair& p) { return v.observations[p.pair.target].kernel; });
}

double measured(const Validation& v, const PredictedPair& p) {
    return measured_time(v.observations[p.pair.target]).value;
}

std::string chart_title(const ValidationTitle& title, std::string_view what) {
    return fmt::format("set title {} noenhanced\n",
                       quoted(fmt::format("{}: {}{} on {}", what, title.model,
                                          title.use_reference_time ? " with the reference time" : "", title.table),
                              160));
}

std::string short_name(const PairGroup& group) {
    return quoted(short_kernel_name(group.name), longest_name);
}

double quantile(const std::vector<double>& sorted, double q) {
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Of predicted / measured, sorted.
std::vector<double> ratios(const Validation& v, const PairGroup& group) {
    std::vector<double> all;
    all.reserve(group.pairs.size());
    for (const auto& p : group.pairs) all.push_back(p.predicted.value / measured(v, p));
    std::sort(all.begin(), all.end());
    return all;
}

double mean_abs_ln(const std::vector<double>& ratios) {
    double sum = 0;
    for (const double r : ratios) sum += std::abs(std::log(r));
    return sum / static_cast<double>(ratios.size());
}

}  // namespace

GnuplotChart gnuplot_scatter(const ValidationTitle& title, const Validation& v, const Canvas& canvas) {
    auto groups = by_kernel(v);
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto& a, const auto& b) { return a.pairs.size() > b.pairs.size(); });
    Table data{
        .title = "",
        .columns = {{"kernel", "kernel"}, {"measured_s", "measured"}, {"predicted_s", "predicted"}, {"name", "name"}}};
    double low = INFINITY, high = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (const auto& p : groups[i].pairs) {
            const double m = measured(v, p);
            data.rows.push_back({static_cast<std::int64_t>(i), m, p.predicted.value, printable(groups[i].name)});
            low = std::min({low, m, p.predicted.value});
            high = std::max({high, m, p.predicted.value});
        }
    }
    const auto source = quoted(canvas.data_file, canvas.data_file.size());
    std::string plot;
    const auto add = [&](const std::string& text) { plot += (plot.empty() ? "plot " : ", \\\n     ") + text; };
    const std::size_t coloured = std::min(groups.size(), most_coloured);
    if (groups.size() > coloured) {
        add(
            fmt::format("{} using ($1>={} ? $2 : NaN):3 with points pointtype 7 pointsize 0.25 linecolor rgb '{}' "
                        "title 'other kernels'",
                        source, coloured, other_colour));
    }
    for (std::size_t i = 0; i < coloured; ++i) {
        add(
            fmt::format("{} using ($1=={} ? $2 : NaN):3 with points pointtype {} pointsize 0.3 linecolor rgb '{}' "
                        "title {} noenhanced",
                        source, i, i < colours.size() ? 7 : 5, colour(i), short_name(groups[i])));
    }
    const auto line_at = [&](double factor, int dashes, std::string_view name) {
        add(fmt::format("{}*x with lines linecolor rgb '{}' dashtype {} {}", number(factor), line_colour, dashes,
                        name.empty() ? "notitle" : fmt::format("title '{}'", name)));
    };
    line_at(1, 1, "equal");
    line_at(1.25, 2, "1.25 times");
    line_at(1 / 1.25, 2, "");
    line_at(2, 3, "2 times");
    line_at(0.5, 3, "");
    const auto range = fmt::format("[{}:{}]", number(low / 1.3), number(high * 1.3));
    return {head(canvas) + chart_title(title, "Predicted and measured time") +
                fmt::format("set key outside right top samplen 2\nset logscale xy\nset format xy '%.0s %cs'\n"
                            "set xlabel 'measured'\nset ylabel 'predicted'\nset grid linecolor rgb '#E0E0E0'\n"
                            "set xrange {}\nset yrange {}\n",
                            range, range) +
                plot + "\n",
            std::move(data)};
}

GnuplotChart gnuplot_errors(const ValidationTitle& title, const Validation& v, const Canvas& canvas) {
    struct Row {
        PairGroup group;
        std::vector<double> ratios;
        double error;
    };
    std::vector<Row> rows;
    for (auto& group : by_kernel(v)) {
        auto all = ratios(v, group);
        const double error = mean_abs_ln(all);
        rows.push_back({std::move(group), std::move(all), error});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.error > b.error; });
    const std::size_t left_out = rows.size() - std::min(rows.size(), most_kernels);
    rows.resize(rows.size() - left_out);
    Table data{.title = "",
               .columns = {{"row", "row"},
                           {"q10", "10 %"},
                           {"q25", "25 %"},
                           {"median", "median"},
                           {"q75", "75 %"},
                           {"q90", "90 %"},
                           {"name", "name"}}};
    double widest = 2.2;
    std::string names;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& r = rows[i].ratios;
        data.rows.push_back({static_cast<std::int64_t>(i), quantile(r, 0.1), quantile(r, 0.25), quantile(r, 0.5),
                             quantile(r, 0.75), quantile(r, 0.9), printable(rows[i].group.name)});
        widest = std::max({widest, 1 / quantile(r, 0.1), quantile(r, 0.9)});
        names += fmt::format("{}{} {}", i == 0 ? "" : ", ", short_name(rows[i].group), i);
    }
    const auto source = quoted(canvas.data_file, canvas.data_file.size());
    const auto note = left_out > 0 ? fmt::format(" ({} kernels with smaller errors not shown)", left_out) : "";
    return {head(canvas) + chart_title(title, "Errors by kernel") +
                fmt::format("set logscale x 2\nset xrange [{}:{}]\nset yrange [{}:-0.5]\nset ytics ({}) noenhanced\n"
                            "set xlabel 'predicted / measured: median, middle half, 10 to 90 %{}'\n"
                            "set xtics (0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 5, 10)\nset grid x "
                            "linecolor rgb '#E0E0E0'\n"
                            "set arrow from 1,graph 0 to 1,graph 1 nohead linecolor rgb '{}'\n",
                            number(1 / widest / 1.05), number(widest * 1.05),
                            number(static_cast<double>(rows.size()) - 0.5), names, note, line_colour) +
                fmt::format("plot {0} using 2:1:($6-$2):(0) with vectors nohead linecolor rgb '{1}' linewidth 1, \\\n"
                            "     {0} using 3:1:($5-$3):(0) with vectors nohead linecolor rgb '{1}' linewidth 6, \\\n"
                            "     {0} using 4:1 with points pointtype 7 pointsize 0.7 linecolor rgb '{2}'\n",
                            source, colour(0), colour(1)),
            std::move(data)};
}

}  // namespace gpuproj
