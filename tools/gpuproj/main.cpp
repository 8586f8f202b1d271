// gpuproj VERB ...: finds the verb, runs it, and turns errors into one line on stderr and an exit code.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>

#include "model/error.hpp"
#include "tools/gpuproj/build_info.hpp"
#include "tools/gpuproj/command_line.hpp"
#include "tools/gpuproj/help_text.hpp"
#include "tools/gpuproj/messages.hpp"
#include "tools/gpuproj/output.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace {

using namespace gpuproj;

void print_help(const std::string& text) {
    print_report(fitted(text, stdout_screen().width));
}

bool is_common_option(std::string_view word) {
    constexpr std::array<std::string_view, 5> known{"-q", "--quiet", "-v", "--verbose", "--log-level"};
    return std::find(known.begin(), known.end(), word.substr(0, word.find('='))) != known.end();
}

/// Takes the options in front of the verb, which every verb knows too, and puts them behind it.
int dispatch(Words words) {
    Words common;
    while (!words.empty() && words.front().starts_with('-')) {
        const auto word = words.front();
        words.erase(words.begin());
        if (word == "-h" || word == "--help") return print_help(overview()), 0;
        if (word == "-V" || word == "--version") return print_report(fmt::format("gpuproj {}\n", version)), 0;
        common.push_back(word);
        if (word == "--log-level" && !words.empty()) {
            common.push_back(words.front());
            words.erase(words.begin());
        }
    }
    if (words.empty() && !common.empty() && !is_common_option(common.front()))
        throw UsageError(fmt::format("unknown option '{}'; gpuproj --help lists the verbs", common.front()));
    if (words.empty()) {
        throw UsageError(common.empty() ? "no verb given; gpuproj --help lists them"
                                        : fmt::format("no verb behind '{}'; gpuproj --help lists them", common.back()));
    }
    if (words.front() == "help") {
        if (words.size() == 1) return print_help(overview()), 0;
        words.front() = words[1];
        words.resize(1);
        words.emplace_back("--help");
    }
    const auto& verb = find_verb(words.front());
    words.erase(words.begin());
    words.insert(words.begin(), common.begin(), common.end());
    return verb.run(words);
}

int run(const Words& words) {
    try {
        return dispatch(words);
    } catch (const HelpAsked& help) {
        print_help(help.text);
        return 0;
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        start_messages();
        return run(Words(argv + 1, argv + argc));
    } catch (const Error& error) {
        fmt::print(stderr, "gpuproj: {}\n", error.what());
        return error.exit_code();
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "gpuproj: out of memory; ask for fewer GPUs at once, or give a profile of fewer kernels\n");
        return 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "gpuproj: unexpected failure: {}; please report it\n", error.what());
        return 1;
    }
}
