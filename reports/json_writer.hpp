// JSON as text, value by value, for reports too large to be built as values first.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace gpuproj {

/// Appends to a text what json_text (model/schema.hpp) would write for the same values, to the letter. What is opened
/// must be closed; inside an object every value needs a key before it.
class JsonWriter {
public:
    /// `depth` is of what is written first: how many objects and lists it is in. `first`: nothing stands before it
    /// there; what is not the first gets a comma before it.
    explicit JsonWriter(std::string& out, std::size_t depth = 0, bool first = true)
        : out_(out), depth_(depth), first_(first) {}

    void open_object() { open('{'); }
    void close_object() { close('}'); }
    void open_list() { open('['); }
    void close_list() { close(']'); }
    /// Plain ASCII without quotes.
    void key(std::string_view name);

    void text(std::string_view value);
    void count(std::uint64_t value);
    /// As amount_to_json; null where it is not known or not finite.
    void amount(std::optional<double> value);
    void null();
    void value(const nlohmann::ordered_json& value);

    void text(std::string_view name, std::string_view value) { key(name), text(value); }
    void amount(std::string_view name, std::optional<double> value) { key(name), amount(value); }

    /// How many objects and lists are open.
    std::size_t depth() const { return depth_; }
    /// Other writers wrote so many values into what is open.
    void wrote_more(std::size_t values) { first_ = first_ && values == 0; }

private:
    void open(char bracket);
    void close(char bracket);
    void begin_value();
    void new_line();

    std::string& out_;
    std::size_t depth_;
    bool first_;              // nothing was written yet inside what was opened last, or at all
    bool after_key_ = false;  // the value stands on the key's line
};

}  // namespace gpuproj
