#include "targets/catalog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "model/error.hpp"
#include "model/gpu_io.hpp"
#include "model/near_names.hpp"
#include "targets/builtin.hpp"
#include "targets/check.hpp"
#include "targets/names.hpp"
#include "targets/pci_names.hpp"

namespace gpuproj {
namespace {

namespace fs = std::filesystem;

// Names only: whatever else is wrong with the file is said when its values are asked for.
StoredGpu stored_file(const fs::path& file) {
    StoredGpu stored{.name = file.stem().string(), .aliases = {}, .file = file, .json = {}};
    std::ifstream in(file);
    const nlohmann::json json = nlohmann::json::parse(in, nullptr, false);
    if (json.is_object() && json.contains("name") && json["name"].is_string()) {
        stored.name = json["name"].get<std::string>();
        if (json.contains("aliases") && json["aliases"].is_array()) {
            for (const nlohmann::json& alias : json["aliases"]) {
                if (alias.is_string()) {
                    stored.aliases.push_back(alias.get<std::string>());
                }
            }
        }
    }
    return stored;
}

std::vector<fs::path> json_files(const fs::path& directory) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
        if (entry.path().extension() == ".json") {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

// Runs of digits compare as numbers.
bool counts_before(std::string_view a, std::string_view b) {
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    const auto number = [&](std::string_view text, std::size_t& at) {
        unsigned long value = 0;
        for (; at < text.size() && digit(text[at]); ++at) {
            value = value * 10 + static_cast<unsigned long>(text[at] - '0');
        }
        return value;
    };
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        if (digit(a[i]) && digit(b[j])) {
            const unsigned long x = number(a, i);
            const unsigned long y = number(b, j);
            if (x != y) {
                return x < y;
            }
        } else if (a[i] != b[j]) {
            return a[i] < b[j];
        } else {
            ++i;
            ++j;
        }
    }
    return a.size() - i < b.size() - j;
}

template <class Match>
std::vector<const StoredGpu*> all_matching(const std::vector<StoredGpu>& gpus, Match match) {
    std::vector<const StoredGpu*> found;
    for (const StoredGpu& gpu : gpus) {
        if (match(gpu)) {
            found.push_back(&gpu);
        }
    }
    return found;
}

// The GPUs that `name` may mean, by the strictest rule that any satisfies.
std::vector<const StoredGpu*> candidates(const std::vector<StoredGpu>& gpus, std::string_view name) {
    const std::string canonical = canonical_name(name);
    if (canonical.empty()) {
        return {};
    }
    const std::string bare = bare_name(name);
    const NameParts parts = name_parts(name);

    auto found = all_matching(gpus, [&](const StoredGpu& gpu) { return canonical_name(gpu.name) == canonical; });
    if (found.empty()) {
        found = all_matching(gpus, [&](const StoredGpu& gpu) {
            return std::ranges::any_of(gpu.aliases,
                                       [&](const auto& alias) { return canonical_name(alias) == canonical; });
        });
    }
    if (found.empty()) {
        found = all_matching(gpus, [&](const StoredGpu& gpu) {
            return bare_name(gpu.name) == bare ||
                   std::ranges::any_of(gpu.aliases, [&](const auto& alias) { return bare_name(alias) == bare; });
        });
    }
    if (found.empty() && !parts.family.empty()) {
        found = all_matching(gpus, [&](const StoredGpu& gpu) {
            const NameParts stored = name_parts(gpu.name);
            return stored.family == parts.family && std::ranges::all_of(parts.variants, [&](const auto& variant) {
                       return std::ranges::find(stored.variants, variant) != stored.variants.end();
                   });
        });
    }
    return found;
}

// GPUs that a name may mean; `others`: or a board that is not stored.
struct Meant {
    std::vector<const StoredGpu*> gpus;
    bool others = false;
};

// Those of that PCI id. Boards that share an id with boards of another revision are stored with theirs.
Meant by_pci_id(const std::vector<StoredGpu>& gpus, const PciId& wanted) {
    Meant meant;
    for (const StoredGpu& gpu : gpus) {
        for (const std::string& alias : gpu.aliases) {
            const std::optional<PciId> id = pci_id(alias);
            if (!id || id->device != wanted.device) continue;
            if (!id->revision.empty() && !wanted.revision.empty() && id->revision != wanted.revision) continue;
            meant.others |= !id->revision.empty() && wanted.revision.empty();
            if (std::ranges::find(meant.gpus, &gpu) == meant.gpus.end()) meant.gpus.push_back(&gpu);
        }
    }
    return meant;
}

// Those that lspci names in one pair of brackets.
Meant by_bracket(const std::vector<StoredGpu>& gpus, std::string_view text) {
    Meant meant;
    for (const auto& spellings : boards_named(text)) {
        std::vector<const StoredGpu*> found;
        for (const std::string& spelling : spellings) {
            if (found.empty()) found = candidates(gpus, spelling);
        }
        meant.others |= found.empty();
        for (const StoredGpu* gpu : found) {
            if (std::ranges::find(meant.gpus, gpu) == meant.gpus.end()) meant.gpus.push_back(gpu);
        }
    }
    return meant;
}

// By name, else by PCI id, else by what lspci has in brackets.
Meant meant_by(const std::vector<StoredGpu>& gpus, std::string_view name) {
    Meant meant{candidates(gpus, name)};
    const std::optional<PciId> id = pci_id(name);
    if (meant.gpus.empty() && id) meant = by_pci_id(gpus, *id);
    for (const std::string_view part : bracketed(name)) {
        if (meant.gpus.empty()) meant = by_bracket(gpus, part);
    }
    // Of boards named together, the one that has the revision.
    const std::string revision = pci_revision(name);
    if (!id && !revision.empty() && (meant.others || meant.gpus.size() > 1)) {
        Meant of_revision;
        std::ranges::copy_if(meant.gpus, std::back_inserter(of_revision.gpus), [&](const StoredGpu* gpu) {
            return std::ranges::any_of(gpu->aliases, [&](const auto& alias) {
                const std::optional<PciId> own = pci_id(alias);
                return own && own->revision == revision;
            });
        });
        if (!of_revision.gpus.empty()) return of_revision;
    }
    return meant;
}

bool is_file_name(std::string_view name) {
    return (name.find('/') != std::string_view::npos && bracketed(name).empty()) || name.ends_with(".json");
}

// A file of the user's: a value in a wrong unit must not become a prediction.
Gpu read_possible_gpu(const fs::path& file) {
    Gpu gpu = read_gpu(file);
    for (const Finding& finding : check_values(gpu)) {
        throw Error(fmt::format("{}: {}: {}", file.string(), finding.parameter, finding.what));
    }
    return gpu;
}

// Reports tell GPUs by their names: of two with one name, one would be lost or taken for the other.
[[noreturn]] void refuse_two_of_one_name(const std::string& name, const fs::path& file) {
    throw UsageError(
        fmt::format("two different GPUs are named \"{}\": give the one in {} another name", name, file.string()));
}

}  // namespace

std::vector<fs::path> user_target_directories() {
    std::vector<fs::path> directories;
    if (const char* listing = std::getenv("GPUPROJ_TARGETS")) {
        for (const std::string& directory : split(listing, ':')) {
            if (!fs::is_directory(directory)) {
                throw Error("$GPUPROJ_TARGETS: " + directory + " is not a directory; create it or take it out");
            }
            directories.emplace_back(directory);
        }
    }
    const char* config = std::getenv("XDG_CONFIG_HOME");
    const char* home = std::getenv("HOME");
    if (config != nullptr && *config != '\0') {
        directories.push_back(fs::path(config) / "gpuproj" / "targets");
    } else if (home != nullptr && *home != '\0') {
        directories.push_back(fs::path(home) / ".config" / "gpuproj" / "targets");
    }
    return directories;
}

Catalog::Catalog(std::span<const fs::path> directories) {
    std::vector<std::string> taken;
    const auto add = [&](StoredGpu gpu) {
        std::string canonical = canonical_name(gpu.name);
        if (std::ranges::find(taken, canonical) == taken.end()) {
            taken.push_back(std::move(canonical));
            gpus_.push_back(std::move(gpu));
        }
    };
    for (const fs::path& directory : directories) {
        for (const fs::path& file : json_files(directory)) {
            add(stored_file(file));
        }
    }
    for (const BuiltinGpu& gpu : builtin_gpus()) {
        add(StoredGpu{.name = gpu.name, .aliases = split(gpu.aliases, '\n'), .file = {}, .json = gpu.json});
    }
    std::ranges::sort(gpus_, [](const StoredGpu& a, const StoredGpu& b) { return counts_before(a.name, b.name); });
}

const StoredGpu& Catalog::find(std::string_view name) const {
    const Meant meant = meant_by(gpus_, name);
    if (meant.gpus.size() == 1 && !meant.others) {
        return *meant.gpus.front();
    }
    std::vector<std::string> names;
    if (!meant.gpus.empty()) {
        std::ranges::transform(meant.gpus, std::back_inserter(names), &StoredGpu::name);
        if (meant.others) names.emplace_back("a board that is not stored");
        throw UsageError(fmt::format("\"{}\" may mean {}; name one of them", name, fmt::join(names, " or ")));
    }
    std::ranges::transform(gpus_, std::back_inserter(names),
                           [](const StoredGpu& gpu) { return spoken_name(gpu.name); });
    throw UsageError(fmt::format("unknown GPU \"{}\"{}; `gpuproj targets list` shows all, or name a GPU file (.json)",
                                 name, did_you_mean(spoken_name(name), names)));
}

Gpu Catalog::load(const StoredGpu& stored) {
    return stored.file.empty() ? gpu_from_json(nlohmann::json::parse(stored.json), "built-in GPU " + stored.name)
                               : read_possible_gpu(stored.file);
}

Gpu Catalog::get(std::string_view name) const {
    return is_file_name(name) ? read_possible_gpu(fs::path(name)) : load(find(name));
}

std::vector<Gpu> Catalog::select(std::string_view names) const {
    std::vector<Gpu> gpus;
    std::vector<fs::path> files;  // of each, where there is one
    const auto add = [&](Gpu gpu, const fs::path& file) {
        const auto same = std::ranges::find(gpus, gpu.name, &Gpu::name);
        if (same == gpus.end()) {
            gpus.push_back(std::move(gpu));
            files.push_back(file);
        } else if (gpu_to_json(*same) != gpu_to_json(gpu)) {
            refuse_two_of_one_name(gpu.name,
                                   file.empty() ? files[static_cast<std::size_t>(same - gpus.begin())] : file);
        }
    };
    for (const std::string& name : split(names, ',')) {
        if (canonical_name(name) == "all") {
            for (const StoredGpu& stored : gpus_) {
                add(load(stored), stored.file);
            }
        } else if (is_file_name(name)) {
            add(get(name), name);
        } else {
            const StoredGpu& stored = find(name);
            add(load(stored), stored.file);
        }
    }
    if (gpus.empty()) {
        throw UsageError("no GPU named; `gpuproj targets list` shows them, `all` takes all");
    }
    return gpus;
}

}  // namespace gpuproj
