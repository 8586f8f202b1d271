// printf in a kernel: the text is what the C library makes of the same formats, and the result is the number of
// arguments, as the CUDA C++ Programming Guide has it, and not that of characters as in C.
#include <unistd.h>

#include <string>

#include "verify.hpp"

#define LINES(print)                                                      \
    print("[%10s] [%-10s]\n", "ab", "ab");                                \
    print("[%.3s] [%-8.2s|]\n", "abcdef", "abcdef");                      \
    print("[%*s] [%-*d] [%*d]\n", 7, "xy", 8, 42, -8, 42);                \
    print("[%.*f] [%.*f]\n", 2, 3.14159, -1, 3.14159);                    \
    print("[%s]\n", static_cast<const char*>(nullptr));                   \
    print("[%p] [%20p]\n", address(0x1234), address(0x56));               \
    print("[%hhd] [%hd] [%hu] [%hhx]\n", 300, 70000, 70000, 0x1ff);       \
    print("[%lld] [%llx] [%zu]\n", -5LL, 0xdeadbeefcafeULL, sizeof(int)); \
    print("[%d] [%u] [%#x] [%c]\n", -1, 4000000000U, 255, 'c');           \
    print("[%600d] [%f] [%d%%]\n", 7, 1e308, 5);

namespace {

__host__ __device__ void* address(unsigned long long value) {
    return reinterpret_cast<void*>(value);
}

__global__ void print_lines(){LINES(printf)} __global__ void count(int* results, const char* format) {
    results[0] = printf("none, 100 %%\n");
    results[1] = printf("%d %f\n", 1, 2.0);
    results[2] = printf("%*s\n", 5, "x");
    results[3] = printf(format);
}

std::string expected() {
    std::string all;
    const auto print = [&all](const char* format, auto... arguments) {
        char line[2048];
        std::snprintf(line, sizeof line, format, arguments...);
        all += line;
    };
    LINES(print)
    return all;
}

// What the kernel prints: it goes to the standard output, which is a file meanwhile.
std::string printed() {
    std::fflush(stdout);
    std::FILE* const file = std::tmpfile();
    const int terminal = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    print_lines<<<1, 1>>>();
    const cudaError_t error = cudaDeviceSynchronize();
    std::fflush(stdout);
    dup2(terminal, STDOUT_FILENO);
    check(error);
    std::rewind(file);
    std::string all(8192, '\0');
    all.resize(std::fread(&all[0], 1, all.size(), file));
    std::fclose(file);
    return all;
}

}  // namespace

int main() {
    const std::string got = printed(), want = expected();
    bool right = holds(got == want, "text");
    if (!right) std::printf("printed:\n%sinstead of:\n%s", got.c_str(), want.c_str());
    Device<int> results(4);
    count<<<1, 1>>>(results, nullptr);
    return verdict(agree("results", results.host(), std::vector<int>{0, 2, 2, -1}) && right);
}
