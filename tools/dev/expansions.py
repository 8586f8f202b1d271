#!/usr/bin/env python3
"""Makes collector/simulate/engine/assembler/expansions.inc: what ptxas turns each PTX instruction into.

usage: tools/dev/expansions.py [--toolkit BIN_FOLDER] [-o FILE] [--show KEY]

For every PTX instruction of interest a kernel is written that loads its operands, executes it once and stores the
result; ptxas assembles it for each architecture, nvdisasm disassembles it, and the counts of the same kernel without
the instruction are subtracted. The toolkit must know sm_35 to sm_90: CUDA 11.8 does.

What is counted is the path that ordinary operands take. Branches are followed: a comparison of a register with a
constant is decided as for a number near 1.5, FCHK (is this division unusual?) says no, and of what remains open the
shortest way to EXIT is taken, because the assembler puts the unusual cases (denormals, overflows, infinities) aside.
Quotients, reciprocals and roots have a subroutine for these; KEY.slow is what the shortest way through it has in excess, of
operands that are numbers (of quotients that is 0 / 0).
Subroutines that are always called are counted with their body. An instruction whose predicate cannot be decided so
(the correction steps of integer division) counts as issued, and half for its class.
"""
import argparse
import collections
import datetime
import heapq
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "collector" / "simulate" / "engine" / "assembler" / "expansions.inc"
ARCHITECTURES = [35, 52, 61, 70, 75, 80, 86, 90]

# ---- instructions of interest

Case = collections.namedtuple("Case", "key body operands result since pair")
CASES = []


def case(key, body, operands, result, since=35, pair=False):
    """`body` uses %a %b %c (operands, register types), %d (result), %p %t %u %v (scratch); `result` is a register type,
    or "pred" or "guard", a selection or a condition of what follows, which is then in %p."""
    CASES.append(Case(key, body, operands, result, since, pair))


def register(type_):
    return {"s": "b", "u": "b"}.get(type_[0], type_[0]) + type_[1:]


def simple(opcode, type_, count, since=35, key=None, pair=False, result=None):
    names = ", ".join(["%a", "%b", "%c"][:count])
    reg = "b16" if type_ in ("f16", "bf16") else "b32" if type_ in ("f16x2", "bf16x2") else register(type_)
    case(key or f"{opcode}.{type_}", f"{opcode}.{type_} %d, {names};", [reg] * count, result or reg, since, pair)


