#include "collector/simulate/libraries/refused_functions.hpp"

#define GPUPROJ_REFUSED_LIBRARY "cuBLASLt"
#define GPUPROJ_REFUSED_STATUS 15  // CUBLAS_STATUS_NOT_SUPPORTED

#include "collector/simulate/libraries/cublasLt_unsupported_names.inc"
