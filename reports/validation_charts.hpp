// A model's error on measured data as charts.
#pragma once

#include "model/validation.hpp"
#include "reports/gnuplot.hpp"
#include "reports/validation.hpp"

namespace gpuproj {

/// Predicted over measured time of every pair, on logarithmic axes, with lines at 1, 1.25 and 2 times; the kernels with
/// most pairs in colours of their own.
GnuplotChart gnuplot_scatter(const ValidationTitle& title, const Validation& validation, const Canvas& canvas);

/// Predicted / measured of each kernel: median, the middle half, and from the 10 to the 90 % quantile; the kernels with
/// the largest mean |ln| first, at most 30.
GnuplotChart gnuplot_errors(const ValidationTitle& title, const Validation& validation, const Canvas& canvas);

}  // namespace gpuproj
