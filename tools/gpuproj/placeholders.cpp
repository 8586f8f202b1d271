#include "tools/gpuproj/placeholders.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "model/error.hpp"

namespace gpuproj {

namespace {

std::string host_name() {
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
    return name.data();
}

std::string variable(const std::string& name, std::string_view text) {
    const char* value = std::getenv(name.c_str());
    if (value != nullptr) return value;
    throw UsageError(
        fmt::format("{}: ${} is not set; under mpirun it is if mpirun starts gpuproj: mpirun gpuproj ...", text, name));
}

}  // namespace

std::string fill_placeholders(std::string_view text) {
    std::string filled;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            filled += text[i];
            continue;
        }
        const auto rest = text.substr(i + 1);
        if (rest.starts_with("q{") && rest.find('}') != std::string_view::npos) {
            const auto end = rest.find('}');
            filled += variable(std::string(rest.substr(2, end - 2)), text);
            i += end + 1;
        } else if (rest.starts_with('p') || rest.starts_with('h') || rest.starts_with('%')) {
            filled += rest[0] == 'p' ? std::to_string(getpid()) : rest[0] == 'h' ? host_name() : "%";
            ++i;
        } else {
            throw UsageError(fmt::format("{}: after % comes p (process), h (host), q{{VARIABLE}} or %", text));
        }
    }
    return filled;
}

}  // namespace gpuproj
