// gpuproj plot roofline|quadrant p.json: static charts by gnuplot.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>

#include "model/error.hpp"
#include "model/file_io.hpp"
#include "reports/format.hpp"
#include "reports/gnuplot.hpp"
#include "reports/gpus.hpp"
#include "reports/kernel_names.hpp"
#include "tools/gpuproj/evaluation_options.hpp"
#include "tools/gpuproj/gnuplot_program.hpp"
#include "tools/gpuproj/kernel_selection.hpp"
#include "tools/gpuproj/output.hpp"
#include "tools/gpuproj/price_file.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_roofline_gpus = 6;

/// Where a chart goes, by the ending of its file's name.
enum class Destination { screen, drawing, script, data };

struct Output {
    Destination destination = Destination::screen;
    ChartFormat format = ChartFormat::text;
    fs::path file;
};

Output output_of(const std::string& name) {
    if (name == "-") return {};
    const auto ending = fs::path(name).extension();
    if (ending == ".svg") return {Destination::drawing, ChartFormat::svg, name};
    if (ending == ".pdf") return {Destination::drawing, ChartFormat::pdf, name};
    if (ending == ".png") return {Destination::drawing, ChartFormat::png, name};
    if (ending == ".gp") return {Destination::script, ChartFormat::svg, name};
    if (ending == ".csv") return {Destination::data, ChartFormat::svg, name};
    throw UsageError(
        fmt::format("-o {}: a chart is .svg, .pdf, .png, .gp (the script, with its data beside it), .csv "
                    "(the data) or - (on the terminal)",
                    name));
}

/// The profile's own GPU, where nothing was asked for.
std::vector<Gpu> own_gpu(const Profile& profile, const std::optional<Gpu>& own) {
    if (own) return {*own};
    throw UsageError(fmt::format("the parameters of the profile's own GPU '{}' are not known: name GPUs with --target",
                                 profile.gpu));
}

/// GPUs whose rates were measured, and the profile's own.
std::vector<Gpu> measured_gpus(const Catalog& catalog, const std::optional<Gpu>& own) {
    std::vector<Gpu> gpus;
    if (own) gpus.push_back(*own);
    for (auto& gpu : catalog.select("all")) {
        if (own && gpu.name == own->name) continue;
        if (rates_quality(gpu) == name_of(Quality::measured)) gpus.push_back(std::move(gpu));
    }
    return gpus;
}

/// The kernel that takes the most time: measured, or predicted for its own GPU where that can be.
std::size_t heaviest(const Profile& profile, const Gpu* own, const Model& model, const ModelOptions& options) {
    const auto timed = [](const KernelRecord& kernel) { return measured_duration(kernel).has_value(); };
    auto weights = kernel_weights(profile);
    if (own != nullptr && !std::ranges::all_of(profile.kernels, timed)) {
        const Model* const asked = &model;
        std::vector<double> predicted(weights.size());
        for (const auto& row : evaluate({profile, {&own, 1}, {&asked, 1}, own, options}).rows) {
            if (const auto* p = std::get_if<Prediction>(&row.outcome)) predicted[row.kernel] = p->duration.value;
        }
        if (std::ranges::any_of(predicted, [](double time) { return time > 0; })) weights = std::move(predicted);
    }
    return static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin());
}

/// Without the empty lines around a terminal chart and the spaces behind its lines.
std::string trimmed(const std::string& text) {
    std::string out;
    std::string empty;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        auto line = text.substr(at, end - at);
        line.erase(line.find_last_not_of(" \f\r") + 1);
        if (line.empty()) {
            empty += out.empty() ? "" : "\n";
        } else {
            out += fmt::format("{}{}\n", empty, line);
            empty.clear();
        }
        at = end + 1;
    }
    return out;
}

