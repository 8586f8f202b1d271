#include "collector/simulate/engine/hot_words.hpp"

#include <algorithm>
#include <bit>

namespace gpuproj::simulate {

namespace {

constexpr std::uint32_t place_bits = 9;
constexpr std::uint64_t all_until = 64;  // instructions whose lanes are all counted
constexpr std::uint32_t one_in = 32;

std::size_t place_of(std::uint64_t word) {
    return static_cast<std::size_t>((word * 0x9E3779B97F4A7C15U) >> (64U - place_bits));
}

}  // namespace

void HotWords::clear() {
    if (operations_ > 0) std::ranges::fill(places_, Place{});
    operations_ = instructions_ = 0;
}

void HotWords::vote(std::uint64_t word, std::uint64_t operations) {
    Place& place = places_[place_of(word)];
    if (place.word == word)
        place.operations += operations;
    else if (place.operations >= operations)
        place.operations -= operations;
    else
        place = {word, operations - place.operations};
}

void HotWords::add(std::uint64_t word, std::uint64_t operations) {
    if (places_.empty()) places_.resize(std::size_t{1} << place_bits);
    operations_ += operations;
    vote(word, operations);
}

void HotWords::add_lanes(const std::uint64_t* words, std::uint32_t mask) {
    if (places_.empty()) places_.resize(std::size_t{1} << place_bits);
    instructions_ += 1;
    std::uint32_t each = 1;
    if (instructions_ > all_until) {
        if (instructions_ % one_in != 0) return;
        each = one_in;
    }
    operations_ += std::uint64_t{each} * static_cast<std::uint32_t>(std::popcount(mask));
    for (; mask != 0; mask &= mask - 1) vote(words[std::countr_zero(mask)], each);
}

void HottestWord::add(const HotWords& of_one) {
    if (of_one.operations() == 0) return;  // its places may be there from earlier launches
    operations_ += of_one.operations();
    // A word with less than the mean of a place limits nothing, and there may be tens of thousands of them.
    const std::uint64_t mean = of_one.operations() >> place_bits;
    for (const HotWords::Place& place : of_one.places())
        if (place.operations > mean) places_.push_back(place);
}

double HottestWord::share() const {
    if (operations_ == 0) return 0;
    std::vector<HotWords::Place> sorted = places_;
    std::ranges::sort(sorted, {}, &HotWords::Place::word);
    std::uint64_t most = 0, here = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        here = (i > 0 && sorted[i].word == sorted[i - 1].word ? here : 0) + sorted[i].operations;
        most = std::max(most, here);
    }
    return static_cast<double>(most) / static_cast<double>(operations_);
}

}  // namespace gpuproj::simulate
