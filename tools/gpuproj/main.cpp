// gpuproj VERB ...: finds the verb, runs it, and turns errors into one line on stderr and an exit code.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "model/error.hpp"
#include "tools/gpuproj/build_info.hpp"
#include "tools/gpuproj/command_line.hpp"
#include "tools/gpuproj/messages.hpp"
#include "tools/gpuproj/output.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace {

using namespace gpuproj;

void print_overview() {
    auto text = fmt::format(
        "gpuproj {}: run a GPU program once, learn how long each of its kernels takes on any other GPU\n\n"
        "  gpuproj run ./app --ref GTX480 --target K20c\n\n"
        "Verbs (gpuproj VERB --help says more):\n",
        version);
    for (const auto& verb : verbs()) {
        text += fmt::format("  {:<42} {}\n", fmt::format("{} {}", verb.name, verb.words), verb.does);
    }
    print_report(text +
                 "\nExit codes: 0 done, 1 error, 2 usage, 3 could not be profiled; else the application's own.\n");
}

/// Takes the options in front of the verb, which every verb knows too, and puts them behind it.
int dispatch(Words words) {
    Words common;
    while (!words.empty() && words.front().starts_with('-')) {
        const auto word = words.front();
        words.erase(words.begin());
        if (word == "-h" || word == "--help") return print_overview(), 0;
        if (word == "--version") return print_report(fmt::format("gpuproj {}\n", version)), 0;
        common.push_back(word);
        if (word == "--log-level" && !words.empty()) {
            common.push_back(words.front());
            words.erase(words.begin());
        }
    }
    if (words.empty()) {
        throw UsageError(common.empty() ? "no verb given; gpuproj --help lists them"
                                        : fmt::format("no verb behind '{}'; gpuproj --help lists them", common.back()));
    }
    if (words.front() == "help") {
        if (words.size() == 1) return print_overview(), 0;
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
        print_report(help.text);
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
