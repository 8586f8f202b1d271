// gpuproj headroom p.json: what each kernel could still gain.
#include <fmt/format.h>

#include "model/error.hpp"
#include "reports/format.hpp"
#include "reports/headroom_report.hpp"
#include "tools/gpuproj/evaluation_options.hpp"
#include "tools/gpuproj/input_file.hpp"
#include "tools/gpuproj/kernel_selection.hpp"
#include "tools/gpuproj/report_writer.hpp"
#include "tools/gpuproj/verbs.hpp"
#include "tools/gpuproj/what_if.hpp"

namespace gpuproj {
namespace {

constexpr std::size_t most_on_screen = 30;   // kernels
constexpr std::size_t most_with_losses = 3;  // whose losses the screen lists

std::string first_sentence(const Headroom& headroom) {
    const auto& top = headroom.rows.front();
    if (top.saved.value <= 0) return "No kernel is slower than its bound: there is no headroom that the model sees.";
    return fmt::format(
        "Most to gain: {}, {} of the application's {}, would take {} instead of {} at its {} bound and "
        "make the application {:.2f} times as fast.",
        shortened(top.name, 80), for_people(top.share, Unit::fraction),
        for_people(headroom.application.value, Unit::seconds), for_people(top.bound.duration.value, Unit::seconds),
        for_people(top.time.value, Unit::seconds), name_of(top.bound.limiter), top.speed_up);
}

}  // namespace

int headroom_verb(const Words& words) {
    std::string file;
    std::string gpu_name;
    std::optional<std::string> kernel_name;
    bool partial = false;
    OutputOptions output;
    WhatIf what_if;
    CommandLine line("headroom", "What each kernel could still gain on the GPU it ran on, by application time saved.");
    line.word("profile.json", file, true, "a profile: gpuproj profile, run -o or import write them; - is stdin");
    line.option("--gpu", "GPU", gpu_name, "another GPU: its headroom from predicted times");
    line.option("-k,--kernel-name", "NAME|regex:RE", kernel_name, "only kernels of this name");
    line.flag("--partial", partial, "take a partial profile too");
    what_if.declare(line);
    output.declare(line);
    line.parse(words);
    what_if.resolve();

    const auto catalog = Catalog::open();
    auto profile = what_if.changed(read_usable_profile(file, partial), {});
    if (kernel_name) select_kernels(profile, *kernel_name);
    const auto reference = reference_of(catalog, profile);
    if (!reference) {
        throw Error(fmt::format("{}: the parameters of its GPU '{}' are not known; add it with gpuproj targets add",
                                input_name(file), profile.gpu));
    }
    const auto gpu = what_if.changed(catalog.get(gpu_name.empty() ? profile.gpu : gpu_name));
    const auto result = headroom(profile, gpu, &*reference);
    if (result.rows.empty())
        throw Error(fmt::format("{}: no kernel has a bound: {}", input_name(file), result.left_out.front().reason));

    const Model* const model = &find_model(default_model);
    what_if.warn_of_unread({&model, 1}, {&gpu, 1});
    const bool on_screen = output.format() == OutputFormat::terminal;
    const std::size_t most = on_screen ? most_on_screen : 0;
    const Gpu* const target = &gpu;
    ReportDocument document;
    document.schema = "gpuproj.headroom";
    document.facts = report_facts({profile, {&target, 1}, {&model, 1}, &*reference, {}}, {&model, 1}, !on_screen);
    document.summary = {first_sentence(result)};
    auto losses = loss_table(result, on_screen ? most_with_losses : 0);
    if (on_screen) {
        // What cannot be told, and what "ideal" means, are for the other formats; advice follows in sentences.
        std::erase_if(losses.rows, [](const auto& row) { return std::holds_alternative<std::monostate>(row[2]); });
        for (auto& row : losses.rows) row[5] = row[6] = Cell{};
    }
    document.parts = {{"kernels", headroom_table(result, profile, most)},
                      {"losses", std::move(losses)},
                      {"bounds", bound_table(result, on_screen ? most_with_losses : 0), false},
                      {"application", application_table(result)}};
    if (on_screen) document.notes = advice(result, most_with_losses);
    for (auto& note : headroom_notes(result)) document.notes.push_back(std::move(note));
    if (on_screen && result.rows.size() > most_with_losses) {
        document.notes.push_back(
            fmt::format("Losses of the first {} kernels; --md, --json show all.", most_with_losses));
    }
    print_document(document, output.format());
    return 0;
}

}  // namespace gpuproj
