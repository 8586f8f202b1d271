// The development data, prepared for fitting `calibrated`: every pair of GPUs with its work and its times.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/calibrated_chip.hpp"
#include "model/calibrated_work.hpp"
#include "model/validation.hpp"

namespace gpuproj::fit {

struct Row {
    std::string kernel, family, gpu, architecture;
    calibrated::Work work;
    const calibrated::Chip* chip = nullptr;
    double ln_time = 0;  // of the measured time in seconds
};

struct Pair {
    const Row* reference = nullptr;
    const Row* target = nullptr;
    std::size_t observed = 0;  // which of Data::observed_pairs
    bool same_architecture = true;
};

struct Data {
    std::vector<Observation> observations;
    std::vector<ObservedPair> observed_pairs;
    std::map<std::string, Gpu> gpus;
    std::map<std::string, calibrated::Chip> chips;
    std::vector<Row> rows;
    std::vector<Pair> pairs;
};

/// Variants of one program are one family: they share code, and what is learnt from one is known of the other.
std::string family_of(const std::string& kernel);

/// Reads the table; GPUs are the compiled-in ones. Throws Error for a GPU that is not stored or not covered.
Data read_data(const std::filesystem::path& table);

using Selection = std::function<bool(const Pair&)>;

/// At most `each` pairs per kernel and ordered pair of GPUs, spread evenly over them: fitting needs no more.
std::vector<Pair> thinned(const std::vector<Pair>& pairs, std::size_t each);

std::vector<Pair> selected(const std::vector<Pair>& pairs, const Selection& selection);

}  // namespace gpuproj::fit
