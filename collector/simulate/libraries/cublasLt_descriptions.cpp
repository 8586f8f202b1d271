// Descriptors are made, changed and dropped.
#include "collector/simulate/libraries/cublasLt_descriptions.hpp"

namespace gpuproj::simulate::libraries::cublas_lt {

namespace {

MatrixLayout layout_of(DataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
    MatrixLayout layout;
    layout.type = type;
    layout.rows = static_cast<std::int64_t>(rows);
    layout.columns = static_cast<std::int64_t>(columns);
    layout.leading = leading;
    return layout;
}
MatmulDescription matmul_of(Compute compute, DataType scale_type) {
    MatmulDescription description;
    description.compute = compute;
    description.scale_type = scale_type;
    return description;
}
TransformDescription transform_of(DataType scale_type) {
    TransformDescription description;
    description.scale_type = scale_type;
    return description;
}

}  // namespace

GPUPROJ_LIBRARY_API int cublasLtMatrixLayoutInit_internal(void* at, std::size_t bytes, DataType type,
                                                          std::uint64_t rows, std::uint64_t columns,
                                                          std::int64_t leading) {
    return init_descriptor(at, bytes, layout_of(type, rows, columns, leading));
}
GPUPROJ_LIBRARY_API int cublasLtMatrixLayoutCreate(void** at, DataType type, std::uint64_t rows, std::uint64_t columns,
                                                   std::int64_t leading) {
    return create_descriptor(at, layout_of(type, rows, columns, leading));
}
GPUPROJ_DESCRIPTOR_API(cublasLtMatrixLayout, MatrixLayout)

GPUPROJ_LIBRARY_API int cublasLtMatmulDescInit_internal(void* at, std::size_t bytes, Compute compute,
                                                        DataType scale_type) {
    return init_descriptor(at, bytes, matmul_of(compute, scale_type));
}
GPUPROJ_LIBRARY_API int cublasLtMatmulDescCreate(void** at, Compute compute, DataType scale_type) {
    return create_descriptor(at, matmul_of(compute, scale_type));
}
GPUPROJ_DESCRIPTOR_API(cublasLtMatmulDesc, MatmulDescription)

GPUPROJ_LIBRARY_API int cublasLtMatrixTransformDescInit_internal(void* at, std::size_t bytes, DataType scale_type) {
    return init_descriptor(at, bytes, transform_of(scale_type));
}
GPUPROJ_LIBRARY_API int cublasLtMatrixTransformDescCreate(void** at, DataType scale_type) {
    return create_descriptor(at, transform_of(scale_type));
}
GPUPROJ_DESCRIPTOR_API(cublasLtMatrixTransformDesc, TransformDescription)

GPUPROJ_LIBRARY_API int cublasLtMatmulPreferenceInit_internal(void* at, std::size_t bytes) {
    return init_descriptor(at, bytes, Preference{});
}
GPUPROJ_LIBRARY_API int cublasLtMatmulPreferenceCreate(void** at) {
    return create_descriptor(at, Preference{});
}
GPUPROJ_DESCRIPTOR_API(cublasLtMatmulPreference, Preference)

GPUPROJ_LIBRARY_API int cublasLtEmulationDescInit_internal(void* at, std::size_t bytes) {
    return init_descriptor(at, bytes, EmulationDescription{});
}
GPUPROJ_LIBRARY_API int cublasLtEmulationDescCreate(void** at) {
    return create_descriptor(at, EmulationDescription{});
}
GPUPROJ_DESCRIPTOR_API(cublasLtEmulationDesc, EmulationDescription)

}  // namespace gpuproj::simulate::libraries::cublas_lt
