#include "model/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace gpuproj {

void for_each_in_parallel(std::size_t n, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next = 0;
    const auto run = [&] {
        for (std::size_t i = next++; i < n; i = next++) work(i);
    };
    const std::size_t threads = std::min<std::size_t>(n, std::max(std::thread::hardware_concurrency(), 1U));
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < threads; ++i) others.push_back(std::async(std::launch::async, run));
    run();
    for (auto& other : others) other.get();
}

}  // namespace gpuproj
