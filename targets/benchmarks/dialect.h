// How OpenCL C, CUDA and HIP spell what kernels.h needs.
#ifdef __OPENCL_VERSION__

#ifdef HAS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef HAS_HALF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef half2 half_pair;
#define HALF_MULTIPLY_ADD(x, y, z) x = fma(x, a, b);
#endif
typedef uint2 two_words;
typedef uint4 four_words;
#define HAS_VECTORS
#define FROM_UINT(TYPE, n) ((TYPE)(n))
#define KERNEL __kernel void
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_POINTER __local
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define LOCAL_ID ((uint)get_local_id(0))
#define LOCAL_SIZE ((uint)get_local_size(0))
#define GROUP_ID ((uint)get_group_id(0))
#define GLOBAL_ID get_global_id(0)
#define GLOBAL_SIZE get_global_size(0)
#define FMA(x, y, z) fma(x, y, z)
#define RSQRT(x) native_rsqrt(x)
#define POPCOUNT(x) popcount(x)
// OpenCL has no word for it: groups that read far from each other have to do.
#define LOAD_PAST_L1(address) (*(address))
#define CONSTANT_PARAMETER __constant uint *constant_words,
#define CONSTANT_WORDS constant_words

#else

// uint and ulong are those of <sys/types.h>: 32 and 64 bits on Linux.
#define HAS_DOUBLE
#define HAS_HALF
struct half_pair {
    __half2 value;
    __device__ half_pair(__half2 v) : value(v) {}
    __device__ half_pair(uint n) : value(__float2half2_rn(static_cast<float>(n))) {}
    friend __device__ half_pair operator+(half_pair x, half_pair y) { return __hadd2(x.value, y.value); }
};
#define HALF_MULTIPLY_ADD(x, y, z) x = __hfma2(x.value, a.value, b.value);
#ifdef __HIP__
// HIP's own are structures, which the compiler loads in parts.
typedef uint two_words __attribute__((ext_vector_type(2)));
typedef uint four_words __attribute__((ext_vector_type(4)));
#else
typedef uint2 two_words;
typedef uint4 four_words;
#endif
#define FROM_UINT(TYPE, n) (TYPE)(n)
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define LOCAL __shared__
#define LOCAL_POINTER
#define BARRIER __syncthreads()
#define LOCAL_ID threadIdx.x
#define LOCAL_SIZE blockDim.x
#define GROUP_ID blockIdx.x
#define GLOBAL_ID (static_cast<ulong>(blockIdx.x) * blockDim.x + threadIdx.x)
#define GLOBAL_SIZE (static_cast<ulong>(gridDim.x) * blockDim.x)
#define FMA(x, y, z) fma(x, y, z)
#ifdef __HIP__
// One instruction: rsqrtf scales small arguments first.
#define RSQRT(x) __builtin_amdgcn_rsqf(x)
#define LOAD_PAST_L1(address) (*(address))
#else
#define RSQRT(x) rsqrtf(x)
#define LOAD_PAST_L1(address) __ldcg(address)
#endif
#define POPCOUNT(x) __popc(x)
__constant__ uint constant_words[4096];
#define CONSTANT_PARAMETER
#define CONSTANT_WORDS constant_words

#endif