void write(const Output& output, Canvas canvas, bool force, const std::function<GnuplotChart(const Canvas&)>& draw) {
    switch (output.destination) {
        case Destination::screen:
            print_report(trimmed(drawn(canvas, draw)));
            return;
        case Destination::drawing:
            write_file(output.file, drawn(canvas, draw), force);
            return;
        case Destination::data:
            write_file(output.file, to_csv(draw(canvas).data), force);
            return;
        case Destination::script: {
            const auto data_file = fs::path(output.file).replace_extension(".csv");
            check_writable(data_file, force);
            canvas.output = fs::path(output.file).filename().replace_extension(".svg");
            canvas.data_file = data_file.filename();
            const auto chart = draw(canvas);
            write_file(data_file, to_csv(chart.data), force);
            write_file(output.file, chart.script, force);
            spdlog::info("draw it with: cd {} && gnuplot {}",
                         output.file.has_parent_path() ? output.file.parent_path().string() : ".",
                         output.file.filename().string());
            return;
        }
    }
}

QuadrantAxes axes_named(const std::string& name) {
    if (name == "auto") return QuadrantAxes::automatic;
    if (name == "linear") return QuadrantAxes::linear;
    if (name == "log") return QuadrantAxes::logarithmic;
    throw UsageError(fmt::format("--axes {}: auto, linear or log", name));
}

/// Crosses for GPU=seconds.
void add_measured_times(QuadrantChart& chart, const Words& times, const Catalog& catalog) {
    for (const auto& time : times) {
        const auto equals = time.rfind('=');
        if (equals == std::string::npos)
            throw UsageError(fmt::format("--measured {}: write GPU=SECONDS, such as K20c=0.0235", time));
        const auto name = catalog.get(time.substr(0, equals)).name;
        const double seconds = positive_number(time.substr(equals + 1), fmt::format("--measured {}=", name));
        if (!add_measured(chart, name, Seconds{seconds}))
            throw UsageError(fmt::format("--measured {}: the chart has no such GPU; name it with --target too", time));
    }
}

void say_left_out(const std::vector<std::string>& reasons) {
    constexpr std::size_t most = 8;
    for (std::size_t at = 0; at < std::min(reasons.size(), most); ++at) spdlog::warn("not drawn: {}", reasons[at]);
    if (reasons.size() > most) spdlog::warn("not drawn: {} more", reasons.size() - most);
}

}  // namespace

