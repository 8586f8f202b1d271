// The line on stderr that says which kernel runs and how far it is.
#pragma once

#include <filesystem>
#include <string>

namespace gpuproj::simulate {

/// Reads what the injected library writes now and then, of launches that take long.
class ProgressLine {
public:
    ProgressLine(std::filesystem::path session, bool shown) : session_(std::move(session)), shown_(shown) {}

    void update();
    /// Takes the line off the screen.
    void clear();
    /// Empty if no long launch was running when last looked.
    std::string running_kernel() const;

private:
    std::filesystem::path session_;
    bool shown_;
    bool drawn_ = false;
};

}  // namespace gpuproj::simulate
