#include "collector/simulate/progress.hpp"

#include <cmath>
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
    const auto now = std::chrono::steady_clock::now();
    if (running->kernel != kernel_ || running->share < share_) {  // another launch
        kernel_ = running->kernel;
        since_ = now;
        first_share_ = running->share;
    }
    share_ = running->share;
    constexpr std::size_t width = 60;
    const std::string name = running->kernel.substr(0, width);
    const auto left = seconds_left(first_share_, share_, std::chrono::duration<double>(now - since_).count());
    if (const auto advice = advised_ && left ? sampling_advice(name, *left) : std::nullopt) {
        clear();
        std::fprintf(stderr, "gpuproj: %s\n", advice->c_str());
        advised_ = false;
    }
    const std::string rest = left ? ", " + rough_time(*left) + " left" : "";
    std::fprintf(stderr, "\r\033[Kgpuproj: %s: %.0f %%%s", name.c_str(), running->share * 100, rest.c_str());
    drawn_ = true;
}

std::optional<double> seconds_left(double first, double now, double elapsed_s) {
    constexpr double settled = 2;
    if (elapsed_s < settled || now <= first) return std::nullopt;
    return elapsed_s * (1 - now) / (now - first);
}

std::optional<std::string> sampling_advice(const std::string& kernel, double seconds) {
    constexpr double long_s = 15;
    if (seconds < long_s) return std::nullopt;
    return kernel + ": about " + rough_time(seconds) +
           " left of this launch; --sample-only counts a part of its blocks and skips the others, "
           "if the application's results do not matter";
}

std::string rough_time(double seconds) {
    constexpr double minute = 60, hour = 3600;
    if (seconds < 2 * minute) return std::to_string(std::lround(seconds)) + " s";
    if (seconds < 2 * hour) return std::to_string(std::lround(seconds / minute)) + " min";
    return std::to_string(std::lround(seconds / hour)) + " h";
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
