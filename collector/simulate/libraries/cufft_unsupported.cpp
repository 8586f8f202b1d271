// What the stand-in for cuFFT does not have: transforms over several GPUs, and callbacks, which are device code that
// cuFFT's own kernels would call.
#include "collector/simulate/libraries/cufft_types.hpp"

namespace gpuproj::simulate::libraries::cufft {

#define GPUPROJ_REFUSED(name)                    \
    GPUPROJ_LIBRARY_API int name() {             \
        gpuproj_library_refuses(library, #name); \
        return not_supported;                    \
    }
#include "collector/simulate/libraries/cufft_unsupported_names.inc"

}  // namespace gpuproj::simulate::libraries::cufft
