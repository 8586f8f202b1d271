// Constant expressions of integers: PTX ISA, constant expressions. Types and precedence as there, which are C's.
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "collector/simulate/ptx/parser_parts.hpp"

namespace gpuproj::simulate::ptx {

namespace {

constexpr int deepest = 200;  // parentheses and signs within each other, which no program comes near

constexpr int of_sum = 9;

std::int64_t as_signed(std::uint64_t bits) {
    return static_cast<std::int64_t>(bits);
}

std::uint64_t shifted_right(std::uint64_t bits, std::uint64_t count, bool is_signed) {
    const bool ones = is_signed && as_signed(bits) < 0;
    if (count > 63) return ones ? ~std::uint64_t{0} : 0;
    const std::uint64_t shifted = bits >> count;
    return ones && count > 0 ? shifted | ~std::uint64_t{0} << (64 - count) : shifted;
}

}  // namespace

std::uint64_t Parser::constant() {
    return expression(0, 0).bits;
}

std::uint64_t Parser::term() {
    return expression(of_sum + 1, 0).bits;
}

const Parser::Operator* Parser::operator_here(int least) const {
    static constexpr std::array operators{
        // Those of two characters first.
        Operator{"||", 1}, Operator{"&&", 2}, Operator{"==", 6}, Operator{"!=", 6}, Operator{"<=", 7},
        Operator{">=", 7}, Operator{"<<", 8}, Operator{">>", 8}, Operator{"|", 3},  Operator{"^", 4},
        Operator{"&", 5},  Operator{"<", 7},  Operator{">", 7},  Operator{"+", 9},  Operator{"-", 9},
        Operator{"*", 10}, Operator{"/", 10}, Operator{"%", 10},
    };
    for (const Operator& known : operators) {
        const bool two = known.text.size() == 2;
        if (!at(known.text.substr(0, 1)) || (two && peek(1).text != known.text.substr(1))) continue;
        return known.precedence >= least ? &known : nullptr;
    }
    return nullptr;
}

Parser::Constant Parser::expression(int least, int depth) {
    Constant value = signed_constant(depth);
    for (const Operator* found = operator_here(least); found != nullptr; found = operator_here(least)) {
        for (std::size_t i = 0; i < found->text.size(); ++i) take();
        value = calculated(found->text, value, expression(found->precedence + 1, depth + 1));
    }
    if (least > 0 || !accept("?")) return value;
    const Constant first = expression(0, depth + 1);
    expect(":");
    const Constant second = expression(0, depth + 1);
    return {value.bits != 0 ? first.bits : second.bits, first.is_signed && second.is_signed};
}

Parser::Constant Parser::signed_constant(int depth) {
    if (depth > deepest) fail("a constant expression that is nested too deep");
    if (accept("+")) return signed_constant(depth + 1);
    if (accept("-")) {
        const Constant value = signed_constant(depth + 1);
        return {~value.bits + 1, value.is_signed};
    }
    if (accept("~")) {
        const Constant value = signed_constant(depth + 1);
        return {~value.bits, value.is_signed};
    }
    if (accept("!")) return {signed_constant(depth + 1).bits == 0 ? 1U : 0U, true};
    if (accept("(")) {
        if (at(".s64") || at(".u64")) {
            const bool is_signed = take().text == ".s64";
            expect(")");
            return {signed_constant(depth + 1).bits, is_signed};
        }
        const Constant value = expression(0, depth + 1);
        expect(")");
        return value;
    }
    if (peek().kind != TokenKind::integer) fail(fmt::format("expected a number, found '{}'", peek().text));
    const Token token = take();
    return {token.integer, !token.text.ends_with('U') && as_signed(token.integer) >= 0};
}

Parser::Constant Parser::calculated(std::string_view text, const Constant& a, const Constant& b) const {
    const bool is_signed = a.is_signed && b.is_signed;
    const auto truth = [](bool holds) { return Constant{holds ? 1U : 0U, true}; };
    const auto less = [&](const Constant& x, const Constant& y) {
        return is_signed ? as_signed(x.bits) < as_signed(y.bits) : x.bits < y.bits;
    };
    if (text == "||") return truth(a.bits != 0 || b.bits != 0);
    if (text == "&&") return truth(a.bits != 0 && b.bits != 0);
    if (text == "==") return truth(a.bits == b.bits);
    if (text == "!=") return truth(a.bits != b.bits);
    if (text == "<") return truth(less(a, b));
    if (text == ">") return truth(less(b, a));
    if (text == "<=") return truth(!less(b, a));
    if (text == ">=") return truth(!less(a, b));
    if (text == "<<") return {b.bits > 63 ? 0 : a.bits << b.bits, a.is_signed};
    if (text == ">>") return {shifted_right(a.bits, b.bits, a.is_signed), a.is_signed};
    if (text == "|") return {a.bits | b.bits, is_signed};
    if (text == "^") return {a.bits ^ b.bits, is_signed};
    if (text == "&") return {a.bits & b.bits, is_signed};
    if (text == "+") return {a.bits + b.bits, is_signed};
    if (text == "-") return {a.bits - b.bits, is_signed};
    if (text == "*") return {a.bits * b.bits, is_signed};
    if (b.bits == 0) fail("a division by zero in a constant expression");
    const bool quotient = text == "/";
    if (!is_signed) return {quotient ? a.bits / b.bits : a.bits % b.bits, false};
    // The one quotient that has no number, which wraps.
    if (as_signed(b.bits) == -1) return {quotient ? ~a.bits + 1 : 0, true};
    return {static_cast<std::uint64_t>(quotient ? as_signed(a.bits) / as_signed(b.bits)
                                                : as_signed(a.bits) % as_signed(b.bits)),
            true};
}

}  // namespace gpuproj::simulate::ptx
