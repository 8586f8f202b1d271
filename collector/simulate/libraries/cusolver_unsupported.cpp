// What the stand-in for cuSOLVER does not have.
#include "collector/simulate/libraries/refused_functions.hpp"

#define GPUPROJ_REFUSED_LIBRARY "cuSOLVER"
#define GPUPROJ_REFUSED_STATUS 9  // CUSOLVER_STATUS_NOT_SUPPORTED

#include "collector/simulate/libraries/cusolver_unsupported_names.inc"
