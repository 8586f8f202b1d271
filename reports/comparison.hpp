// GPUs compared for a weighted mix of programs, as data: time, price, power, and how sure the order is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/evaluate.hpp"

namespace gpuproj {

/// A program of the mix. The profile and its GPU (null: not known) outlive the comparison.
struct WorkloadPart {
    const Profile* profile = nullptr;
    const Gpu* reference = nullptr;
    std::string name;   // of the profile's file
    double weight = 1;  // jobs, or hours on the profile's own GPU (ComparisonTerms::weights_are_hours)
};

/// What the buyer knows of one GPU. Amounts of money are in one currency, the same for all offers.
struct Offer {
    std::string gpu;                      // as Gpu::name
    std::optional<double> price;          // of one
    std::optional<Watts> power;           // of one, under load; TDP where absent
    std::optional<double> node_price;     // of a node without its GPUs
    std::optional<Watts> node_power;      // of a node without its GPUs
    std::optional<double> gpus_per_node;  // absent: 1
    std::string currency, date;
};

/// What is asked for, and what things cost. Nothing has a hidden default: what is absent is not computed.
struct ComparisonTerms {
    bool weights_are_hours = false;
    std::optional<double> mixes_per_s;  // throughput to reach
    std::optional<Seconds> deadline;    // for one mix
    double pue = 1;                     // power of the building / power of the computers
    std::optional<double> per_kwh;      // tariff
    std::optional<Seconds> lifetime;    // in which the price is written off
    double utilisation = 1;             // share of the lifetime at work, above 0 to 1
    std::optional<Watts> most_power;    // of all GPUs needed, with their nodes
    std::optional<double> most_nodes;   // for all GPUs needed; asks for a throughput or a deadline
    std::optional<Bytes> least_memory;  // absent: the largest peak_device_memory of the profiles
    std::optional<OperationsPerSecond> least_fp64;
    std::optional<BytesPerSecond> least_link;
    bool needs_ecc = false;
};

/// One program of the mix on one GPU, all its jobs.
struct PartTime {
    std::optional<Seconds> duration, low, high;
    double concentration = 1;  // sum of squares of the kernels' shares of the duration
};

struct ComparedGpu {
    const Gpu* gpu = nullptr;
    bool owned = false;                          // the profiles' own GPU: what doing nothing gives
    bool measured = false;                       // its time is measured, not predicted
    std::optional<Seconds> duration, low, high;  // of one mix; 80 % interval
    std::vector<PartTime> parts;
    double concentration = 1;           // of the mix, as if its parts had their kernels in common: 1 for one kernel
    double covered_share = 0;           // of the profiles, mean by weight
    std::uint64_t kernels_refused = 0;  // a time that lacks kernels is not ranked before one that has them
    std::optional<double> speed_up, speed_up_low, speed_up_high;  // over the owned GPU; 80 % interval
    std::optional<double> probability_fastest;                    // among those not ruled out
    std::string rates_quality;
    std::optional<Watts> power;
    bool power_is_tdp = false;              // a bound, not what it takes
    std::optional<double> mixes_per_joule;  // GPU alone
    std::optional<double> price;
    std::optional<double> mixes_per_s_and_price;  // throughput per unit of money
    std::optional<Bytes> memory;
    std::optional<bool> fits;                   // the profiles' peak device memory
    std::optional<std::uint64_t> gpus_needed;   // for the throughput or the deadline
    std::optional<std::uint64_t> nodes_needed;  // to hold them
    double gpus_per_node = 1;                   // as offered
    std::optional<double> energy_per_mix;       // J, node and building included
    std::optional<double> cost_per_mix;         // money: price written off, and energy where there is a tariff
    bool pareto = false;                        // nothing is both cheaper and faster
    std::vector<std::string> ruled_out;         // reasons; empty: it is not
};

/// How far a price may move: at `break_even` this GPU gives as much for the money as `rival`.
struct PriceSensitivity {
    std::size_t row = 0, rival = 0;  // of the rows
    double break_even = 0;
};

/// By which factor a program's weight may fall or rise until another GPU is the fastest; absent: at any.
struct WeightSensitivity {
    std::size_t part = 0;
    std::optional<double> falls_to, rises_to;
    std::optional<std::size_t> then_falling, then_rising;  // rows
};

/// How wrong everything may be at once: with every weight, and every price where money counts, off by up to `factor`
/// either way, each by its own, `rival` can come out ahead of `leader`; by less than that no GPU can.
struct JointSensitivity {
    bool money = false;                 // the most for the money, else the fastest
    std::size_t leader = 0, rival = 0;  // rows
    double factor = 1;
};

/// The kernel and GPU whose measurement is likeliest to change which GPU is the fastest.
struct FurtherMeasurement {
    std::size_t part = 0, kernel = 0, row = 0;
    double share = 0;               // of the mix's time on that GPU
    double probability_change = 0;  // that another GPU leads afterwards
};

struct Comparison {
    std::string model;
    std::vector<double> jobs;            // per part: weights as jobs
    std::vector<ComparedGpu> rows;       // fastest first; those ruled out last
    std::optional<std::size_t> best;     // row: the fastest that is not ruled out
    std::vector<std::size_t> too_close;  // rows that `best` is faster than with a probability under 0.8
    std::vector<PriceSensitivity> prices;
    std::vector<WeightSensitivity> weights;
    std::vector<JointSensitivity> joint;
    std::optional<FurtherMeasurement> measurement;
    std::string currency;
    std::vector<std::string> price_dates;
    bool reference_time = false;
};

/// Does the GPU compete with `best`: not ruled out, and predicted for as many kernels.
bool is_candidate(const ComparedGpu& row, const ComparedGpu& best);

/// `targets` by the model; the profiles' own GPU is added as the owned one where all parts have the same and its
/// parameters are known. `offers` whose GPU is no target have no effect. Throws Error if weights are hours and a
/// profile's time on its own GPU is not known.
Comparison compare(std::span<const WorkloadPart> parts, std::span<const Gpu* const> targets, const Model& model,
                   const ModelOptions& options, std::span<const Offer> offers, const ComparisonTerms& terms);

}  // namespace gpuproj
