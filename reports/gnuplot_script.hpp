// What the gnuplot charts share: quoting, colours, terminals, where things are on the canvas.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "reports/gnuplot.hpp"
#include "reports/label_layout.hpp"

namespace gpuproj::script {

/// Colours that the colour-blind can tell apart (Okabe & Ito 2008), those that white does not swallow.
inline constexpr auto colours =
    std::to_array<std::string_view>({"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"});

constexpr std::string_view colour(std::size_t at) {
    return colours[at % colours.size()];
}

/// A single-quoted string of gnuplot, in which nothing is substituted; control characters become spaces, and more than
/// `most` characters dots.
std::string quoted(std::string_view text, std::size_t most = 60);

/// set terminal, set output, and how the data is read.
std::string head(const Canvas& canvas);

/// A number of a script: shortest that reads back.
std::string number(double value);

/// One axis on the canvas: data values low and high lie at pixels from and to.
struct Axis {
    double low = 0, high = 1, from = 0, to = 1;
    bool logarithmic = false;

    double pixel(double value) const {
        const double part = logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
        return from + part * (to - from);
    }
    double value(double pixel) const {
        const double part = (pixel - from) / (to - from);
        return logarithmic ? low * std::pow(high / low, part) : low + part * (high - low);
    }
};

/// A text at pixels of the canvas. `align` is left, right or center.
std::string label(const Canvas& canvas, Point at, std::string_view text, std::string_view align,
                  std::string_view colour, double degrees = 0, std::size_t most = 60);

/// A thin line between two pixels of the canvas.
std::string line(const Canvas& canvas, Point from, Point to, std::string_view colour);

/// What the y axis shows, upwards at the left edge: gnuplot's own title may fall off the canvas beside fixed margins.
std::string y_title(const Canvas& canvas, const Axis& y, std::string_view text);

/// Width and height of a text's box on the canvas.
struct TextSize {
    double character, line;
};
TextSize text_size(const Canvas& canvas);

/// Margins at pixels of the canvas.
std::string margins(const Canvas& canvas, const Axis& x, const Axis& y);

}  // namespace gpuproj::script
