// Running gnuplot.
#pragma once

#include <functional>
#include <string>

#include "reports/gnuplot.hpp"

namespace gpuproj {

/// What gnuplot draws: `draw` gets a canvas with the files filled in. Throws Error with the remedy if gnuplot is
/// not installed or fails.
std::string drawn(Canvas canvas, const std::function<GnuplotChart(const Canvas&)>& draw);

}  // namespace gpuproj
