#include "model/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "model/error.hpp"
#include "model/plain_text.hpp"

namespace gpuproj {

namespace {

/// Builds what is parsed in the value it is given. nlohmann keeps the last of two equal keys, but a file in which two
/// values claim one name has no meaning; and its parser that calls back goes over all of an array's elements for each
/// object in it.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit Builder(nlohmann::json& root) : next_(&root) {}

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t& value) override { return add(std::move(value)); }
    bool start_object(std::size_t) override { return open(nlohmann::json::object()); }
    bool start_array(std::size_t) override { return open(nlohmann::json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        const auto [place, is_new] = open_.back()->get_ref<nlohmann::json::object_t&>().try_emplace(name);
        if (!is_new && !repeated_) repeated_ = name;
        next_ = &place->second;
        return true;
    }
    bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception& e) override {
        constexpr int number_overflow = 406;
        error_ = Failure{byte, e.id == number_overflow};
        return false;
    }

    struct Failure {
        std::size_t byte;           // that was read last, from 1
        bool is_too_large = false;  // a number
    };
    const std::optional<Failure>& error() const { return error_; }
    const std::optional<std::string>& repeated_key() const { return repeated_; }

private:
    bool add(nlohmann::json value) {
        put(std::move(value));
        return true;
    }
    bool open(nlohmann::json value) {
        open_.push_back(&put(std::move(value)));
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }
    nlohmann::json& put(nlohmann::json value) {
        if (!open_.empty() && open_.back()->is_array()) {
            auto& array = open_.back()->get_ref<nlohmann::json::array_t&>();
            return array.emplace_back(std::move(value));
        }
        return *next_ = std::move(value);
    }

    std::vector<nlohmann::json*> open_;  // from the root to the innermost
    nlohmann::json* next_;               // what the key that was read last names
    std::optional<std::string> repeated_;
    std::optional<Failure> error_;
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
    nlohmann::json json;
    Builder builder(json);
    nlohmann::json::sax_parse(text, &builder);
    if (const auto& error = builder.error()) {
        if (error->is_too_large)
            throw Error(fmt::format("{}: has a number too large to read; numbers have to be finite", where));
        const bool cut_off = error->byte > text.size();
        throw Error(fmt::format("{}: {} ({}); make it again", where,
                                cut_off ? "ends early, it is empty or cut off" : "is not JSON",
                                position(text, error->byte)));
    }
    if (const auto& key = builder.repeated_key())
        throw Error(fmt::format("{}: has the key '{}' twice in one object; keep one", where, *key));
    return json;
}

nlohmann::json read_json(const std::filesystem::path& file) {
    return parse_json(read_text(file), file.string());
}

std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gpuproj
