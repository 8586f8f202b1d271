// What one multiprocessor of each generation does per clock: the table that derivation starts from.
#pragma once

#include <optional>
#include <string_view>

namespace gpuproj {

/// Per multiprocessor (compute unit, Xe core) and clock; a multiply-add counts 1 here. 0: the unit is not there.
/// Sources: CUDA C Programming Guide, arithmetic throughput by compute capability (editions 4 to 13); whitepapers of
/// the generations; openxla's device tables; clpeak and mixbench results where they decide; ROCm's architecture
/// specifications for AMD.
struct Rates {
    std::string_view
        architecture;  // compute capability, or the gfx name; a shorter entry stands for all that begin with it
    std::string_view generation;
    double lanes;  // fp32
    double fp64;   // cards may be cut down: the card's own figure goes first
    double fp16;   // packed pairs count 2
    double int_mad;
    double int_add;
    double special;
    double shared_words;     // 32-bit words
    double l1_byte;          // of a global load that hits; 0: global loads bypass L1
    double l2_byte_channel;  // of the whole chip, per 32 bits of memory bus
    double tensor_fp16;      // with fp32 accumulation, dense
    // Cycles.
    double l1_latency, l2_latency, dram_latency, shared_latency;
    double l1_kib;  // for a kernel without shared memory, where the two are one; 0: bypassed
    // Where CUDA's occupancy rules do not say (not NVIDIA).
    int warps, registers, schedulers, shared_kib, shared_per_block_kib;
};

/// Integer operations of other kinds than addition and multiplication, per multiprocessor and clock.
struct IntegerRates {
    std::string_view architecture;
    double logic;    // of up to three inputs where the instruction has them
    double shift;    // by a variable count
    double compare;  // minimum, maximum, comparison
    double bits;     // population count, leading zeros; 0: several instructions, or not known
    std::string_view source;
    double uncertainty;  // relative
};

/// The integer rates of a compute capability or gfx name; nothing if they are not known.
std::optional<IntegerRates> find_integer_rates(std::string_view architecture);

/// The rates of a compute capability or gfx name; nothing if the generation is not known.
std::optional<Rates> find_rates(std::string_view architecture);

}  // namespace gpuproj
