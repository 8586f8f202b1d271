// Work spread over the machine's cores.
#pragma once

#include <cstddef>
#include <functional>

namespace gpuproj {

/// Calls work(i) for every i below n, on as many threads as there are cores, in any order; on the calling thread alone
/// where n is 1. An exception of a call is thrown here, after all threads have ended.
void for_each_in_parallel(std::size_t n, const std::function<void(std::size_t)>& work);

}  // namespace gpuproj
