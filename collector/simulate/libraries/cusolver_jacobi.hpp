// What syevjInfo_t and gesvdjInfo_t point to: wishes for Jacobi's method. LAPACK's methods go to the end of what the
// numbers' type can hold and sort, which is as good as any wish.
#pragma once

namespace gpuproj::simulate::libraries::cusolver {

struct JacobiInfo {
    double tolerance = 0;
    int most_sweeps = 0;
    int sort = 1;
};

}  // namespace gpuproj::simulate::libraries::cusolver
