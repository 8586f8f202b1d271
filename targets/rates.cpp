#include "targets/rates.hpp"

#include <algorithm>
#include <array>

namespace gpuproj {
namespace {

// clang-format off
constexpr auto table = std::to_array<Rates>({
    // arch,      generation,     lanes, fp64, fp16,      imad, iadd, sfu, word,  l1,  l2, tensor,  L1,  L2, DRAM, shr, l1kb, warp,   regs, sch, shr, blk
    // Multiplication of 32 bits is several instructions on 1.x, three (XMAD) on 5.x and 6.x.
    {"1.",      "Tesla",          8,   0,   0,       2.0,   8,  2,  8,   0,  16,    0,   0,   0, 420, 38,   0,  0,      0, 0,   0,  0},
    {"1.3",     "Tesla",          8,   1,   0,       2.0,   8,  2,  8,   0,  16,    0,   0,   0, 450, 38,   0,  0,      0, 0,   0,  0},
    {"2.0",     "Fermi",         32,  16,   0,      16.0,  32,  4, 16,  64,  16,    0,  80, 240, 560, 50,  16,  0,      0, 0,   0,  0},
    {"2.1",     "Fermi",         48,   4,   0,      16.0,  48,  8, 16,  64,  16,    0,  80, 240, 560, 50,  16,  0,      0, 0,   0,  0},
    {"3.0",     "Kepler",       192,   8,   0,      32.0, 160, 32, 32,   0,  32,    0,   0, 200, 330, 47,   0,  0,      0, 0,   0,  0},
    {"3.5",     "Kepler",       192,  64,   0,      32.0, 160, 32, 32,   0,  32,    0,   0, 200, 330, 47,   0,  0,      0, 0,   0,  0},
    {"3.7",     "Kepler",       192,  64,   0,      32.0, 160, 32, 32,   0,  32,    0,   0, 200, 330, 47,   0,  0,      0, 0,   0,  0},
    {"5.0",     "Maxwell",      128,   4,   0, 128.0 / 3, 128, 32, 32,   0,  64,    0,   0, 210, 370, 24,   0,  0,      0, 0,   0,  0},
    {"5.2",     "Maxwell",      128,   4,   0, 128.0 / 3, 128, 32, 32,   0,  64,    0,   0, 215, 370, 28,   0,  0,      0, 0,   0,  0},
    {"5.3",     "Maxwell",      128,   4, 256, 128.0 / 3, 128, 32, 32,   0,  64,    0,   0, 210, 370, 24,   0,  0,      0, 0,   0,  0},
    {"6.0",     "Pascal",        64,  32, 128,  64.0 / 3,  64, 16, 32,  64,  16,    0,  82, 250, 500, 26,  24,  0,      0, 0,   0,  0},
    {"6.1",     "Pascal",       128,   4,   2, 128.0 / 3, 128, 32, 32,   0, 128,    0,   0, 218, 480, 26,   0,  0,      0, 0,   0,  0},
    {"6.2",     "Pascal",       128,   4, 256, 128.0 / 3, 128, 32, 32,   0, 128,    0,   0, 218, 480, 26,   0,  0,      0, 0,   0,  0},
    {"7.0",     "Volta",         64,  32, 128,      64.0,  64, 16, 32, 128,  16,  512,  28, 203, 430, 20, 128,  0,      0, 0,   0,  0},
    {"7.2",     "Volta",         64,   2, 128,      64.0,  64, 16, 32, 128,  16,  512,  28, 203, 430, 20, 128,  0,      0, 0,   0,  0},
    // Turing: half of what GA10x moves to and from shared memory (GA102 whitepaper: 64 and 128 bytes per clock).
    {"7.5",     "Turing",        64,   2, 128,      64.0,  64, 16, 16,  64, 128,  512,  32, 220, 480, 22,  64,  0,      0, 0,   0,  0},
    {"8.0",     "Ampere",        64,  32, 256,      64.0,  64, 16, 32, 128,  32, 1024,  33, 205, 520, 23, 192,  0,      0, 0,   0,  0},
    {"8.6",     "Ampere",       128,   2, 128,      64.0,  64, 16, 32,  64, 128,  512,  33, 250, 547, 24, 128,  0,      0, 0,   0,  0},
    {"8.7",     "Ampere",       128,   2, 256,      64.0,  64, 16, 32,  64, 128, 1024,  33, 250, 600, 24, 192,  0,      0, 0,   0,  0},
    {"8.9",     "Ada Lovelace", 128,   2, 128,      64.0,  64, 16, 32,  64, 192,  512,  34, 273, 620, 24, 128,  0,      0, 0,   0,  0},
    {"9.0",     "Hopper",       128,  64, 256,      64.0,  64, 16, 32, 128,  32, 2048,  32, 275, 650, 29, 256,  0,      0, 0,   0,  0},
    {"10.0",    "Blackwell",    128,  64, 128,      64.0,  64, 16, 32, 128,  32, 4096,  38, 300, 750, 29, 256,  0,      0, 0,   0,  0},
    {"10.3",    "Blackwell",    128,   2, 128,      64.0,  64, 16, 32, 128,  32, 4096,  38, 300, 750, 29, 256,  0,      0, 0,   0,  0},
    {"12.",     "Blackwell",    128,   2, 128,      64.0, 128, 16, 32,  64, 192,  512,  36, 290, 650, 28, 128,  0,      0, 0,   0,  0},
    // AMD: a compute unit holds waves of 64 on 4 vector units (GCN, CDNA), of 32 on 2 (RDNA). L2 latencies of gfx908 and
    // later are measured; those before are taken from them.
    {"gfx6",    "GCN 1",         64,   4,   0,      12.8,  64, 16, 32,  64,  64,    0, 116, 190, 350, 64,  16, 40,  65536, 4,  64, 32},
    {"gfx701",  "GCN 2",         64,   8,   0,      21.3,  64, 16, 32,  64,  64,    0, 116, 190, 350, 64,  16, 40,  65536, 4,  64, 32},
    {"gfx7",    "GCN 2",         64,   4,   0,      12.8,  64, 16, 32,  64,  64,    0, 116, 190, 350, 64,  16, 40,  65536, 4,  64, 32},
    {"gfx8",    "GCN 3",         64,   4,  64,      12.8,  64, 16, 32,  64, 128,    0, 116, 220, 400, 64,  16, 40,  65536, 4,  64, 32},
    {"gfx803",  "GCN 4",         64,   4,  64,      12.8,  64, 16, 32,  64, 128,    0, 116, 220, 400, 64,  16, 40,  65536, 4,  64, 32},
    {"gfx900",  "GCN 5",         64,   4, 128,      12.8,  64, 16, 32,  64,  16,    0, 116, 240, 500, 64,  16, 40,  65536, 4,  64, 64},
    {"gfx906",  "GCN 5.1",       64,  32, 128,      20.5,  64, 16, 32,  64,  16,    0, 116, 250, 530, 64,  16, 40,  65536, 4,  64, 64},
    {"gfx908",  "CDNA 1",        64,  32, 128,      20.5,  64, 16, 32,  64,  16,  512, 134, 264, 550, 64,  16, 40, 131072, 4,  64, 64},
    {"gfx90a",  "CDNA 2",        64,  64, 128,      29.1,  64, 16, 32,  64,  32,  512, 129, 252, 588, 64,  16, 32, 131072, 4,  64, 64},
    {"gfx942",  "CDNA 3",       128,  64, 128,      37.0,  64, 16, 32,  64,  64, 1024, 118, 214, 840, 64,  32, 32, 131072, 4,  64, 64},
    {"gfx950",  "CDNA 4",       128,  64, 128,      37.0,  64, 16, 32,  64,  64, 2048, 118, 214, 840, 64,  32, 32, 131072, 4, 160, 160},
    {"gfx101",  "RDNA 1",        64,   4, 128,      12.8,  64, 16, 32, 128, 256,    0,  80, 200, 400, 60,  16, 64,  65536, 2, 128, 64},
    {"gfx103",  "RDNA 2",        64,   4, 128,      12.8,  64, 16, 32, 128, 256,    0,  73, 221, 412, 60,  16, 64,  65536, 2, 128, 64},
    {"gfx110",  "RDNA 3",       128,   2, 256,      12.8,  64, 16, 32, 128, 256,  256,  73, 221, 500, 60,  32, 64,  98304, 2, 128, 64},
    {"gfx120",  "RDNA 4",       128,   2, 256,      12.8,  64, 16, 32, 128, 256,  512,  73, 221, 500, 60,  32, 64,  98304, 2, 128, 64},
    // Intel: an Xe core; threads count as warps.
    {"xe-hpg",  "Xe-HPG",       128,   0, 256,      16.0,  64, 32, 32, 128, 128, 1024, 120, 250, 700, 60, 192, 64, 131072, 8, 128, 64},
    {"xe2-hpg", "Xe2-HPG",      128,   8, 256,      16.0,  64, 32, 32, 128, 128, 1024, 120, 250, 700, 60, 256, 64, 131072, 8, 128, 64},
    {"xe-hpc",  "Xe-HPC",       128, 128, 256,      32.0, 128, 32, 64, 512,  32, 2048,  60, 350, 800, 60, 512, 64, 131072, 8, 128, 64},
});
// clang-format on

constexpr std::string_view guide = "CUDA C Programming Guide";
constexpr std::string_view guide_quoted = "CUDA C Programming Guide, quoted, not read";
// 32-bit VOP2 and VOPC instructions, among them V_XOR, V_LSHRREV, V_MIN, V_BCNT and comparisons, take 4 cycles of a
// unit of 16 lanes, which there are four of.
constexpr std::string_view clrx = "a wave of 64 in 4 cycles of each vector unit: CLRX, GCN ISA Instruction Timings";
// llvm-mca of LLVM 15 for gfx908 to gfx1100: v_bfi, v_lshrrev, v_min, v_cmp and v_bcnt like additions, none slower.
constexpr std::string_view llvm = "like additions in LLVM 15's scheduling model";
// One port of a vector engine does all integer work (Intel, Introduction to the Xe-HPG Architecture).
constexpr std::string_view port = "by the port that adds, a guess";

constexpr auto integer_table = std::to_array<IntegerRates>({
    {"1.", 8, 8, 8, 0, guide_quoted, 0.1},      {"2.0", 32, 16, 32, 16, guide, 0.1},
    {"2.1", 48, 16, 48, 16, guide, 0.1},        {"3.0", 160, 32, 160, 32, guide, 0.1},
    {"3.5", 160, 64, 160, 32, guide, 0.1},      {"3.7", 160, 64, 160, 32, guide, 0.1},
    {"5.", 128, 64, 64, 32, guide, 0.1},        {"6.0", 64, 32, 32, 16, guide, 0.1},
    {"6.", 128, 64, 64, 32, guide, 0.1},        {"7.", 64, 64, 64, 16, guide, 0.1},
    {"8.", 64, 64, 64, 16, guide_quoted, 0.1},  {"9.0", 64, 64, 64, 16, guide_quoted, 0.1},
    {"10.", 64, 64, 64, 16, guide_quoted, 0.1}, {"12.", 64, 64, 128, 16, guide, 0.1},
    {"gfx", 64, 64, 64, 64, llvm, 0.2},         {"gfx6", 64, 64, 64, 64, clrx, 0.1},
    {"gfx7", 64, 64, 64, 64, clrx, 0.1},        {"gfx8", 64, 64, 64, 64, clrx, 0.1},
    {"gfx900", 64, 64, 64, 64, clrx, 0.1},      {"gfx906", 64, 64, 64, 64, clrx, 0.1},
    {"xe-hpg", 64, 64, 64, 0, port, 0.5},       {"xe2-hpg", 64, 64, 64, 0, port, 0.5},
    {"xe-hpc", 128, 128, 128, 0, port, 0.5},
});

// The entry of that name, else the longest that begins a family it belongs to.
template <class Table>
auto find_in(const Table& rows, std::string_view architecture) {
    const typename Table::value_type* best = nullptr;
    for (const auto& row : rows) {
        const bool exact = row.architecture == architecture;
        const bool family = (row.architecture.starts_with("gfx") || row.architecture.ends_with('.')) &&
                            architecture.starts_with(row.architecture);
        if ((exact || family) && (best == nullptr || row.architecture.size() > best->architecture.size())) best = &row;
    }
    return best == nullptr ? std::nullopt : std::optional(*best);
}

}  // namespace

std::optional<Rates> find_rates(std::string_view architecture) {
    return find_in(table, architecture);
}

std::optional<IntegerRates> find_integer_rates(std::string_view architecture) {
    return find_in(integer_table, architecture);
}

}  // namespace gpuproj
