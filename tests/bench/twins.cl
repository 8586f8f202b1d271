// The kernels of examples/matrix_multiply.cu and red_black_sor.cu in OpenCL.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define TILE 16

__kernel void sgemm(__global const float* a, __global const float* b, __global float* c, int depth, int width) {
    __local float a_tile[TILE][TILE];
    __local float b_tile[TILE][TILE];
    const int x = get_local_id(0), y = get_local_id(1);
    const int row = get_group_id(1) * TILE + y, column = get_group_id(0) * TILE + x;
    float sum = 0;
    for (int step = 0; step < depth; step += TILE) {
        a_tile[y][x] = a[row * depth + step + x];
        b_tile[y][x] = b[(step + y) * width + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k) sum = fma(a_tile[y][k], b_tile[k][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * width + column] = sum;
}

__kernel void sor(__global double* own, __global const double* other, int columns, double omega) {
    __local double tile[10][33];
    const int x = get_local_id(0), y = get_local_id(1);
    const int i = get_group_id(1) * 8 + y + 1, k = get_group_id(0) * 32 + x;
    __global const double* const row = other + i * columns;
    tile[y + 1][x] = row[k];
    if (y == 0) tile[0][x] = row[k - columns];
    if (y == 7) tile[9][x] = row[k + columns];
    if (x == 31) {
        tile[y + 1][32] = row[k + 1];
        if (y == 0) tile[0][32] = row[k + 1 - columns];
        if (y == 7) tile[9][32] = row[k + 1 + columns];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int shift = i % 2 == 0 ? 1 : 0;
    const double sum = tile[y][x + shift] + tile[y + 2][x + shift] + tile[y + 1][x] + tile[y + 1][x + 1];
    __global double* const u = own + i * columns + k + shift;
    *u = (1 - omega) * *u + omega * sum / 4;
}
