#include "reports/predictions_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/quantitative_roofline.hpp"
#include "model/warnings.hpp"
#include "reports/application.hpp"
#include "reports/explain.hpp"
#include "reports/facts.hpp"
#include "reports/format.hpp"
#include "reports/gpus.hpp"
#include "reports/kernel_names.hpp"
#include "reports/predictions.hpp"

namespace gpuproj {
namespace {

/// Texts that many rows refer to by a letter.
class Footnotes {
public:
    /// The letter of `text`: a, b, ..., z, aa, ab, ...
    std::string mark(const std::string& text) {
        const auto found = std::find(texts_.begin(), texts_.end(), text);
        const auto at = static_cast<std::size_t>(found - texts_.begin());
        if (found == texts_.end()) texts_.push_back(text);
        return letters(at);
    }
    std::string marks(const Outcome& outcome) {
        if (const auto* no = std::get_if<Inapplicable>(&outcome))
            return mark(fmt::format("not predicted: {}", no->reason));
        std::string all;
        for (const Warning warning : std::get<Prediction>(outcome).warnings) {
            if (!all.empty()) all += ',';
            all += mark(std::string(explanation(warning)));
        }
        return all;
    }
    std::string text(std::size_t width) const {
        std::string out;
        for (std::size_t at = 0; at < texts_.size(); ++at) {
            out += fmt::format("{:>3}  {}\n", letters(at), wrapped(texts_[at], width, 5));
        }
        return out;
    }

private:
    static std::string letters(std::size_t at) {
        const std::string last(1, static_cast<char>('a' + at % 26));
        return at < 26 ? last : fmt::format("{}{}", letters(at / 26 - 1), last);
    }
    std::vector<std::string> texts_;
};

/// Everything the parts of the page share.
struct Page {
    const EvaluationInput& input;
    const Evaluation& evaluation;
    const PageOptions& options;
    const Screen& screen;
    std::vector<std::string> names;      // of the kernels, as shown
    std::vector<std::string> row_names;  // the same, with the size of its launches where a name has several rows
    Footnotes footnotes;
};

const EvaluationRow& row_of(const Page& page, std::size_t target, std::size_t model, std::size_t kernel) {
    const auto kernels = page.input.profile.kernels.size();
    return page.evaluation.rows[(target * page.input.models.size() + model) * kernels + kernel];
}

const EvaluationTotal& total_of(const Page& page, std::size_t target, std::size_t model) {
    return page.evaluation.totals[target * page.input.models.size() + model];
}

std::string size_text(const std::optional<Dim3>& size) {
    if (!size) return "";
    const auto& [x, y, z] = *size;
    return z > 1 ? fmt::format("{}x{}x{}", x, y, z) : y > 1 ? fmt::format("{}x{}", x, y) : fmt::format("{}", x);
}

std::vector<std::string> names_of(const Profile& profile, bool full) {
    std::vector<std::string> names;
    names.reserve(profile.kernels.size());
    for (const auto& kernel : profile.kernels) names.push_back(kernel.kernel);
    return full ? names : short_kernel_names(names);
}

/// For tables that do not have the sizes of launches: as CUDA writes them.
std::vector<std::string> row_names_of(const Profile& profile, const std::vector<std::string>& names) {
    std::unordered_map<std::string_view, int> rows;
    for (const auto& name : names) ++rows[name];
    std::vector<std::string> with_sizes;
    with_sizes.reserve(names.size());
    for (std::size_t at = 0; at < names.size(); ++at) {
        const auto& kernel = profile.kernels[at];
        const bool several = rows[names[at]] > 1 && kernel.grid && kernel.block;
        with_sizes.push_back(
            several ? fmt::format("{}<<<{}, {}>>>", names[at], size_text(kernel.grid), size_text(kernel.block))
                    : names[at]);
    }
    return with_sizes;
}

std::string header(const Page& page) {
    constexpr std::size_t indent = 16;
    std::vector<const Model*> models;
    models.reserve(page.options.models.size());
    for (const auto model : page.options.models) models.push_back(page.input.models[model]);
    std::string out;
    for (const auto& [what, value] : report_facts(page.input, models, false)) {
        out += fmt::format("{:<15} {}\n", what, wrapped(value, page.screen.width, indent));
    }
    return out;
}

/// A kernel's name in a sentence: even where only long names tell kernels apart, unless whole names are wanted.
std::string short_name(const Page& page, std::size_t kernel) {
    constexpr std::size_t most = 60;
    const std::string& name = page.names[kernel];
    if (page.options.full_names || name.size() <= most) return name;
    return short_kernel_name(page.input.profile.kernels[kernel].kernel);
}

/// The kernels that a note is about: all of them, or the first by name. A kernel that has several rows is named once.
std::string named(const Page& page, std::span<const std::size_t> kernels) {
    if (kernels.size() > 1 && kernels.size() == page.names.size())
        return kernels.size() == 2 ? "both kernels" : fmt::format("all {} kernels", kernels.size());
    std::vector<std::string> names;
    std::unordered_set<std::string_view> known;
    for (const auto kernel : kernels)
        if (known.insert(page.input.profile.kernels[kernel].kernel).second) names.push_back(short_name(page, kernel));
    return first_of(names, 3);
}

/// What the profile says of single kernels; once, what it says of several.
std::string kernel_notes(const Page& page) {
    struct Note {
        std::string text;
        std::vector<std::size_t> kernels;
    };
    std::vector<Note> notes;  // in the order of their first kernels
    std::unordered_map<std::string, std::size_t> known;
    const auto add = [&](std::size_t kernel, const std::string& text) {
        const auto [entry, is_new] = known.try_emplace(text, notes.size());
        if (is_new) notes.push_back({text, {}});
        auto& kernels = notes[entry->second].kernels;
        if (kernels.empty() || kernels.back() != kernel) kernels.push_back(kernel);
    };
    for (std::size_t at = 0; at < page.names.size(); ++at) {
        const auto& kernel = page.input.profile.kernels[at];
        for (const auto& note : kernel.notes) add(at, note);
        if (const auto share = kernel.sampled_fraction; share && *share < 1)
            add(at, fmt::format("counted in {} of its blocks", for_people(*share, Unit::fraction)));
    }
    std::string out;
    for (const auto& note : notes) {
        const auto line = fmt::format("{}: {}", named(page, note.kernels), note.text);
        out += fmt::format("{}\n", wrapped(line, page.screen.width, 5));
    }
    return out;
}

std::string self_check(Page& page) {
    const auto* input = page.options.self_check_input;
    if (input == nullptr || page.options.self_check == nullptr) {
        return fmt::format("Self-check: not possible, the parameters of the reference GPU '{}' are not known\n",
                           page.input.profile.gpu);
    }
    auto table = self_check_table(*input, *page.options.self_check);
    if (table.rows.empty()) return "Self-check: not possible, the profile has no measured times\n";
    table.title = fmt::format("Self-check: predicted against measured on {}", page.input.profile.gpu);
    // Reasons become footnotes. Rows stand in the order of the evaluation's, those without a time left out.
    table.columns.back() = {"notes", "notes"};
    std::size_t at = 0;
    Seconds measured_sum, predicted_sum;
    for (const auto& row : page.options.self_check->rows) {
        const auto measured = measured_duration(input->profile.kernels[row.kernel]);
        if (!measured) continue;
        auto& cells = table.rows[at++];
        cells.front() = page.row_names[row.kernel];
        cells.back() = page.footnotes.marks(row.outcome);
        if (const auto* p = std::get_if<Prediction>(&row.outcome)) {
            measured_sum += *measured;
            predicted_sum += p->duration;
        }
    }
    if (input->models.size() == 1) {
        for (auto& row : table.rows) row[1] = Cell{};  // the page says which model it is
        if (table.rows.size() > 1 && measured_sum.value > 0) {
            table.rows.push_back({std::string("total"), Cell{}, measured_sum.value, predicted_sum.value,
                                  ratio(predicted_sum, measured_sum) - 1, std::string{}, Cell{}, Cell{}});
            table.footer_rows = 1;
        }
    }
    return to_terminal(without_empty_columns(table), page.screen);
}

/// A mark for a type that says little of what the kernel does, or nothing.
std::string type_mark(Page& page, const KernelRecord& kernel) {
    const auto found = kernel_parameters(kernel.metrics, page.input.options);
    const auto* parameters = std::get_if<KernelParameters>(&found);
    if (parameters == nullptr || is_of_its_type(*parameters, kernel.metrics)) return {};
    return fmt::format(" {}", page.footnotes.mark(std::string(explanation(Warning::rare_type))));
}

std::string kernels(Page& page) {
    const auto full = kernel_table(page.input, page.evaluation);
    // kernel, launches, type, W_comp ... O_krn, grid, block
    constexpr std::size_t type_column = 2;
    std::vector<std::size_t> order = {0, 3, 4};
    for (std::size_t column = 5; column < full.columns.size(); ++column) order.push_back(column);
    order.insert(order.end(), {1, 2});
    Table table{.title = fmt::format("Kernels as counted on {}", page.input.profile.gpu), .columns = {}};
    for (const auto column : order) table.columns.push_back(full.columns[column]);
    for (std::size_t at = 0; at < full.rows.size(); ++at) {
        std::vector<Cell> cells;
        cells.reserve(order.size());
        for (const auto column : order) cells.push_back(full.rows[at][column]);
        cells.front() = page.names[at];
        if (auto* type = std::get_if<std::string>(&cells[type_column]))
            *type += type_mark(page, page.input.profile.kernels[at]);
        cells[cells.size() - 2] = size_text(page.input.profile.kernels[at].grid);
        cells.back() = size_text(page.input.profile.kernels[at].block);
        table.rows.push_back(std::move(cells));
    }
    return to_terminal(without_empty_columns(table), page.screen);
}

/// A mark for a total that does not cover everything, or nothing.
std::string coverage_mark(Page& page, const EvaluationTotal& total) {
    if (total.kernels_refused == 0) return {};
    const auto& all = page.input.profile.kernels;
    const bool timed =
        std::all_of(all.begin(), all.end(), [](const auto& kernel) { return measured_duration(kernel).has_value(); });
    return page.footnotes.mark(fmt::format("covers {} of the {}; {} of {} kernels not predicted",
                                           for_people(total.covered_share, Unit::fraction),
                                           timed ? "measured time" : "launches", total.kernels_refused, all.size()));
}

Cell seconds(const std::optional<Seconds>& duration) {
    return duration ? Cell{duration->value} : Cell{};
}

std::string on_one_gpu(Page& page, std::size_t model) {
    const auto& total = total_of(page, 0, model);
    const bool bounds = total.low && total.high;
    const Gpu& gpu = *page.input.targets[0];
    const auto quality = rates_quality(gpu);
    Table table{.title = fmt::format("Predicted on {}{} by {}", gpu.name,
                                     quality.empty() ? "" : fmt::format(" ({} rates)", quality),
                                     page.input.models[model]->name),
                .columns = {{"kernel", "kernel"}, {"duration_s", "time", Unit::seconds}}};
    if (bounds) {
        table.columns.push_back({"low_s", "80 % from", Unit::seconds});
        table.columns.push_back({"high_s", "to", Unit::seconds});
    }
    for (const Column& column : {Column{"share", "share", Unit::fraction},
                                 {"limiter", "limited by", Unit::none},
                                 {"per_launch_s", "per launch", Unit::seconds},
                                 {"o_krn", "O_krn", Unit::operations_per_byte},
                                 {"o_dev", "O_dev", Unit::operations_per_byte},
                                 {"e_instr", "E_instr", Unit::fraction},
                                 {"t_op_adjusted_per_s", "T'_op", Unit::operations_per_second},
                                 {"notes", "notes", Unit::none}}) {
        table.columns.push_back(column);
    }
    for (std::size_t kernel = 0; kernel < page.names.size(); ++kernel) {
        const auto& outcome = row_of(page, 0, model, kernel).outcome;
        const auto* p = std::get_if<Prediction>(&outcome);
        std::vector<Cell> cells = {page.row_names[kernel], p != nullptr ? seconds(p->duration) : Cell{}};
        if (bounds)
            cells.insert(cells.end(),
                         {p != nullptr ? seconds(p->low) : Cell{}, p != nullptr ? seconds(p->high) : Cell{}});
        if (p != nullptr) {
            const auto launches = static_cast<double>(page.input.profile.kernels[kernel].launches);
            cells.insert(cells.end(), {ratio(p->duration, *total.duration), std::string(name_of(p->limiter)),
                                       (p->duration / launches).value});
        } else {
            cells.insert(cells.end(), {Cell{}, Cell{}, Cell{}});
        }
        const auto* i = p != nullptr && p->intermediates ? &*p->intermediates : nullptr;
        const bool has_o_krn = p != nullptr && p->kernel && p->kernel->o_krn;
        cells.insert(
            cells.end(),
            {has_o_krn ? Cell{p->kernel->o_krn->value} : Cell{},
             i != nullptr && i->o_dev ? Cell{i->o_dev->value} : Cell{}, i != nullptr ? Cell{i->e_instr} : Cell{},
             i != nullptr ? Cell{i->t_op_adjusted.value} : Cell{}, page.footnotes.marks(outcome)});
        table.rows.push_back(std::move(cells));
    }
    std::vector<Cell> footer(table.columns.size(), std::string{});
    footer.front() = std::string("total");
    footer[1] = seconds(total.duration);
    if (bounds) footer[2] = seconds(total.low), footer[3] = seconds(total.high);
    footer.back() = coverage_mark(page, total);
    table.rows.push_back(std::move(footer));
    table.footer_rows = 1;
    table.key_columns = 2;
    return to_terminal(without_empty_columns(table), page.screen);
}

/// Time, limiter and marks of one kernel on one of several GPUs.
std::string cell_of(Page& page, const Outcome& outcome) {
    const auto* p = std::get_if<Prediction>(&outcome);
    const auto time = p != nullptr ? for_people(p->duration.value, Unit::seconds) : "-";
    return fmt::format("{:>8} {} {}", time, p != nullptr ? name_of(p->limiter) : "", page.footnotes.marks(outcome));
}

/// More GPUs than this stand in rows, fastest first, and their kernels beside them if there are few.
constexpr std::size_t most_gpu_columns = 8;
constexpr std::size_t most_kernel_columns = 3;

std::string on_several_gpus(Page& page, std::size_t model) {
    Table table{.title = fmt::format("Predicted by {}", page.input.models[model]->name),
                .columns = {{"kernel", "kernel"}}};
    for (const Gpu* gpu : page.input.targets) table.columns.push_back({gpu->name, gpu->name});
    for (std::size_t kernel = 0; kernel < page.names.size(); ++kernel) {
        std::vector<Cell> cells = {page.row_names[kernel]};
        for (std::size_t target = 0; target < page.input.targets.size(); ++target) {
            cells.emplace_back(cell_of(page, row_of(page, target, model, kernel).outcome));
        }
        table.rows.push_back(std::move(cells));
    }
    return to_terminal(without_empty_columns(table), page.screen);
}

/// The GPUs, fastest first.
std::string totals(Page& page, std::size_t model) {
    std::vector<std::size_t> order(page.input.targets.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto& left = total_of(page, a, model);
        const auto& right = total_of(page, b, model);
        // A sum that lacks kernels is no smaller than one that has them.
        if (left.kernels_refused != right.kernels_refused) return left.kernels_refused < right.kernels_refused;
        return left.duration && right.duration && *left.duration < *right.duration;
    });
    const bool bounds = std::any_of(page.evaluation.totals.begin(), page.evaluation.totals.end(),
                                    [](const EvaluationTotal& total) { return total.low && total.high; });
    Table table{.title = fmt::format("In total by {}, fastest first", page.input.models[model]->name),
                .columns = {{"gpu", "GPU"}, {"duration_s", "time", Unit::seconds}}};
    if (bounds) {
        table.columns.push_back({"low_s", "80 % from", Unit::seconds});
        table.columns.push_back({"high_s", "to", Unit::seconds});
    }
    table.columns.push_back({"of_fastest", "of fastest", Unit::factor});
    table.columns.push_back({"memory_share", "memory bound", Unit::fraction});
    table.columns.push_back({"covered_share", "covered", Unit::fraction});
    table.columns.push_back({"rates", "rates are"});
    table.columns.push_back({"notes", "notes"});
    const bool with_kernels = page.input.targets.size() > most_gpu_columns && page.names.size() <= most_kernel_columns;
    if (with_kernels) {
        for (const auto& name : page.row_names) table.columns.push_back({name, name});
    }
    const auto& fastest = total_of(page, order.front(), model);
    for (const auto target : order) {
        const auto& total = total_of(page, target, model);
        Seconds memory;
        for (std::size_t kernel = 0; kernel < page.names.size(); ++kernel) {
            const auto* p = std::get_if<Prediction>(&row_of(page, target, model, kernel).outcome);
            if (p != nullptr && (p->limiter == Limiter::memory || p->limiter == Limiter::dram)) memory += p->duration;
        }
        std::vector<Cell> cells = {page.input.targets[target]->name, seconds(total.duration)};
        if (bounds) cells.insert(cells.end(), {seconds(total.low), seconds(total.high)});
        const bool known = total.duration && fastest.duration;
        // Of sums of different kernels the one is no multiple of the other.
        const bool comparable = known && total.kernels_refused == fastest.kernels_refused;
        cells.insert(cells.end(), {comparable ? Cell{ratio(*total.duration, *fastest.duration)} : Cell{},
                                   known ? Cell{ratio(memory, *total.duration)} : Cell{}, total.covered_share,
                                   rates_quality(*page.input.targets[target]), coverage_mark(page, total)});
        for (std::size_t kernel = 0; with_kernels && kernel < page.names.size(); ++kernel) {
            cells.emplace_back(cell_of(page, row_of(page, target, model, kernel).outcome));
        }
        table.rows.push_back(std::move(cells));
    }
    return to_terminal(without_empty_columns(table), page.screen);
}

/// The whole application, fastest first, those that lack kernels behind; empty where nothing is known besides the
/// kernels.
std::string application(const Page& page, std::size_t model) {
    auto times = application_times(page.input, page.evaluation.totals, model);
    if (!knows_more_than_kernels(times)) return {};
    std::stable_sort(times.begin(), times.end(), [](const ApplicationTime& a, const ApplicationTime& b) {
        if (a.kernels_refused != b.kernels_refused) return a.kernels_refused < b.kernels_refused;
        return a.total && (!b.total || *a.total < *b.total);
    });
    auto table = application_projection_table({"model", "model"}, "", times);
    table.columns.erase(table.columns.begin());  // the tables before it say which model
    for (auto& row : table.rows) row.erase(row.begin());
    table.key_columns = 1;
    auto out = to_terminal(without_empty_columns(table), page.screen);
    for (const auto& note : application_notes(measured_application(page.input.profile)))
        out += fmt::format("{}\n", wrapped(note, page.screen.width, 0));
    return out;
}

std::string explanations(const Page& page, std::size_t model) {
    const Model& asked = *page.input.models[model];
    const auto name = asked.name;
    // The equations below are the thesis' or the model's own; calibrated's many are in its page of the documentation.
    const bool thesis = name != "calibrated" && asked.explain == nullptr;
    const auto title = fmt::format("How the figures of {} come about ({})", name,
                                   thesis ? "numbers of equations: Konstantinidis 2017"
                                   : name == "calibrated"
                                       ? "the time each unit alone would take, combined as docs/calibrated.md says"
                                       : fmt::format("{}; equations and departures in docs/models.md", asked.source));
    std::string out = wrapped(title, page.screen.width, 0) + "\n";
    const auto parameters = known_parameters(page.input, page.evaluation);
    for (std::size_t kernel = 0; kernel < page.names.size(); ++kernel) {
        out += fmt::format("\n{}\n", page.names[kernel]);
        if (thesis && parameters[kernel] != nullptr)
            out += explain_kernel(page.input.profile.kernels[kernel], *parameters[kernel]);
        for (std::size_t target = 0; target < page.input.targets.size(); ++target) {
            const auto& gpu = *page.input.targets[target];
            const auto& outcome = row_of(page, target, model, kernel).outcome;
            const auto* p = std::get_if<Prediction>(&outcome);
            out += fmt::format("  on {}\n", gpu.name);
            if (asked.explain != nullptr) {
                out += explain_steps(
                    asked.explain({page.input.profile.kernels[kernel], gpu, page.input.reference, page.input.options}));
            }
            out += p != nullptr ? explain_prediction(*p, *page.input.models[model], gpu, page.input.options)
                                : fmt::format("    not predicted: {}\n", std::get<Inapplicable>(outcome).reason);
        }
    }
    return out;
}

}  // namespace

