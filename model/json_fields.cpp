#include "model/json_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/error.hpp"
#include "model/near_names.hpp"

namespace gpuproj {

namespace {
/// Every whole number up to here is a double of its own, and the next power fits 64 bits.
constexpr double largest_written_as_integer = 0x1p63;

std::string key_path(const JsonPath& path) {
    if (!path.parent) return "";
    const std::string text = key_path(*path.parent);
    if (path.key.empty()) return text + fmt::format("[{}]", path.index);
    return text.empty() ? std::string(path.key) : text + "." + std::string(path.key);
}
}  // namespace

std::string JsonPath::text() const {
    const JsonPath* root = this;
    while (root->parent) root = root->parent;
    const std::string keys = key_path(*this);
    return keys.empty() ? std::string(root->key) : fmt::format("{}: {}", root->key, keys);
}

void reject(const JsonPath& path, std::string_view what) {
    throw Error(fmt::format("{}: {}", path.text(), what));
}

void reject_type(const JsonPath& path, std::string_view wanted, const nlohmann::json& json) {
    std::string found = json.is_structured() || json.is_null() ? std::string(json.type_name()) : json.dump();
    if (json.is_null()) found += "; leave the key out where a value is not known";
    reject(path, fmt::format("must be {}, is {}", wanted, found));
}

void reject_key(const JsonPath& path, std::string_view key, const std::vector<std::string>& known) {
    const std::string near = did_you_mean(key, known);
    reject(path, fmt::format("has the unknown key '{}'{}", key, near.empty() ? "; remove it" : near));
}

void reject_name(const JsonPath& path, std::string_view name, std::span<const std::string_view> known) {
    reject(path, fmt::format("must be one of {}, is \"{}\"", fmt::join(known, ", "), name));
}

double read_amount(const nlohmann::json& json, const JsonPath& path) {
    if (!json.is_number()) reject_type(path, "a number", json);
    const auto value = json.get<double>();
    if (!std::isfinite(value)) reject_type(path, "a finite number", json);
    if (value < 0) reject_type(path, "a number of at least 0", json);
    return value;
}

std::uint64_t read_count(const nlohmann::json& json, std::uint64_t most, const JsonPath& path) {
    const bool whole = json.is_number_integer() && (json.is_number_unsigned() || json.get<std::int64_t>() >= 0);
    if (!whole || json.get<std::uint64_t>() > most) {
        reject_type(path, fmt::format("a whole number from 0 to {}", most), json);
    }
    return json.get<std::uint64_t>();
}

nlohmann::ordered_json amount_to_json(double value) {
    if (value >= 0 && value < largest_written_as_integer && std::floor(value) == value) {
        return static_cast<std::uint64_t>(value);
    }
    return value;
}

}  // namespace gpuproj
