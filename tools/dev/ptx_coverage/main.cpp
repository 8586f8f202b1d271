// Says which functions of PTX files the engine refuses, and why: one line each, "file<TAB>function<TAB>reason", and how
// many there are. tools/dev/ptx_coverage.py makes the files.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>

#include "collector/simulate/engine/program.hpp"

using namespace gpuproj::simulate;

int main(int argc, char** argv) {
    int functions = 0, refused = 0;
    for (int i = 1; i < argc; ++i) {
        std::ifstream file(argv[i]);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        DeviceMemory memory;
        try {
            const Module module(text, argv[i], memory);
            for (const Code& code : module.program().functions) {
                functions += code.defined ? 1 : 0;
                if (code.unsupported.empty()) continue;
                refused += 1;
                fmt::print("{}\t{}\t{}\n", argv[i], code.name, code.unsupported);
            }
        } catch (const PtxError& error) {
            refused += 1;
            fmt::print("{}\tall of it\t{}\n", argv[i], error.what());
        }
    }
    fmt::print("{} functions, {} refused\n", functions, refused);
    return refused == 0 ? 0 : 1;
}
