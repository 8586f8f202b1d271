// Wishes that products of doubles or floats be emulated by those of narrower numbers. They are heard and change
// nothing: all is calculated in the numbers' own type.
#include "collector/simulate/libraries/cublas_types.hpp"

namespace gpuproj::simulate::libraries::cublas {

#define GPUPROJ_SETTING(NAME, T, MEMBER)                                \
    GPUPROJ_LIBRARY_API int cublasSet##NAME(void* handle, T value) {    \
        return set_in_handle<Handle>(handle, &Handle::MEMBER, value);   \
    }                                                                   \
    GPUPROJ_LIBRARY_API int cublasGet##NAME(void* handle, T* value) {   \
        return get_from_handle<Handle>(handle, &Handle::MEMBER, value); \
    }
GPUPROJ_SETTING(EmulationStrategy, int, emulation_strategy)
GPUPROJ_SETTING(EmulationSpecialValuesSupport, int, emulated_special_values)
GPUPROJ_SETTING(FixedPointEmulationMantissaControl, int, mantissa_control)
GPUPROJ_SETTING(FixedPointEmulationMaxMantissaBitCount, int, most_mantissa_bits)
GPUPROJ_SETTING(FixedPointEmulationMantissaBitOffset, int, mantissa_bit_offset)
// Where cuBLAS would say how many bits it took. Nothing is written there.
GPUPROJ_SETTING(FixedPointEmulationMantissaBitCountPointer, int*, mantissa_bit_count)

}  // namespace gpuproj::simulate::libraries::cublas
