// gpuproj models: the table of models.
#include "model/model.hpp"

#include "tools/gpuproj/output.hpp"
#include "tools/gpuproj/verbs.hpp"

namespace gpuproj {

int models_verb(const Words& words) {
    OutputOptions output;
    CommandLine line("models", "The models, what they need and where they come from.");
    output.declare(line);
    line.parse(words);

    const auto format = output.format();
    if (format != OutputFormat::terminal) {
        Table table{.title = "Models",
                    .columns = {{"model", "model"},
                                {"title", "title"},
                                {"source", "source"},
                                {"needs", "needs"},
                                {"default", "default"}}};
        for (const auto& model : models()) {
            table.rows.push_back({std::string(model.name), std::string(model.title), std::string(model.source),
                                  std::string(model.needs), model.name == default_model});
        }
        print_tables({&table, 1}, format);
        return 0;
    }
    const auto width = stdout_screen().width;
    std::string text;
    for (const auto& model : models()) {
        if (!text.empty()) text += "\n";
        text += std::string(model.name) + (model.name == default_model ? " (default)" : "") + "\n";
        for (const auto part : {model.title, model.source, model.needs}) {
            text += "    " + wrapped(std::string(part), width, 4) + "\n";
        }
    }
    print_report(text);
    return 0;
}

}  // namespace gpuproj
