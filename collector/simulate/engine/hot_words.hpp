// The words of memory that atomic operations meet at: those on one word go one after the other, whatever else a GPU
// does at the same time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gpuproj::simulate {

/// How many atomic operations went to which words, as far as a word has many of them: each place of a small table keeps
/// the word that has most of those that belong there, and loses count by what the others have (the majority vote of
/// Boyer and Moore). Of words with few operations next to nothing is left.
class HotWords {
public:
    void clear();
    /// `operations` on one word, one after the other.
    void add(std::uint64_t word, std::uint64_t operations);
    /// One on the word of each lane of `mask`. Where many such come, one in 32 stands for all of them.
    void add_lanes(const std::uint64_t* words, std::uint32_t mask);

    struct Place {
        std::uint64_t word = 0, operations = 0;
    };
    std::span<const Place> places() const { return places_; }
    /// All that were added.
    std::uint64_t operations() const { return operations_; }

private:
    void vote(std::uint64_t word, std::uint64_t operations);

    std::vector<Place> places_;  // empty until something is added
    std::uint64_t operations_ = 0, instructions_ = 0;
};

/// What all SMs have counted: which share of the operations went to the word that has the most of them, 0 where there
/// are none.
class HottestWord {
public:
    void add(const HotWords& of_one);
    double share() const;

private:
    std::vector<HotWords::Place> places_;
    std::uint64_t operations_ = 0;
};

}  // namespace gpuproj::simulate
