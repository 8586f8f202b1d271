// The options of one verb: declared, then parsed. The one place that knows CLI11.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/gpuproj/words.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the name is the library's
class App;
}

namespace gpuproj {

/// Thrown by parsing when help was asked for: its text is to be printed, and that is all.
struct HelpAsked {
    std::string text;
};

/// Declares options bound to variables, which must live until parse() returns. `names` are comma-separated spellings:
/// "-o,--output". `value` names the value in the help text. Every verb has --help, -q, -v and --log-level.
class CommandLine {
public:
    CommandLine(std::string_view verb, std::string_view does);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    void flag(const std::string& names, bool& variable, const std::string& help);
    void option(const std::string& names, const std::string& value, std::string& variable, const std::string& help);
    void option(const std::string& names, const std::string& value, std::optional<std::string>& variable,
                const std::string& help);
    /// May be given several times; commas separate values. Empty if it was not given.
    void list(const std::string& names, const std::string& value, Words& variable, const std::string& help);
    void number(const std::string& names, std::uint64_t& variable, const std::string& help);
    void number(const std::string& names, std::optional<std::uint64_t>& variable, const std::string& help);
    /// One of `choices`.
    void choice(const std::string& names, const std::vector<std::string>& choices, std::string& variable,
                const std::string& help);
    /// A word that is no option; in the order declared.
    void word(const std::string& name, std::string& variable, bool required, const std::string& help);
    /// All further words.
    void words(const std::string& name, Words& variable, bool required, const std::string& help);
    /// At most one of these options, each by one of its spellings.
    void exclusive(Words names);
    /// Printed behind the options in the help text.
    void footer(const std::string& text);

    /// Sets the variables and the log level. Throws UsageError, or HelpAsked.
    void parse(const Words& words);

    /// As parse(), for a verb that takes an application and its words, which it returns (split_application). Empty if
    /// none was given and `optional`, set by then, says that none is needed.
    Words parse_with_application(const Words& words, const bool& optional);

private:
    std::vector<OptionName> option_names() const;
    void parse_own(Words words);

    std::unique_ptr<CLI::App> app_;
    std::vector<std::pair<std::string, Words*>> lists_;  // long name, variable
    std::vector<Words> exclusive_;
    bool quiet_ = false;
    bool verbose_ = false;
    std::string log_level_;
    std::string usage_end_;
};

}  // namespace gpuproj
