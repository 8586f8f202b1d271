// What `predict`, `report` and `run` share: which GPUs and models, and how the predictions are printed.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "model/model.hpp"
#include "model/profile.hpp"
#include "targets/catalog.hpp"
#include "tools/gpuproj/command_line.hpp"
#include "tools/gpuproj/comparison_options.hpp"
#include "tools/gpuproj/output.hpp"
#include "tools/gpuproj/what_if.hpp"

namespace gpuproj {

class PredictionOptions {
public:
    void declare(CommandLine& line);

    /// Those that choose what is predicted, without those that choose how it is printed.
    void declare_prediction(CommandLine& line);

    /// Finds the GPUs and models asked for. Throws UsageError for an unknown one: to be called before long work.
    void resolve(const Catalog& catalog);

    /// Predicts and prints. Throws Error for a partial profile without --partial.
    void print(const Profile& measured, const Catalog& catalog) const;

    /// The same predictions as one HTML page about the application `title`: of the first program, and the comparison of
    /// GPUs for all of them. Throws Error for a partial profile without --partial.
    std::string html(std::deque<Program> programs, const std::string& title, const std::vector<Offer>& offers,
                     const ComparisonTerms& terms) const;

    bool accepts_partial() const { return partial_; }
    OutputFormat format() const { return output_.format(); }

private:
    void refuse_partial(const Profile& profile) const;

    OutputOptions output_;
    WhatIf what_if_;
    Words target_names_;
    Words model_names_;
    std::string k_type_;
    bool use_reference_time_ = false;
    bool integer_as_additions_ = false;
    bool explain_ = false;
    bool full_names_ = false;
    bool partial_ = false;
    std::vector<Gpu> targets_;
    std::vector<const Model*> models_;  // those asked for first
    std::size_t asked_models_ = 0;
    ModelOptions model_options_;
};

}  // namespace gpuproj
