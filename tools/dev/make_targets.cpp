// make_targets DIRECTORY: writes one GPU file per row of targets/data/cards.csv. Run after a change of those tables or
// of targets/rates.cpp: build/make_targets targets
#include <cstdio>
#include <filesystem>

#include "model/error.hpp"
#include "model/file_io.hpp"
#include "targets/calibration.hpp"
#include "targets/card.hpp"
#include "targets/derive.hpp"
#include "targets/gpu_file.hpp"

int main(int argc, char** argv) {
    using namespace gpuproj;
    if (argc != 2) {
        std::fputs("usage: make_targets DIRECTORY\n", stderr);
        return 2;
    }
    try {
        const Calibration calibration = calibrate(known_cards(), known_values());
        for (const Card& card : known_cards()) {
            const Gpu gpu = describe(card, known_values(), calibration);
            write_file(std::filesystem::path(argv[1]) / gpu_file_name(gpu.name), gpu_file_text(gpu), true);
        }
        std::printf("%zu GPU files\n", known_cards().size());
        return 0;
    } catch (const Error& error) {
        std::fprintf(stderr, "make_targets: %s\n", error.what());
        return error.exit_code();
    }
}
