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

/// Linear axes from 0, as Konstantinidis (2017) draws them, or logarithmic ones; automatic: logarithmic where rates are
/// more than 20 times apart, since on linear axes the small ones would lie on each other. A kernel without DRAM traffic
/// has its place at 0, so that its axes are linear always.
enum class QuadrantAxes : std::uint8_t { automatic, linear, logarithmic };

struct QuadrantLook {
    QuadrantAxes axes = QuadrantAxes::automatic;
    bool steps = false;          // datasheet and sustained points too, and the way from one to the next
    std::size_t most_gpus = 24;  // the first ones; at most 26, the letters of a text chart
};

/// The half-line of the kernel, the two halves shaded, each GPU's adjusted point and the way to the line.
GnuplotChart gnuplot_quadrant(const QuadrantChart& chart, const Canvas& canvas, const QuadrantLook& look);

/// What the numbers on the chart stand for: kernels, share, gain. For text charts, which have no room for it.
Table roofline_legend(const RooflineChart& chart);

/// What the letters on the text chart stand for: GPUs, their rates for the kernel, its time there.
Table quadrant_legend(const QuadrantChart& chart, std::size_t most_gpus);

}  // namespace gpuproj