std::string predictions_page(const EvaluationInput& input, const Evaluation& evaluation, const PageOptions& options,
                             const Screen& screen) {
    const auto names = names_of(input.profile, options.full_names);
    Page page{input, evaluation, options, screen, names, row_names_of(input.profile, names), {}};
    std::string out = header(page);
    const auto part = [&](const std::string& text) { out += fmt::format("\n{}", text); };
    part(self_check(page));
    part(kernels(page));
    const bool many = input.targets.size() > most_gpu_columns;
    for (const auto model : options.models) {
        if (input.targets.size() == 1) {
            part(on_one_gpu(page, model));
        } else {
            if (!many) part(on_several_gpus(page, model));
            part(totals(page, model));
        }
        if (many) continue;
        if (const auto whole = application(page, model); !whole.empty()) part(whole);
    }
    if (many && page.names.size() > most_kernel_columns) {
        out += fmt::format("Name up to {} GPUs with --target to see their kernels one by one.\n", most_gpu_columns);
    }
    if (many && knows_more_than_kernels(application_times(input, evaluation.totals, options.models.front()))) {
        out += fmt::format("Name up to {} GPUs with --target to see the whole application there, transfers and all.\n",
                           most_gpu_columns);
    }
    if (const auto notes = page.footnotes.text(screen.width); !notes.empty()) part(notes);
    if (const auto notes = kernel_notes(page); !notes.empty()) part(notes);
    if (options.explain) {
        // The default model, and the thesis' which is always evaluated: its figures can be recomputed by hand.
        for (std::size_t model = 0; model < input.models.size(); ++model) part(explanations(page, model));
    }
    return out;
}

}  // namespace gpuproj