def list_cases():
    for t in ("u32", "s32", "u64", "s64", "u16", "s16"):
        for op in ("div", "rem", "min", "max", "mul.lo", "mul.hi"):
            simple(op, t, 2)
        # nvcc makes products of quotients by numbers; what is left are powers of two that only ptxas knows, as WARP_SZ.
        for op in ("div", "rem"):
            case(f"{op}.{t}.imm", f"{op}.{t} %d, %a, 8;", [register(t)], register(t))
        simple("mad.lo", t, 3)
        if t[1:] != "16":
            simple("mad.hi", t, 3)
            simple("sad", t, 3)
        simple("add", t, 2)
        simple("sub", t, 2)
        case(f"setp.{t}", f"setp.lt.{t} %p, %a, %b;", [register(t)] * 2, "pred")
        if t[1:] != "64":
            wide = f"b{2 * int(t[1:])}"
            case(f"mul.wide.{t}", f"mul.wide.{t} %d, %a, %b;", [register(t)] * 2, wide)
            case(f"mad.wide.{t}", f"mad.wide.{t} %d, %a, %b, %c;", [register(t)] * 2 + [wide], wide)
        if t[0] == "s":
            simple("neg", t, 1)
            simple("abs", t, 1)
        if t[1:] != "16":
            simple("bfind", t, 1, result="b32")
            case(f"bfe.{t}", f"bfe.{t} %d, %a, %b, %c;", [register(t), "b32", "b32"], register(t))
    for t in ("b16", "b32", "b64"):
        for op in ("and", "or", "xor"):
            simple(op, t, 2)
        simple("not", t, 1)
        simple("cnot", t, 1)
        case(f"shl.{t}", f"shl.{t} %d, %a, %b;", [t, "b32"], t)
        case(f"shr.{t}", f"shr.u{t[1:]} %d, %a, %b;", [t, "b32"], t)
        case(f"shl.{t}.imm", f"shl.{t} %d, %a, 3;", [t], t)
        case(f"shr.{t}.imm", f"shr.s{t[1:]} %d, %a, 3;", [t], t)
        case(f"selp.{t}", f"{STAND_IN} selp.{t} %d, %a, %b, %p;", [t, t], t)
        if t != "b16":
            simple("popc", t, 1, result="b32")
            simple("clz", t, 1, result="b32")
            simple("brev", t, 1)
            case(f"bfi.{t}", f"bfi.{t} %d, %a, %b, %u, %v;", [t, t], t)
    case("slct.b32", "slct.u32.s32 %d, %a, %b, %c;", ["b32"] * 3, "b32")
    case("slct.f32", "slct.f32.f32 %d, %a, %b, %c;", ["f32"] * 3, "f32")
    case("slct.b64", "slct.u64.s32 %d, %a, %b, %c;", ["b64", "b64", "b32"], "b64")
    for s in "us":
        case(f"mul.lo.{s}32.imm", f"mul.lo.{s}32 %d, %a, 1000;", ["b32"], "b32")
        case(f"mul.lo.{s}64.imm", f"mul.lo.{s}64 %d, %a, 1000;", ["b64"], "b64")
        case(f"mad.lo.{s}32.imm", f"mad.lo.{s}32 %d, %a, 1000, %b;", ["b32"] * 2, "b32")
        case(f"mul.wide.{s}32.imm", f"mul.wide.{s}32 %d, %a, 1000;", ["b32"], "b64")
        case(f"mul24.lo.{s}32", f"mul24.lo.{s}32 %d, %a, %b;", ["b32"] * 2, "b32")
        case(f"mad24.lo.{s}32", f"mad24.lo.{s}32 %d, %a, %b, %c;", ["b32"] * 3, "b32")
    for t in ("u32", "s32"):
        case(f"bfe.{t}.imm", f"bfe.{t} %d, %a, 5, 7;", ["b32"], "b32")
    case("bfi.b32.imm", "bfi.b32 %d, %a, %b, 5, 7;", ["b32"] * 2, "b32")
    case("prmt.b32", "prmt.b32 %d, %a, %b, %c;", ["b32"] * 3, "b32")
    case("lop3.b32", "lop3.b32 %d, %a, %b, %c, 0x96;", ["b32"] * 3, "b32", 52)
    case("shf.l.wrap.b32", "shf.l.wrap.b32 %d, %a, %b, %c;", ["b32"] * 3, "b32")
    case("shf.r.wrap.b32", "shf.r.wrap.b32 %d, %a, %b, %c;", ["b32"] * 3, "b32")
    case("shf.l.clamp.b32", "shf.l.clamp.b32 %d, %a, %b, %c;", ["b32"] * 3, "b32")
    case("shf.r.clamp.b32", "shf.r.clamp.b32 %d, %a, %b, %c;", ["b32"] * 3, "b32")
    case("bmsk.clamp.b32", "bmsk.clamp.b32 %d, %a, %b;", ["b32"] * 2, "b32", 70)
    case("szext.clamp.s32", "szext.clamp.s32 %d, %a, %b;", ["b32"] * 2, "b32", 70)
    case("fns.b32", "fns.b32 %d, %a, 0, 1;", ["b32"], "b32")
    case("dp4a.s32.s32", "dp4a.s32.s32 %d, %a, %b, %c;", ["b32"] * 3, "b32", 61)
    case("dp4a.u32.u32", "dp4a.u32.u32 %d, %a, %b, %c;", ["b32"] * 3, "b32", 61)
    case("dp2a.lo.s32.s32", "dp2a.lo.s32.s32 %d, %a, %b, %c;", ["b32"] * 3, "b32", 61)
    # Folding of pairs: what an address costs when the product or the shift is added at once.
    case("fold.mul.wide.s32.add", "mul.wide.s32 %t, %a, 4; add.s64 %d, %b, %t;", ["b32", "b64"], "b64")
    case("fold.mul.wide.u32.add", "mul.wide.u32 %t, %a, 4; add.s64 %d, %b, %t;", ["b32", "b64"], "b64")
    case("fold.shl.b32.add", "shl.b32 %u, %a, 2; add.s32 %d, %b, %u;", ["b32", "b32"], "b32")
    case("fold.shl.b32.sub", "shl.b32 %u, %a, 2; sub.s32 %d, %b, %u;", ["b32", "b32"], "b32")
    case("fold.shr.u32.add", "shr.u32 %u, %a, 5; add.s32 %d, %b, %u;", ["b32", "b32"], "b32")
    case("fold.shr.s32.add", "shr.s32 %u, %a, 5; add.s32 %d, %b, %u;", ["b32", "b32"], "b32")
    case("fold.shl.b64.add", "shl.b64 %t, %a, 2; add.s64 %d, %b, %t;", ["b64", "b64"], "b64")
    case("fold.mul.lo.32.add", "mul.lo.s32 %u, %a, %c; add.s32 %d, %b, %u;", ["b32"] * 3, "b32")
    case("fold.add.add.32", "add.s32 %u, %a, %c; add.s32 %d, %b, %u;", ["b32"] * 3, "b32")
    case("fold.logic.logic.32", "and.b32 %u, %a, %c; xor.b32 %d, %b, %u;", ["b32"] * 3, "b32")
    case("fold.add.add.64", "add.s64 %t, %a, %c; add.s64 %d, %b, %t;", ["b64"] * 3, "b64")
    case("fold.shr.and.32", "shr.u32 %u, %a, 5; and.b32 %d, %u, 7;", ["b32"], "b32")
    case("fold.logic.setp.32", "and.b32 %u, %x, %y; setp.ne.s32 %p, %u, 0;", [], "guard")
    # A branch over what cannot have a condition instead, and where its two ways meet.
    case("branch.meet", OVER_ADDITION, ["b32"], "b32")
    for t in ("f32", "f64"):
        simple("div.rn", t, 2)
        simple("rcp.rn", t, 1)
        simple("sqrt.rn", t, 1)
        simple("min", t, 2)
        simple("max", t, 2)
        simple("copysign", t, 2)
        case(f"setp.{t}", f"setp.lt.{t} %p, %a, %b;", [t] * 2, "pred")
        case(f"selp.{t}", f"{STAND_IN} selp.{t} %d, %a, %b, %p;", [t, t], t)
        for prop in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            case(f"testp.{prop}.{t}", f"testp.{prop}.{t} %p, %a;", [t], "pred")
    for ftz in ("", ".ftz"):
        for op in ("div.full", "div.approx"):
            simple(f"{op}{ftz}", "f32", 2)
        for op in ("rcp.approx", "sqrt.approx", "rsqrt.approx", "sin.approx", "cos.approx", "lg2.approx", "ex2.approx"):
            simple(f"{op}{ftz}", "f32", 1)
    for op in ("div.rn", "rcp.rn", "sqrt.rn"):
        simple(f"{op}.ftz", "f32", 2 if op == "div.rn" else 1)
    simple("tanh.approx", "f32", 1, 75)
    simple("rsqrt.approx", "f64", 1)
    simple("rcp.approx.ftz", "f64", 1)
    simple("rsqrt.approx.ftz", "f64", 1)
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        pair = t.endswith("x2")
        bf = t.startswith("bf")
        simple("fma.rn", t, 3, 80 if bf else 61, pair=pair)
        for op in ("add", "sub", "mul"):
            simple(op, t, 2, 90 if bf else 61, pair=pair)
        for op in ("min", "max"):
            simple(op, t, 2, 80, pair=pair)
        if not pair:
            case(f"setp.{t}", f"setp.lt.{t} %p, %a, %b;", ["b16"] * 2, "pred", 90 if bf else 61)
        simple("tanh.approx", t, 1, 90 if bf else 75, pair=pair)
        simple("ex2.approx.ftz" if bf else "ex2.approx", t, 1, 90 if bf else 75, pair=pair)
    conversions()
    case("activemask.b32", "activemask.b32 %d;", [], "b32")
    case("vote.sync.ballot.b32", STAND_IN + "vote.sync.ballot.b32 %d, %p, -1;", [], "b32")
    case("vote.sync.any.pred", STAND_IN + "vote.sync.any.pred %p, %p, -1;", [], "pred")
    case("vote.sync.all.pred", STAND_IN + "vote.sync.all.pred %p, %p, -1;", [], "pred")
    case("shfl.sync.b32", "shfl.sync.bfly.b32 %d, %a, 1, 31, -1;", ["b32"], "b32")
    case("match.any.sync.b32", "match.any.sync.b32 %d, %a, -1;", ["b32"], "b32", 70)
    case("match.any.sync.b64", "match.any.sync.b64 %d, %a, -1;", ["b64"], "b32", 70)
    case("match.all.sync.b32", "match.all.sync.b32 %d, %a, -1;", ["b32"], "b32", 70)
    case("redux.sync.add.s32", "redux.sync.add.s32 %d, %a, -1;", ["b32"], "b32", 80)
    case("bar.sync", "bar.sync 0; mov.b32 %d, %a;", ["b32"], "b32")
    case("isspacep.shared", "isspacep.shared %p, %a;", ["b64"], "pred")


