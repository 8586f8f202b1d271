// Variables of modules: __device__, __constant__ and __managed__, named by the address of their host shadows.
#include "collector/simulate/runtime/api.hpp"
#include "collector/simulate/runtime/graph_parameters.hpp"
#include "collector/simulate/runtime/symbols.hpp"

namespace gpuproj::simulate {

namespace {

using cuda::CopyKind;
using cuda::CudaError;

const Variable* variable_of(Runtime& runtime, const void* symbol) {
    const HostVariable* host = Registry::instance().variable(symbol);
    return host == nullptr ? nullptr : host->owner->module(runtime.memory()).variable(host->name);
}

bool fits(const Variable& variable, std::size_t offset, std::size_t bytes) {
    return offset <= variable.bytes && bytes <= variable.bytes - offset;
}

CudaError copy_to(Runtime& runtime, const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                  CopyKind kind, void* stream) {
    const Variable* variable = variable_of(runtime, symbol);
    if (variable == nullptr) return cuda::invalid_symbol;
    if (!fits(*variable, offset, bytes)) return cuda::invalid_value;
    if (kind == CopyKind::device_to_host || kind == CopyKind::host_to_host) return cuda::invalid_memcpy_direction;
    void* const to = static_cast<char*>(variable->address) + offset;
    return submit(runtime, stream, linear_copy(to, from, bytes, kind));
}

CudaError copy_from(Runtime& runtime, void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                    CopyKind kind, void* stream) {
    const Variable* variable = variable_of(runtime, symbol);
    if (variable == nullptr) return cuda::invalid_symbol;
    if (!fits(*variable, offset, bytes)) return cuda::invalid_value;
    if (kind == CopyKind::host_to_device || kind == CopyKind::host_to_host) return cuda::invalid_memcpy_direction;
    const void* const from = static_cast<const char*>(variable->address) + offset;
    return submit(runtime, stream, linear_copy(to, from, bytes, kind));
}

}  // namespace

void* symbol_address(Runtime& runtime, const void* symbol, std::size_t offset, std::size_t bytes) {
    const Variable* variable = variable_of(runtime, symbol);
    if (variable == nullptr || !fits(*variable, offset, bytes)) return nullptr;
    return static_cast<char*>(variable->address) + offset;
}

GPUPROJ_CUDA_API CudaError cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                                              std::size_t offset, CopyKind kind) {
    return api(__func__,
               [&](Runtime& runtime) { return copy_to(runtime, symbol, from, bytes, offset, kind, nullptr); });
}
GPUPROJ_CUDA_ALIAS(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);

GPUPROJ_CUDA_API CudaError cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                                   std::size_t offset, CopyKind kind, void* stream) {
    return api(__func__, [&](Runtime& runtime) { return copy_to(runtime, symbol, from, bytes, offset, kind, stream); });
}
GPUPROJ_CUDA_ALIAS(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);

GPUPROJ_CUDA_API CudaError cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                                CopyKind kind) {
    return api(__func__,
               [&](Runtime& runtime) { return copy_from(runtime, to, symbol, bytes, offset, kind, nullptr); });
}
GPUPROJ_CUDA_ALIAS(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);

GPUPROJ_CUDA_API CudaError cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                                     std::size_t offset, CopyKind kind, void* stream) {
    return api(__func__, [&](Runtime& runtime) { return copy_from(runtime, to, symbol, bytes, offset, kind, stream); });
}
GPUPROJ_CUDA_ALIAS(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);

GPUPROJ_CUDA_API CudaError cudaGetSymbolAddress(void** address, const void* symbol) {
    return api(__func__, [&](Runtime& runtime) {
        const Variable* variable = variable_of(runtime, symbol);
        if (variable == nullptr || address == nullptr) return cuda::invalid_symbol;
        *address = variable->address;
        return cuda::success;
    });
}

GPUPROJ_CUDA_API CudaError cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
    return api(__func__, [&](Runtime& runtime) {
        const Variable* variable = variable_of(runtime, symbol);
        if (variable == nullptr || bytes == nullptr) return cuda::invalid_symbol;
        *bytes = variable->bytes;
        return cuda::success;
    });
}

}  // namespace gpuproj::simulate
