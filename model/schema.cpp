#include "model/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "model/error.hpp"
#include "model/file_io.hpp"

namespace gpuproj {

namespace {

/// nlohmann keeps the last of two equal keys; a file in which two values claim one name has no meaning.
class DuplicateKeys {
public:
    bool operator()(int /*depth*/, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
        using Event = nlohmann::json::parse_event_t;
        if (event == Event::object_start) open_.emplace_back();
        if (event == Event::object_end) open_.pop_back();
        if (event == Event::key && !open_.back().insert(parsed.get<std::string>()).second && first_.empty()) {
            first_ = parsed.get<std::string>();
        }
        return true;
    }
    const std::string& first() const { return first_; }

private:
    std::vector<std::set<std::string>> open_;
    std::string first_;
};

std::string position(std::string_view text, std::size_t byte) {
    const auto before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const auto last = before.rfind('\n');
    const auto column = before.size() - (last == std::string_view::npos ? 0 : last + 1) + 1;
    return fmt::format("line {}, column {}", line, column);
}

}  // namespace

void migrate(nlohmann::json& json, std::string_view schema, std::span<const Migration> migrations,
             const std::string& where) {
    const auto refuse = [&](const std::string& what) { throw Error(fmt::format("{}: {}", where, what)); };
    const auto name = json.is_object() ? json.find("schema") : json.end();
    if (!json.is_object() || name == json.end() || !name->is_string()) {
        refuse(fmt::format(R"(does not say "schema": "{}"; is it the right file?)", schema));
    }
    if (*name != schema) {
        refuse(fmt::format("is a {} file, not {}; give the right file", name->get<std::string>(), schema));
    }
    const std::size_t current = migrations.size() + 1;
    const auto version = json.find("version");
    if (version == json.end() || !version->is_number_integer() || *version < 1) {
        refuse(fmt::format("version: must be a whole number from 1 to {}", current));
    }
    const auto from = version->get<std::size_t>();
    if (from > current) {
        refuse(fmt::format("version: {} is newer than this gpuproj knows ({}); update gpuproj", from, current));
    }
    for (std::size_t i = from; i < current; ++i) migrations[i - 1](json);
    json["version"] = current;
}

nlohmann::json parse_json(std::string_view text, const std::string& where) {
    DuplicateKeys keys;
    nlohmann::json json;
    try {
        json = nlohmann::json::parse(text, std::ref(keys));
    } catch (const nlohmann::json::parse_error& e) {
        const bool cut_off = e.byte > text.size();
        throw Error(fmt::format("{}: {} ({}); make it again", where,
                                cut_off ? "ends early, it is empty or cut off" : "is not JSON",
                                position(text, e.byte)));
    } catch (const nlohmann::json::exception&) {
        throw Error(fmt::format("{}: has a number too large to read; numbers have to be finite", where));
    }
    if (!keys.first().empty()) {
        throw Error(fmt::format("{}: has the key '{}' twice in one object; keep one", where, keys.first()));
    }
    return json;
}

nlohmann::json read_json(const std::filesystem::path& file) {
    return parse_json(read_file(file), file.string());
}

std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gpuproj
