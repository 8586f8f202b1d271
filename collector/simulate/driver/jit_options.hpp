// What callers of the compiler and linker ask to be told: CUjit_option and its values.
#pragma once

#include <chrono>
#include <exception>
#include <string_view>

namespace gpuproj::simulate::driver {

/// Of one call. Options of the compiler have nothing to act on here; messages have. The lists and what they point to
/// live as long as this.
class JitOptions {
public:
    JitOptions() = default;
    /// `values` has one for each of `count` keys; some point to what is given, others are overwritten.
    JitOptions(unsigned count, const int* keys, void** values);

    /// Writes as much of both messages as there is room for, with a zero behind, and how much that was.
    void tell(std::string_view info, std::string_view error, float milliseconds) const;

    /// Runs `body`, and tells how long it took, and what it threw, which goes on.
    template <class Body>
    auto told(Body&& body) const {
        const auto begin = std::chrono::steady_clock::now();
        const auto passed = [&] {
            return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - begin).count();
        };
        try {
            const auto code = body();
            tell({}, {}, passed());
            return code;
        } catch (const std::exception& error) {
            tell({}, error.what(), passed());
            throw;
        }
    }

private:
    struct Log {
        void** text = nullptr;   // places in `values`
        void** bytes = nullptr;  // in: the room, out: what was written
    };
    static void write(const Log& log, std::string_view message);

    Log info_, error_;
    void** wall_time_ = nullptr;
};

}  // namespace gpuproj::simulate::driver
