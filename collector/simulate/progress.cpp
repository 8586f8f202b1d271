#include "collector/simulate/progress.hpp"

#include <cstdio>
#include <fstream>
#include <optional>

#include "collector/records/session.hpp"

namespace gpuproj::simulate {

namespace {

struct Running {
    std::string kernel;
    double share = 0;
};

std::optional<Running> read(const std::filesystem::path& session) {
    std::ifstream file(session / records::progress_name);
    Running running;
    if (!std::getline(file, running.kernel) || !(file >> running.share)) return std::nullopt;
    return running;
}

}  // namespace

void ProgressLine::update() {
    if (!shown_) return;
    const auto running = read(session_);
    if (!running) {
        clear();
        return;
    }
    constexpr std::size_t width = 60;
    const std::string name = running->kernel.substr(0, width);
    std::fprintf(stderr, "\r\033[Kgpuproj: %s: %.0f %%", name.c_str(), running->share * 100);
    drawn_ = true;
}

void ProgressLine::clear() {
    if (drawn_) std::fputs("\r\033[K", stderr);
    drawn_ = false;
}

std::string ProgressLine::running_kernel() const {
    const auto running = read(session_);
    return running ? running->kernel : std::string();
}

}  // namespace gpuproj::simulate
