// The collector `cupti`: runs the application twice on the GPU, once timed and once counted.
#pragma once

#include "collector/collect.hpp"

namespace gpuproj::cupti {

/// See collect(). The first run, unprofiled but for time stamps, has the application's output; that of the second is
/// dropped.
CollectResult collect(const CollectRequest& request);

}  // namespace gpuproj::cupti
