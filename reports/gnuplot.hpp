// Charts as gnuplot scripts with their data: SVG, PDF, PNG, or characters on a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "reports/quadrant_chart.hpp"
#include "reports/roofline_chart.hpp"
#include "reports/table.hpp"

namespace gpuproj {

enum class ChartFormat : std::uint8_t { svg, pdf, png, text };

struct Canvas {
    ChartFormat format = ChartFormat::svg;
    double width = 1100, height = 700;  // pixels; characters for text
    std::string output;                 // the file that the script writes; empty: its standard output
    std::string data_file;              // as the script names it
};

/// A script that draws `data` (CSV) with gnuplot 5, and nothing else.
struct GnuplotChart {
    std::string script;
    Table data;
};

/// Ceilings of the GPUs, kernels as points sized by their share of the time, each with its adjusted ceiling, and arrows
/// to the ceiling that binds. With one GPU every kind of ceiling, with several those that the kernels meet.
GnuplotChart gnuplot_roofline(const RooflineChart& chart, const Canvas& canvas);

/// The half-line of the kernel, the two halves shaded, each GPU's adjusted point and the way to the line. `steps` adds
/// datasheet and sustained points and the way from one to the next. At most `most_gpus`.
GnuplotChart gnuplot_quadrant(const QuadrantChart& chart, const Canvas& canvas, bool steps, std::size_t most_gpus);

/// What the numbers on the chart stand for: kernels, share, gain. For text charts, which have no room for it.
Table roofline_legend(const RooflineChart& chart);

}  // namespace gpuproj