def conversions():
    integers = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")

    def reg(t):
        return "b16" if t in ("f16", "bf16") else t if t[0] == "f" else f"b{max(16, int(t[1:]))}"

    for to in integers:
        for source in integers:
            if to != source:
                case(f"cvt.{to}.{source}", f"cvt.{to}.{source} %d, %a;", [reg(source)], reg(to))
        for source in ("f16", "f32", "f64"):
            since = 61 if source == "f16" else 35
            case(f"cvt.{to}.{source}", f"cvt.rzi.{to}.{source} %d, %a;", [reg(source)], reg(to), since)
            case(f"cvt.{source}.{to}", f"cvt.rn.{source}.{to} %d, %a;", [reg(to)], reg(source), since)
    for to, source, mode, since in (
            ("f32", "f16", "", 35), ("f16", "f32", ".rn", 35), ("f64", "f32", "", 35), ("f32", "f64", ".rn", 35),
            ("f64", "f16", "", 61), ("f16", "f64", ".rn", 61), ("bf16", "f32", ".rn", 80), ("f32", "bf16", "", 90)):
        case(f"cvt.{to}.{source}", f"cvt{mode}.{to}.{source} %d, %a;", [reg(source)], reg(to), since)
    case("cvt.f16x2.f32", "cvt.rn.f16x2.f32 %d, %a, %b;", ["f32"] * 2, "b32", 80)
    case("cvt.bf16x2.f32", "cvt.rn.bf16x2.f32 %d, %a, %b;", ["f32"] * 2, "b32", 80)
    case("cvt.tf32.f32", "cvt.rna.tf32.f32 %d, %a;", ["f32"], "b32", 80)
    for t in ("f32", "f64", "f16"):
        case(f"cvt.{t}.{t}", f"cvt.rni.{t}.{t} %d, %a;", [reg(t)], reg(t), 61 if t == "f16" else 35)
    case("cvt.sat.f32.f32", "cvt.sat.f32.f32 %d, %a;", ["f32"], "f32")
    for to, source in (("s8", "s32"), ("u8", "s32"), ("s16", "s32"), ("u16", "u32"), ("u32", "s32"), ("s32", "s64")):
        case(f"cvt.sat.{to}.{source}", f"cvt.sat.{to}.{source} %d, %a;", [reg(source)], reg(to))


# ---- kernels

# A comparison that no architecture merges with the selection behind it.
STAND_IN = "setp.lt.u32 %p, %x, %y;"
OVER_ADDITION = STAND_IN + " @%p bra MEET; red.global.add.u32 [%q+128], %x; MEET: mov.b32 %d, %a;"
# How it is used. Kepler merges a test with a selection, but not with a condition.
PREDICATES = {"pred": ["selp.b32 %r, 1, 2, %p;", "st.global.b32 [%q+80], %r;"],
              "guard": ["@%p st.global.b32 [%q+80], %x;"]}


def opening(name, operands):
    """Lines of a kernel up to where its operands %a %b %c are loaded, and %x and %y."""
    lines = [f".visible .entry {name}(.param .u64 q, .param .u64 t) {{",
             ".reg .b64 %q, %t; .reg .b32 %u, %v, %x, %y; .reg .pred %p;"]
    for name_, type_ in zip("abc", operands):
        lines.append(f".reg .{type_} %{name_};")
    # The address differs from thread to thread, or the assembler would know all values to be equal in a warp.
    lines.append("ld.param.u64 %q, [q]; cvta.to.global.u64 %q, %q; mov.u32 %x, %tid.x;")
    lines.append("mad.wide.u32 %q, %x, 256, %q;")
    for i, (name_, type_) in enumerate(zip("abc", operands)):
        lines.append(f"ld.volatile.global.{type_} %{name_}, [%q+{16 * i}];")
    # Loaded last, so that no load can be made conditional.
    return lines + ["ld.volatile.global.u32 %x, [%q+48]; ld.volatile.global.u32 %y, [%q+52];"]


def with_result(type_, body):
    return [f".reg .{type_} %d;", body, f"st.global.{type_} [%q+80], %d;"]


def kernel(name, case_, with_instruction):
    lines = opening(name, case_.operands)
    if "%v" in case_.body:
        lines += ["ld.volatile.global.u32 %u, [%q+64];", "ld.volatile.global.u32 %v, [%q+68];"]
    if case_.result in PREDICATES:
        lines.append(".reg .b32 %r;")
        lines.append(case_.body if with_instruction else STAND_IN)
        lines += PREDICATES[case_.result]
    elif with_instruction:
        lines += with_result(case_.result, case_.body)
    else:
        # A value of the width of the result is stored, so that only the instruction is missing.
        lines += with_result(case_.result, f"ld.volatile.global.{case_.result} %d, [%q+96];")
    return "\n".join(lines + ["ret; }"])


# What the kernel without the instruction has in excess, to be given back.
LOAD = {"total": 1, "load_store": 1}
COMPARE = {"total": 1, "integer": 1, "integer_compare": 1}


def excess(case_):
    """Instructions of the kernel without, less those of the one with, but for the instruction itself."""
    if case_.result in PREDICATES:
        return {} if case_.body.startswith(STAND_IN) else COMPARE
    return LOAD


def own_comparison(case_):
    return case_.result not in PREDICATES and case_.body.startswith(STAND_IN)


# ---- what instructions need besides

# Of a kernel with `with_` and one with `without`, which has the `excess`; both have the operands %a %b %c, and `t` among
# their parameters.
Pair = collections.namedtuple("Pair", "key operands result with_ without excess", defaults=[{}])
# An element of each of two arrays.
TWO_ROWS = (".reg .b64 %c; {} mul.wide.s32 %t, %a, 4; add.s64 %b, %b, %t; add.s64 %c, %c, %t; ld.global.u32 %x, [%b]; ld.global.u32 %y, [%c]; "
            "add.u32 %d, %x, %y;")
AT_ADDRESS = ".reg .b64 %c; {} ld.global.u32 %d, [%c+8];"
SHARED = ".shared .b32 one[64], two[64]; st.shared.u32 [{}], %a; bar.sync 0; ld.shared.u32 %d, [{}+4];"
SHARED_OF_SOME = ".shared .b32 one[64]; " + STAND_IN + " @%p st.shared.u32 [{}], %a; mov.u32 %d, %a;"
PAIRS = [
    Pair("constant.uniform", ["b32"], "b32", "ld.param.u32 %u, [t]; add.s32 %d, %a, %u;", "add.s32 %d, %a, %x;"),
    Pair("constant.lane", ["b32", "b64"], "b32", TWO_ROWS.format("ld.param.u64 %c, [t]; cvta.to.global.u64 %c, %c;"),
         TWO_ROWS.format("ld.volatile.global.u64 %c, [%q+32];"), LOAD),
    Pair("constant.address", ["b32"], "b32", AT_ADDRESS.format("ld.param.u64 %c, [t]; cvta.to.global.u64 %c, %c;"),
         AT_ADDRESS.format("ld.volatile.global.u64 %c, [%q+32];"), LOAD),
    Pair("constant.value", ["b32"], "b32", "ld.param.u32 %d, [t];", "mov.u32 %d, %x;"),
    Pair("constant.second", ["b32"], "b32", "ld.param.u32 %u, [t]; ld.param.u32 %y, [t+4]; mad.lo.u32 %d, %u, %y, %a;",
         "ld.param.u32 %u, [t]; ld.volatile.global.u32 %y, [%q+52]; mad.lo.u32 %d, %u, %y, %a;", LOAD),
    Pair("immediate.f64", ["f64"] * 3, "f64", "fma.rn.f64 %d, %a, %b, 0d3FE62E42FEFA39EF;", "fma.rn.f64 %d, %a, %b, %c;"),
    # Shared memory at the addresses of one variable, of two, and of one by some lanes alone; see addresses_of_variables.
    Pair("shared.one", ["b32"], "b32", SHARED.format("one", "one"), SHARED.format("%y", "%y")),
    Pair("shared.two", ["b32"], "b32", SHARED.format("one", "two"), SHARED.format("%y", "%x")),
    Pair("shared.lanes", ["b32"], "b32", SHARED_OF_SOME.format("one"), SHARED_OF_SOME.format("%y")),
    Pair("branch.through", ["b32"], "b32", OVER_ADDITION, "mov.b32 %d, %a;"),
]



