// What the verbs that compare GPUs for a mix of programs share: the mix, what is asked for, what things cost.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/comparison.hpp"
#include "targets/catalog.hpp"
#include "tools/gpuproj/command_line.hpp"

namespace gpuproj {

/// "p.json:3" -> p.json and 3; without a weight 1. A file whose name has a colon is taken as it is, if it is there.
/// Throws UsageError for a weight that is no number above 0.
std::pair<std::string, double> split_weight(const std::string& word);

/// Prices, and the options about what is asked for and what things cost.
class ComparisonOptions {
public:
    void declare(CommandLine& line);

    /// Throws UsageError for values out of their range.
    ComparisonTerms terms() const;

    /// Throws UsageError if stdin is more than one of the mix' files (words as split_weight takes them) and the prices.
    void refuse_stdin_twice(const Words& mix) const;

    /// Of the price file; none without one. Throws Error.
    std::vector<Offer> offers(const Catalog& catalog) const;

private:
    struct Amount {
        std::optional<std::string> text;
        std::string option;
        std::optional<double> value(double scale = 1) const;
    };
    static void amount(CommandLine& line, const std::string& name, const std::string& unit, Amount& amount,
                       const std::string& help);

    std::optional<std::string> prices_;
    std::string weights_ = "jobs";
    Amount mixes_per_hour_, deadline_, lifetime_, utilisation_, tariff_, pue_, most_power_, most_nodes_, least_memory_,
        least_fp64_, least_link_;
    bool ecc_ = false;
};

/// A profile of the mix with its GPU.
struct Program {
    std::string file;
    double weight = 1;
    Profile profile;
    std::optional<Gpu> reference;  // absent: its parameters are not known
};

/// The programs as parts of a mix, named by their files; they point into `programs`, which do not move.
std::vector<WorkloadPart> parts_of(const std::deque<Program>& programs);

}  // namespace gpuproj
