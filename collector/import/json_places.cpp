#include "collector/import/json_places.hpp"

#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace gpuproj::import {

namespace {

using nlohmann::json;

constexpr char separator = '\n';
constexpr std::size_t deepest = 4;  // objects in one another: deeper ones nobody asks for

/// Counts the line feeds that the parser has read.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, int* line) : at_(at), line_(line) {}
    reference operator*() const { return *at_; }
    CountingIterator& operator++() {
        if (*at_ == '\n') ++*line_;
        ++at_;
        return *this;
    }
    CountingIterator operator++(int) {
        const CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

private:
    const char* at_;
    int* line_;
};

/// Called by the parser for each piece; the parser has read a key and nothing beyond it when it calls key().
class Visitor final : public nlohmann::json_sax<json> {
public:
    Visitor(JsonPlaces& places, const int& line) : places_(places), line_(line) {}

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool start_object(std::size_t) override {
        open_.push_back({open_.size() < deepest ? path_ : std::string(), {}});
        return true;
    }
    bool end_object() override {
        path_ = std::move(open_.back().path);
        open_.pop_back();
        return true;
    }
    bool key(string_t& name) override {
        if (open_.size() > deepest) return true;
        Open& object = open_.back();
        path_ = object.path + separator + name;
        places_.lines[path_] = line_;
        if (!object.keys.insert(name).second) places_.repeated.push_back({path_, line_});
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

private:
    struct Open {
        std::string path;
        std::set<std::string> keys;
    };
    JsonPlaces& places_;
    const int& line_;
    std::string path_;
    std::vector<Open> open_;
};

}  // namespace

int JsonPlaces::line(const std::vector<std::string_view>& keys) const {
    std::string path;
    int nearest = 0;
    for (const std::string_view key : keys) {
        (path += separator) += key;
        const auto found = lines.find(path);
        if (found == lines.end()) break;
        nearest = found->second;
    }
    return nearest;
}

JsonPlaces find_json_places(std::string_view text) {
    JsonPlaces places;
    int line = 1;
    Visitor visitor(places, line);
    json::sax_parse(CountingIterator(text.data(), &line), CountingIterator(text.data() + text.size(), &line), &visitor);
    return places;
}

}  // namespace gpuproj::import
