#include "reports/json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "model/json_fields.hpp"

namespace gpuproj {
namespace {

constexpr std::size_t indent = 2;

std::string dumped(const nlohmann::ordered_json& value) {
    return value.dump(static_cast<int>(indent), ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

bool stands_for_itself(char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

}  // namespace

void JsonWriter::new_line() {
    out_ += '\n';
    out_.append(depth_ * indent, ' ');
}

void JsonWriter::begin_value() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (!first_) out_ += ',';
    if (depth_ > 0) new_line();
    first_ = false;
}

void JsonWriter::open(char bracket) {
    begin_value();
    out_ += bracket;
    ++depth_;
    first_ = true;
}

void JsonWriter::close(char bracket) {
    --depth_;
    if (!first_) new_line();
    out_ += bracket;
    first_ = false;
}

void JsonWriter::key(std::string_view name) {
    begin_value();
    fmt::format_to(std::back_inserter(out_), "\"{}\": ", name);
    after_key_ = true;
}

void JsonWriter::text(std::string_view value) {
    if (!std::all_of(value.begin(), value.end(), stands_for_itself)) return this->value(value);
    begin_value();
    out_ += '"';
    out_ += value;
    out_ += '"';
}

void JsonWriter::count(std::uint64_t value) {
    begin_value();
    fmt::format_to(std::back_inserter(out_), "{}", value);
}

void JsonWriter::amount(std::optional<double> value) {
    if (!value || !std::isfinite(*value)) return null();
    const auto json = amount_to_json(*value);
    if (json.is_number_unsigned()) return count(json.get<std::uint64_t>());
    begin_value();
    // As dump() writes it: of two numbers with the fewest digits fmt may choose the other one, in one of a thousand.
    std::array<char, 64> digits{};
    out_.append(digits.data(), nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), *value));
}

void JsonWriter::null() {
    begin_value();
    out_ += "null";
}

void JsonWriter::value(const nlohmann::ordered_json& value) {
    begin_value();
    for (const char c : dumped(value)) {
        out_ += c;
        if (c == '\n') out_.append(depth_ * indent, ' ');  // none is inside a text
    }
}

}  // namespace gpuproj
