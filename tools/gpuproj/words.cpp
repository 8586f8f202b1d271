#include "tools/gpuproj/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "model/error.hpp"
#include "model/near_names.hpp"

namespace gpuproj {
namespace {

bool is_long(std::string_view word) {
    return word.starts_with("--") && word.size() > 2;
}

bool is_short(std::string_view word) {
    return word.size() > 1 && word[0] == '-' && word[1] != '-' && word[1] != '.' &&
           std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

const OptionName* find_option(std::string_view spelling, std::span<const OptionName> options) {
    const auto has = [&](const OptionName& option) {
        return std::find(option.spellings.begin(), option.spellings.end(), spelling) != option.spellings.end();
    };
    const auto found = std::find_if(options.begin(), options.end(), has);
    return found == options.end() ? nullptr : &*found;
}

/// Does the next word belong to this one? "--target" and "-o" want a value behind, "--target=x", "-ox" and "-qf" not.
bool wants_next_word(std::string_view word, std::span<const OptionName> options) {
    if (is_long(word)) {
        const auto* option = word.find('=') == std::string_view::npos ? find_option(word, options) : nullptr;
        return option != nullptr && option->takes_value;
    }
    for (std::size_t at = 1; at < word.size(); ++at) {
        const auto* option = find_option(std::string{'-', word[at]}, options);
        if (option == nullptr) return false;
        if (option->takes_value) return at + 1 == word.size();
    }
    return false;
}

}  // namespace

SplitLine split_application(const Words& words, std::span<const OptionName> options) {
    SplitLine line;
    for (std::size_t at = 0; at < words.size(); ++at) {
        const std::string& word = words[at];
        if (word == "--") {
            line.application.insert(line.application.end(), words.begin() + std::ptrdiff_t(at) + 1, words.end());
            return line;
        }
        const bool started = !line.application.empty();
        if (!is_long(word) && !is_short(word)) {
            line.application.push_back(word);
            continue;
        }
        if (started && is_short(word)) {
            throw UsageError(
                fmt::format("'{0}' stands behind the application: is it the application's? then write -- in "
                            "front of the application: -- {1} {0}; gpuproj's own short options go before it",
                            word, line.application.front()));
        }
        const auto name = word.substr(0, word.find('='));
        if (started && find_option(name, options) == nullptr) {
            throw UsageError(
                fmt::format("'{0}' is not an option of gpuproj{2}; if it is the application's, write -- in front "
                            "of the application: -- {1} {0}",
                            name, line.application.front(), near_options(name, options)));
        }
        line.own.push_back(word);
        if (wants_next_word(word, options) && at + 1 < words.size()) line.own.push_back(words[++at]);
    }
    return line;
}

std::string near_options(std::string_view option, std::span<const OptionName> options) {
    Words spellings;
    for (const auto& known : options) {
        std::copy_if(known.spellings.begin(), known.spellings.end(), std::back_inserter(spellings), is_long);
    }
    return did_you_mean(option, spellings);
}

Words split_commas(const Words& lists) {
    Words words;
    for (const auto& list : lists) {
        for (std::size_t at = 0; at <= list.size();) {
            const auto end = std::min(list.find(',', at), list.size());
            if (end > at) words.push_back(list.substr(at, end - at));
            at = end + 1;
        }
    }
    return words;
}

}  // namespace gpuproj
