#include "tools/gpuproj/command_line.hpp"

#include <algorithm>
#include <charconv>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <fmt/format.h>

#include "model/error.hpp"
#include "tools/gpuproj/messages.hpp"

namespace gpuproj {

CommandLine::CommandLine(std::string_view verb, std::string_view does)
    : app_(std::make_unique<CLI::App>(std::string(does), fmt::format("gpuproj {}", verb))) {
    app_->allow_extras();  // reported by parse_own, with near names
    app_->get_formatter()->column_width(34);
    app_->get_formatter()->label("REQUIRED", "");
    flag("-q,--quiet", quiet_, "warnings and errors only");
    flag("-v,--verbose", verbose_, "say more");
    choice("--log-level", message_levels(), log_level_, "which messages are printed");
}

CommandLine::~CommandLine() = default;

void CommandLine::flag(const std::string& names, bool& variable, const std::string& help) {
    app_->add_flag(names, variable, help);
}

void CommandLine::option(const std::string& names, const std::string& value, std::string& variable,
                         const std::string& help) {
    app_->add_option(names, variable, help)->type_name(value)->take_last();
}

void CommandLine::option(const std::string& names, const std::string& value, std::optional<std::string>& variable,
                         const std::string& help) {
    app_->add_option_function<std::string>(
            names, [&variable](const std::string& text) { variable = text; }, help)
        ->type_name(value)
        ->take_last();
}

void CommandLine::list(const std::string& names, const std::string& value, Words& variable, const std::string& help) {
    app_->add_option(names, variable, help)->type_name(value)->allow_extra_args(false)->take_all();
    lists_.emplace_back(names.substr(names.rfind(',') + 1), &variable);
}

namespace {

/// Sets `variable` to the whole number that the option's value is.
template <class Number>
CLI::Option* add_number(CLI::App& app, const std::string& names, Number& variable, const std::string& help) {
    const auto name = names.substr(names.rfind(',') + 1);
    const auto read = [&variable, name](const std::string& text) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size()) {
            throw CLI::ValidationError(name, fmt::format("'{}' is not a whole number of 0 or more", text));
        }
        variable = value;
    };
    return app.add_option_function<std::string>(names, read, help)->type_name("N")->take_last();
}

}  // namespace

void CommandLine::number(const std::string& names, std::uint64_t& variable, const std::string& help) {
    add_number(*app_, names, variable, help);
}

void CommandLine::number(const std::string& names, std::optional<std::uint64_t>& variable, const std::string& help) {
    add_number(*app_, names, variable, help);
}

void CommandLine::choice(const std::string& names, const std::vector<std::string>& choices, std::string& variable,
                         const std::string& help) {
    app_->add_option(names, variable, help)
        ->type_name(fmt::format("{}", fmt::join(choices, "|")))
        ->check(CLI::Validator(
            [choices](const std::string& text) {
                const bool known = std::find(choices.begin(), choices.end(), text) != choices.end();
                return known ? std::string{} : fmt::format("'{}' is not one of {}", text, fmt::join(choices, ", "));
            },
            ""))
        ->take_last();
}

void CommandLine::word(const std::string& name, std::string& variable, bool required, const std::string& help) {
    app_->add_option(name, variable, help)->required(required)->type_name("");
}

void CommandLine::words(const std::string& name, Words& variable, bool required, const std::string& help) {
    app_->add_option(name, variable, help)->required(required)->type_name("");
}

void CommandLine::exclusive(Words names) {
    exclusive_.push_back(std::move(names));
}

void CommandLine::footer(const std::string& text) {
    app_->footer(text);
}

std::vector<OptionName> CommandLine::option_names() const {
    std::vector<OptionName> names;
    for (const CLI::Option* option : app_->get_options()) {
        OptionName name;
        for (const auto& text : option->get_lnames()) name.spellings.push_back("--" + text);
        for (const auto& text : option->get_snames()) name.spellings.push_back("-" + text);
        name.takes_value = option->get_items_expected_max() > 0;
        if (!name.spellings.empty()) names.push_back(std::move(name));
    }
    return names;
}

void CommandLine::parse_own(Words words) {
    const auto unexpected = [&]() -> std::optional<std::string> {
        auto extras = app_->remaining();
        std::erase(extras, "--");  // which only says that words follow
        const auto option = std::find_if(extras.begin(), extras.end(),
                                         [](const std::string& word) { return word.size() > 1 && word[0] == '-'; });
        const auto advice = fmt::format("; {} --help lists the options", app_->get_name());
        if (option != extras.end()) {
            const auto near = near_options(option->substr(0, option->find('=')), option_names());
            return fmt::format("unknown option '{}'{}", *option, near.empty() ? advice : near);
        }
        if (!extras.empty()) return fmt::format("unexpected word '{}'{}", extras.front(), advice);
        return std::nullopt;
    };
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    try {
        app_->parse(std::move(words));
    } catch (const CLI::CallForHelp&) {
        auto text = app_->help();
        constexpr std::string_view options = "[OPTIONS]";
        if (const auto at = text.find(options); at != std::string::npos) text.insert(at + options.size(), usage_end_);
        throw HelpAsked{std::move(text)};
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string text = error.what();
        throw UsageError(unexpected().value_or(fmt::format("{}: no value given", text.substr(0, text.find(':')))));
    } catch (const CLI::RequiredError& error) {
        throw UsageError(unexpected().value_or(fmt::format("{}; {} --help says more", error.what(), app_->get_name())));
    } catch (const CLI::ParseError& error) {
        throw UsageError(unexpected().value_or(error.what()));
    }
    if (const auto message = unexpected()) throw UsageError(*message);
    for (const auto& names : exclusive_) {
        Words given;
        std::copy_if(names.begin(), names.end(), std::back_inserter(given),
                     [&](const std::string& name) { return app_->get_option(name)->count() > 0; });
        if (given.size() > 1) throw UsageError(fmt::format("{} and {} exclude each other", given[0], given[1]));
    }
    for (const auto& [names, list] : lists_) {
        *list = split_commas(*list);
        if (list->empty() && app_->get_option(names)->count() > 0)
            throw UsageError(fmt::format("{}: no value given", names));
    }
    set_message_level(quiet_, verbose_, log_level_);
}

void CommandLine::parse(const Words& words) {
    parse_own(words);
}

Words CommandLine::parse_with_application(const Words& words, const bool& optional) {
    usage_end_ = " APP [words]";
    auto line = split_application(words, option_names());
    parse_own(std::move(line.own));
    if (line.application.empty() && !optional) {
        throw UsageError(fmt::format("no application given: {} [options] APP [words]", app_->get_name()));
    }
    return std::move(line.application);
}

}  // namespace gpuproj
