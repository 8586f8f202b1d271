// A scalar interpreter of straight-line PTX, one thread at a time, written from the PTX ISA and sharing nothing with
// the engine: integers are computed in 128 bits and cut off, halves in double. What the two disagree on is a bug in
// one.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/ptx_runner.hpp"

namespace gpuproj::test {

/// Registers by name: %h (16 bits), %r (32), %q (64), %p (predicates). Untyped, as PTX allows.
struct ReferenceThread {
    std::array<u64, 16> h{}, r{}, q{}, p{};
    bool carry = false;
    std::vector<std::byte> memory;  // what [%base + offset] is
};

/// Lines such as "@!%p1 add.u32 %r1, %r2, 5;", one instruction each. Throws std::runtime_error for what it lacks.
class Reference {
public:
    explicit Reference(const std::vector<std::string>& lines);
    void run(ReferenceThread& thread) const;

    struct Operand {
        char kind = 0;  // register class, 'i' immediate, 'm' memory, '_' none
        u64 value = 0;  // index, bits or offset
    };
    struct Instruction {
        std::string text, root;
        std::vector<std::string> modifiers, types;
        std::vector<std::vector<Operand>> operands;  // each with its vector elements
        int guard = -1;
        bool guard_negated = false;
        bool has(std::string_view modifier) const;
    };

private:
    std::vector<Instruction> instructions_;
};

}  // namespace gpuproj::test
