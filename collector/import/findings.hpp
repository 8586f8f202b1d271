// What is wrong in a file, by line and column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuproj::import {

/// Where in the file; 0 and empty where it is the whole of it.
struct Place {
    int line = 0;
    std::string_view column{};
};

/// Collects what the user is told. What cannot be read ends the import, unless lenient: then it is left out and told.
class Findings {
public:
    Findings(std::string file, bool lenient) : file_(std::move(file)), lenient_(lenient) {}

    /// What cannot be read. Throws Error if strict; else notes it, and the caller leaves the piece out.
    void problem(Place place, std::string_view what);
    /// What is readable and odd.
    void warn(Place place, std::string_view what);
    /// Always throws Error: nothing of the file can be used.
    [[noreturn]] void fatal(Place place, std::string_view what) const;

    bool lenient() const { return lenient_; }
    const std::string& file() const { return file_; }
    /// At most a few dozen; the rest is counted in the last.
    std::vector<std::string> messages() const;

private:
    std::string sentence(Place place, std::string_view what) const;
    void add(std::string message);

    std::string file_;
    bool lenient_;
    std::vector<std::string> messages_;
    std::size_t left_out_ = 0;
};

}  // namespace gpuproj::import