def fetches(count, second):
    """So many fetches at a time, whose second coordinates are `second` and a number."""
    names = [f"%e{i}, %f{i}, %g{i}, %h{i}" for i in range(count)]
    lines = [".reg .f32 %z; mov.b32 %z, %a; ld.param.u64 %t, [t];"]
    for i, results in enumerate(names):
        lines += [f".reg .f32 %x{i}, %y{i}, {results}; add.f32 %x{i}, %z, 0f{0x3f800000 + (i << 16):08X}; add.f32 %y{i}, %z, 0f{0x40800000 + (i << 16):08X};",
                  f"tex.2d.v4.f32.f32 {{{results}}}, [%t, {{%x{i}, {second.format(i)}}}];"]
    return "\n".join(lines + [f"fma.rn.f32 %z, %e{i}, 0f{0x3f900000 + (i << 16):08X}, %z;" for i in range(count)] + ["mov.b32 %d, %z;"])


# Of these single instructions are looked at: a load at an address that is the same for all lanes, fetches of textures.
FETCHES = 7
APART = {
    "constant.indexed": (["b32"], "ld.param.u64 %t, [t]; ld.const.u32 %u, [%t]; add.s32 %d, %a, %u;"),
    "constant.handle": (["b32"], "ld.param.u64 %t, [t]; tex.1d.v4.s32.s32 {%d, %u, %v, %y}, [%t, {%a}];"),
    "texture.own": (["b32"], fetches(FETCHES, "%y{}")),
    "texture.shared": (["b32"], fetches(FETCHES, "%y0")),
}


# Of what all operands are constants, 7.5 and later have instructions for all lanes at once.
UNIFORM_ARITHMETIC = re.compile(r"(add|sub|mul\.lo|mul\.hi|mul\.wide|mad\.lo|mad\.wide|min|max|neg)\.[su](32|64)(\.imm)?"
                                r"|(and|or|xor|not|popc|shl|shr)\.b(32|64)(\.imm)?|cvt\.[su]64\.[su]32|fold\..*(?<!setp\.32)")


def of_constants(case_, name):
    """A kernel in which the operands of an instruction are parameters."""
    lines = opening(name, [])
    for name_, type_ in zip("abc", case_.operands):
        lines.append(f".reg .{type_} %{name_}; ld.param.{type_} %{name_}, [t+{8 * (ord(name_) - ord('a'))}];")
    lines.append(f".reg .{case_.result} %d, %other; ld.volatile.global.{case_.result} %other, [%q+96];")
    # A product, which no sum and no logic is joined to.
    last = f"mul.lo.u{case_.result[1:]} %d, %d, %other; st.global.{case_.result} [%q+80], %d; ret; }}"
    return "\n".join(lines + [case_.body, last]).replace("(.param .u64 q, .param .u64 t)", "(.param .u64 q, .param .align 8 .b8 t[24])")


def pair_kernel(name, operands, result, body):
    return "\n".join(opening(name, operands) + with_result(result, body) + ["ret; }"])


# ---- machine code

Sass = collections.namedtuple("Sass", "address guard opcode operands text")


def find_toolkit(given):
    """The folder with ptxas and nvdisasm: `given`, or one of PATH."""
    folders = [given] if given else [pathlib.Path(p) for p in os.environ["PATH"].split(":")]
    toolkit = next((f for f in folders if (f / "ptxas").exists() and (f / "nvdisasm").exists()), None)
    if toolkit is None:
        raise SystemExit(f"{pathlib.Path(sys.argv[0]).name}: no folder with ptxas and nvdisasm: give one with --toolkit")
    return toolkit


def assemble(toolkit, architecture, source, folder, ptxas=None):
    """The lines of nvdisasm's listing of a PTX file. `ptxas`: another one than the toolkit's."""
    binary = folder / f"{architecture}.cubin"
    subprocess.run([ptxas or toolkit / "ptxas", "-w", "-arch", f"sm_{architecture}", source, "-o", binary], check=True)
    code = bytearray(binary.read_bytes())
    if code[ELF_VERSION] > LAST_READ:  # instructions are as before, only their file says so in another way
        code[ELF_SYSTEM], code[ELF_VERSION] = CUDA_SYSTEM, LAST_READ
        struct.pack_into("<I", code, ELF_FLAGS, architecture << 16 | 0x500 | architecture)
        binary.write_bytes(code)
    listing = subprocess.run([toolkit / "nvdisasm", "-c", binary], check=True, capture_output=True, text=True).stdout.splitlines()
    return with_unknown(listing, bytes(code)) if architecture >= FIRST_OF_16_BYTES else listing


# The header of CUDA 13's files, which nvdisasm 11.8 takes if it is written as 11.8's.
ELF_SYSTEM, ELF_VERSION, ELF_FLAGS, CUDA_SYSTEM, LAST_READ = 7, 8, 48, 0x33, 7
FIRST_OF_16_BYTES = 70
# Instructions of 9.0 that nvdisasm 11.8 leaves out, by their lowest 12 bits.
UNKNOWN = {0x236: "VIADD", 0x836: "VIADD", 0xc36: "VIADD", 0x248: "VIMNMX", 0x848: "VIMNMX", 0xc48: "VIMNMX", 0x246: "VIADDMNMX", 0x446: "VIADDMNMX",
           0x846: "VIADDMNMX", 0xc46: "VIADDMNMX", 0x20f: "VIMNMX3", 0x80f: "VIMNMX3", 0xc0f: "VIMNMX3"}


def sections(code):
    """Name to contents, of an ELF file."""
    at, (size, count, names) = struct.unpack_from("<Q", code, 40)[0], struct.unpack_from("<3H", code, 58)
    headers = [struct.unpack_from("<2I4Q", code, at + i * size) for i in range(count)]
    start = headers[names][4]
    return {code[start + name:code.index(0, start + name)].decode(): code[offset:offset + length]
            for name, _, _, _, offset, length in headers}


def with_unknown(listing, code):
    """The listing with what nvdisasm left out, without operands."""
    texts, text, last, lines = sections(code), b"", 0, []
    for line in listing:
        if found := re.match(r"//-+ (\.text\.\S+)", line):
            text, last = texts[found[1]], -16
        if instruction := parse(line):
            for address in range(last + 16, instruction.address, 16):
                lowest = struct.unpack_from("<H", text, address)[0]
                guard = "" if lowest >> 12 == 7 else f"@{'!' if lowest >> 15 else ''}P{lowest >> 12 & 7} "
                lines.append(f"        /*{address:04x}*/ {guard}{UNKNOWN.get(lowest & 0xfff, 'UNKNOWN')} ;")
            last = instruction.address
        lines.append(line)
    return lines


def parse(line):
    """The instruction in a line of the listing, or None."""
    found = re.match(r"\s+/\*([0-9a-f]{4,})\*/\s+\{?\s*(@!?U?P\w+)?\s*([A-Z][\w.]*)\s*([^;]*?)[;}\s]*$",
                     line.split("/* 0x")[0])
    return found and Sass(int(found[1], 16), found[2], found[3], found[4].strip(), line.strip())


