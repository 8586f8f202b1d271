// The products of cublas_mixed.cpp, for those that are made of them.
#pragma once

#include "collector/simulate/libraries/cublas_types.hpp"

namespace gpuproj::simulate::libraries::cublas {

/// cublasComputeType_t and cublasGemmAlgo_t: no sizes, which have 64 bits in one of the interfaces.
enum class Compute : int {};
enum class Algorithm : int {};

extern "C" {
int cublasGemmEx(void*, Operation, Operation, int, int, int, const void*, const void*, DataType, int, const void*,
                 DataType, int, const void*, void*, DataType, int, Compute, Algorithm);
int cublasGemmStridedBatchedEx(void*, Operation, Operation, int, int, int, const void*, const void*, DataType, int,
                               long long, const void*, DataType, int, long long, const void*, void*, DataType, int,
                               long long, int, Compute, Algorithm);
int cublasGemmBatchedEx(void*, Operation, Operation, int, int, int, const void*, const void* const*, DataType, int,
                        const void* const*, DataType, int, const void*, void* const*, DataType, int, int, Compute,
                        Algorithm);
int cublasSgemmEx(void*, Operation, Operation, int, int, int, const float*, const void*, DataType, int, const void*,
                  DataType, int, const float*, void*, DataType, int);
int cublasHgemm(void*, Operation, Operation, int, int, int, const void*, const void*, int, const void*, int,
                const void*, void*, int);
int cublasHgemmStridedBatched(void*, Operation, Operation, int, int, int, const void*, const void*, int, long long,
                              const void*, int, long long, const void*, void*, int, long long, int);
int cublasHgemmBatched(void*, Operation, Operation, int, int, int, const void*, const void* const*, int,
                       const void* const*, int, const void*, void* const*, int, int);
}

}  // namespace gpuproj::simulate::libraries::cublas
