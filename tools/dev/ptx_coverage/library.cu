// Kernels of tools/dev/ptx_coverage.py: only compiled, to see what the engine refuses. One line each.
// clang-format off
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/latch>
#include <cuda/std/complex>
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/bit>
#include <cuda/std/limits>
#include <cuda/std/chrono>
#include <cuda/annotated_ptr>
#include <cuda/cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cassert>
namespace cg = cooperative_groups;
template<class T, cuda::thread_scope S> __device__ void atom_all(cuda::atomic<T,S>* a, T* o, T v){
  using namespace cuda::std;
  o[0]=a->load(memory_order_relaxed); o[1]=a->load(memory_order_acquire); o[2]=a->load(memory_order_seq_cst);
  a->store(v,memory_order_relaxed); a->store(v,memory_order_release); a->store(v,memory_order_seq_cst);
  o[3]=a->exchange(v,memory_order_relaxed); o[4]=a->exchange(v,memory_order_acq_rel); o[5]=a->exchange(v);
  T e=v; o[6]=a->compare_exchange_strong(e,v,memory_order_relaxed); o[7]=a->compare_exchange_weak(e,v,memory_order_acq_rel); o[8]=a->compare_exchange_strong(e,v);
  o[9]=a->fetch_add(v,memory_order_relaxed); o[10]=a->fetch_add(v,memory_order_acq_rel); o[11]=a->fetch_sub(v,memory_order_release); o[12]=a->fetch_add(v);
  if constexpr (cuda::std::is_integral_v<T>) { o[13]=a->fetch_and(v,memory_order_relaxed); o[14]=a->fetch_or(v,memory_order_acquire); o[15]=a->fetch_xor(v); }
  o[16]=a->fetch_min(v,memory_order_relaxed); o[17]=a->fetch_max(v);
  a->wait(v); a->notify_one(); a->notify_all();
}
#define AT(T,n) \
extern "C" __global__ void at_sys_##n(cuda::atomic<T,cuda::thread_scope_system>* a,T*o,T v){atom_all(a,o,v);} \
extern "C" __global__ void at_dev_##n(cuda::atomic<T,cuda::thread_scope_device>* a,T*o,T v){atom_all(a,o,v);} \
extern "C" __global__ void at_blk_##n(cuda::atomic<T,cuda::thread_scope_block>* a,T*o,T v){atom_all(a,o,v);} \
extern "C" __global__ void at_thr_##n(cuda::atomic<T,cuda::thread_scope_thread>* a,T*o,T v){atom_all(a,o,v);} \
extern "C" __global__ void at_sh_##n(T*o,T v){__shared__ cuda::atomic<T,cuda::thread_scope_block> a; atom_all(&a,o,v);}
AT(int,i32) AT(unsigned,u32) AT(long long,i64) AT(unsigned long long,u64) AT(short,i16) AT(unsigned char,u8) AT(signed char,i8) AT(float,f32) AT(double,f64)
struct alignas(16) Big { unsigned long long a,b; };
extern "C" __global__ void at_ref(int*p,int*o){ cuda::atomic_ref<int,cuda::thread_scope_device> r(*p); o[0]=r.fetch_add(1); o[1]=r.load(); r.store(2); o[2]=r.exchange(3);}
extern "C" __global__ void at_flag(cuda::std::atomic_flag*f,int*o){ o[0]=f->test_and_set(); f->clear(); cuda::atomic_thread_fence(cuda::std::memory_order_seq_cst,cuda::thread_scope_device); cuda::atomic_thread_fence(cuda::std::memory_order_acquire,cuda::thread_scope_block); cuda::atomic_thread_fence(cuda::std::memory_order_release,cuda::thread_scope_system);}
extern "C" __global__ void sem(cuda::counting_semaphore<cuda::thread_scope_device,8>*s,int*o){ s->acquire(); o[0]=s->try_acquire(); s->release(); o[1]=s->try_acquire_for(cuda::std::chrono::nanoseconds(100)); }
extern "C" __global__ void lat(cuda::latch<cuda::thread_scope_device>*s){ s->count_down(); s->arrive_and_wait(); s->wait(); }
extern "C" __global__ void barr(int*g,int n){
  __shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ int s[256];
  auto bl=cg::this_thread_block(); if(bl.thread_rank()==0) init(&b,bl.size()); bl.sync();
  cuda::memcpy_async(bl,s,g,sizeof(int)*n,b); b.arrive_and_wait();
  auto t=b.arrive(); b.wait(cuda::std::move(t)); b.arrive_and_drop(); g[threadIdx.x]=s[threadIdx.x];
  b.try_wait_parity_for(true, cuda::std::chrono::nanoseconds(10)); b.wait_parity(false);
}
extern "C" __global__ void barr_aligned(int4*g,int n){
  __shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ alignas(16) int4 s[256];
  auto bl=cg::this_thread_block(); if(bl.thread_rank()==0) init(&b,bl.size()); bl.sync();
  cuda::memcpy_async(bl,s,g,cuda::aligned_size_t<16>(16*n),b); b.arrive_and_wait(); g[threadIdx.x]=s[threadIdx.x];
}
extern "C" __global__ void barr_tx(int4*g,int n){
  __shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ alignas(128) int4 s[256];
  auto bl=cg::this_thread_block(); if(bl.thread_rank()==0) init(&b,bl.size()); bl.sync();
  if(threadIdx.x==0) cuda::device::memcpy_async_tx(s,g,cuda::aligned_size_t<16>(16*256),b);
  auto t=cuda::device::barrier_arrive_tx(b,1,threadIdx.x==0?16*256:0); b.wait(cuda::std::move(t)); g[threadIdx.x]=s[threadIdx.x];
}
extern "C" __global__ void barr_dev(cuda::barrier<cuda::thread_scope_device>*b){ b->arrive_and_wait(); b->arrive_and_drop(); }
extern "C" __global__ void pipe2(float*g,float*o,int n){
  constexpr int S=2; __shared__ float sh[S][256]; __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block,S> st;
  auto bl=cg::this_thread_block(); auto p=cuda::make_pipeline(bl,&st); float a=0;
  for(int i=0,f=0;i<n;i++){ for(;f<n&&f<i+S;f++){p.producer_acquire(); cuda::memcpy_async(bl,sh[f%S],g+f*256,cuda::aligned_size_t<4>(1024),p); p.producer_commit();} p.consumer_wait(); bl.sync(); a+=sh[i%S][threadIdx.x]; p.consumer_release(); }
  o[threadIdx.x]=a;
}
extern "C" __global__ void pipe1(float*g,float*o){ __shared__ float sh[256]; auto p=cuda::make_pipeline(); p.producer_acquire(); cuda::memcpy_async(sh+threadIdx.x,g+threadIdx.x,cuda::aligned_size_t<4>(4),p); p.producer_commit(); p.consumer_wait(); cuda::pipeline_consumer_wait_prior<0>(p); p.quit(); o[threadIdx.x]=sh[threadIdx.x]; }
extern "C" __global__ void pipe_part(float*g,float*o){ constexpr int S=2; __shared__ float sh[S][256]; __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block,S> st; auto bl=cg::this_thread_block();
  auto role=threadIdx.x<32?cuda::pipeline_role::producer:cuda::pipeline_role::consumer; auto p=cuda::make_pipeline(bl,&st,role);
  if(threadIdx.x<32){ p.producer_acquire(); cuda::memcpy_async(sh[0]+threadIdx.x,g+threadIdx.x,4,p); p.producer_commit(); } else { p.consumer_wait(); o[threadIdx.x]=sh[0][threadIdx.x-32]; p.consumer_release(); } }
