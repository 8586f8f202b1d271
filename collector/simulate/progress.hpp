// The line on stderr that says which kernel runs and how far it is.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace gpuproj::simulate {

/// Reads what the injected library writes now and then, of launches that take long.
class ProgressLine {
public:
    /// shown: the line is; advised: with it a launch that takes long brings, once, a line about counting a sample.
    ProgressLine(std::filesystem::path session, bool shown, bool advised)
        : session_(std::move(session)), shown_(shown), advised_(advised) {}

    void update();
    /// Takes the line off the screen.
    void clear();
    /// Empty if no long launch was running when last looked.
    std::string running_kernel() const;

private:
    std::filesystem::path session_;
    bool shown_, advised_;
    bool drawn_ = false;
    std::string kernel_;  // of the launch that was seen last, since when, and how far it was then
    std::chrono::steady_clock::time_point since_{};
    double first_share_ = 0, share_ = 0;
};

/// How long the rest of a launch takes if it goes on as in the `elapsed_s` in which it went from `first` to `now`
/// (shares of its blocks). None before two seconds, or while nothing has moved.
std::optional<double> seconds_left(double first, double now, double elapsed_s);
/// What to tell about a launch that has so long to go; nothing where that is not long.
std::optional<std::string> sampling_advice(const std::string& kernel, double seconds);
/// "8 s", "3 min", "2 h".
std::string rough_time(double seconds);

}  // namespace gpuproj::simulate
