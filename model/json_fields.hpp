// Strict JSON for any struct that lists its fields in a table (field.hpp): one key too many, one too few or one value
// out of its domain is an Error that names the file, the key path and what to do.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "model/boxed.hpp"
#include "model/enum_names.hpp"
#include "model/field.hpp"
#include "model/maybe.hpp"
#include "model/quantity.hpp"

namespace gpuproj {

/// Where in a file a value stands; nodes live on the stack of the reader, the text is made only for an Error.
struct JsonPath {
    const JsonPath* parent = nullptr;
    std::string_view key;   // of the root: the file's name
    std::size_t index = 0;  // of an array element, where `key` is empty

    /// "file.json: kernels[3].metrics.warp_inst"
    std::string text() const;
};

/// Throws Error: path, what is wrong and what to do.
[[noreturn]] void reject(const JsonPath& path, std::string_view what);
[[noreturn]] void reject_type(const JsonPath& path, std::string_view wanted, const nlohmann::json& json);
[[noreturn]] void reject_key(const JsonPath& path, std::string_view key, const std::vector<std::string>& known);
[[noreturn]] void reject_name(const JsonPath& path, std::string_view name, std::span<const std::string_view> known);

namespace json_detail {

template <class V>
constexpr bool is_optional = false;
template <class V>
constexpr bool is_optional<std::optional<V>> = true;
template <class V>
constexpr bool is_optional<Maybe<V>> = true;
template <class V>
constexpr bool is_optional<Boxed<V>> = true;
template <class V>
constexpr bool is_vector = false;
template <class V>
constexpr bool is_vector<std::vector<V>> = true;
template <class V>
constexpr bool is_array = false;
template <class V, std::size_t N>
constexpr bool is_array<std::array<V, N>> = true;
template <class V>
constexpr bool is_quantity = false;
template <Dimension D>
constexpr bool is_quantity<Quantity<D>> = true;

template <class T>
concept HasFields = requires { T::fields; };

}  // namespace json_detail

/// A finite number of at least 0. JSON has no NaN and no infinity; numbers too large for a double are infinite here.
double read_amount(const nlohmann::json& json, const JsonPath& path);
/// A whole number from 0 to `most`.
std::uint64_t read_count(const nlohmann::json& json, std::uint64_t most, const JsonPath& path);

template <class T, class Table>
void read_table(T& object, const Table& table, const nlohmann::json& json, const JsonPath& path,
                std::span<const std::string_view> other_keys = {});

/// Reads one value of type V: text, flag, count, amount (of a dimension or none; never negative), name of an
/// enumeration, list, or struct with a table of fields.
template <class V>
V read_value(const nlohmann::json& json, const JsonPath& path) {
    using namespace json_detail;
    if constexpr (is_optional<V>) {
        return read_value<typename V::value_type>(json, path);
    } else if constexpr (std::is_same_v<V, std::string>) {
        if (!json.is_string()) reject_type(path, "text", json);
        return json.get<std::string>();
    } else if constexpr (std::is_same_v<V, bool>) {
        if (!json.is_boolean()) reject_type(path, "true or false", json);
        return json.get<bool>();
    } else if constexpr (std::is_integral_v<V>) {
        return static_cast<V>(read_count(json, std::uint64_t{std::numeric_limits<V>::max()}, path));
    } else if constexpr (std::is_same_v<V, double>) {
        return read_amount(json, path);
    } else if constexpr (is_quantity<V>) {
        return V{read_amount(json, path)};
    } else if constexpr (NamedEnum<V>) {
        const auto text = read_value<std::string>(json, path);
        const auto names = enum_names(V{});
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i] == text) return static_cast<V>(i);
        }
        reject_name(path, text, names);
    } else if constexpr (is_array<V>) {
        V values{};
        if (!json.is_array() || json.size() != values.size()) {
            reject_type(path, "a list of " + std::to_string(values.size()) + " numbers", json);
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = read_value<typename V::value_type>(json[i], JsonPath{&path, {}, i});
        }
        return values;
    } else if constexpr (is_vector<V>) {
        if (!json.is_array()) reject_type(path, "a list", json);
        V values;
        values.reserve(json.size());
        for (std::size_t i = 0; i < json.size(); ++i) {
            values.push_back(read_value<typename V::value_type>(json[i], JsonPath{&path, {}, i}));
        }
        return values;
    } else {
        static_assert(HasFields<V>);
        V object;
        read_table(object, V::fields, json, path);
        return object;
    }
}

/// Reads the fields of `table` into `object`. Optional values and lists may be absent; all else has to be there, and
/// nothing else may be but `other_keys`.
template <class T, class Table>
void read_table(T& object, const Table& table, const nlohmann::json& json, const JsonPath& path,
                std::span<const std::string_view> other_keys) {
    using namespace json_detail;
    if (!json.is_object()) reject_type(path, "an object", json);
    std::size_t found = 0;
    const auto read = [&](const auto& field) {
        using V = std::decay_t<decltype(object.*field.member)>;
        const JsonPath here{&path, field.key};
        const auto it = json.find(field.key);
        if (it != json.end()) {
            object.*field.member = read_value<V>(*it, here);
            ++found;
        } else if constexpr (!is_optional<V> && !is_vector<V>) {
            reject(here, "is missing; add it: " + std::string(field.meaning));
        }
    };
    std::apply([&](const auto&... field) { (read(field), ...); }, table);
    for (const std::string_view key : other_keys) found += json.contains(key) ? 1 : 0;
    if (found == json.size()) return;

    std::vector<std::string> known(other_keys.begin(), other_keys.end());
    std::apply([&](const auto&... field) { (known.emplace_back(field.key), ...); }, table);
    for (const auto& [key, value] : json.items()) {
        if (std::find(known.begin(), known.end(), key) == known.end()) reject_key(path, key, known);
    }
}

/// Whole numbers are written as such, whatever their size; others with the fewest digits that read back the same.
nlohmann::ordered_json amount_to_json(double value);

template <class T, class Table>
void write_table(nlohmann::ordered_json& json, const T& object, const Table& table);

template <class V>
nlohmann::ordered_json value_to_json(const V& value) {
    using namespace json_detail;
    if constexpr (std::is_same_v<V, double>) {
        return amount_to_json(value);
    } else if constexpr (is_quantity<V>) {
        return amount_to_json(value.value);
    } else if constexpr (NamedEnum<V>) {
        return std::string(name_of(value));
    } else if constexpr (is_vector<V> || is_array<V>) {
        auto json = nlohmann::ordered_json::array();
        for (const auto& element : value) json.push_back(value_to_json(element));
        return json;
    } else if constexpr (HasFields<V>) {
        auto json = nlohmann::ordered_json::object();
        write_table(json, value, V::fields);
        return json;
    } else {
        return value;
    }
}

/// Adds the fields of `table` to `json` in their order; absent values and empty lists are left out.
template <class T, class Table>
void write_table(nlohmann::ordered_json& json, const T& object, const Table& table) {
    using namespace json_detail;
    const auto write = [&](const auto& field) {
        const auto& value = object.*field.member;
        using V = std::decay_t<decltype(value)>;
        if constexpr (is_optional<V>) {
            if (value) json[std::string(field.key)] = value_to_json(*value);
        } else if constexpr (is_vector<V>) {
            if (!value.empty()) json[std::string(field.key)] = value_to_json(value);
        } else {
            json[std::string(field.key)] = value_to_json(value);
        }
    };
    std::apply([&](const auto&... field) { (write(field), ...); }, table);
}

}  // namespace gpuproj