extern "C" __global__ void cg_async(int*g,int*o,int n){ extern __shared__ int s[]; auto b=cg::this_thread_block(); cg::memcpy_async(b,s,g,sizeof(int)*n); cg::wait(b); cg::memcpy_async(b,s,n,g,n); cg::wait_prior<0>(b); o[threadIdx.x]=s[threadIdx.x]; auto t=cg::tiled_partition<16>(b); cg::memcpy_async(t,s,g,cuda::aligned_size_t<16>(64)); cg::wait(t);}
template<class G,class T> __device__ void red(G g,T v,T*o){ o[0]=cg::reduce(g,v,cg::plus<T>()); o[1]=cg::reduce(g,v,cg::less<T>()); o[2]=cg::reduce(g,v,cg::greater<T>()); 
 if constexpr(cuda::std::is_integral_v<T>){o[3]=cg::reduce(g,v,cg::bit_and<T>());o[4]=cg::reduce(g,v,cg::bit_or<T>());o[5]=cg::reduce(g,v,cg::bit_xor<T>());}
 o[6]=cg::inclusive_scan(g,v); o[7]=cg::exclusive_scan(g,v); o[8]=cg::inclusive_scan(g,v,cg::greater<T>()); }
#define RED(T,n) extern "C" __global__ void cg_red_##n(T v,T*o){ auto b=cg::this_thread_block(); red(cg::tiled_partition<32>(b),v,o); red(cg::tiled_partition<8>(b),v,o); red(cg::coalesced_threads(),v,o); red(cg::labeled_partition(cg::tiled_partition<32>(b),threadIdx.x&3),v,o); red(cg::binary_partition(cg::coalesced_threads(),threadIdx.x&1),v,o);}
RED(int,i) RED(unsigned,u) RED(long long,ll) RED(float,f) RED(double,d)
extern "C" __global__ void cg_block_tile(int v,int*o){ __shared__ cg::block_tile_memory<1024> m; auto b=cg::this_thread_block(m); auto t=cg::tiled_partition<128>(b); o[0]=cg::reduce(t,v,cg::plus<int>()); t.sync(); o[1]=t.meta_group_rank(); o[2]=t.shfl(v,3); o[3]=t.any(v); o[4]=t.all(v); auto x=cg::invoke_one_broadcast(t,[&]{return v;}); o[5]=x; cg::invoke_one(b,[&]{o[6]=3;}); o[7]=cg::exclusive_scan(t,v);}
extern "C" __global__ void cg_update(cuda::atomic<int,cuda::thread_scope_device>*a,int*o){ auto t=cg::tiled_partition<32>(cg::this_thread_block()); cg::reduce_update_async(t,*a,1,cg::plus<int>()); }
extern "C" __global__ void cg_misc(int*o){ auto t=cg::tiled_partition<32>(cg::this_thread_block()); o[0]=t.match_any(threadIdx.x); int pr; o[1]=t.match_all(3,pr); o[9]=pr; o[2]=t.ballot(threadIdx.x&1); o[3]=t.shfl_up(1,2); o[4]=t.shfl_xor(1,2); auto c=cg::coalesced_threads(); o[5]=c.thread_rank()+c.size()+c.shfl(1,0)+c.shfl_down(2,1)+c.ballot(1)+c.match_any(4); auto g=cg::this_grid(); g.sync(); o[6]=g.thread_rank()+g.block_rank()+g.num_blocks()+g.dim_blocks().x; auto tk=cg::this_thread_block().barrier_arrive(); cg::this_thread_block().barrier_wait(cuda::std::move(tk)); }
extern "C" __global__ void pf(int i,double d,const char*s,long long l,float f){ printf("hello\n"); printf("%d %f %s %lld %g %c %p %x %5.2f %%\n",i,d,s,l,f,'c',s,i,f); }
extern "C" __global__ void asr(int i){ assert(i>0); if(i==7) __trap(); if(i==8) __brkpt(); __nanosleep(100); }
extern "C" __global__ void allo(int n,int*o){ int*p=(int*)alloca(n*4); for(int i=0;i<n;i++)p[i]=i*o[i]; int s=0; for(int i=n;i--;)s+=p[i]; o[0]=s; int*q=(int*)malloc(n*4); for(int i=0;i<n;i++) q[i]=p[i]; o[1]=q[n/2]; free(q); auto*r=new int[n]; o[2]=r[0]; delete[] r;}
extern "C" __global__ void __launch_bounds__(128,4) lb(int*o){o[0]=1;}
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __launch_bounds__(128,4,2) lb3(int*o){o[0]=1;}
#endif
extern "C" __global__ void __maxnreg__(64) mr(int*o){o[0]=1;}
struct GC{int a[100];};
extern "C" __global__ void gcst(const __grid_constant__ GC c,int*o){ o[0]=c.a[threadIdx.x]; const int*p=c.a; o[1]=p[o[2]]; o[3]=__isGridConstant(p); }
extern "C" __global__ void preds(const void*p,int*o){ o[0]=__isGlobal(p);o[1]=__isShared(p);o[2]=__isConstant(p);o[3]=__isLocal(p); o[5]=__cvta_generic_to_shared(p); o[6]=__cvta_generic_to_global(p); o[7]=__cvta_generic_to_local(p);o[8]=__cvta_generic_to_constant(p); o[9]=*(int*)__cvta_shared_to_generic(o[5]); o[10]=*(int*)__cvta_constant_to_generic(o[5]);o[11]=*(int*)__cvta_local_to_generic(o[5]);o[12]=*(int*)__cvta_global_to_generic(o[5]);}
extern "C" __global__ void annot(int*p,int*o){ cuda::access_property ap(cuda::access_property::persisting{}); cuda::annotated_ptr<int,cuda::access_property> a(p,ap); o[0]=a[0]; a[1]=3; cuda::annotated_ptr<int,cuda::access_property::streaming> b(p); o[1]=b[2]; cuda::apply_access_property(p,128,cuda::access_property::persisting{}); cuda::discard_memory(p,128); auto*q=cuda::associate_access_property(p,cuda::access_property(p,64,128,cuda::access_property::persisting{})); o[2]=*q; cuda::annotated_ptr<int,cuda::access_property> c(p,cuda::access_property(cuda::access_property::persisting{},0.5f)); o[4]=c[3];}
extern "C" __global__ void i128(__int128*a,unsigned __int128*b){ a[0]=a[1]*a[2]; a[3]=a[4]/a[5]; b[0]=b[1]%b[2]; b[3]=b[4]<<5; a[6]=a[7]>>3; a[8]=a[9]+a[10]; *(double*)(a+11)=(double)a[12]; a[13]=(__int128)*(double*)(a+14); }
extern "C" __global__ void cplx(cuda::std::complex<float>*a,cuda::std::complex<double>*b){ a[0]=a[1]*a[2]/a[3]; a[4]=exp(a[5]); b[0]=b[1]*b[2]/b[3]; b[4]=sqrt(b[5]); b[6]=pow(b[7],b[8]); }
typedef int (*fn)(int); __device__ int fa(int x){return x+1;} __device__ int fb(int x){return x*2;} __device__ fn tab[2]={fa,fb};
extern "C" __global__ void ind(int i,int*o){ o[0]=tab[i](o[1]); }
struct V{ virtual __device__ int f(int)=0; __device__ virtual ~V(){} }; struct A:V{ __device__ int f(int x)override{return x+1;} }; struct B:V{int k; __device__ int f(int x)override{return x*k;}};
extern "C" __global__ void virt(int i,int*o){ V*v; if(i) v=new A; else v=new B; o[0]=v->f(3); delete v; }
__device__ int fact(int n){ return n<2?1:n*fact(n-1)+fact(n-2); }
extern "C" __global__ void rec(int n,int*o){ o[0]=fact(n); }
extern "C" __global__ void sw(int i,int*o){ switch(o[1]){case 0:o[0]=3;break;case 1:o[2]=i*3;break;case 2:o[0]=i/3;break;case 3:o[5]=7;break;case 4:o[6]=i;break;case 5:o[7]=i+1;break;case 6:o[8]=i*i;break;case 7: o[9]=i%7;break; case 8:o[10]=i^3; break; default:o[11]=5;} }
extern "C" __global__ void clk(long long*o){ o[0]=clock(); o[1]=clock64(); unsigned long long t; asm volatile("mov.u64 %0,%globaltimer;":"=l"(t)); o[2]=t; o[3]=cuda::std::chrono::system_clock::now().time_since_epoch().count(); o[4]=cuda::std::chrono::high_resolution_clock::now().time_since_epoch().count(); unsigned x; asm volatile("mov.u32 %0,%smid;":"=r"(x)); o[5]=x; asm volatile("mov.u32 %0,%warpid;":"=r"(x)); o[6]=x; asm volatile("mov.u32 %0,%nsmid;":"=r"(x)); o[7]=x; asm volatile("mov.u64 %0,%gridid;":"=l"(t)); o[8]=t; asm volatile("mov.u32 %0,%%lanemask_lt;":"=r"(x)); }
extern "C" __global__ void wsz(int*o){ o[0]=warpSize; o[1]=__activemask(); o[2]=__fns(5,1,2); __syncwarp(); __threadfence(); __threadfence_block(); __threadfence_system(); o[3]=__syncthreads_count(o[5]);o[4]=__syncthreads_and(o[5]);o[6]=__syncthreads_or(o[5]); __prof_trigger(1); }
extern "C" __global__ void bf(int*o){ o[0]=cuda::std::popcount(3u*o[1]); o[2]=cuda::std::countl_zero((unsigned)o[1]); o[3]=cuda::std::rotl((unsigned)o[1],o[4]); o[5]=cuda::std::bit_ceil((unsigned)o[1]); }
