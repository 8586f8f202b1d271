#include "tools/gpuproj/gnuplot_program.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "collector/launch/launch.hpp"
#include "model/error.hpp"
#include "model/file_io.hpp"

namespace gpuproj {
namespace {

namespace fs = std::filesystem;

/// A directory of our own for a short while.
class TemporaryDirectory {
public:
    TemporaryDirectory() : path_((fs::temp_directory_path() / "gpuproj-chart-XXXXXX").string()) {
        if (mkdtemp(path_.data()) == nullptr)
            throw Error(fmt::format("{}: cannot create a directory for a chart; set $TMPDIR to one that is writable",
                                    fs::temp_directory_path().string()));
    }
    ~TemporaryDirectory() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    fs::path operator/(const char* file) const { return fs::path(path_) / file; }

private:
    std::string path_;
};

std::string find_gnuplot() {
    try {
        return launch::find_program("gnuplot");
    } catch (const Error&) {
        throw Error(
            "gnuplot is not installed: sudo apt-get install -y gnuplot-nox; or write the script and its data with "
            "-o FILE.gp and draw them elsewhere");
    }
}

}  // namespace

std::string drawn(Canvas canvas, const std::function<GnuplotChart(const Canvas&)>& draw) {
    const auto gnuplot = find_gnuplot();
    const TemporaryDirectory directory;
    canvas.output = directory / "chart";
    canvas.data_file = directory / "chart.csv";
    const auto script = directory / "chart.gp";
    const auto chart = draw(canvas);
    write_file(canvas.data_file, to_csv(chart.data), false);
    write_file(script, chart.script, false);
    launch::Command command;
    command.words = {gnuplot, script.string()};
    // The script is UTF-8, whatever the user's locale: of another gnuplot asks iconv for signs that it does not have.
    command.environment = {{"LC_ALL", "C.UTF-8"}};
    command.stdout_to_stderr = true;
    if (const auto ended = launch::run(command); ended.status != 0) {
        throw Error(
            fmt::format("{} failed ({}) on the chart's script; -o FILE.gp keeps the script", gnuplot, ended.status));
    }
    return read_file(canvas.output);
}

}  // namespace gpuproj
