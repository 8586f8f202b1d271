// gpuproj profile APP -o p.json: collect only.
#include "model/error.hpp"
#include "tools/gpuproj/collect_options.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {

int profile_verb(const Words& words) {
    CollectOptions collecting;
    CommandLine line("profile", "Runs an application and keeps the profile of its kernels.");
    collecting.declare(line);
    auto application = line.parse_with_application(words);
    if (!collecting.keeps_profile()) throw UsageError("profile: where to? name the file with -o p.json");
    const auto request = collecting.request(Catalog::open(), std::move(application));
    return collecting.collect(request).application_status;
}

}  // namespace gpuproj
