// A parsed PTX module: names resolved to registers and variables, instructions still as written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuproj::simulate::ptx {

/// The fundamental types. b8..b128 are untyped bits.
enum class Type : std::uint8_t {
    none,
    pred,
    b8,
    b16,
    b32,
    b64,
    b128,
    u8,
    u16,
    u32,
    u64,
    s8,
    s16,
    s32,
    s64,
    f16,
    f16x2,
    bf16,
    bf16x2,
    tf32,
    f32,
    f64,
    u16x2,
    s16x2,
    f32x2,
    e4m3,  // 8 bits and fewer: sign, exponent, mantissa; two of them where x2
    e5m2,
    e2m3,
    e3m2,
    e2m1,
    e4m3x2,
    e5m2x2,
    e2m3x2,
    e3m2x2,
    e2m1x2,
    ue8m0x2,  // powers of two, without a sign
    s4,
    u4,
    b1
};
std::uint32_t size_of(Type type);    // bytes; pred: 0, less than a byte: 1
std::uint32_t bit_count(Type type);  // 4 and 1 for s4, u4 and b1, else 8 size_of
bool is_signed(Type type);
bool is_float(Type type);
std::string_view name_of(Type type);  // without a dot
/// ".f32" or "f32" to Type; none if it is not one.
Type parse_type(std::string_view name);

enum class Space : std::uint8_t { none, reg, global, shared, local, constant, param, generic };

/// A variable of any state space but registers.
struct Variable {
    std::string name;
    Space space = Space::global;
    std::uint32_t align = 1;
    std::uint64_t bytes = 0;
    bool external = false;           // declared here, defined elsewhere; or dynamic shared memory ([])
    std::vector<std::byte> initial;  // empty: zeros
    struct Reference {               // initialisers that are addresses
        std::uint64_t offset = 0;
        std::string symbol;
        std::int64_t addend = 0;
        std::uint64_t mask = ~std::uint64_t{0};  // of the address, the bits that are meant, as a number
        std::uint32_t bytes = 8;                 // that they fill
    };
    std::vector<Reference> references;
};

/// A virtual register of a function.
struct Register {
    Type type = Type::b32;
};

enum class OperandKind : std::uint8_t {
    reg,
    special,
    integer,
    floating,
    variable,
    label,
    address,
    vector,
    sink,
    function,
    list
};

/// One operand. Which fields hold depends on `kind`.
struct Operand {
    OperandKind kind = OperandKind::sink;
    bool negated = false;   // !%p
    bool minus = false;     // -%r, of video instructions
    std::uint32_t reg = 0;  // reg; address: base register if `has_base`
    bool has_base = false;
    std::int64_t offset = 0;        // address
    std::uint64_t bits = 0;         // integer: value; floating: bits of the double
    std::string_view symbol;        // special, variable, label, function; address: base symbol
    std::int32_t variable = -1;     // index of a function-scope variable, if the symbol is one
    std::vector<Operand> elements;  // vector, list; "p|q" is a vector of two marked `pair`
    bool pair = false;
};

/// A line of what the PTX was compiled from.
struct SourceLine {
    std::uint32_t file = 0;  // of ParsedModule::files
    std::uint32_t line = 0;  // 0: unknown
};

struct Instruction {
    std::string_view opcode;             // "ld.global.f32", as written
    std::optional<std::uint32_t> guard;  // predicate register
    bool guard_negated = false;
    std::vector<Operand> operands;
    std::uint32_t line = 0;  // in the PTX
    SourceLine source;       // by .loc
};

struct Label {
    std::string name;
    std::uint32_t instruction = 0;  // index of the instruction it stands before
};

struct BranchTargets {  // .branchtargets
    std::string name;
    std::vector<std::string> labels;
};

struct Function {
    std::string name;
    bool entry = false;
    bool declared_only = false;
    std::vector<Variable> parameters, results;
    std::vector<Variable> variables;  // shared, local, param (call sequences), static inside the body
    std::vector<Register> registers;
    std::vector<Instruction> instructions;
    std::vector<Label> labels;
    std::vector<BranchTargets> branch_targets;
    std::vector<std::uint32_t> not_unrolled;  // indices of instructions behind .pragma "nounroll"
    std::uint32_t max_threads = 0;            // .maxntid product, 0 if not given
    std::uint32_t required_threads = 0;
    std::uint32_t min_blocks = 0;            // .minnctapersm, 0 if not given
    std::uint32_t max_registers = 0;         // .maxnreg, 0 if not given
    std::array<std::uint32_t, 3> cluster{};  // .reqnctapercluster, zeros if not given
    std::uint32_t line = 0;
};

struct ParsedModule {
    std::string text;                    // owns what the views point into,
    std::deque<std::string> made_texts;  // and opcodes that are written with blanks, names of variables
    int version_major = 0, version_minor = 0;
    int target = 0;
    int address_bits = 64;
    std::vector<Variable> variables;
    std::vector<Function> functions;
    std::vector<std::string> files;  // .file table, by index
};

}  // namespace gpuproj::simulate::ptx
