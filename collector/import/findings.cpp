#include "collector/import/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.hpp"

namespace gpuproj::import {

namespace {

constexpr std::size_t most_messages = 30;

}  // namespace

std::string Findings::sentence(Place place, std::string_view what) const {
    std::string text = file_ + ":";
    if (place.line > 0) text += fmt::format(" line {}", place.line);
    if (!place.column.empty()) text += fmt::format("{}column \"{}\"", place.line > 0 ? ", " : " ", place.column);
    if (place.line > 0 || !place.column.empty()) text += ":";
    return fmt::format("{} {}", text, what);
}

void Findings::add(std::string message) {
    if (std::ranges::find(messages_, message) != messages_.end()) return;
    if (messages_.size() < most_messages) {
        messages_.push_back(std::move(message));
    } else {
        ++left_out_;
    }
}

void Findings::problem(Place place, std::string_view what) {
    if (!lenient_) fatal(place, fmt::format("{}; --lenient leaves it out and reads the rest", what));
    add(sentence(place, fmt::format("{}; left out", what)));
}

void Findings::warn(Place place, std::string_view what) {
    add(sentence(place, what));
}

void Findings::fatal(Place place, std::string_view what) const {
    throw Error(sentence(place, what));
}

std::vector<std::string> Findings::messages() const {
    auto all = messages_;
    if (left_out_ > 0) all.push_back(fmt::format("{}: {} more of the kind", file_, left_out_));
    return all;
}

}  // namespace gpuproj::import
