// What `run` and `profile` share: how the application is profiled, and where the profile is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collector/collect.hpp"
#include "targets/catalog.hpp"
#include "tools/gpuproj/command_line.hpp"

namespace gpuproj {

class CollectOptions {
public:
    void declare(CommandLine& line);

    /// What to run and how: chooses the collector and the reference GPU. Checks all that can be checked before the
    /// application starts, the output file among it: "-" only where the verb prints nothing else, and then what the
    /// application prints goes to stderr. Throws UsageError or Error.
    CollectRequest request(const Catalog& catalog, Words application, bool stdout_is_free = false) const;

    /// Runs the application, says how it ended, and writes the profile where -o says.
    CollectResult collect(const CollectRequest& request) const;

    /// --dry-run was given: print_plan(), and nothing else, is wanted.
    const bool& dry_run() const { return dry_run_; }
    /// Prints what CUPTI would count on each chip, and in how many passes. Needs no GPU and no application.
    void print_plan() const;

    bool keeps_profile() const { return output_.has_value(); }
    /// Where -o says, its placeholders filled.
    std::optional<std::string> output_file() const;
    bool overwrites() const { return overwrite_; }

private:
    std::string reference_;
    std::string collector_ = "auto";
    std::optional<std::string> output_;
    std::optional<std::string> kernel_name_;
    std::uint64_t launch_skip_ = 0;
    std::optional<std::uint64_t> launch_count_;
    std::optional<std::uint64_t> timeout_s_;
    std::uint64_t seed_ = 0;
    std::uint64_t threads_ = 0;
    std::optional<std::string> sample_blocks_;
    bool sample_only_ = false;
    std::string out_of_bounds_ = "error";
    bool count_every_launch_ = false;
    bool per_launch_ = false;
    bool overwrite_ = false;
    bool dry_run_ = false;
    std::string metrics_ = "default";
};

}  // namespace gpuproj
