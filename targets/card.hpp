// What a datasheet says of a GPU, and single values known of it: the inputs of derivation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/gpu.hpp"

namespace gpuproj {

/// What a board is made for decides how its clock behaves: consumer boards run above the clock they report, boards with
/// a tight power limit below.
enum class BoardClass : std::uint8_t { consumer, workstation, datacenter, power_limited, mobile };
inline constexpr auto board_class_names =
    std::to_array<std::string_view>({"consumer", "workstation", "datacenter", "power-limited", "mobile"});
constexpr std::span<const std::string_view> enum_names(BoardClass) {
    return board_class_names;
}

/// Datasheet of one GPU. What is not known is absent.
struct Card {
    std::string name;
    std::vector<std::string> aliases;
    std::string vendor;
    std::string architecture;
    std::string compute_capability;  // or gfx name
    BoardClass board_class = BoardClass::consumer;
    double sm_count = 0;
    double lanes_per_sm = 0;            // fp32
    std::optional<double> fp64_per_sm;  // multiply-adds per clock, where the card differs from its generation
    Hertz boost{};                      // what CUDA reports; the shader clock before Kepler
    std::optional<Hertz> base;
    std::optional<Hertz> memory_clock;
    std::optional<double> bus_bit;
    BytesPerSecond dram_peak{};
    std::string dram_type;
    std::optional<Bytes> memory;
    std::optional<Bytes> l2;
    std::optional<Watts> tdp;
    bool ecc = false;                                // on by default
    std::string link;                                // "PCIe 3.0 x16"
    std::optional<OperationsPerSecond> tensor_fp16;  // dense
    std::string source;
};

/// One value of one GPU, from a measurement or a datasheet; `value` in the unit of the key.
struct CardValue {
    std::string gpu;
    std::string parameter;
    double value = 0;
    Quality quality = Quality::measured;
    std::optional<Hertz> clock;  // reported while measuring
    std::optional<double> uncertainty;
    bool calibrates = true;  // false: good for this card, but its benchmark is known to fall short on others ...
    bool of_chip = false;    // ... unless they are of the same compute capability: a rate per clock, or cycles
    std::string source;
};

/// Read targets/data/cards.csv and values.csv. Throw Error: a number that is none, an unknown class, quality or key.
std::vector<Card> read_cards(std::string_view csv, const std::string& where);
std::vector<CardValue> read_card_values(std::string_view csv, const std::string& where);

/// Instruction costs of one GPU for the model mpd-cpd (targets/data/mpd_cpd.json); nothing where none are known.
std::optional<WarpTaskCosts> known_warp_task_costs(const std::string& gpu);

/// The tables of targets/data, compiled in.
const std::vector<Card>& known_cards();
const std::vector<CardValue>& known_values();

}  // namespace gpuproj
