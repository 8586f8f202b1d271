// Products whose types are named at run time, with sizes of 64 bits.
#include "collector/simulate/libraries/cublas_other_interfaces.hpp"
#include "collector/simulate/libraries/cublas_typed_products.hpp"

namespace gpuproj::simulate::libraries::cublas {

GPUPROJ_64(cublasGemmEx)
GPUPROJ_64(cublasGemmStridedBatchedEx)
GPUPROJ_64(cublasGemmBatchedEx)
GPUPROJ_64(cublasSgemmEx)
GPUPROJ_64(cublasHgemm)
GPUPROJ_64(cublasHgemmStridedBatched)
GPUPROJ_64(cublasHgemmBatched)

}  // namespace gpuproj::simulate::libraries::cublas
