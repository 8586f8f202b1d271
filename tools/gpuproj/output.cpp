#include "tools/gpuproj/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "model/error.hpp"
#include "model/schema.hpp"

namespace gpuproj {

void OutputOptions::declare(CommandLine& line) {
    line.flag("--json", json_, "print JSON, base units");
    line.flag("--csv", csv_, "print CSV (RFC 4180), base units");
    line.flag("--md", markdown_, "print Markdown, base units");
    line.exclusive({"--json", "--csv", "--md"});
}

OutputFormat OutputOptions::format() const {
    if (json_) return OutputFormat::json;
    if (csv_) return OutputFormat::csv;
    return markdown_ ? OutputFormat::markdown : OutputFormat::terminal;
}

Screen stdout_screen() {
    Screen screen{.width = 120, .colours = false};
    const bool terminal = isatty(STDOUT_FILENO) == 1;
    if (winsize size{}; terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        screen.width = size.ws_col;
    if (const char* columns = std::getenv("COLUMNS")) {
        std::size_t width = 0;
        const char* end = columns + std::strlen(columns);
        if (std::from_chars(columns, end, width).ptr == end && width > 0) screen.width = width;
    }
    screen.width = std::max<std::size_t>(screen.width, 40);
    const char* no_colour = std::getenv("NO_COLOR");
    const char* type = std::getenv("TERM");
    screen.colours = terminal && (no_colour == nullptr || *no_colour == '\0') &&
                     (type == nullptr || std::string_view(type) != "dumb");
    return screen;
}

void print_report(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw Error(fmt::format("stdout: cannot write the report: {}", std::strerror(errno)));
    }
}

void print_tables(std::span<const Table> tables, OutputFormat format) {
    switch (format) {
        case OutputFormat::json:
            print_report(json_text(to_json(tables.front())));
            return;
        case OutputFormat::csv:
            print_report(to_csv(tables.front()));
            return;
        case OutputFormat::terminal:
        case OutputFormat::markdown:
            break;
    }
    const auto screen = stdout_screen();
    std::string text;
    for (const auto& table : tables) {
        if (!text.empty()) text += "\n";
        text += format == OutputFormat::markdown ? to_markdown(table) : to_terminal(table, screen);
    }
    print_report(text);
}

}  // namespace gpuproj