def functions_of(listing):
    """By function: its instructions, and the index of the one behind each label."""
    functions, labels, name = {}, {}, None
    for line in listing:
        if found := re.match(r"//-+ \.text\.(\S+)", line):
            name = found[1]
            functions[name], labels[name] = [], {}
        elif name and (found := re.match(r"([.$\w]+):", line)):
            labels[name][found[1]] = len(functions[name])
        elif name and (instruction := parse(line)):
            functions[name].append(instruction)
    return {name: (functions[name], labels[name]) for name in functions}


def disassemble(toolkit, architecture, cases, folder):
    source = folder / f"{architecture}.ptx"
    text = [f".version 7.8\n.target sm_{architecture}\n.address_size 64"]
    for i, case_ in enumerate(cases):
        text += [kernel(f"t{i}", case_, True), kernel(f"b{i}", case_, False)]
        if UNIFORM_ARITHMETIC.fullmatch(case_.key):
            text.append(of_constants(case_, f"u{i}"))
    for pair in PAIRS:
        name = pair.key.replace(".", "_")
        text += [pair_kernel(f"with_{name}", pair.operands, pair.result, pair.with_),
                 pair_kernel(f"without_{name}", pair.operands, pair.result, pair.without)]
    text += [pair_kernel("apart_" + key.replace(".", "_"), operands, "b32", body) for key, (operands, body) in APART.items()]
    source.write_text("\n".join(text))
    return functions_of(assemble(toolkit, architecture, source, folder))


def has_unknown(code):
    """Whether nvdisasm left an instruction out, because it does not know it (VIMNMX of sm_90): its operands are not known."""
    return any(instruction.opcode in (*UNKNOWN.values(), "UNKNOWN") for instruction in code)


def ordinary(text):
    """The value of a comparison's operand: a number, or what a register ordinarily holds."""
    text = text.strip()
    if re.fullmatch(r"[|-]*R\w+(\.\w+)*\|?", text):
        return -1.5 if text.startswith("-") and "|" not in text else 1.5
    if text in ("+INF", "INF"):
        return float("inf")
    if text == "-INF":
        return float("-inf")
    try:
        return float(text)
    except ValueError:
        return None


def decide(instruction, predicates, unusual):
    """Predicates after a comparison of a register with a number, or FCHK, which `unusual` operands leave open."""
    root, *modifiers = instruction.opcode.split(".")
    operands = [o.strip() for o in instruction.operands.split(",")]
    if unusual and root in ("FCHK", "FSETP", "DSETP"):
        return {k: v for k, v in predicates.items() if k not in operands[:2]}
    if root == "FCHK":
        return {**predicates, operands[0]: False}
    if root in ("FSETP", "FSET", "DSETP") and len(operands) >= 4 - (root == "FSET"):
        first = 1 if root == "FSET" else 2  # FSET: ones in a register, where it holds
        a, b = ordinary(operands[first]), ordinary(operands[first + 1])
        registers = operands[first].lstrip("|-")[:1] == "R" and operands[first + 1].lstrip("|-")[:1] == "R"
        relation = modifiers[0].removesuffix("U") if modifiers[0] not in ("NUM", "NAN") else modifiers[0]
        if a is None or b is None or registers or operands[-1] not in ("PT",):
            return {k: v for k, v in predicates.items() if k not in operands[:2]}
        value = {"LT": a < b, "LE": a <= b, "GT": a > b, "GE": a >= b, "EQ": a == b, "NE": a != b, "NUM": True,
                 "NAN": False}.get(relation)
        if root == "FSET":
            return {**predicates, operands[0]: value}
        return {**predicates, operands[0]: value, operands[1]: None if value is None else not value}
    known = {k: v for k, v in predicates.items() if k not in operands[:2]}
    either = {"PSETP.OR.AND": 2, "LOP.OR.NZ": 2, "PLOP3.LUT": 2 if operands[5:6] == ["0xa8"] else None}.get(
        instruction.opcode)
    if either is not None:  # of two that are known, one or the other
        values = [truth(operand, predicates) for operand in operands[either:either + 2]]
        if None not in values:
            known[operands[0]] = any(values)
        return known
    if re.match(r"(I|H|P|U)?(SETP|LOP3)|HSETP2|PLOP3|R2P|VOTE|LOP|IADD3|UISETP", root) or operands[0] in predicates:
        return known
    return predicates


def truth(operand, predicates):
    """Of a predicate, or of a register of ones and zeros; None where it is open."""
    value = predicates.get(operand.lstrip("!~"))
    return None if value is None else value != (operand[:1] in "!~")


def guard_of(instruction, predicates):
    """True, False, or None where it is open."""
    if instruction.guard is None:
        return True
    negated, name = instruction.guard.startswith("@!"), instruction.guard.lstrip("@!")
    if name in ("PT", "UPT"):
        return not negated
    value = predicates.get(name)
    return None if value is None else value != negated


SLOW = {f"{op}.rn{ftz}.{type_}" for op in ("div", "rcp", "sqrt") for ftz, type_ in (("", "f32"), (".ftz", "f32"), ("", "f64"))}


def slow_ways(labels):
    """Where the subroutines for unusual operands begin."""
    return {at for name, at in labels.items() if "slowpath" in name}


def shortest_path(code, labels, through=()):
    """[(instruction, guard)] from the first instruction to EXIT, by one of the instructions in `through`, if any."""
    def target(instruction):
        return labels[re.search(r"`\((.+?)\)", instruction.operands)[1]]

    queue = [(0, 0, 0, (), (), frozenset(), not through, ())]
    serial = 0
    seen = set()
    while queue:
        cost, _, at, calls, joins, known, done, path = heapq.heappop(queue)
        done = done or at in through
        if (at, calls, joins, known, done) in seen:
            continue
        seen.add((at, calls, joins, known, done))
        instruction = code[at]
        predicates = dict(known)
        guard = guard_of(instruction, predicates)
        root = instruction.opcode.split(".")[0]
        operands = instruction.operands
        path = (path, (instruction, guard))
        follow = []  # (at, calls, joins)
        if guard is not False:
            if root == "EXIT" and done:
                flat = []
                while path:
                    path, item = path
                    flat.append(item)
                return flat[::-1]
            if root == "EXIT":
                continue
            if root == "BRA":
                follow.append((target(instruction), calls, joins))
            elif root in ("CAL", "JCAL", "CALL"):
                follow.append((target(instruction), calls + (at + 1,), joins))
            elif root == "RET":
                follow.append((calls[-1], calls[:-1], joins))
            elif root in ("SSY", "PBK", "BSSY"):
                follow.append((at + 1, calls, joins + (target(instruction),)))
            elif root in ("SYNC", "BSYNC", "BRK") or (instruction.opcode.endswith(".S") and joins):
                follow.append((joins[-1], calls, joins[:-1]))
            else:
                follow.append((at + 1, calls, joins))
        if guard is not True and (not follow or follow[0] != (at + 1, calls, joins)):
            follow.append((at + 1, calls, joins))
        predicates = decide(instruction, predicates, not done)
        for step in follow:
            serial += 1
            heapq.heappush(queue, (cost + 1, serial, *step, frozenset(predicates.items()), done, path))
    raise RuntimeError("no way to EXIT")


# ---- classes: the names of Class in collector/simulate/engine/program.hpp, without "total"

