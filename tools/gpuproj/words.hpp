// The command line as words, before any option is understood.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuproj {

using Words = std::vector<std::string>;

/// An option that gpuproj knows: its spellings ("-o", "--output") and whether a value follows.
struct OptionName {
    std::vector<std::string> spellings;
    bool takes_value = false;
};

/// What of a `gpuproj run` line is gpuproj's, and what is the application's.
struct SplitLine {
    Words own;
    Words application;  // its path first; empty: none given
};

/// Before the application, the words that start with '-' and their values are gpuproj's. After it, long options are
/// gpuproj's and other words the application's. The first "--" is dropped and everything behind it is the
/// application's. Throws UsageError naming "--" for a short or an unknown long option behind the application;
/// negative numbers and "-" are words.
SplitLine split_application(const Words& words, std::span<const OptionName> options);

/// "; did you mean --target?", or nothing where no option is near.
std::string near_options(std::string_view option, std::span<const OptionName> options);

/// The words of comma-separated lists, in order, without empty ones.
Words split_commas(const Words& lists);

}  // namespace gpuproj
