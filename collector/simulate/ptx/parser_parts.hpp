// The parser of PTX, taken apart by what it parses: modules in parser.cpp, variables, functions and instructions in the
// files named after them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/simulate/ptx/ast.hpp"
#include "collector/simulate/ptx/token_stream.hpp"

namespace gpuproj::simulate::ptx {

/// Fills a module in from its text.
class Parser : TokenStream {
public:
    explicit Parser(ParsedModule& module) : TokenStream(module.text), module_(module) {}

    void run();

private:
    /// What a name means inside a function body; innermost scope first.
    struct Symbol {
        bool is_register = false;
        std::uint32_t index = 0;  // of Function::registers or Function::variables
        std::uint32_t element_bytes = 0;
        std::uint32_t registers = 1;   // of a vector, one after the other
        std::string_view in_module{};  // of global and constant memory: the name that the module has for it
    };

    /// ".reg .b32 %r<5>" declares %r0 to %r4 without naming them one by one.
    struct RegisterRange {
        std::string_view prefix;
        std::uint32_t count = 0, first = 0;
    };

    /// A parameter or result that is registers, one after the other.
    struct Passed {
        std::string_view name;
        Type type = Type::none;
        std::uint32_t count = 1;
        std::uint32_t first = 0;
    };

    struct Scope {
        std::unordered_map<std::string_view, Symbol> names;
        std::vector<RegisterRange> ranges;
    };

    // Module scope.
    void statement();
    void version();
    void target();
    void file();
    void section();

    // Variables.
    static Space space_of(std::string_view name);
    /// ".global .align 4 .b8 name[16] = {...}, other;" with the final semicolon.
    std::vector<Variable> variable_list(bool external);
    /// The N of "name<N>".
    std::uint32_t several();
    /// name0, name1 ... for "name<count>", else the variable itself.
    static void add_numbered(std::vector<Variable>& list, Variable&& variable, std::uint32_t count);
    void declarator(Variable& variable, std::uint32_t element_bytes);
    void initializer(Variable& variable, std::uint32_t element_bytes);
    void initializer_value(Variable& variable, std::uint32_t element_bytes, std::vector<std::byte>& data);
    /// "symbol", "symbol+4", "generic(symbol)+4" as an initial value; or, behind "0xFF00(", what has part of it.
    void reference(Variable& variable, std::uint64_t offset, std::uint32_t bytes,
                   std::uint64_t mask = ~std::uint64_t{0});
    /// Those of them that are registers are told as well.
    void parameter_list(std::vector<Variable>& list, std::vector<Passed>& passed);

    // Functions.
    void function(bool external);
    /// Whether something else of the module begins here, behind a function that is only declared.
    bool begins_statement() const;
    void tuning(Function& function);
    void body();
    /// Labels of a block are known in it alone: others may have the same names elsewhere. Those from these places on
    /// get names that no label in the text has, and so does what goes to them.
    void keep_labels_apart(std::size_t first_label, std::size_t first_instruction, std::size_t first_table);
    void pragma();
    void body_directive();
    void declare_variable(Variable&& variable);
    /// Of global or constant memory: it is there once, for all threads and launches.
    void declare_in_module(Variable&& variable);
    void registers();
    /// ".reg .v2 .u32 %r": registers %r.x and %r.y, and %r for both.
    void declare_vector(std::string_view name, Type type, std::uint32_t count);
    void label();

    // Registers that are passed to functions, and given back.
    void append(const Instruction& like, std::string_view opcode, std::vector<Operand>&& operands);
    std::uint32_t made_register(Type type);
    /// Between a register, or a constant, and a place of a parameter variable; under the guard of `like`.
    void load_passed(const Instruction& like, std::uint32_t reg, const Operand& place);
    void store_passed(const Instruction& like, const Operand& value, std::uint32_t bytes, const Operand& place);
    /// The function's parameters and results that are registers.
    void declare_passed();
    void store_results(const Instruction& before);
    /// Of a function that ends without a return.
    void end_with_results();
    Operand made_parameter(std::uint32_t bytes, std::uint32_t align);
    /// Of what a call has in a list, each element of a vector; 0: it is a parameter variable, or its size is not known.
    std::uint32_t bytes_passed(const Operand& element, std::string_view callee, std::size_t number) const;
    void call_with_registers(Instruction call);

    // Constant expressions of integers.
    struct Constant {
        std::uint64_t bits = 0;
        bool is_signed = true;
    };
    std::uint64_t constant();
    /// What stands between the sums of an address.
    std::uint64_t term();
    /// Of operators that bind as `least` does, or more.
    Constant expression(int least, int depth);
    Constant signed_constant(int depth);
    struct Operator {
        std::string_view text;
        int precedence;  // the higher, the more it binds
    };
    /// The operator that comes next; null: none, or one that binds less.
    const Operator* operator_here(int least) const;
    Constant calculated(std::string_view text, const Constant& a, const Constant& b) const;
    /// Whether a constant of integers begins here, and not a list in parentheses.
    bool begins_constant() const;

    // Instructions.
    const Symbol* lookup(std::string_view name);
    void instruction();
    /// "mov.v2.u32 %a, %b": a move for each element.
    void moves_of_vectors(const Instruction& whole);
    /// "mov .u32": blanks between the parts of an opcode are allowed.
    std::string_view spaced_opcode(std::string_view root);
    Operand operand_or_pair();
    Operand operand();
    /// "name+8", in bytes, and "name[2]", in elements: PTX ISA, arrays as operands.
    void variable_offset(Operand& operand);
    void name_operand(Operand& operand, std::string_view name);
    /// GCC's parameters have names like registers'.
    bool is_parameter(std::string_view name) const;
    /// "%r1.b2" and "%r1.h0": the symbol stays as written; nullptr if it is nothing of the kind.
    const Symbol* part_of_register(std::string_view name);
    Operand list(OperandKind kind, std::string_view close);
    Operand address();

    ParsedModule& module_;
    Function* function_ = nullptr;
    std::vector<Scope> scopes_;
    std::vector<Passed> parameters_passed_, results_passed_;
    SourceLine source_;
    bool lists_ = false;               // the instruction has operands in parentheses: a call
    std::uint32_t element_bytes_ = 0;  // of the variables declared last
    std::map<std::string, std::uint32_t, std::less<>> module_elements_;
};

}  // namespace gpuproj::simulate::ptx
