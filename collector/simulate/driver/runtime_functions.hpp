// The functions of the runtime's stand-in that functions of the driver API hand on to.
#pragma once

#include "collector/simulate/runtime/abi.hpp"
#include "collector/simulate/runtime/device_properties.hpp"
#include "collector/simulate/runtime/graph_parameters.hpp"
#include "collector/simulate/runtime/texture_object.hpp"

extern "C" {
using gpuproj::simulate::CudaArray;
using gpuproj::simulate::cuda::CopyKind;
using gpuproj::simulate::cuda::CudaError;
using gpuproj::simulate::cuda::DeviceProperties12;
using gpuproj::simulate::cuda::Extent;

CudaError cudaMalloc(void**, std::size_t);
CudaError cudaFree(void*);
CudaError cudaMallocAsync(void**, std::size_t, void*);
CudaError cudaFreeAsync(void*, void*);
CudaError cudaMallocManaged(void**, std::size_t, unsigned);
CudaError cudaMallocPitch(void**, std::size_t*, std::size_t, std::size_t);
CudaError cudaHostAlloc(void**, std::size_t, unsigned);
CudaError cudaFreeHost(void*);
CudaError cudaHostRegister(void*, std::size_t, unsigned);
CudaError cudaHostUnregister(void*);
CudaError cudaHostGetDevicePointer(void**, void*, unsigned);
CudaError cudaHostGetFlags(unsigned*, void*);
CudaError cudaMemGetInfo(std::size_t*, std::size_t*);
CudaError cudaMemRangeGetAttribute(void*, std::size_t, int, const void*, std::size_t);
CudaError cudaMemRangeGetAttributes(void**, std::size_t*, const int*, std::size_t, const void*, std::size_t);
CudaError cudaMalloc3DArray(CudaArray**, const gpuproj::simulate::cuda::ChannelFormat*, Extent, unsigned);
CudaError cudaFreeArray(CudaArray*);
CudaError cudaMallocMipmappedArray(gpuproj::simulate::CudaMipmaps**, const gpuproj::simulate::cuda::ChannelFormat*,
                                   gpuproj::simulate::cuda::Extent, unsigned, unsigned);
CudaError cudaFreeMipmappedArray(gpuproj::simulate::CudaMipmaps*);
CudaError cudaGetMipmappedArrayLevel(gpuproj::simulate::CudaArray**, const gpuproj::simulate::CudaMipmaps*, unsigned);
CudaError cudaDestroyTextureObject(std::uint64_t);
CudaError cudaGetTextureObjectResourceDesc(gpuproj::simulate::cuda::ResourceDescription*, std::uint64_t);
CudaError cudaGetTextureObjectTextureDesc(gpuproj::simulate::cuda::TextureDescription*, std::uint64_t);
CudaError cudaCreateSurfaceObject(std::uint64_t*, const gpuproj::simulate::cuda::ResourceDescription*);
CudaError cudaDestroySurfaceObject(std::uint64_t);

CudaError cudaStreamCreateWithFlags(void**, unsigned);
CudaError cudaStreamCreateWithPriority(void**, unsigned, int);
CudaError cudaStreamDestroy(void*);
CudaError cudaStreamSynchronize(void*);
CudaError gpuproj_v10_cudaStreamQuery(void*);
CudaError cudaStreamWaitEvent(void*, void*, unsigned);
CudaError cudaStreamGetFlags(void*, unsigned*);
CudaError cudaStreamGetPriority(void*, int*);
CudaError cudaStreamGetId(void*, unsigned long long*);
CudaError cudaStreamGetDevice(void*, int*);
CudaError cudaStreamGetAttribute(void*, int, void*);
CudaError cudaStreamSetAttribute(void*, int, const void*);
CudaError cudaStreamCopyAttributes(void*, void*);
CudaError cudaStreamAttachMemAsync(void*, void*, std::size_t, unsigned);
CudaError cudaLaunchHostFunc(void*, void (*)(void*), void*);
CudaError cudaStreamAddCallback(void*, void (*)(void*, CudaError, void*), void*, unsigned);
CudaError cudaDeviceGetStreamPriorityRange(int*, int*);
CudaError cudaEventCreateWithFlags(void**, unsigned);
CudaError cudaEventDestroy(void*);
CudaError cudaEventRecord(void*, void*);
CudaError cudaEventRecordWithFlags(void*, void*, unsigned);
CudaError cudaEventSynchronize(void*);
CudaError gpuproj_v10_cudaEventQuery(void*);
CudaError cudaEventElapsedTime(float*, void*, void*);

CudaError cudaDeviceGetDefaultMemPool(void**, int);
CudaError cudaDeviceGetMemPool(void**, int);
CudaError cudaDeviceSetMemPool(int, void*);
CudaError cudaMemGetDefaultMemPool(void**, const gpuproj::simulate::cuda::Location*, int);
CudaError cudaMemGetMemPool(void**, const gpuproj::simulate::cuda::Location*, int);
CudaError cudaMemSetMemPool(const gpuproj::simulate::cuda::Location*, int, void*);
CudaError cudaMemPoolCreate(void**, const gpuproj::simulate::cuda::PoolProperties*);
CudaError cudaMemPoolDestroy(void*);
CudaError cudaMemPoolTrimTo(void*, std::size_t);
CudaError cudaMemPoolGetAttribute(void*, int, void*);
CudaError cudaMemPoolSetAttribute(void*, int, void*);
CudaError cudaMemPoolSetAccess(void*, const void*, std::size_t);
CudaError cudaMemPoolGetAccess(int*, void*, const gpuproj::simulate::cuda::Location*);
CudaError cudaMallocFromPoolAsync(void**, std::size_t, void*, void*);

CudaError cudaStreamBeginCapture(void*, int);
CudaError cudaStreamEndCapture(void*, void**);
CudaError cudaStreamIsCapturing(void*, int*);
CudaError gpuproj_v11_cudaStreamGetCaptureInfo(void*, int*, unsigned long long*);
CudaError cudaStreamGetCaptureInfo_v2(void*, int*, unsigned long long*, void**, void* const**, std::size_t*);
CudaError cudaStreamGetCaptureInfo_v3(void*, int*, unsigned long long*, void**, void* const**, const void**,
                                      std::size_t*);
CudaError gpuproj_v11_cudaStreamUpdateCaptureDependencies(void*, void* const*, std::size_t, unsigned);
CudaError cudaStreamUpdateCaptureDependencies_v2(void*, void* const*, const void*, std::size_t, unsigned);
CudaError cudaThreadExchangeStreamCaptureMode(int*);
CudaError cudaStreamBeginCaptureToGraph(void*, void*, void* const*, const void*, std::size_t, int);
CudaError cudaGraphCreate(void**, unsigned);
CudaError cudaGraphDestroy(void*);
CudaError cudaGraphClone(void**, void*);
CudaError cudaGraphNodeFindInClone(void**, void*, void*);
CudaError cudaGraphDestroyNode(void*);
CudaError cudaGraphNodeGetType(void*, gpuproj::simulate::NodeType*);
CudaError cudaGraphGetNodes(void*, void**, std::size_t*);
CudaError cudaGraphGetRootNodes(void*, void**, std::size_t*);
CudaError gpuproj_v12_cudaGraphGetEdges(void*, void**, void**, std::size_t*);
CudaError cudaGraphGetEdges_v2(void*, void**, void**, void*, std::size_t*);
CudaError gpuproj_v12_cudaGraphNodeGetDependencies(void*, void**, std::size_t*);
CudaError cudaGraphNodeGetDependencies_v2(void*, void**, void*, std::size_t*);
CudaError gpuproj_v12_cudaGraphNodeGetDependentNodes(void*, void**, std::size_t*);
CudaError cudaGraphNodeGetDependentNodes_v2(void*, void**, void*, std::size_t*);
CudaError gpuproj_v12_cudaGraphAddDependencies(void*, void* const*, void* const*, std::size_t);
CudaError cudaGraphAddDependencies_v2(void*, void* const*, void* const*, const void*, std::size_t);
CudaError gpuproj_v12_cudaGraphRemoveDependencies(void*, void* const*, void* const*, std::size_t);
CudaError cudaGraphRemoveDependencies_v2(void*, void* const*, void* const*, const void*, std::size_t);
CudaError cudaGraphConditionalHandleCreate(unsigned long long*, void*, unsigned, unsigned);
CudaError cudaGraphDebugDotPrint(void*, const char*, unsigned);
CudaError cudaDeviceGetGraphMemAttribute(int, int, std::uint64_t*);
CudaError cudaDeviceSetGraphMemAttribute(int, int, const std::uint64_t*);
CudaError cudaDeviceGraphMemTrim(int);
CudaError cudaGraphAddKernelNode(void**, void*, void* const*, std::size_t,
                                 const gpuproj::simulate::cuda::KernelNodeParameters*);
CudaError cudaGraphAddMemsetNode(void**, void*, void* const*, std::size_t,
                                 const gpuproj::simulate::cuda::MemsetParameters*);
CudaError cudaGraphAddHostNode(void**, void*, void* const*, std::size_t,
                               const gpuproj::simulate::cuda::HostNodeParameters*);
CudaError cudaGraphAddChildGraphNode(void**, void*, void* const*, std::size_t, void*);
CudaError cudaGraphAddEmptyNode(void**, void*, void* const*, std::size_t);
CudaError cudaGraphAddEventRecordNode(void**, void*, void* const*, std::size_t, void*);
CudaError cudaGraphAddEventWaitNode(void**, void*, void* const*, std::size_t, void*);
CudaError cudaGraphAddMemAllocNode(void**, void*, void* const*, std::size_t,
                                   gpuproj::simulate::cuda::AllocateNodeParameters*);
CudaError cudaGraphAddMemFreeNode(void**, void*, void* const*, std::size_t, void*);
CudaError gpuproj_v12_cudaGraphAddNode(void**, void*, void* const*, std::size_t,
                                       gpuproj::simulate::cuda::GraphNodeParameters*);
CudaError cudaGraphKernelNodeGetParams(void*, gpuproj::simulate::cuda::KernelNodeParameters*);
CudaError cudaGraphKernelNodeSetParams(void*, const gpuproj::simulate::cuda::KernelNodeParameters*);
CudaError cudaGraphKernelNodeSetAttribute(void*, int, const int*);
CudaError cudaGraphKernelNodeGetAttribute(void*, int, int*);
CudaError cudaGraphKernelNodeCopyAttributes(void*, void*);
CudaError cudaGraphMemsetNodeGetParams(void*, gpuproj::simulate::cuda::MemsetParameters*);
CudaError cudaGraphMemsetNodeSetParams(void*, const gpuproj::simulate::cuda::MemsetParameters*);
CudaError cudaGraphHostNodeGetParams(void*, gpuproj::simulate::cuda::HostNodeParameters*);
CudaError cudaGraphHostNodeSetParams(void*, const gpuproj::simulate::cuda::HostNodeParameters*);
CudaError cudaGraphMemAllocNodeGetParams(void*, gpuproj::simulate::cuda::AllocateNodeParameters*);
CudaError cudaGraphMemFreeNodeGetParams(void*, void**);
CudaError cudaGraphChildGraphNodeGetGraph(void*, void**);
CudaError cudaGraphEventRecordNodeGetEvent(void*, void**);
CudaError cudaGraphEventRecordNodeSetEvent(void*, void*);
CudaError cudaGraphEventWaitNodeGetEvent(void*, void**);
CudaError cudaGraphEventWaitNodeSetEvent(void*, void*);
CudaError cudaGraphNodeSetParams(void*, const gpuproj::simulate::cuda::GraphNodeParameters*);
CudaError cudaGraphInstantiateWithFlags(void**, void*, unsigned long long);
CudaError cudaGraphInstantiateWithParams(void**, void*, void*);
CudaError cudaGraphExecGetFlags(void*, unsigned long long*);
CudaError cudaGraphExecDestroy(void*);
CudaError cudaGraphLaunch(void*, void*);
CudaError cudaGraphUpload(void*, void*);
CudaError gpuproj_v11_cudaGraphExecUpdate(void*, void*, void**, int*);
CudaError gpuproj_v12_cudaGraphExecUpdate(void*, void*, void*);
CudaError cudaGraphExecKernelNodeSetParams(void*, void*, const gpuproj::simulate::cuda::KernelNodeParameters*);
CudaError cudaGraphExecMemsetNodeSetParams(void*, void*, const gpuproj::simulate::cuda::MemsetParameters*);
CudaError cudaGraphExecHostNodeSetParams(void*, void*, const gpuproj::simulate::cuda::HostNodeParameters*);
CudaError cudaGraphExecChildGraphNodeSetParams(void*, void*, void*);
CudaError cudaGraphExecEventRecordNodeSetEvent(void*, void*, void*);
CudaError cudaGraphExecEventWaitNodeSetEvent(void*, void*, void*);
CudaError cudaGraphExecNodeSetParams(void*, void*, const gpuproj::simulate::cuda::GraphNodeParameters*);
CudaError cudaGraphNodeSetEnabled(void*, void*, unsigned);
CudaError cudaGraphNodeGetEnabled(void*, void*, unsigned*);

CudaError cudaUserObjectCreate(void**, void*, void (*)(void*), unsigned, unsigned);
CudaError cudaUserObjectRetain(void*, unsigned);
CudaError cudaUserObjectRelease(void*, unsigned);
CudaError cudaGraphRetainUserObject(void*, void*, unsigned, unsigned);
CudaError cudaGraphReleaseUserObject(void*, void*, unsigned);

CudaError cudaDeviceGetAttribute(int*, int, int);
CudaError cudaGetDeviceProperties_v2(DeviceProperties12*, int);
CudaError cudaDeviceGetLimit(std::size_t*, int);
CudaError cudaDeviceSetLimit(int, std::size_t);
CudaError cudaDeviceGetCacheConfig(int*);
CudaError cudaDeviceSetCacheConfig(int);
CudaError cudaDeviceGetPCIBusId(char*, int, int);
CudaError cudaDeviceGetByPCIBusId(int*, const char*);
CudaError cudaDeviceCanAccessPeer(int*, int, int);
CudaError cudaDeviceGetP2PAttribute(int*, int, int, int);
CudaError cudaDriverGetVersion(int*);
CudaError gpuproj_v12_cudaFuncGetAttributes(gpuproj::simulate::cuda::FunctionAttributes12*, const void*);
CudaError cudaFuncSetAttribute(const void*, int, int);
CudaError cudaFuncGetName(const char**, const void*);
CudaError cudaFuncGetParamInfo(const void*, std::size_t, std::size_t*, std::size_t*);
CudaError cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, std::size_t);
CudaError cudaOccupancyMaxPotentialClusterSize(int*, const void*, const gpuproj::simulate::cuda::LaunchConfig*);
CudaError cudaOccupancyMaxActiveClusters(int*, const void*, const gpuproj::simulate::cuda::LaunchConfig*);
CudaError cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t*, const void*, int, int);
const char* cudaGetErrorString(int);
}
