#include "collector/simulate/runtime/refused_launches.hpp"

#include <fmt/format.h>

#include <mutex>
#include <set>
#include <tuple>

extern "C" const char* cudaGetErrorName(int code);

namespace gpuproj::simulate {

void note_refused_launch(Recorder& recorder, const std::string& kernel, const std::string& by,
                         const LaunchRefusal& refusal) {
    static std::mutex mutex;
    static std::set<std::tuple<std::string, std::string, int>> noted;
    {
        const std::lock_guard lock(mutex);
        if (!noted.emplace(kernel, by, refusal.code).second) return;
    }
    recorder.note(fmt::format("kernel {} was not launched{}, once at least, and got {} as on a GPU: {}", kernel,
                              by.empty() ? "" : " by kernel " + by, cudaGetErrorName(refusal.code), refusal.why));
}

}  // namespace gpuproj::simulate
