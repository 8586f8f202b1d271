// What the stand-in for cuSPARSE does not have.
#include "collector/simulate/libraries/refused_functions.hpp"

#define GPUPROJ_REFUSED_LIBRARY "cuSPARSE"
#define GPUPROJ_REFUSED_STATUS 10  // CUSPARSE_STATUS_NOT_SUPPORTED

#include "collector/simulate/libraries/cusparse_unsupported_names.inc"
