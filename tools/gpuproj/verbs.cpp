#include "tools/gpuproj/verbs.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/error.hpp"
#include "model/near_names.hpp"

namespace gpuproj {
namespace {

constexpr std::array table = {
    Verb{"run", "[options] APP [words]", "profile, predict, report", run_verb},
    Verb{"profile", "-o p.json [options] APP [words]", "collect only", profile_verb},
    Verb{"import", "FILE... -o p.json", "a profile from files of ncu, nvprof, nsys, rocprofv3", import_verb},
    Verb{"merge", "p1.json p2.json -o p.json", "profiles of processes, ranks or inputs into one", merge_verb},
    Verb{"predict", "p.json --target A,B", "times per kernel and in total", predict_verb},
    Verb{"report", "p.json -o out.html", "everything on one self-contained page", report_verb},
    Verb{"compare", "p.json[:weight]... --prices f.csv", "which GPU: by time, per watt, per price", compare_verb},
    Verb{"diff", "before.json after.json --target A", "two versions of a program", diff_verb},
    Verb{"headroom", "p.json [--gpu G]", "what each kernel could still gain", headroom_verb},
    Verb{"plot", "roofline|quadrant p.json -o f.svg", "static charts, also on the terminal", plot_verb},
    Verb{"validate", "table.csv --model M", "a model's error on measured data", validate_verb},
    Verb{"targets", "ACTION", "the stored GPUs, and your own", targets_verb},
    Verb{"models", "", "the models, their inputs and sources", models_verb},
    Verb{"doctor", "", "what works on this machine and what to do about the rest", doctor_verb},
};

}  // namespace

std::span<const Verb> verbs() {
    return table;
}

const Verb& find_verb(std::string_view name) {
    const auto* const found =
        std::find_if(table.begin(), table.end(), [&](const Verb& verb) { return verb.name == name; });
    if (found != table.end()) return *found;
    Words names;
    for (const auto& verb : table) names.emplace_back(verb.name);
    const auto near = did_you_mean(name, names);
    throw UsageError(fmt::format("unknown verb '{}'{}", name,
                                 near.empty() ? fmt::format("; verbs: {}", fmt::join(names, ", ")) : near));
}

}  // namespace gpuproj
