// Launches that CUDA has an error for: programs that do not look at it go on without the kernel, and nothing else tells
// that the profile lacks it.
#pragma once

#include <string>

#include "collector/simulate/engine/launch_limits.hpp"
#include "collector/simulate/runtime/recorder.hpp"

namespace gpuproj::simulate {

/// A note in the profile, for the first of each kernel and error. `by`: the kernel that wanted to launch it; empty: the
/// host. Names as people read them.
void note_refused_launch(Recorder& recorder, const std::string& kernel, const std::string& by,
                         const LaunchRefusal& refusal);

}  // namespace gpuproj::simulate