# Of all lanes at once: an H200 counts them among its instructions, but in none of their classes. ULDC, UMOV and ULEA: vector_add
# and transpose of the samples; UIADD3 and ULEA: Rodinia's bpnn_adjust_weights_cuda, whose 39 instructions of each thread
# (tests/fixtures/gpu/h200/rod_backprop.json: 40 894 704 of 1 048 576 threads) have one of each besides the 9 that are counted as
# integer (9 437 232).
UNIFORM = {"UIADD3", "UIMAD", "ULDC", "ULEA", "ULOP3", "UMOV", "UFLO", "UISETP", "UPLOP3", "UPOPC", "UPRMT", "USEL", "USGXT",
           "USHF"}


def classify(instruction):
    """Its classes; None if they are not known here."""
    root, *modifiers = instruction.opcode.split(".")
    operands = instruction.operands
    if root in UNIFORM:
        return []
    if root in ("FADD", "FADD32I", "FMUL", "FMUL32I", "FSETP", "FSET", "FMNMX", "FCMP", "FCHK", "FSWZADD", "FSEL",
                "RRO"):
        return ["fp32"]
    if root in ("FFMA", "FFMA32I"):
        return ["fp32", "fp32_fma"]
    if root == "MUFU":  # the profilers count it as fp32 work, but for the 64-bit seeds
        return ["special"] if modifiers and modifiers[0].endswith(("64H", "64L")) else ["fp32", "special"]
    if root in ("DADD", "DMUL", "DSETP", "DSET", "DMNMX"):
        return ["fp64"]
    if root == "DFMA":
        return ["fp64", "fp64_fma"]
    if root in ("HADD2", "HMUL2", "HSETP2", "HSET2", "HMNMX2", "HADD2_32I", "HMUL2_32I", "VHMNMX"):
        return ["fp16"]
    if root in ("HFMA2", "HFMA2_32I"):
        return ["misc"] if "-RZ, RZ" in operands else ["fp16", "fp16_fma"]  # the former is a move of a constant
    if root in ("IADD", "ISUB", "IADD3", "IADD32I", "ISCADD", "ISCADD32I", "LEA", "ISAD", "IABS", "VABSDIFF", "VIADD"):
        return ["integer", "integer_add"]
    if root == "IMAD":
        if modifiers[:1] == ["MOV"]:  # counted so by an H200 (lavaMD)
            return ["integer"]
        kind = {"IADD": "add", "SHL": "shift", "X": "add"}.get(modifiers[0] if modifiers else "", "multiply")
        return ["integer", f"integer_{kind}"]
    if root in ("XMAD", "IMUL", "IMUL32I", "IMAD32I", "IMADSP", "IDP", "IDP4A"):
        return ["integer", "integer_multiply"]
    if root in ("SHF", "SHL", "SHR"):
        return ["integer", "integer_shift"]
    if root in ("LOP", "LOP3", "LOP32I", "POPC", "FLO", "BREV", "BFE", "BFI", "BMSK"):
        return ["integer", "integer_logic"]
    if root in ("ISETP", "ISET", "ICMP", "IMNMX", "VIMNMX", "VIADDMNMX", "VIMNMX3"):
        return ["integer", "integer_compare"]
    if root in ("I2F", "F2I", "F2F", "I2I", "FRND", "F2FP", "I2IP", "I2FP", "F2IP"):
        return ["conversion"]
    if root in ("BRA", "BRX", "JMP") or (instruction.guard and instruction.opcode in ("SYNC", "NOP.S")):
        return ["control", "branch"]
    if root in ("EXIT", "CALL", "CAL", "JCAL", "RET", "SSY", "SYNC", "NOP", "BSSY", "BSYNC", "PBK", "BRK", "PRET", "WARPSYNC",
                "BMOV", "BREAK"):
        return ["control"]
    if root == "BAR":
        return ["misc", "barrier"]
    if root in ("SHFL", "VOTE", "VOTEU", "MATCH", "REDUX", "CREDUX"):
        return ["communication"]
    if root in ("LD", "LDG", "LDS", "LDL", "LDC", "LDSM", "ST", "STG", "STS", "STL", "ATOM", "ATOMG", "ATOMS", "RED", "REDG", "LDU",
                "TEX", "TEXS", "TLD", "TLDS", "TLD4", "TLD4S", "SULD", "SUST", "SUATOM", "SURED"):  # fetches: counted so by an H200
        return ["load_store"]
    if root in ("MOV", "MOV32I", "S2R", "S2UR", "CS2R", "SEL", "PRMT", "SGXT", "R2P",
                "P2R", "PSETP", "PSET", "CSETP", "PLOP3", "DEPBAR", "MEMBAR", "LEPC", "R2UR", "QSPC", "P2UR"):
        return ["misc"]
    return None


# What the pipe of special functions (XU) executes on 7.0 and later. Counted on an H200 (smsp__inst_executed_pipe_xu) are
# MUFU, FCHK and conversions from and to integers, and that I2FP is not there; the rest is taken for it by the same
# published rate, 16 a cycle and SM.
SPECIAL_UNIT = {"MUFU", "FCHK", "I2F", "F2I", "F2F", "FRND", "POPC", "FLO", "BREV"}


def in_special_unit(instruction, architecture):
    """Whether the pipe of special functions executes it; before 7.0 only the functions themselves are known to be there."""
    root = instruction.opcode.split(".")[0]
    return root == "MUFU" or (architecture >= 70 and root in SPECIAL_UNIT)


def expected_classes(instruction, architecture):
    """Class to how often it is of it. From 7.0 on the assembler spreads moves over two pipes by what else the kernel has for them, and they are
    of the class of either: here half and half, which the engine changes (assembler/moves.cpp)."""
    if architecture >= 70 and (instruction.opcode.startswith("IMAD.MOV") or instruction.opcode.split(".")[0] in ("MOV", "MOV32I")):
        return {"misc": 0.5, "integer": 0.5}
    classes = classify(instruction)
    if classes is None:
        raise SystemExit(f"no class is known for the machine instruction {instruction.text}")
    return dict.fromkeys(classes, 1)


def is_padding(instruction):
    return instruction.opcode == "NOP" or instruction.guard == "@!PT"  # or a work-around before the first access


def measure(architecture, code, labels, through=()):
    counts = collections.Counter()
    for instruction, guard in shortest_path(code, labels, through):
        root = instruction.opcode.split(".")[0]
        if is_padding(instruction):
            continue
        counts["total"] += 1
        weight = 0 if guard is False else 0.5 if guard is None and root not in ("BRA", "RET", "SYNC", "NOP") else 1
        for class_, times in expected_classes(instruction, architecture).items():
            counts[class_] += weight * times
        if in_special_unit(instruction, architecture):
            counts["special_unit"] += weight
    return counts


def difference(architecture, functions, i, case_):
    counts = collections.Counter(measure(architecture, *functions[f"t{i}"]))
    counts.subtract(measure(architecture, *functions[f"b{i}"]))
    counts.update(excess(case_))
    if own_comparison(case_):
        counts.subtract(COMPARE)
    result = {}
    for class_, n in counts.items():
        if n > 0:
            factor = 2 if case_.pair and class_.startswith("fp16") else 1
            result[class_] = n * factor
    return result


