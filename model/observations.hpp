// Observation tables: measured times, and counters, of kernels on several GPUs.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/clocks.hpp"
#include "model/gpu.hpp"
#include "model/profile.hpp"

namespace gpuproj {

/// One kernel, input and launch configuration on one GPU: one launch, with its measured time and what was counted.
struct Observation {
    std::string what;  // equal for observations that can be compared: kernel, application, inputs, grid, block
    std::string kernel;
    std::string gpu;  // as the table names it: it may name one GPU in several ways, which validate() finds
    Clocks clocks;    // of that GPU, where the table states them
    KernelRecord record;
    int line = 0;  // of the first row it comes from
};

/// Of the launch; every observation of a table has one.
inline Seconds measured_time(const Observation& observation) {
    return observation.record.duration.value_or(Duration{}).sum;
}

/// Rows that were left out, and why.
struct Skipped {
    std::string reason;
    std::size_t rows = 0;
};

/// Gives the GPU of a table's name, or null if there is none stored; the object lives as long as what is made of it.
using GpuByName = std::function<const Gpu*(const std::string&)>;

struct ObservationTable {
    std::vector<Observation> observations;
    std::vector<Skipped> skipped;
    std::size_t rows = 0;  // in the file
    std::string where{};   // the file, for messages
};

/// Reads a CSV with a row per observation. Required columns: kernel, gpu, grid, block (such as 16x16x1), time_us.
/// Known counters: thread_inst_{fp16,fp32,fp64,int,ldst,control,misc,bitconv,conversion,interthread,total},
/// warp_inst_executed, flop_{sp,dp} (multiply-adds count 2), flop_{sp,dp}_fma, flop_sp_special, flop_tensor,
/// dram_{read,write}_bytes, shared_{load,store}_trans, global_{load,store}_trans, l2_{read,write}_trans,
/// achieved_occupancy (0 to 1), warp_inst_texture, regs, smem (bytes per block). core_mhz and mem_mhz are the clocks of
/// the GPU: rows that differ in them are as rows of different GPUs. The columns app, args, config and input* tell
/// inputs apart; others are not looked at. An empty cell is not known. Repeated rows become one, with the median of
/// every column: `16` and `16x1x1` are one grid, and with `gpu_by_name` two names of a GPU are one GPU, and a clock
/// that is not stated is the stored one. Rows whose time is not above 0, is not known, or is shorter than `shortest`
/// are skipped and counted. Throws Error: no such file, missing columns (all of them named), a column twice, a cell
/// that is no number, grid, block or clock.
ObservationTable read_observations(const std::filesystem::path& file, Seconds shortest,
                                   const GpuByName& gpu_by_name = {});
ObservationTable observations_from_csv(std::string_view text, const std::string& where, Seconds shortest,
                                       const GpuByName& gpu_by_name = {});

}  // namespace gpuproj
