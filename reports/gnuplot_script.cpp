#include "reports/gnuplot_script.hpp"

#include <fmt/format.h>

#include "reports/cut_names.hpp"
#include "reports/format.hpp"

namespace gpuproj::script {

std::string quoted(std::string_view text, std::size_t most) {
    std::string out = "'";
    for (const char c : shortened(printable(text), most)) {
        if (c == '\'') out += '\'';
        out += c;
    }
    return out + "'";
}

std::string number(double value) {
    return fmt::format("{:.6g}", value);
}

std::string head(const Canvas& canvas) {
    constexpr double points_per_inch = 72;
    std::string out = "# Drawn by gnuplot 5: gnuplot FILE\n";
    const auto width = canvas.width, height = canvas.height;
    switch (canvas.format) {
        case ChartFormat::svg:
            out += fmt::format("set terminal svg size {},{} font 'Helvetica,12' background '#FFFFFF'\n", width, height);
            break;
        case ChartFormat::pdf:
            out += fmt::format("set terminal pdfcairo size {:.3f}in,{:.3f}in font 'Helvetica,12'\n",
                               width / points_per_inch, height / points_per_inch);
            break;
        case ChartFormat::png:
            out += fmt::format("set terminal pngcairo size {},{} font 'Helvetica,9' background '#FFFFFF'\n", width,
                               height);
            break;
        case ChartFormat::text:
            out += fmt::format("set terminal dumb size {},{}\n", width, height);
            break;
    }
    if (!canvas.output.empty()) out += fmt::format("set output {}\n", quoted(canvas.output, canvas.output.size()));
    out += "set encoding utf8\nset datafile separator comma\nset datafile columnheaders\nunset key\n";
    return out;
}

TextSize text_size(const Canvas& canvas) {
    return canvas.format == ChartFormat::text ? TextSize{1, 1} : TextSize{6.6, 15};
}

std::string label(const Canvas& canvas, Point at, std::string_view text, std::string_view align,
                  std::string_view colour, double degrees, std::size_t most) {
    const auto turned = degrees == 0 ? std::string{} : fmt::format(" rotate by {}", number(degrees));
    return fmt::format("set label {} at screen {},{} {}{} noenhanced textcolor rgb '{}'\n", quoted(text, most),
                       number(at.x / canvas.width), number(at.y / canvas.height), align, turned, colour);
}

std::string line(const Canvas& canvas, Point from, Point to, std::string_view colour) {
    return fmt::format("set arrow from screen {},{} to screen {},{} nohead linecolor rgb '{}' linewidth 0.5\n",
                       number(from.x / canvas.width), number(from.y / canvas.height), number(to.x / canvas.width),
                       number(to.y / canvas.height), colour);
}

std::string y_title(const Canvas& canvas, const Axis& y, std::string_view text) {
    constexpr double from_edge = 12, upwards = 90;
    return label(canvas, {from_edge, (y.from + y.to) / 2}, text, "center", "#000000", upwards);
}

std::string margins(const Canvas& canvas, const Axis& x, const Axis& y) {
    return fmt::format(
        "set lmargin at screen {}\nset rmargin at screen {}\nset bmargin at screen {}\nset tmargin at screen {}\n",
        number(x.from / canvas.width), number(x.to / canvas.width), number(y.from / canvas.height),
        number(y.to / canvas.height));
}

}  // namespace gpuproj::script
