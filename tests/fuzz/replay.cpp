// The main of a fuzz target without libFuzzer: NAME_fuzz CORPUS [MUTATIONS [SEED]] runs every file of the corpus and
// MUTATIONS (3000) inputs made from them, always the same for one seed. An input that crashes or throws is written to
// ./NAME_fuzz.crash.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

// What the signal handler writes: set before every input.
const Input* current = nullptr;
std::string crash_file;

void save_current() {
    const int file = open(crash_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || current == nullptr) return;
    if (write(file, current->data(), current->size()) < 0) std::perror(crash_file.c_str());
    close(file);
}

extern "C" void on_signal(int signal) {
    save_current();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void run(const Input& input) {
    current = &input;
    try {
        LLVMFuzzerTestOneInput(input.data(), input.size());
    } catch (const std::exception& error) {
        save_current();
        std::fprintf(stderr, "uncaught: %s; the input is in %s\n", error.what(), crash_file.c_str());
        std::exit(1);
    }
    current = nullptr;
}

std::vector<Input> read_corpus(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Input> inputs;
    for (const auto& file : files) {
        std::ifstream stream(file, std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
    return inputs;
}

/// One to four edits: a bit flipped, a byte set to an extreme or to a digit, a piece removed, doubled, or taken from
/// another input, the end cut off.
Input mutate(Input input, const std::vector<Input>& corpus, std::mt19937_64& random) {
    constexpr std::uint8_t interesting[] = {0, 1, 0x7f, 0x80, 0xff, '0', '9', '-', '"', '{', '}', '\n', ';', ','};
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1)); };
    const auto at = [&](const Input& bytes, std::size_t i) { return bytes.begin() + static_cast<std::ptrdiff_t>(i); };
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
        if (input.empty()) input.push_back(0);
        const std::size_t i = below(input.size());
        const std::size_t length = below(std::min<std::size_t>(input.size() - i, 64)) + 1;
        switch (below(6)) {
            case 0:
                input[i] = static_cast<std::uint8_t>(input[i] ^ (1U << below(8)));
                break;
            case 1:
                input[i] = interesting[below(std::size(interesting))];
                break;
            case 2:
                input.erase(at(input, i), at(input, i + length));
                break;
            case 3: {
                const Input piece(at(input, i), at(input, i + length));
                input.insert(at(input, i), piece.begin(), piece.end());
                break;
            }
            case 4: {
                const Input& other = corpus[below(corpus.size())];
                if (other.empty()) break;
                const std::size_t from = below(other.size());
                const std::size_t taken = below(std::min<std::size_t>(other.size() - from, 64)) + 1;
                input.insert(at(input, i), at(other, from), at(other, from + taken));
                break;
            }
            default:
                input.resize(i);
                break;
        }
    }
    return input;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s CORPUS [MUTATIONS [SEED]]\n", argv[0]);
        return 2;
    }
    crash_file = std::filesystem::path(argv[0]).filename().string() + ".crash";
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL}) std::signal(signal, on_signal);

    const std::vector<Input> corpus = read_corpus(argv[1]);
    if (corpus.empty()) {
        std::fprintf(stderr, "%s holds no input\n", argv[1]);
        return 1;
    }
    for (const Input& input : corpus) run(input);

    const unsigned long mutations = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 3000;
    std::mt19937_64 random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
    for (unsigned long i = 0; i < mutations; ++i) run(mutate(corpus[random() % corpus.size()], corpus, random));
    std::printf("%zu inputs and %lu mutations\n", corpus.size(), mutations);
}
