// Random straight-line kernels: the engine against the reference interpreter (tests/support/ptx_reference.hpp), bit for
// bit. GPUPROJ_RANDOM_KERNELS=N runs N of them instead of the usual few; kernel n is the same in every run. With
// GPUPROJ_RANDOM_TARGET=sm_90 they are others, which that GPU can execute, too.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "tests/support/ptx_record.hpp"
#include "tests/support/ptx_reference.hpp"

using namespace gpuproj::test;

namespace {

constexpr u32 threads = 52, memory_bytes = 256, lines_per_kernel = 60;
constexpr u32 h_count = 8, r_count = 12, q_count = 8, p_count = 6;

/// An opcode and its operands by class: h, r, q registers of 16, 32, 64 bits, p predicates, i a constant of 8 bits,
/// R and Q operands that may be a constant too, "h h" pairs in braces.
struct Form {
    std::string opcode, operands;
};

std::string target() {
    const char* asked = std::getenv("GPUPROJ_RANDOM_TARGET");
    return asked == nullptr ? "sm_100" : asked;
}
/// Is there a number of the second type that the first does not have? "u8.s16"
bool saturates(std::string_view types) {
    const auto dot = types.find('.');
    const auto to = types.substr(0, dot), from = types.substr(dot + 1);
    const int to_bits = std::stoi(std::string(to.substr(1))), from_bits = std::stoi(std::string(from.substr(1)));
    if (from[0] == 's') return to[0] == 'u' || from_bits > to_bits;
    return to[0] == 'u' ? from_bits > to_bits : from_bits >= to_bits;
}
bool needs_sm_100(const Form& form) {
    const std::string_view opcode = form.opcode;
    const auto has = [&](std::string_view part) { return opcode.find(part) != std::string_view::npos; };
    if (opcode.starts_with("setp") && opcode.ends_with("f16") && form.operands[0] == 'P') return true;
    if (opcode.starts_with("cvt.sat.") && !saturates(opcode.substr(8))) return true;  // ptxas refuses it
    return has("f32x2") || has("e2m3x2") || has("e3m2x2") || has("e2m1x2") ||
           ((opcode.starts_with("min") || opcode.starts_with("max")) && form.operands == "rrrr");
}

std::vector<Form> all_forms() {
    std::vector<Form> forms;
    const auto add = [&](std::string opcode, std::string operands) {
        forms.push_back({std::move(opcode), std::move(operands)});
    };
    struct Sized {
        const char *u, *s, *b;
        char reg, wide;
    };
    for (const auto& [u, s, b, x, wide] : {Sized{"u16", "s16", "b16", 'h', 'r'}, Sized{"u32", "s32", "b32", 'r', 'q'},
                                           Sized{"u64", "s64", "b64", 'q', 0}}) {
        const char y = x == 'h' ? 'h' : x == 'r' ? 'R' : 'Q';  // constants of 16 bits are rare
        const std::string xxx{x, x, y}, xx{x, x};
        for (const std::string type : {u, s}) {
            for (const char* root : {"add", "sub", "mul.lo", "mul.hi", "min", "max"}) add(root + ("." + type), xxx);
            for (const char* root : {"mad.lo", "mad.hi", "sad"}) add(root + ("." + type), xxx + x);
            if (wide != 0) {
                add("mul.wide." + type, {wide, x, y});
                add("mad.wide." + type, {wide, x, y, wide});
            }
            for (const char* root : {"div", "rem"}) add(root + ("." + type), xxx);
            add("shr." + type, {x, x, 'R'});
            for (const char* how : {"eq", "ne", "lt", "le", "gt", "ge"}) {
                add(fmt::format("setp.{}.{}", how, type), {'p', x, y});
                add(fmt::format("setp.{}.{}", how, type), {'P', x, y});
                add(fmt::format("setp.{}.{}.{}", how,
                                how[0] == 'l'   ? "and"
                                : how[0] == 'g' ? "or"
                                                : "xor",
                                type),
                    {'P', x, y, 'p'});
                add(fmt::format("set.{}.u32.{}", how, type), {'r', x, y});
                add(fmt::format("set.{}.f32.{}", how, type), {'r', x, y});
            }
        }
        add(std::string("abs.") + s, xx);
        add(std::string("neg.") + s, xx);
        for (const char* root : {"and", "or", "xor"}) add(root + std::string(".") + b, xxx);
        add(std::string("not.") + b, xx);
        add(std::string("cnot.") + b, xx);
        add(std::string("shl.") + b, {x, x, 'R'});
        add(std::string("selp.") + b, {x, x, y, 'p'});
        add(std::string("slct.") + b + ".s32", {x, x, x, 'r'});
        add(std::string("slct.") + b + ".f32", {x, x, x, 'r'});
        add(std::string("mov.") + b, {x, y});
        if (x == 'h') continue;
        for (const std::string type : {u, s}) {
            add("bfe." + type, {x, x, 'R', 'R'});
            add("bfind." + type, {'r', x});
            add("bfind.shiftamt." + type, {'r', x});
            for (const char* root : {"add.cc", "addc.cc", "addc", "sub.cc", "subc.cc", "subc"})
                add(root + ("." + type), xxx);
            for (const char* root : {"mad.lo.cc", "madc.lo.cc", "madc.hi.cc", "madc.hi"})
                add(root + ("." + type), xxx + x);
        }
        add(std::string("bfi.") + b, {x, x, x, 'R', 'R'});
        add(std::string("popc.") + b, {'r', x});
        add(std::string("clz.") + b, {'r', x});
        add(std::string("brev.") + b, xx);
    }
    add("add.sat.s32", "rrR");
    add("sub.sat.s32", "rrR");
    for (const char* type : {"u32.u32", "s32.s32", "u32.s32"}) add(std::string("dp4a.") + type, "rrrr");
    for (const char* how : {"l.wrap", "l.clamp", "r.wrap", "r.clamp"}) add(fmt::format("shf.{}.b32", how), "rrrR");
    add("prmt.b32", "rrrR");
    add("lop3.b32", "rrrri");
    for (const char* root : {"and", "or", "xor"}) add(root + std::string(".pred"), "ppp");
    add("not.pred", "pp");
    // Packing: B two of 16 bits, C two of 32.
    add("mov.b32", "rB");
    add("mov.b32", "Br");
    add("mov.b64", "qC");
    add("mov.b64", "Cq");
    // Floating point.
    for (const char* type : {"f32", "f64"}) {
        const bool single = type[1] == '3';
        const char x = single ? 'r' : 'q';
        for (const char* mode : {"rn", "rz", "rm", "rp"}) {
            for (const char* ftz : {"", ".ftz"}) {
                if (!single && *ftz != 0) continue;
                for (const char* sat : {"", ".sat"}) {
                    if (!single && *sat != 0) continue;
                    for (const char* root : {"add", "sub", "mul"})
                        add(fmt::format("{}.{}{}{}.{}", root, mode, ftz, sat, type), {x, x, x});
                    add(fmt::format("fma.{}{}{}.{}", mode, ftz, sat, type), {x, x, x, x});
                }
                add(fmt::format("div.{}{}.{}", mode, ftz, type), {x, x, x});
                add(fmt::format("sqrt.{}{}.{}", mode, ftz, type), {x, x});
                add(fmt::format("rcp.{}{}.{}", mode, ftz, type), {x, x});
            }
            for (const char* integer : {"u32", "s32"}) add(fmt::format("cvt.{}.{}.{}", mode, type, integer), {x, 'r'});
            for (const char* integer : {"u64", "s64"}) add(fmt::format("cvt.{}.{}.{}", mode, type, integer), {x, 'q'});
            for (const char* integer : {"u16", "s16"}) add(fmt::format("cvt.{}.{}.{}", mode, type, integer), {x, 'h'});
        }
        for (const char* root : {"min", "max"}) {
            add(fmt::format("{}.{}", root, type), {x, x, x});
            if (single) add(fmt::format("{}.ftz.f32", root), "rrr");
            if (single) add(fmt::format("{}.NaN.f32", root), "rrr");
        }
        for (const char* mode : {"rzi", "rni", "rmi", "rpi"}) {
            for (const char* integer : {"u32", "s32"}) add(fmt::format("cvt.{}.{}.{}", mode, integer, type), {'r', x});
            for (const char* integer : {"u64", "s64"}) add(fmt::format("cvt.{}.{}.{}", mode, integer, type), {'q', x});
            for (const char* integer : {"u16", "s16"}) add(fmt::format("cvt.{}.{}.{}", mode, integer, type), {'h', x});
        }
        add(fmt::format("copysign.{}", type), {x, x, x});
        for (const char* what : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})
            add(fmt::format("testp.{}.{}", what, type), {'p', x});
        for (const char* how :
             {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"}) {
            add(fmt::format("setp.{}.{}", how, type), {'P', x, x});
            if (single) add(fmt::format("setp.{}.ftz.f32", how), "prr");
            add(fmt::format("setp.{}.or.{}", how, type), {'p', x, x, 'p'});
            add(fmt::format("set.{}.u32.{}", how, type), {'r', x, x});
        }
    }
    for (const char* mode : {"rn", "rz", "rm", "rp"}) add(fmt::format("cvt.{}.f32.f64", mode), "rq");
    add("cvt.rn.sat.f32.f64", "rq");
    add("cvt.f64.f32", "qr");
    for (const std::string type : {"f16", "bf16"}) {
        const std::string pair = type + "x2";
        for (const char* root : {"add", "sub", "mul"}) {
            add(std::string(root) + ".rn." + type, "hhh");
            add(std::string(root) + ".rn." + pair, "rrr");
        }
        add("fma.rn." + type, "hhhh");
        add("fma.rn." + pair, "rrrr");
        for (const char* root : {"min", "max", "min.NaN", "max.NaN"}) {
            add(std::string(root) + "." + type, "hhh");
            add(std::string(root) + "." + pair, "rrr");
        }
        add("cvt.rn." + type + ".f32", "hr");
        add("cvt.f32." + type, "rh");
        for (const char* how : {"eq", "lt", "geu", "nan"}) add(fmt::format("setp.{}.{}", how, type), "Phh");
    }
    for (const char* mode : {".ftz", ".sat", ".ftz.sat"}) {
        add(fmt::format("add{}.f16", mode), "hhh");
        add(fmt::format("mul{}.f16x2", mode), "rrr");
        add(fmt::format("fma.rn{}.f16", mode), "hhhh");
    }
    for (const char* from : {"u16", "s16"}) add(fmt::format("cvt.rn.f16.{}", from), "hh");
    for (const char* from : {"u32", "s32"}) add(fmt::format("cvt.rn.f16.{}", from), "hr");
    // Pairs of single precision, and what newer machines have of minimum and maximum.
    for (const char* mode : {"rn", "rz", "rm", "rp", "rn.ftz"}) {
        for (const char* root : {"add", "sub", "mul"}) add(fmt::format("{}.{}.f32x2", root, mode), "qqq");
        add(fmt::format("fma.{}.f32x2", mode), "qqqq");
    }
    for (const char* root : {"min", "max"}) {
        for (const char* mode : {"", ".ftz", ".NaN", ".ftz.NaN"}) {
            add(fmt::format("{}{}.f32", root, mode), "rrrr");
            add(fmt::format("{}{}.xorsign.abs.f32", root, mode), "rrr");
        }
    }
    // 8 bits and fewer.
    for (const std::string small : {"e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2"}) {
        for (const char* relu : {"", ".relu"}) {
            add(fmt::format("cvt.rn.satfinite{}.{}.f32", relu, small), "hrr");
            add(fmt::format("cvt.rn{}.f16x2.{}", relu, small), "rh");
            if (small[1] >= '4') add(fmt::format("cvt.rn.satfinite{}.{}.f16x2", relu, small), "hr");
        }
    }
    for (const char* type : {"f16", "bf16"}) add(fmt::format("cvt.rn.satfinite.{}.f32", type), "hr");
    // Bytes and halves side by side.
    for (const char* parts : {"2", "4"}) {
        for (const char* types : {"u32.u32.u32", "s32.s32.s32", "s32.u32.s32", "u32.s32.u32"}) {
            for (const char* end : {"", ".sat", ".add"}) {
                for (const char* root : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"})
                    add(fmt::format("{}{}.{}{}", root, parts, types, end), "rrrr");
            }
            add(fmt::format("vavrg{}.{}", parts, types), "rrrr");
        }
        for (const char* how : {"eq", "ne", "lt", "le", "gt", "ge"}) {
            for (const char* types : {"u32.u32", "s32.s32"})
                add(fmt::format("vset{}.{}.{}", parts, types, how), "rrrr");
        }
    }
    // Integers to integers, from and to registers at least as wide.
    struct Place {
        const char* type;
        u32 bits;
    };
    const std::vector<Place> integers{{"u8", 8},   {"s8", 8},   {"u16", 16}, {"s16", 16},
                                      {"u32", 32}, {"s32", 32}, {"u64", 64}, {"s64", 64}};
    for (const auto& [to, to_bits] : integers) {
        for (const auto& [from, from_bits] : integers) {
            const char d = to_bits <= 16 ? 'h' : to_bits == 32 ? 'r' : 'q';
            const char a = from_bits <= 16 ? 'h' : from_bits == 32 ? 'r' : 'q';
            add(fmt::format("cvt.{}.{}", to, from), {d, a});
            add(fmt::format("cvt.sat.{}.{}", to, from), {d, a});
            if (d == 'h') add(fmt::format("cvt.{}.{}", to, from), {'r', a});
        }
    }
    for (const char* type : {"s2", "u2", "s4", "u4", "s8", "u8"})
        add(fmt::format("cvt.pack.sat.{}.s32.b32", type), "rrRr");
    for (const char* type : {"s16", "u16"}) add(fmt::format("cvt.pack.sat.{}.s32", type), "rrR");
    // Memory: m an address that fits the access; V and W two and four words.
    for (const char* type : {"u8", "s8", "u16", "s16", "b16"}) add(fmt::format("ld.global.{}", type), "hm");
    for (const char* type : {"u8", "s8", "u16", "s16", "u32", "s32", "b32", "f32"})
        add(fmt::format("ld.global.{}", type), "rm");
    for (const char* type : {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "b64", "f64"})
        add(fmt::format("ld.global.{}", type), "qm");
    for (const char* type : {"b8", "b16"}) add(fmt::format("st.global.{}", type), "mh");
    for (const char* type : {"u8", "u16", "b32"}) add(fmt::format("st.global.{}", type), "mr");
    for (const char* type : {"u8", "u16", "u32", "b64"}) add(fmt::format("st.global.{}", type), "mq");
    add("ld.global.v2.b32", "Cm");
    add("ld.global.v2.b16", "Bm");
    add("st.global.v2.b32", "mC");
    add("st.global.v2.b16", "mB");
    add("ld.global.v4.u32", "Wm");
    add("st.global.v4.f32", "mW");
    if (target() != "sm_100") std::erase_if(forms, needs_sm_100);
    return forms;
}

class Generator {
public:
    explicit Generator(u64 seed) : random_(seed) {}

    /// Instructions, each on a line of its own; first those that load the registers, last those that store them.
    std::vector<std::string> kernel() {
        static const std::vector<Form> forms = all_forms();
        lines_.clear();
        u32 offset = 0;
        const auto all = [&](const char* load_or_store) {
            offset = 0;
            const auto one = [&](const char* type, char reg, u32 i, u32 bytes) {
                const std::string at = fmt::format("[%base+{}]", offset), name = fmt::format("%{}{}", reg, i);
                lines_.push_back(load_or_store[0] == 'l' ? fmt::format("ld.global.{} {}, {};", type, name, at)
                                                         : fmt::format("st.global.{} {}, {};", type, at, name));
                offset += bytes;
            };
            for (u32 i = 0; i < q_count; ++i) one("b64", 'q', i, 8);
            for (u32 i = 0; i < r_count; ++i) one("b32", 'r', i, 4);
            for (u32 i = 0; i < h_count; ++i) one("b16", 'h', i, 2);
        };
        all("load");
        for (u32 i = 0; i < p_count; ++i) lines_.push_back(fmt::format("setp.lt.s32 %p{}, %r{}, 0;", i, i));
        lines_.emplace_back("add.cc.u32 %r0, %r0, %r1;");  // defines the carry
        for (u32 i = 0; i < lines_per_kernel; ++i) instruction(forms[below(forms.size())]);
        for (u32 i = 0; i < p_count; ++i)
            lines_.push_back(fmt::format("selp.b32 %r{}, %r{}, %r{}, %p{};", i, i, (i + 1) % r_count, i));
        all("store");
        return lines_;
    }
    u64 below(u64 limit) { return random_() % limit; }
    /// Bits that are often special in some type.
    u64 bits() {
        static constexpr std::array<u64, 18> special{0,
                                                     1,
                                                     ~u64{0},
                                                     0x8000000080000000,
                                                     0x7FFFFFFF7FFFFFFF,
                                                     0x3F8000003F800000,
                                                     0x7F8000007F800000,
                                                     0xFF800000FF800000,
                                                     0x7FF0000000000000,
                                                     0x3FF0000000000000,
                                                     0xBFF8000000000000,
                                                     0x0000000100000001,
                                                     0x007FFFFF007FFFFF,
                                                     0x3C003C003C003C00,
                                                     0x7BFF7BFF00010001,
                                                     0x4F0000004F000000,
                                                     0x8000000000000000,
                                                     0x41E0000000000000};
        switch (below(4)) {
            case 0:
                return special[below(special.size())];
            case 1:
                return random_() >> below(64);
            case 2:  // real numbers of usual size, two singles
                return (random_() & 0x81FFFFFF81FFFFFF) + 0x3E0000003E000000;
            default:
                return random_();
        }
    }

private:
    std::string reg(char kind) {
        const u64 count = kind == 'h' ? h_count : kind == 'r' ? r_count : kind == 'q' ? q_count : p_count;
        return fmt::format("%{}{}", kind, below(count));
    }
    /// Different registers, as destinations have to be.
    std::string group(char kind, u64 count, bool braces) {
        const u64 all = kind == 'h' ? h_count : kind == 'r' ? r_count : kind == 'q' ? q_count : p_count;
        const u64 first = below(all);
        std::string text;
        for (u64 i = 0; i < count; ++i)
            text += fmt::format("{}%{}{}", i == 0 ? "" : braces ? ", " : "|", kind, (first + i) % all);
        return braces ? "{" + text + "}" : text;
    }
    std::string operand(char kind, const std::string& opcode) {
        switch (kind) {
            case 'P':
                return group('p', 2, false);
            case 'B':
                return group('h', 2, true);
            case 'C':
                return group('r', 2, true);
            case 'W':
                return group('r', 4, true);
            case 'R':
                if (recording() && (opcode.starts_with("bfe") || opcode.starts_with("bfi")))
                    return below(3) == 0 ? std::to_string(below(256)) : reg('r');
                return below(3) == 0 ? std::to_string(below(2) == 0 ? below(70) : bits() & 0xFFFFFFFF) : reg('r');
            case 'Q':
                return below(3) == 0 ? std::to_string(bits() >> 1) : reg('q');
            case 'i':
                return std::to_string(below(256));
            case 'm': {
                u64 bytes = opcode.ends_with("64") ? 8 : opcode.ends_with("32") ? 4 : opcode.ends_with("16") ? 2 : 1;
                bytes *= opcode.find("v2") != std::string::npos ? 2 : opcode.find("v4") != std::string::npos ? 4 : 1;
                return fmt::format("[%base+{}]", below(memory_bytes / bytes) * bytes);
            }
            default:
                return reg(kind);
        }
    }
    void instruction(const Form& form) {
        std::string guard = below(5) == 0 ? fmt::format("@{}%p{} ", below(2) == 0 ? "!" : "", below(p_count)) : "";
        // ptxas 13.0 forgets the guards of some of these.
        if (recording() && (form.opcode.starts_with("testp") || form.opcode.starts_with("set."))) guard.clear();
        std::vector<std::string> operands;
        for (const char kind : form.operands) operands.push_back(operand(kind, form.opcode));
        const bool divides = form.opcode.starts_with("rem.") ||
                             (form.opcode.starts_with("div.") && form.opcode.find(".f") == std::string::npos);
        if (divides) {  // by zero is undefined
            const std::string_view width = std::string_view(form.opcode).substr(form.opcode.size() - 2);
            operands[2] = form.operands[1] == 'h' ? reg('h') : form.operands[1] == 'r' ? reg('r') : reg('q');
            lines_.push_back(fmt::format("or.b{} {}, {}, 1;", width, operands[2], operands[2]));
        }
        lines_.push_back(fmt::format("{}{} {};", guard, form.opcode, fmt::join(operands, ", ")));
        // Which NaN a double gets is the machine's choice.
        if (form.opcode.ends_with(".f64") && form.operands.front() == 'q') {
            lines_.push_back(fmt::format("testp.notanumber.f64 %p0, {};", operands[0]));
            lines_.push_back(fmt::format("@%p0 mov.b64 {}, 0x7FF8000000000000;", operands[0]));
        } else if (form.opcode == "cvt.f64.f32") {
            lines_.push_back(fmt::format("testp.notanumber.f64 %p0, {};", operands[0]));
            lines_.push_back(fmt::format("@%p0 mov.b64 {}, 0x7FF8000000000000;", operands[0]));
        }
    }

    std::mt19937_64 random_;
    std::vector<std::string> lines_;
};

/// Empty, or what differs when `lines` run on `initial` memory, by handlers or by machine code.
std::string difference(const std::vector<std::string>& lines, const std::vector<u64>& initial,
                       gpuproj::simulate::MachineCode machine_code) {
    PtxRunner runner("GTX 480", {}, machine_code);
    const auto memory = runner.allocate(initial);
    std::string body;
    for (const std::string& line : lines) body += line + "\n";
    const auto report = runner.run(module_text(fmt::format(R"(
.visible .entry k(.param .u64 memory_) {{
.reg .b16 %h<{}>; .reg .b32 %r<{}>, %tid; .reg .b64 %q<{}>, %base; .reg .pred %p<{}>;
ld.param.u64 %base, [memory_]; mov.u32 %tid, %tid.x; mad.wide.u32 %base, %tid, {}, %base;
{}
ret;
}}
)",
                                                           h_count, r_count, q_count, p_count, memory_bytes, body),
                                               target()),
                                   {.block = {threads, 1, 1}}, Arguments(memory.data()));
    if (report.fault) return report.fault->message;

    const Reference reference(lines);
    for (u32 i = 0; i < threads; ++i) {
        ReferenceThread thread;
        thread.memory.resize(memory_bytes);
        const auto* before = reinterpret_cast<const std::byte*>(initial.data()) + std::size_t{i} * memory_bytes;
        std::memcpy(thread.memory.data(), before, memory_bytes);
        reference.run(thread);
        const auto* got = reinterpret_cast<const std::byte*>(memory.data()) + std::size_t{i} * memory_bytes;
        for (u32 at = 0; at < memory_bytes; at += 8) {
            u64 is = 0, want = 0;
            std::memcpy(&is, got + at, 8);
            std::memcpy(&want, thread.memory.data() + at, 8);
            if (is != want)
                return fmt::format("thread {}: bytes from {} are {:#018x}, the reference says {:#018x}\n{}", i, at, is,
                                   want, body);
        }
    }
    return {};
}

/// The difference with as few lines as still differ.
std::string reduced(std::vector<std::string> lines, const std::vector<u64>& initial,
                    gpuproj::simulate::MachineCode machine_code) {
    std::string text = difference(lines, initial, machine_code);
    for (std::size_t i = lines.size(); i-- > 0;) {
        std::vector<std::string> fewer = lines;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        std::string shorter = difference(fewer, initial, machine_code);
        if (shorter.empty()) continue;
        text = std::move(shorter);
        lines = std::move(fewer);
    }
    return text;
}

}  // namespace

TEST_CASE("random kernels do what the reference interpreter does", "[engine][random]") {
    const char* asked = std::getenv("GPUPROJ_RANDOM_KERNELS");
    const u64 kernels = asked == nullptr ? 300 : std::stoull(asked);
    for (u64 seed = 1; seed <= kernels; ++seed) {
        Generator generator(seed);
        const std::vector<std::string> lines = generator.kernel();
        std::vector<u64> initial(threads * memory_bytes / 8);
        Generator few(seed % 16);  // records share their contents
        for (u64& word : initial) word = (recording() ? few : generator).bits();
        record_name(fmt::format("random kernel {}", seed));
        using enum gpuproj::simulate::MachineCode;
        for (const auto by : {none, usual, all}) {
            const bool same = difference(lines, initial, by).empty();
            INFO("kernel " << seed << ", "
                           << (by == none    ? "handlers, "
                               : by == usual ? "code, "
                                             : "all code, ")
                           << (same ? "" : reduced(lines, initial, by)));
            REQUIRE(same);
        }
    }
}