int plot_verb(const Words& words) {
    std::string what;
    std::string file;
    std::string word;
    std::optional<std::string> option;
    std::optional<std::string> kernel_name;
    Words measured;
    std::uint64_t most_kernels = 30;
    bool force = false;
    QuadrantLook look;
    std::string axes = "auto";
    EvaluationOptions options;
    CommandLine line("plot", "Draws the roofline of a profile's kernels, or one kernel's quadrant-split chart.");
    line.word("roofline|quadrant", what, true, "the chart");
    line.word("profile.json", file, true, "a profile: gpuproj profile, run -o or import write them; - is stdin");
    line.word("output", word, false, "as -o");
    line.option(
        "-o,--output", "FILE", option,
        "f.svg, f.pdf, f.png, f.gp (gnuplot script; its data in f.csv), f.csv, or - for the terminal (default)");
    line.flag("-f,--force", force, "overwrite the output file");
    line.option("-k,--kernel-name", "NAME|regex:RE", kernel_name,
                "only kernels of this name; quadrant draws one (default: the heaviest)");
    line.number("--most-kernels", most_kernels, "how many of the longest kernels a roofline shows (default: 30)");
    line.flag("--steps", look.steps, "quadrant: from the datasheet's point to the adjusted one, step by step");
    line.option("--axes", "auto|linear|log", axes,
                "quadrant: auto is log where the GPUs' rates are more than 20 times apart (default: auto)");
    line.list("--measured", "GPU=SECONDS", measured, "quadrant: a cross for the time of all launches measured there");
    options.declare(line, "roofline: the profile's own GPU; quadrant: it and the GPUs whose rates were measured");
    line.parse(words);
    if (what != "roofline" && what != "quadrant")
        throw UsageError(fmt::format("'{}' is no chart; the charts are roofline and quadrant", what));
    const bool roofline = what == "roofline";
    look.axes = axes_named(axes);
    if (option && !word.empty() && *option != word)
        throw UsageError(fmt::format("plot: to {} or to {}? name one", word, *option));
    const auto output = output_of(option.value_or(word.empty() ? "-" : word));
    if (output.destination != Destination::screen) check_writable(output.file, force);

    const auto catalog = Catalog::open();
    const auto& model = options.model();
    auto targets = options.targets(catalog);
    auto profile = read_usable_profile(file, options.accepts_partial());
    if (kernel_name) select_kernels(profile, *kernel_name);
    const auto own = known_gpu(catalog, profile.gpu), reference = reference_of(catalog, profile);
    if (targets.empty()) targets = roofline ? own_gpu(profile, own) : measured_gpus(catalog, own);
    if (roofline && targets.size() > most_roofline_gpus) {
        throw UsageError(
            fmt::format("a roofline shows at most {} GPUs; --target names {}", most_roofline_gpus, targets.size()));
    }
    std::vector<const Gpu*> gpus;
    gpus.reserve(targets.size());
    for (const auto& gpu : targets) gpus.push_back(&gpu);
    const Model* const models = &model;

    Canvas canvas;
    canvas.format = output.format;
    if (output.format == ChartFormat::text) {
        canvas.width = static_cast<double>(std::min<std::size_t>(stdout_screen().width, 160));
        canvas.height = 36;
    }
    std::vector<std::string> reasons;
    if (roofline) {
        const EvaluationInput input{
            profile, gpus, {&models, 1}, reference ? &*reference : nullptr, options.model_options()};
        const auto chart = roofline_chart(input, evaluate(input), 0, most_kernels);
        if (chart.points.empty() && !chart.left_out.empty()) {
            throw Error(fmt::format("no kernel has a place on the chart; the first, {}: {}",
                                    shortened(chart.kernels[chart.left_out[0].kernel], 60), chart.left_out[0].reason));
        }
        write(output, canvas, force, [&](const Canvas& on) { return gnuplot_roofline(chart, on); });
        if (output.destination == Destination::screen)
            print_report(to_terminal(roofline_legend(chart), stdout_screen()));
        for (const auto& left_out : chart.left_out)
            reasons.push_back(fmt::format("{} on {}: {}", chart.kernels[left_out.kernel], chart.gpus[left_out.gpu].name,
                                          left_out.reason));
        for (std::size_t gpu = 0; gpu < chart.gpus.size(); ++gpu) {
            if (chart.not_drawn[gpu] == 0) continue;
            reasons.push_back(fmt::format("{} kernels on {}, together {} of the time; --most-kernels draws more",
                                          chart.not_drawn[gpu], chart.gpus[gpu].name,
                                          for_people(chart.share_not_drawn[gpu], Unit::fraction)));
        }
    } else {
        const auto kernel = heaviest(profile, reference ? &*reference : nullptr, model, options.model_options());
        if (profile.kernels.size() > 1) {
            spdlog::info("one kernel of {}: {}; -k chooses another", profile.kernels.size(),
                         shortened(short_kernel_name(profile.kernels[kernel].kernel), 80));
        }
        const auto picked = std::move(profile.kernels[kernel]);
        profile.kernels = {picked};
        const EvaluationInput input{
            profile, gpus, {&models, 1}, reference ? &*reference : nullptr, options.model_options()};
        auto chart = quadrant_chart(input, evaluate(input), 0, 0);
        if (chart.reason) throw Error(fmt::format("{}: {}", chart.name, *chart.reason));
        if (chart.gpus.empty())
            throw Error(fmt::format("no GPU can be drawn: {}: {}", chart.left_out[0].gpu, chart.left_out[0].reason));
        add_measured_times(chart, measured, catalog);
        write(output, canvas, force, [&](const Canvas& on) { return gnuplot_quadrant(chart, on, look); });
        if (output.destination == Destination::screen)
            print_report(to_terminal(quadrant_legend(chart, look.most_gpus), stdout_screen()));
        for (const auto& left_out : chart.left_out)
            reasons.push_back(fmt::format("{}: {}", left_out.gpu, left_out.reason));
        if (chart.gpus.size() > look.most_gpus) {
            reasons.push_back(fmt::format("{} of {} GPUs; name up to {} with --target",
                                          chart.gpus.size() - look.most_gpus, chart.gpus.size(), look.most_gpus));
        }
    }
    say_left_out(reasons);
    return 0;
}

}  // namespace gpuproj
