// What the stand-in for NVML does not know: power, temperatures, fans, utilization, links, MIG, vGPUs and all settings.
// Real GPUs answer the same where they have no sensor or the user may not ask, so programs are ready for it.
#include "collector/simulate/libraries/nvml_types.hpp"

namespace gpuproj::simulate::libraries::nvml {

#define GPUPROJ_REFUSED(name)                                      \
    GPUPROJ_LIBRARY_API int name() {                               \
        return initialised() ? unsupported(#name) : uninitialized; \
    }
#include "collector/simulate/libraries/nvml_unsupported_names.inc"

}  // namespace gpuproj::simulate::libraries::nvml
