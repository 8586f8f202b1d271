#include "collector/simulate/engine/expansions.hpp"

#include <map>
#include <string>

namespace gpuproj::simulate {

Mix one(std::initializer_list<Class> classes) {
    Mix mix{};
    mix[static_cast<std::size_t>(Class::total)] = 1;
    for (const Class c : classes) mix[static_cast<std::size_t>(c)] += 1;
    return mix;
}

Mix operator+(const Mix& a, const Mix& b) {
    Mix sum = a;
    for (std::size_t i = 0; i < class_count; ++i) sum[i] += b[i];
    return sum;
}

Mix operator*(float k, const Mix& mix) {
    Mix product = mix;
    for (float& value : product) value *= k;
    return product;
}

namespace {

using enum Class;

std::map<std::string, Mix, std::less<>> make_table() {
    const Mix fma32 = one({fp32, fp32_fma}), op32 = one({fp32}), fma64 = one({fp64, fp64_fma}), op64 = one({fp64});
    const Mix mufu = one({special}), iadd = one({integer, integer_add}), imul = one({integer, integer_multiply});
    const Mix shift = one({integer, integer_shift}), compare = one({integer, integer_compare}),
              convert = one({conversion});
    const Mix logic = one({integer, integer_logic}), branch_ = one({control, branch});
    std::map<std::string, Mix, std::less<>> table;
    // The fast path of each sequence. A call of the slow path happens only for unusual operands.
    // Newton-Raphson in fp32: reciprocal (MUFU) refined by multiply-adds, exponent check with a branch.
    table["rcp.rn.f32"] = mufu + 2 * fma32 + iadd + compare + branch_;
    table["div.rn.f32"] = mufu + 6 * fma32 + op32 + 2 * iadd + branch_;
    table["sqrt.rn.f32"] = mufu + 3 * fma32 + 2 * op32 + 2 * iadd + compare + branch_;
    table["div.full.f32"] = mufu + 3 * op32 + one({fp32});
    table["div.approx.f32"] = mufu + op32;
    table["rcp.approx.f32"] = mufu;
    table["sqrt.approx.f32"] = mufu + op32;
    table["rsqrt.approx.f32"] = mufu;
    table["sin.approx.f32"] = mufu + op32;
    table["cos.approx.f32"] = mufu + op32;
    table["lg2.approx.f32"] = mufu;
    table["ex2.approx.f32"] = mufu;
    table["tanh.approx.f32"] = mufu;
    table["rcp.rn.f64"] = mufu + 5 * fma64 + 2 * iadd + compare + branch_;
    table["div.rn.f64"] = mufu + 8 * fma64 + op64 + 2 * iadd + 2 * compare + branch_;
    table["sqrt.rn.f64"] = mufu + 6 * fma64 + 2 * op64 + 2 * iadd + compare + branch_;
    // Integer division by way of a reciprocal in fp32.
    table["div.u32"] = mufu + 2 * convert + 3 * imul + 4 * iadd + 2 * compare + logic;
    table["div.s32"] = mufu + 2 * convert + 3 * imul + 6 * iadd + 3 * compare + 3 * logic;
    table["rem.u32"] = mufu + 2 * convert + 3 * imul + 4 * iadd + 2 * compare + logic;
    table["rem.s32"] = mufu + 2 * convert + 3 * imul + 6 * iadd + 3 * compare + 2 * logic;
    const Mix divide64 = mufu + 2 * convert + 20 * imul + 24 * iadd + 6 * compare + 4 * logic + 2 * branch_;
    for (const char* key : {"div.u64", "div.s64", "rem.u64", "rem.s64"}) table[key] = divide64;
    // 64-bit integers on 32-bit units.
    for (const char* t : {"s64", "u64", "b64"}) {
        const std::string type(t);
        table["add." + type] = 2 * iadd;
        table["sub." + type] = 2 * iadd;
        table["neg." + type] = 2 * iadd;
        table["mul.lo." + type] = 3 * imul;
        table["mad.lo." + type] = 3 * imul + iadd;
        table["mul.hi." + type] = 4 * imul + 3 * iadd;
        table["shl." + type] = 2 * shift;
        table["shr." + type] = 2 * shift;
        table["and." + type] = 2 * logic;
        table["or." + type] = 2 * logic;
        table["xor." + type] = 2 * logic;
        table["not." + type] = 2 * logic;
        table["setp." + type] = 2 * compare;
        table["min." + type] = 2 * compare + 2 * one({misc});
        table["max." + type] = 2 * compare + 2 * one({misc});
        table["selp." + type] = 2 * one({misc});
        table["popc." + type] = 2 * logic + iadd;
    }
    table["selp.f64"] = 2 * one({misc});
    return table;
}

}  // namespace

const Mix* find_expansion(std::string_view key) {
    static const auto table = make_table();
    const auto found = table.find(key);
    return found == table.end() ? nullptr : &found->second;
}

}  // namespace gpuproj::simulate
