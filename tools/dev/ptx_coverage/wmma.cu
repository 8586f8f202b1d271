// Kernels of tools/dev/ptx_coverage.py: only compiled, to see what the engine refuses. One line each.
// clang-format off
#include <mma.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
using namespace nvcuda;
template<int M,int N,int K,class A,class C,class LA,class LB> __device__ void w(const A*a,const A*b,C*c){
  wmma::fragment<wmma::matrix_a,M,N,K,A,LA> fa; wmma::fragment<wmma::matrix_b,M,N,K,A,LB> fb; wmma::fragment<wmma::accumulator,M,N,K,C> fc;
  wmma::fill_fragment(fc,C(0)); wmma::load_matrix_sync(fa,a,M>N?M:N); wmma::load_matrix_sync(fb,b,K); wmma::load_matrix_sync(fc,c,N,wmma::mem_col_major); wmma::load_matrix_sync(fc,c,N,wmma::mem_row_major); wmma::mma_sync(fc,fa,fb,fc); 
  if constexpr(sizeof(A)==1) wmma::mma_sync(fc,fa,fb,fc,true);
  for(int i=0;i<fc.num_elements;i++) fc.x[i]*=C(2); wmma::store_matrix_sync(c,fc,N,wmma::mem_row_major); wmma::store_matrix_sync(c,fc,M,wmma::mem_col_major);
}
#define W(n,M,N,K,A,C) extern "C" __global__ void wm_##n(const A*a,const A*b,C*c){ w<M,N,K,A,C,wmma::row_major,wmma::col_major>(a,b,c); w<M,N,K,A,C,wmma::col_major,wmma::row_major>(a,b,c); }
W(h16f,16,16,16,half,float) W(h16h,16,16,16,half,half) W(h32f,32,8,16,half,float) W(h8f,8,32,16,half,float) W(h32h,32,8,16,half,half) W(h8h,8,32,16,half,half)
W(s16,16,16,16,signed char,int) W(u16,16,16,16,unsigned char,int) W(s32,32,8,16,signed char,int) W(s8,8,32,16,signed char,int) W(u8,8,32,16,unsigned char,int) W(u32,32,8,16,unsigned char,int)
#if __CUDA_ARCH__ >= 800
#define W2(n,M,N,K,A,C) extern "C" __global__ void wm_##n(const A*a,const A*b,C*c){ w<M,N,K,A,C,wmma::row_major,wmma::col_major>(a,b,c); w<M,N,K,A,C,wmma::col_major,wmma::row_major>(a,b,c);}
W2(b16,16,16,16,__nv_bfloat16,float) W2(b32,32,8,16,__nv_bfloat16,float) W2(b8,8,32,16,__nv_bfloat16,float) W2(d,8,8,4,double,double)
extern "C" __global__ void wm_tf(const float*a,const float*b,float*c){ wmma::fragment<wmma::matrix_a,16,16,8,wmma::precision::tf32,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,16,16,8,wmma::precision::tf32,wmma::col_major> fb; wmma::fragment<wmma::accumulator,16,16,8,float> fc; wmma::load_matrix_sync(fa,a,8); wmma::load_matrix_sync(fb,b,8); for(int i=0;i<fa.num_elements;i++) fa.x[i]=wmma::__float_to_tf32(fa.x[i]); wmma::fill_fragment(fc,0.f); wmma::mma_sync(fc,fa,fb,fc); wmma::store_matrix_sync(c,fc,16,wmma::mem_row_major);}
#endif
extern "C" __global__ void wm_s4(const int*a,const int*b,int*c){ using namespace wmma::experimental; wmma::fragment<wmma::matrix_a,8,8,32,precision::s4,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,8,8,32,precision::s4,wmma::col_major> fb; wmma::fragment<wmma::accumulator,8,8,32,int> fc; wmma::load_matrix_sync(fa,a,32); wmma::load_matrix_sync(fb,b,32); wmma::fill_fragment(fc,0); wmma::mma_sync(fc,fa,fb,fc); wmma::store_matrix_sync(c,fc,8,wmma::mem_row_major); }
extern "C" __global__ void wm_u4(const int*a,const int*b,int*c){ using namespace wmma::experimental; wmma::fragment<wmma::matrix_a,8,8,32,precision::u4,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,8,8,32,precision::u4,wmma::col_major> fb; wmma::fragment<wmma::accumulator,8,8,32,int> fc; wmma::load_matrix_sync(fa,a,32); wmma::load_matrix_sync(fb,b,32); wmma::fill_fragment(fc,0); wmma::mma_sync(fc,fa,fb,fc); wmma::store_matrix_sync(c,fc,8,wmma::mem_row_major); }
extern "C" __global__ void wm_b1(const int*a,const int*b,int*c){ using namespace wmma::experimental; wmma::fragment<wmma::matrix_a,8,8,128,precision::b1,wmma::row_major> fa; wmma::fragment<wmma::matrix_b,8,8,128,precision::b1,wmma::col_major> fb; wmma::fragment<wmma::accumulator,8,8,128,int> fc; wmma::load_matrix_sync(fa,a,128); wmma::load_matrix_sync(fb,b,128); wmma::fill_fragment(fc,0); wmma::bmma_sync(fc,fa,fb,fc,bmmaBitOpXOR,bmmaAccumulateOpPOPC); 
#if __CUDA_ARCH__>=800
wmma::bmma_sync(fc,fa,fb,fc,bmmaBitOpAND,bmmaAccumulateOpPOPC);
#endif
wmma::store_matrix_sync(c,fc,8,wmma::mem_row_major); }
