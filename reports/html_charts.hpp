// Charts' data as the HTML page takes it.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>

#include "reports/headroom.hpp"
#include "reports/quadrant_chart.hpp"
#include "reports/roofline_chart.hpp"

namespace gpuproj {

/// {"gpus":[{"compute":columns,"memory":columns}],"points":columns,"left_out":columns,"not_drawn":columns}; kernels and
/// GPUs by their places.
nlohmann::ordered_json roofline_to_json(const RooflineChart& chart);

/// A list of {"kernel","k_type","slope_op_per_byte","w_comp_op","w_traf_byte","reason","gpus":columns,"left_out"};
/// rates in operations and bytes per second.
nlohmann::ordered_json quadrants_to_json(std::span<const QuadrantChart> charts);

/// {"gpu","measured","application_s","kernels":columns,"losses":columns,"left_out":columns}; losses of the
/// `most_kernels` that would save most.
nlohmann::ordered_json headroom_to_json(const Headroom& headroom, std::size_t most_kernels);

}  // namespace gpuproj
