// gpuproj predict p.json: times per kernel and in total.
#include "tools/gpuproj/input_file.hpp"
#include "tools/gpuproj/kernel_selection.hpp"
#include "tools/gpuproj/report_options.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {

int predict_verb(const Words& words) {
    std::string file;
    std::optional<std::string> kernel_name;
    PredictionOptions options;
    CommandLine line("predict", "Predicts the time of every kernel of a profile, and their sum, on other GPUs.");
    line.word("profile.json", file, true, "a profile: gpuproj profile, run -o or import write them; - is stdin");
    line.option("-k,--kernel-name", "NAME|regex:RE", kernel_name, "only kernels of this name");
    options.declare(line);
    line.parse(words);

    const auto catalog = Catalog::open();
    options.resolve(catalog);
    auto profile = read_profile_input(file);
    if (kernel_name) select_kernels(profile, *kernel_name);
    options.print(profile, catalog);
    return 0;
}

}  // namespace gpuproj
