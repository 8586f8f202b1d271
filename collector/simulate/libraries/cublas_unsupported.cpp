#include "collector/simulate/libraries/refused_functions.hpp"

#define GPUPROJ_REFUSED_LIBRARY "cuBLAS"
#define GPUPROJ_REFUSED_STATUS 15  // CUBLAS_STATUS_NOT_SUPPORTED

#include "collector/simulate/libraries/cublas_unsupported_names.inc"
