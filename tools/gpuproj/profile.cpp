// gpuproj profile APP -o p.json: collect only.
#include "model/error.hpp"
#include "tools/gpuproj/collect_options.hpp"
#include "tools/gpuproj/verbs.hpp"

#include <algorithm>

namespace gpuproj {

namespace {

/// `profile APP -o p.json` is how the verb is written everywhere: here, and here alone, -o is gpuproj's behind the
/// application too, unless a -- says otherwise. docs/decisions/0010-profile-output-behind.md
Words output_first(Words words) {
    const auto end = std::find(words.begin(), words.end(), "--");
    const auto output = std::find(words.begin(), end, "-o");
    if (output == end || output + 1 == end) return words;
    std::rotate(words.begin(), output, output + 2);
    return words;
}

}  // namespace

int profile_verb(const Words& words) {
    CollectOptions collecting;
    CommandLine line("profile", "Runs an application and keeps the profile of its kernels.");
    collecting.declare(line);
    auto application = line.parse_with_application(output_first(words), collecting.dry_run());
    if (collecting.dry_run()) return collecting.print_plan(), 0;
    if (!collecting.keeps_profile()) throw UsageError("profile: where to? name the file with -o p.json");
    const auto catalog = Catalog::open();
    const auto request = collecting.request(catalog, std::move(application), true);
    return collecting.collect(request).application_status;
}

}  // namespace gpuproj
