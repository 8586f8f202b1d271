// What the engine takes the kernels of PTX files for, on GPUs of a compute capability (86 for 8.6): a line each of
// file, kernel, and the machine instructions of its text by class, each once, whatever is executed. Kernels that call
// functions are left out. tools/dev/static_costs.py compares them with ptxas' code. With "loops" for the compute
// capability: a line for each unrolled loop of file, kernel, the branch's line in the PTX, and the rounds that are put
// behind each other (tools/dev/unrolled_loops.py).
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "collector/simulate/engine/assembler/expansions.hpp"
#include "collector/simulate/engine/assembler/moves.hpp"
#include "collector/simulate/engine/program.hpp"

using namespace gpuproj::simulate;

namespace {

void print_loops(const char* file, const Code& code) {
    for (const UnrolledLoop& loop : code.unrolled)
        fmt::print("{}\t{}\t{}\t{}\n", file, code.name, code.instructions[loop.shared.back()].line, loop.rounds);
}

void print_costs(const char* file, const Program& program, const Code& code, int capability) {
    std::vector<double> text(program.costs.size());
    add_text(code, text);
    std::array<double, class_count> in_text{}, sum{};
    const auto add = [](auto& counts, const Mix& mix, double times) {
        for (std::size_t c = 0; c < class_count; ++c) counts[c] += times * static_cast<double>(mix[c]);
    };
    const auto mix_of = [&](std::uint32_t cost) -> const Mix& {
        return resolve(program.costs[cost], program.expansions[cost], capability);
    };
    for (std::uint32_t cost = 0; cost < text.size(); ++cost)
        add(in_text, text_of(program.costs[cost], mix_of(cost), capability), text[cost]);
    for (std::size_t at = 0; at < code.cost.size(); ++at) {
        if (code.slot_of[at] >= code.blocks.size()) continue;  // the slow way of the one behind it
        add(sum, mix_of(code.cost[at]), 1);
    }
    for (const BlockCost& more : code.block_costs) add(sum, mix_of(more.cost), static_cast<double>(more.times));
    spread_moves(sum, moves_to_multiplier(in_text));
    fmt::print("{}\t{}", file, code.name);
    for (const double count : sum) fmt::print("\t{}", count);
    fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        fmt::print(stderr, "usage: gpuproj_static_costs CAPABILITY|loops|registers FILE.ptx...\n");
        return 2;
    }
    const std::string_view what = argv[1];
    const bool loops = what == "loops", registers = what == "registers";
    const int capability = loops || registers ? 0 : std::stoi(argv[1]);
    for (int i = 2; i < argc; ++i) {
        std::ifstream file(argv[i]);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        DeviceMemory memory;
        try {
            const Module module(text, argv[i], memory);
            const Program& program = module.program();
            for (const Code& code : program.functions) {
                if (!code.defined || !code.entry || !code.unsupported.empty() || !code.calls.empty()) continue;
                if (loops)
                    print_loops(argv[i], code);
                else if (registers)
                    fmt::print("{}\t{}\t{}\n", argv[i], code.name, code.info.registers);
                else
                    print_costs(argv[i], program, code, capability);
            }
        } catch (const PtxError& error) {
            fmt::print(stderr, "{}: {}\n", argv[i], error.what());
        }
    }
    return 0;
}
