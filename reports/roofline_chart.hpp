// The roofline as data: ceilings of the GPUs, and the kernels under them. Nothing is drawn here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/evaluate.hpp"

namespace gpuproj {

/// A horizontal line: the rate of one kind of operation.
struct ComputeCeiling {
    std::string name;  // fp64, fp32, fp16, int, int add, tensor fp16, ...
    OperationsPerSecond rate;
    Quality quality = Quality::unverified;
    bool peak = false;  // of the datasheet, not to be attained
};

/// A diagonal: the bandwidth of one memory.
struct MemoryCeiling {
    std::string name;  // DRAM, L2, L1, shared (4 bytes per access)
    BytesPerSecond bandwidth;
    Quality quality = Quality::unverified;
    bool peak = false;
};

struct RooflineGpu {
    std::string name;
    std::vector<ComputeCeiling> compute;
    std::vector<MemoryCeiling> memory;  // DRAM first
};

/// One kernel on one GPU. Rates are operations of the kernel's type per second.
struct RooflinePoint {
    std::size_t kernel = 0;  // of the profile
    std::size_t gpu = 0;     // of RooflineChart::gpus
    KType k_type = KType::fp32;
    std::optional<OperationsPerByte> intensity;  // O_krn; absent without DRAM traffic: infinite
    Seconds duration;                            // of all launches
    OperationsPerSecond attained;                // W_comp / duration
    bool measured = false;                       // duration is the profile's, not predicted
    double share = 0;                            // of the time of all kernels on this GPU, 0 to 1
    // The steps of Konstantinidis 2017, (4.17): T_op, T_op E_mix, T'_op = T_op E_mix E_instr.
    OperationsPerSecond sustained, after_mix, adjusted;
    double e_mix = 0, e_instr = 0;
    OperationsPerSecond roof;                // min(T'_op, O_krn B_mem): where the arrow points
    Limiter binding = Limiter::compute;      // what `roof` is: compute or memory
    double gain = 1;                         // roof / attained; above 1 there is room
    std::optional<Limiter> model_limiter{};  // by the model that predicts `duration`
};

/// A kernel that has no place on the chart, on one GPU.
struct LeftOut {
    std::size_t kernel = 0;
    std::size_t gpu = 0;
    std::string reason;
};

struct RooflineChart {
    std::string model;                     // that predicts durations
    std::vector<RooflineGpu> gpus;         // the targets
    std::vector<std::string> kernels;      // readable names, as many as the profile has
    std::vector<RooflinePoint> points;     // by GPU, longest first
    std::vector<LeftOut> left_out;         // no operations, a counter or a rate that is missing
    std::vector<double> share_not_drawn;   // by GPU: of the kernels beyond the longest that were asked for
    std::vector<std::uint64_t> not_drawn;  // by GPU: how many these are
};

/// The ceilings that a GPU's file knows, sustained ones and the datasheet's.
RooflineGpu roofline_gpu(const Gpu& gpu);

/// The roofline of model `model` of the evaluation on all its targets, with the `most_kernels` longest kernels of each.
/// On the profile's own GPU a measured time takes the place of the predicted one.
RooflineChart roofline_chart(const EvaluationInput& input, const Evaluation& evaluation, std::size_t model,
                             std::size_t most_kernels);

}  // namespace gpuproj