# The descriptor of global memory, in the constant bank of 8.x and of 9.0.
DESCRIPTOR = re.compile(r"ULDC\.64 .*c\[0x0\]\[0x(118|208)\]")


def size(code):
    """Instructions, without what stands behind the end."""
    end = max(at for at, instruction in enumerate(code) if instruction.opcode == "EXIT")
    return sum(not is_padding(instruction) for instruction in code[:end + 1])


def of_fetches(architecture, own, shared, integer):
    """What fetches need besides: of seven with coordinates of their own, of seven that share one, and of one by integers."""

    def moves(code):
        return [instruction for instruction in code if instruction.opcode.startswith(("MOV", "IMAD.MOV", "HFMA2"))]

    def move(count):
        return {"total": 1, **expected_classes(moves(shared)[-1], architecture)} if count > 0 else {}

    waits = sum("DEPBAR" in instruction.opcode for instruction in own)
    # Until Kepler one for each, then one for all but the first that are so many behind each other.
    each = {1: FETCHES, 2: (FETCHES - 1) // 2, 3: (FETCHES - 1) // 3}
    if waits not in each.values():
        raise SystemExit(f"{waits} instructions wait for {FETCHES} fetches, on {architecture}")
    return {"texture.copy": move((len(moves(shared)) - len(moves(own))) // (FETCHES - 1)), "texture.level": move(len(moves(own)) - len(moves(integer))),
            **{f"texture.wait.{n}": {"total": 1, "misc": 1} if waits == each[n] else {} for n in each}}


def addresses_of_variables(one, two, lanes):
    """What brings the window of shared memory, and with it the address of each variable, to registers."""

    def less(mix, other):
        return {class_: n - other.get(class_, 0) for class_, n in mix.items() if n > other.get(class_, 0)}

    variable = less(two, one)
    window = less(one, variable)
    lanes = {class_: n if class_ == "total" else 2 * n for class_, n in lanes.items()}  # their condition was open
    return {"shared.window": window, "shared.variable": variable, "shared.variable.lanes": less(lanes, window)}


def besides(architecture, functions):
    """What PAIRS differ by, and what every kernel begins with, or each that goes to global memory."""
    mixes = {}
    for pair in PAIRS:
        name = pair.key.replace(".", "_")
        counts = collections.Counter(measure(architecture, *functions[f"with_{name}"]))
        counts.subtract(measure(architecture, *functions[f"without_{name}"]))
        counts.update(pair.excess)
        mixes[pair.key] = {class_: n for class_, n in counts.items() if n > 0} if counts["total"] > 0 else {}
        if "integer" not in mixes[pair.key]:  # one kind of them for another
            mixes[pair.key] = {class_: n for class_, n in mixes[pair.key].items() if not class_.startswith("integer_")}
    mixes |= addresses_of_variables(mixes.pop("shared.one"), mixes.pop("shared.two"), mixes.pop("shared.lanes"))
    # Until 8.9 a parameter is the last operand of the sum with a product, but its factor is moved to a register.
    row = {class_: n for class_, n in mixes["constant.lane"].items() if class_ in ("total", "integer", "misc", "load_store")}
    # What calculates for all lanes at once has its constants in registers of all, others have one as an operand.
    load = {"total": 1} if architecture >= 75 else {}
    mixes["constant.datapath"], mixes["constant.datapath.second"] = load, load or mixes["constant.second"]
    mixes["constant.lane"], mixes["constant.scale"] = (row, {}) if architecture >= 90 else ({}, row)
    load = next(instruction for instruction in functions["apart_constant_indexed"][0] if "c[0x3][" in instruction.operands)
    mixes["constant.indexed"] = {"total": 1, **expected_classes(load, architecture)}
    # From 9.0 on the register of all lanes that has the handle, and the one behind it, which is zero.
    handle = sum(instruction.opcode.startswith(("UMOV", "ULDC")) for instruction in functions["apart_constant_handle"][0])
    handle -= sum(instruction.opcode.startswith(("UMOV", "ULDC")) for instruction in functions["without_constant_lane"][0])
    mixes["constant.handle"] = {"total": handle} if handle > 0 else {}
    mixes |= of_fetches(architecture, functions["apart_texture_own"][0], functions["apart_texture_shared"][0], functions["apart_constant_handle"][0])
    # All there is but for the addition, against the way over it: what the way through it has besides, where they meet.
    branch = functions["with_branch_through"]
    more = size(branch[0]) - 1 - measure(architecture, *branch)["total"]
    mixes["branch.through"] = {"total": more, "control": more} if more > 0 else {}
    code, _ = functions["without_constant_lane"]
    mixes["kernel.begin"] = {"total": 1, **expected_classes(code[0], architecture)}
    mixes["kernel.global"] = {"total": 1} if any(DESCRIPTOR.search(instruction.text) for instruction in code) else {}
    return mixes


def for_all_lanes(code):
    """How many instructions of a kernel calculate for all lanes at once."""
    return sum(instruction.opcode.split(".")[0] in UNIFORM - {"ULDC", "UMOV"} for instruction in code)


def add_uniform(table, counts):
    """uniform.KEY: KEY, where that is not done for all lanes at once."""
    for key, by_architecture in counts.items():
        for architecture, mix in list(table[key].items()):
            count = by_architecture.get(architecture, 0)
            table["uniform." + key][architecture] = {"total": count} if count else mix


PRODUCTS = ("mul.wide.s32", "mul.wide.u32", "mul.lo.s32", "shl.b32", "shl.b64")


def add_rounds(table):
    """fold.KEY.round: a sum in a loop with what is multiplied in front of it, which is KEY.in_front: Maxwell and Pascal multiply once."""
    for product, in_front in ((f"{product}{second}", f"{product}{second}.in_front") for product in PRODUCTS for second in ("", ".imm")):
        table[in_front] = {architecture: mix if 50 <= architecture < 70 else {} for architecture, mix in table[product].items()}
    for key in [key for key in table if key.startswith(("fold.mul.", "fold.shl."))]:
        sum_ = "add.s64" if ".wide." in key or ".b64." in key else "add.s32"
        table[key + ".round"] = {architecture: table[sum_][architecture] if 50 <= architecture < 70 else mix for architecture, mix in table[key].items()}


def add_limits(table):
    """A sum and a minimum or maximum, and two of these alike, which 13.0 joins for 9.0 (VIADDMNMX, VIMNMX3), and 11.8 does not."""
    for key, first in (("fold.add.minmax.32", "add.s32"), ("fold.minmax.minmax.32", "max.s32")):
        for architecture in ARCHITECTURES:
            both = collections.Counter()
            for part in (first, "max.s32"):
                both.update(table[part].get(architecture, {}))
            table[key][architecture] = {"total": 1, "integer": 1, "integer_compare": 1} if architecture >= 90 else dict(both)


# An access to shared memory multiplies its index itself.
SCALES = range(75, 90)


def add_addresses(table):
    """address.*: what makes addresses in shared memory, of an index and the address of a variable. That is a number until 8.9, for the access
    to add; from 9.0 on it is in a register of all lanes, which LEA adds to a power of two of the index: IMAD takes no number beside one. `.access`: by 4, 8
    or 16; `.again`: what differs from another by the variable alone; rows: what an index in multiples of 4 is added to, which is a quarter where
    that is a part of the access. fold.shl.b32.add.variable: such a sum that is wanted for other things, too."""
    for architecture, shift in table["shl.b32.imm"].items():
        with_variable = architecture >= 90
        sum_, product = table["fold.shl.b32.add"][architecture], table["mad.lo.s32.imm"][architecture]
        to_variable = {"total": 1, "integer": 1, "integer_add": 1}
        scaled = {} if architecture in SCALES else shift
        rows = {"address.index": {} if with_variable else shift, "address.index.access": {} if with_variable else scaled,
                "address.sum": to_variable if with_variable else {}, "address.product": to_variable if with_variable else shift,
                "address.product.access": to_variable if with_variable else scaled,
                "address.row": to_variable if with_variable else {} if architecture in SCALES else sum_,
                "address.row.product": {} if architecture in SCALES else product}
        for key, row in rows.items():
            table[key][architecture] = row
            if not key.startswith("address.index"):
                table[key + ".again"][architecture] = row if with_variable else {}
        if with_variable:  # of a row, which each lane has
            table["address.sum.again"][architecture] = sum_
        table["fold.shl.b32.add.variable"][architecture] = to_variable if with_variable else sum_


def slow_excess(architecture, code, labels):
    """What unusual operands take in excess of ordinary ones."""
    counts = collections.Counter(measure(architecture, code, labels, slow_ways(labels)))
    counts.subtract(measure(architecture, code, labels))
    return {class_: n for class_, n in counts.items() if n > 0}


def text_of(architecture, code):
    """By class: instructions, each once, whatever is executed."""
    counts = collections.Counter()
    for instruction in code:
        if not is_padding(instruction):
            counts.update({"total": 1, **expected_classes(instruction, architecture)})
    return dict(counts)


# ---- what no toolkit at hand assembles

# Compute capability 2.x, whose last assembler is that of CUDA 8: from hardware counters. Konstantinidis 2017 counted
# 27 operations, 13 of them in multiply-adds, and 86 instructions per thread in e3d-step on a GTX-480: 5 multiply-adds of
# its own, so that a division is a reciprocal and 8 multiply-adds; its range check, which has no instruction of its own
# there, is what then is left of the 86. hspt-tmp has three reciprocals besides a division and what the source says: each
# a reciprocal and 2 multiply-adds. e3d-flux (20 divisions), e3d-sfac and srad-c1 then come out without having been used.
# Nothing waits for fetches there: hs-srtf, which has some, comes out with the instructions that were counted.
# Sums with a right shift, for which Kepler has its multiplier, are two: so dwt-cpy and hs-srtf have the instructions that
# were counted to 0.1 %, and 2.8 % fewer with one.
COUNTED = {
    "div.rn.f32": {"total": 22, "fp32": 9, "fp32_fma": 8, "special": 1, "special_unit": 1, "misc": 13},
    "rcp.rn.f32": {"total": 8, "fp32": 3, "fp32_fma": 2, "integer": 3, "integer_add": 1, "integer_logic": 1,
                   "integer_compare": 1, "special": 1, "special_unit": 1, "control": 2, "branch": 1},
    "texture.wait.1": {},
} | {f"fold.shr.{type_}.add": {"total": 2, "integer": 2, "integer_add": 1, "integer_shift": 1} for type_ in ("u32", "s32")}
FERMI, KEPLER = 20, 30


def add_counted(table):
    for key, mix in COUNTED.items():
        table[key][KEPLER] = table[key][ARCHITECTURES[0]]
        table[key][FERMI] = mix


# ---- output

CLASSES = ["total", "fp32", "fp32_fma", "fp64", "fp64_fma", "fp16", "fp16_fma", "integer", "integer_add",
           "integer_multiply", "integer_shift", "integer_logic", "integer_compare", "special", "special_unit", "conversion",
           "control", "branch", "misc", "barrier", "communication", "load_store"]


def number(n):
    return f"{n:g}" + ("F" if n != int(n) else "")


def write(table, versions, out):
    lines = [
        "// Made by tools/dev/expansions.py; do not edit. What ptxas makes of one PTX instruction, ordinary operands:",
        "// {key, from this compute capability on, {{class, instructions}, ...}}. Key.slow: what others take in excess.",
        f"// {versions}; {datetime.date.today():%Y-%m-%d}; sm_" + ", sm_".join(map(str, ARCHITECTURES)) + ".",
        f"// Rows for {FERMI}: counted on hardware (Konstantinidis 2017), see the tool.",
        "// clang-format off",
    ]
    for key in sorted(table):
        last = None
        for architecture in [FERMI, KEPLER, *ARCHITECTURES]:
            mix = table[key].get(architecture)
            if mix is None or mix == last:
                continue
            last = mix
            classes = ", ".join(f"{{{c}, {number(mix[c])}}}" for c in CLASSES if c in mix)
            lines.append(f'{{"{key}", {architecture}, of({{{classes}}})}},')
    out.write_text("\n".join(lines + ["// clang-format on"]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--toolkit", type=pathlib.Path, help="folder with ptxas and nvdisasm of CUDA 11.8")
    parser.add_argument("-o", type=pathlib.Path, default=OUT, help="default: %(default)s")
    parser.add_argument("--show", help="print the counted path of the instruction with this key instead")
    options = parser.parse_args()
    toolkit = find_toolkit(options.toolkit)
    list_cases()
    table, uniform = collections.defaultdict(dict), collections.defaultdict(dict)
    with tempfile.TemporaryDirectory() as folder:
        for architecture in ARCHITECTURES:
            cases = [c for c in CASES if c.since <= architecture and options.show in (None, c.key)]
            functions = disassemble(toolkit, architecture, cases, pathlib.Path(folder))
            for key, mix in besides(architecture, functions).items():
                if options.show in (None, key):
                    table[key][architecture] = mix
            for i, case_ in enumerate(cases):
                if has_unknown(functions[f"t{i}"][0]):
                    continue
                table[case_.key][architecture] = difference(architecture, functions, i, case_)
                if f"u{i}" in functions:
                    uniform[case_.key][architecture] = for_all_lanes(functions[f"u{i}"][0])
                code, labels = functions[f"t{i}"]
                if case_.key in SLOW and slow_ways(labels):
                    table[case_.key + ".slow"][architecture] = slow_excess(architecture, code, labels)
                    table[case_.key + ".slow.text"][architecture] = text_of(architecture, code[min(slow_ways(labels)):])
                if options.show:
                    print(f"sm_{architecture}: {dict(table[case_.key][architecture])}")
                    for through in [(), slow_ways(labels)] if slow_ways(labels) else [()]:
                        for instruction, guard in shortest_path(code, labels, through):
                            print(f"  {'' if guard is True else 'open' if guard is None else 'off':5}{instruction.text}")
    if not options.show:
        add_addresses(table)
        uniform["fold.shl.b32.add.variable"] = uniform["fold.shl.b32.add"]
        add_rounds(table)
        add_limits(table)
        add_counted(table)
        add_uniform(table, uniform)
        version = subprocess.run([toolkit / "ptxas", "--version"], check=True, capture_output=True, text=True).stdout
        write(table, "ptxas and nvdisasm " + re.search(r"V[\d.]+", version)[0], options.o)


if __name__ == "__main__":
    sys.exit(main())
