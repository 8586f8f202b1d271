// How gpuproj tells the injected library what to do: $GPUPROJ_SESSION names the directory, these the rest.
#pragma once

namespace gpuproj::cupti {

inline constexpr const char* mode_variable = "GPUPROJ_CUPTI_MODE";        // one of the two below
inline constexpr const char* metrics_variable = "GPUPROJ_CUPTI_METRICS";  // a name of metric_set()
inline constexpr const char* times_mode = "times";
inline constexpr const char* counters_mode = "counters";
inline constexpr const char* run_variable = "GPUPROJ_CUPTI_RUN";  // which of ChipPlan::runs, from 0

}  // namespace gpuproj::cupti
