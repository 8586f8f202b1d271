// Kernels of tools/dev/ptx_coverage.py: only compiled, to see what the engine refuses. One line each.
// clang-format off
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/ptx>
namespace cg=cooperative_groups;
extern "C" __global__ void __cluster_dims__(2,1,1) cl_fixed(int*o){ __shared__ int s[64]; auto c=cg::this_cluster(); s[threadIdx.x]=c.block_rank()*100+threadIdx.x; c.sync(); int*r=c.map_shared_rank(s,c.block_rank()^1); o[blockIdx.x*64+threadIdx.x]=r[threadIdx.x]; c.sync(); atomicAdd(&r[0],1); c.barrier_arrive(); c.barrier_wait(); o[0]=c.num_blocks()+c.num_threads()+c.thread_rank()+c.query_shared_rank(r)+c.dim_blocks().x+c.block_index().x+c.thread_index().x; }
extern "C" __global__ void cl_dyn(int*o){ extern __shared__ int s[]; auto c=cg::this_cluster(); if(threadIdx.x<64) s[threadIdx.x]=0; c.sync(); int n=c.num_blocks(); int*r=c.map_shared_rank(s,threadIdx.x%n); atomicAdd(r+threadIdx.x%64,1); c.sync(); o[threadIdx.x]=s[threadIdx.x]; auto b=cg::this_thread_block(); int v=cg::reduce(cg::tiled_partition<32>(b),1,cg::plus<int>()); if(threadIdx.x==0) atomicAdd(c.map_shared_rank(s,0),v); c.sync(); }
extern "C" __global__ void cl_bar(int*o){ __shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ int s[64]; namespace ptx=cuda::ptx; auto c=cg::this_cluster(); if(threadIdx.x==0) init(&b,32); c.sync(); auto*rb=c.map_shared_rank(cuda::device::barrier_native_handle(b),c.block_rank()^1); auto*rs=c.map_shared_rank(s,c.block_rank()^1); ptx::mbarrier_arrive(ptx::sem_release,ptx::scope_cluster,ptx::space_cluster,rb,1); while(!ptx::mbarrier_try_wait_parity(ptx::sem_acquire,ptx::scope_cluster,cuda::device::barrier_native_handle(b),0)); ptx::st_async(rs+threadIdx.x,5,rb); ptx::red_async(ptx::op_add,rs,1u?1:1,rb);  ptx::cp_async_bulk(ptx::space_cluster,ptx::space_shared,rs,s,128,rb); o[0]=s[0]; ptx::barrier_cluster_arrive(); ptx::barrier_cluster_wait(); }
