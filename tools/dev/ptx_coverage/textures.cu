// Kernels of tools/dev/ptx_coverage.py: only compiled, to see what the engine refuses. One line each.
// clang-format off
#define F(T) \
extern "C" __global__ void tx_##T(cudaTextureObject_t t, T*o, float x,float y,float z,int i,float2 dx,float2 dy,float4 d4,float4 e4){ \
 int k=0; o[k++]=tex1Dfetch<T>(t,i); o[k++]=tex1D<T>(t,x); o[k++]=tex1DLod<T>(t,x,y); o[k++]=tex1DGrad<T>(t,x,y,z); o[k++]=tex2D<T>(t,x,y); o[k++]=tex2DLod<T>(t,x,y,z); o[k++]=tex2DGrad<T>(t,x,y,dx,dy); o[k++]=tex3D<T>(t,x,y,z); o[k++]=tex3DLod<T>(t,x,y,z,x); o[k++]=tex3DGrad<T>(t,x,y,z,d4,e4); \
 o[k++]=tex1DLayered<T>(t,x,i); o[k++]=tex1DLayeredLod<T>(t,x,i,y); o[k++]=tex1DLayeredGrad<T>(t,x,i,y,z); o[k++]=tex2DLayered<T>(t,x,y,i); o[k++]=tex2DLayeredLod<T>(t,x,y,i,z); o[k++]=tex2DLayeredGrad<T>(t,x,y,i,dx,dy); o[k++]=texCubemap<T>(t,x,y,z); o[k++]=texCubemapLod<T>(t,x,y,z,x); o[k++]=texCubemapGrad<T>(t,x,y,z,d4,e4); o[k++]=texCubemapLayered<T>(t,x,y,z,i); o[k++]=texCubemapLayeredLod<T>(t,x,y,z,i,x); o[k++]=texCubemapLayeredGrad<T>(t,x,y,z,i,d4,e4);} \
extern "C" __global__ void sf_##T(cudaSurfaceObject_t s, T*o,int i,int j,int k){ \
 o[0]=surf1Dread<T>(s,i); o[1]=surf2Dread<T>(s,i,j); o[2]=surf3Dread<T>(s,i,j,k); o[3]=surf1DLayeredread<T>(s,i,j); o[4]=surf2DLayeredread<T>(s,i,j,k); o[5]=surfCubemapread<T>(s,i,j,k); o[6]=surfCubemapLayeredread<T>(s,i,j,k); o[7]=surf2Dread<T>(s,i,j,cudaBoundaryModeZero); o[8]=surf2Dread<T>(s,i,j,cudaBoundaryModeClamp); \
 surf1Dwrite(o[9],s,i); surf2Dwrite(o[9],s,i,j); surf3Dwrite(o[9],s,i,j,k); surf1DLayeredwrite(o[9],s,i,j); surf2DLayeredwrite(o[9],s,i,j,k); surfCubemapwrite(o[9],s,i,j,k); surfCubemapLayeredwrite(o[9],s,i,j,k); surf2Dwrite(o[9],s,i,j,cudaBoundaryModeZero); surf2Dwrite(o[9],s,i,j,cudaBoundaryModeClamp);}
#define G(T) extern "C" __global__ void tg_##T(cudaTextureObject_t t,T*o,float x,float y){ o[0]=tex2Dgather<T>(t,x,y,0);o[1]=tex2Dgather<T>(t,x,y,1);o[2]=tex2Dgather<T>(t,x,y,2);o[3]=tex2Dgather<T>(t,x,y,3); bool r; o[4]=tex2Dgather<T>(t,x,y,&r,0); o[5]=tex2D<T>(t,x,y,&r); if(r) o[6]=o[5]; }
F(float) F(float2) F(float4) F(int) F(uint4) F(uchar4) F(char) F(short2) F(ushort) F(uint)
G(float4) G(int4) G(uint4)
