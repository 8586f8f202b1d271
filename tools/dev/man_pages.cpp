// man_pages DIRECTORY: writes gpuproj.1, gpuproj-VERB.1 and gpuproj-targets-ACTION.1 there, of the same text that
// --help prints. The build runs it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.hpp"
#include "model/file_io.hpp"
#include "tools/gpuproj/build_info.hpp"
#include "tools/gpuproj/command_line.hpp"
#include "tools/gpuproj/help_text.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace {

using namespace gpuproj;

/// An option, a positional word, a verb or an action, with what it does; without a name a paragraph.
struct Entry {
    std::string name, text;
};

struct Section {
    std::string heading;
    std::vector<Entry> entries;
};

/// Help text: what stands in front of the sections, their entries, what stands behind them.
struct Help {
    std::vector<std::string> before, usage, behind;
    std::vector<Section> sections;
};

/// "  name  text", "  name" and "  name text" for names longer than their column.
Entry entry_of(std::string_view line) {
    line.remove_prefix(2);
    const auto gap = line.find("  ");
    if (gap == std::string_view::npos) return {std::string(line), {}};
    return {std::string(line.substr(0, gap)), std::string(line.substr(line.find_first_not_of(' ', gap)))};
}

void add_words(std::string& text, std::string_view more) {
    if (!text.empty()) text += ' ';
    text += more.substr(std::min(more.find_first_not_of(' '), more.size()));
}

Help parsed(const std::string& text) {
    Help help;
    constexpr std::string_view usage = "Usage: ", continued = "     ";
    bool in_section = false, new_paragraph = true;
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        const std::string_view line(text.data() + begin, end - begin);
        begin = end + 1;
        if (line.empty()) {
            in_section = false;
            new_paragraph = true;
        } else if (line.starts_with(usage)) {
            help.usage.emplace_back(line.substr(usage.size()));
        } else if (!in_section && line.ends_with(':')) {
            help.sections.push_back({std::string(line.substr(0, line.size() - 1)), {}});
            in_section = true;
        } else if (in_section && line.starts_with(continued)) {
            add_words(help.sections.back().entries.back().text, line);
        } else if (in_section) {
            help.sections.back().entries.push_back(entry_of(line));
        } else {
            auto& paragraphs = help.sections.empty() ? help.before : help.behind;
            if (new_paragraph || paragraphs.empty()) paragraphs.emplace_back();
            add_words(paragraphs.back(), line);
            new_paragraph = false;
        }
    }
    return help;
}

/// As roff needs it: no line a request, hyphens that can be searched for.
std::string roff(std::string_view text) {
    std::string out;
    if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
    }
    return out;
}

std::string heading(std::string_view title) {
    std::string upper;
    for (const char c : title) upper += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return fmt::format(".SH {}\n", upper);
}

std::string list(const Section& section) {
    std::string out;
    for (const auto& entry : section.entries) {
        // An option's spellings are bold, its value is not.
        const auto space = entry.name.find(' ');
        const auto name = entry.name.substr(0, space);
        const auto value = space == std::string::npos ? std::string{} : entry.name.substr(space);
        out += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(name), roff(value), roff(entry.text));
    }
    return out;
}

struct Page {
    std::string name;  // "gpuproj-run"
    std::string does;  // one line
    std::vector<std::string> see_also;
};

std::string page_text(const Page& page, const Help& help) {
    std::string out = fmt::format(".TH {} 1 \"\" \"gpuproj {}\" \"gpuproj\"\n", roff(page.name), roff(version));
    out += heading("Name") + fmt::format("{} \\- {}\n", roff(page.name), roff(page.does));
    if (!help.usage.empty()) {
        out += heading("Synopsis");
        for (const auto& usage : help.usage) out += fmt::format("\\fB{}\\fR\n", roff(usage));
    }
    if (!help.before.empty()) out += heading("Description");
    for (const auto& paragraph : help.before) out += fmt::format(".PP\n{}\n", roff(paragraph));
    for (const auto& section : help.sections)
        out += heading(section.heading.substr(0, section.heading.find(" ("))) + list(section);
    if (!help.behind.empty()) out += heading("Notes");
    for (const auto& paragraph : help.behind) out += fmt::format(".PP\n{}\n", roff(paragraph));
    out += heading("See also");
    for (std::size_t at = 0; at < page.see_also.size(); ++at)
        out += fmt::format(".BR {} (1){}\n", roff(page.see_also[at]), at + 1 < page.see_also.size() ? "," : "");
    return out;
}

std::string help_of(const Verb& verb, Words words) {
    words.emplace_back("--help");
    try {
        verb.run(words);
    } catch (const HelpAsked& help) {
        return help.text;
    }
    throw Error(fmt::format("{} prints no help", verb.name));
}

void write_pages(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    const auto write = [&](const Page& page, const Help& help) {
        write_file(folder / (page.name + ".1"), page_text(page, help), true);
    };
    Page all{"gpuproj", std::string(purpose), {}};
    for (const auto& verb : verbs()) {
        Page page{fmt::format("gpuproj-{}", verb.name), std::string(verb.does), {"gpuproj"}};
        all.see_also.push_back(page.name);
        const auto help = parsed(help_of(verb, {}));
        for (const auto& section : help.sections) {
            if (!section.heading.starts_with("Actions")) continue;
            for (const auto& action : section.entries) {
                const Page part{fmt::format("{}-{}", page.name, action.name), action.text, {"gpuproj", page.name}};
                write(part, parsed(help_of(verb, {action.name})));
                page.see_also.push_back(part.name);
            }
        }
        write(page, help);
    }
    write(all, parsed(overview()));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "usage: man_pages DIRECTORY\n");
        return 2;
    }
    try {
        write_pages(argv[1]);
    } catch (const std::exception& error) {
        fmt::print(stderr, "man_pages: {}\n", error.what());
        return 1;
    }
    return 0;
}
