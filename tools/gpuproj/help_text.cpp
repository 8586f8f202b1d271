#include "tools/gpuproj/help_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/table.hpp"
#include "tools/gpuproj/build_info.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {
namespace {

constexpr std::size_t least_room = 24;  // for words beside a name

/// Where the words of a line begin that goes on below them; 0 for lines of words alone.
std::size_t column_of_words(std::string_view line) {
    const auto name = line.find_first_not_of(' ');
    if (name == std::string_view::npos || name < 2) return 0;
    if (name > 2) return name;
    const auto gap = line.find("  ", name);
    return gap == std::string_view::npos ? name : line.find_first_not_of(' ', gap);
}

}  // namespace

std::string overview() {
    auto text = fmt::format(
        "gpuproj {}: {}\n\n"
        "  gpuproj run ./app --ref GTX480 --target K20c\n\n"
        "Usage: gpuproj VERB [OPTIONS] ...\n\n"
        "Verbs (gpuproj VERB --help says more):\n",
        version, purpose);
    std::size_t width = 0;
    for (const auto& verb : verbs()) width = std::max(width, verb.name.size() + 1 + verb.words.size());
    for (const auto& verb : verbs())
        text += fmt::format("  {:<{}}  {}\n", fmt::format("{} {}", verb.name, verb.words), width, verb.does);
    return text + "\nExit codes: 0 done, 1 error, 2 usage, 3 could not be profiled; else the application's own.\n";
}

std::string fitted(const std::string& help, std::size_t width) {
    std::string out;
    for (std::size_t begin = 0; begin < help.size();) {
        const auto end = std::min(help.find('\n', begin), help.size());
        const auto line = help.substr(begin, end - begin);
        const auto column = column_of_words(line);
        if (line.size() <= width || column + least_room > width) {
            out += line;
        } else {
            out += line.substr(0, column) + wrapped(line.substr(column), width, column);
        }
        if (end < help.size()) out += '\n';
        begin = end + 1;
    }
    return out;
}

}  // namespace gpuproj
