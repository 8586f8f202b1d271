#!/usr/bin/env python3
"""Random CUDA programs, each of which checks itself: in the engine, built in several ways.

    tools/dev/random_programs.py run SEED[-SEED] [--ways NAME,...] [--kernels N] [--gpuproj PROGRAM] [--other PROGRAM]
                                 [--nvcc NVCC] [--nvcc11 NVCC] [--work FOLDER] [--seconds N]
    tools/dev/random_programs.py write SEED [--kernels N] [--only KERNEL] [--without ID,...]
    tools/dev/random_programs.py reduce SEED --only KERNEL --way NAME [...]

Each kernel of a program is made from statements with divergent conditions, loops of as many rounds as the data say,
calls, arrays, pointers into several spaces, atomics, barriers and exchange within warps. The host does the same, thread
after thread, from one point where threads meet to the next (random_programs.hpp), and compares all memory. Nothing in
them is undefined, a race, or depends on the order of threads; the bits of a NaN count for nothing.

`run` also compares the profile with that of one thread of the host, with that of --count-every-launch where it says the
same, and with that of another build of gpuproj (--other). It prints a line for each program that differs, and in the end
how many did not. `write` prints a program. `reduce` leaves out statements as long as the kernel still differs.
"""
import argparse
import json
import math
import pathlib
import random
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent

# Name: which compiler, the architecture, options.
WAYS = {
    "75": ("nvcc", 75, []),
    "80": ("nvcc", 80, []),
    "90": ("nvcc", 90, []),
    "100": ("nvcc", 100, []),
    "80-G": ("nvcc", 80, ["-G"]),
    "90-rdc": ("nvcc", 90, ["-rdc=true"]),
    "80-O1": ("nvcc", 80, ["-Xcicc", "-O1"]),
    "80-O0": ("nvcc", 80, ["-Xcicc", "-O0"]),
    "35": ("nvcc11", 35, []),
    "52": ("nvcc11", 52, []),
    "52-G": ("nvcc11", 52, ["-G"]),
}

INTEGERS = {"u8": 8, "s8": 8, "u16": 16, "s16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64}
REALS = {"float": 32, "double": 64}
COMMON = ["u32"] * 5 + ["s32"] * 3 + ["u64", "s64"] * 2 + ["u16", "s16", "u8", "s8"] + ["float"] * 3 + ["double"]


def size(kind):
    return (INTEGERS.get(kind) or REALS[kind]) // 8


# ---- statements

class Text:
    """Lines of one thread. @name is the thread's, `name the block's."""

    def __init__(self, number, text):
        self.number, self.text = number, text

    def lines(self, without):
        return [] if self.number in without else [self.text]


class Nest:
    """Parts of one thread with statements between them: `if (..) {`, `} else {`, `}`."""

    def __init__(self, number, heads, bodies):
        self.number, self.heads, self.bodies = number, heads, bodies

    def lines(self, without):
        if self.number in without:
            return []
        found = []
        for head, body in zip(self.heads, self.bodies + [[]]):
            found.append(head)
            for statement in body:
                found += ["    " + line for line in statement.lines(without)]
        return found


class Together:
    """What lanes of a warp do together: what it is on the device; what each gives and takes on the host."""

    def __init__(self, number, device, give, take):
        self.number, self.device, self.give, self.take = number, device, give, take


class Parting:
    """A condition or loop in which lanes do something together: the mask of those that are in it is known."""

    def __init__(self, number, kind, condition, bodies):
        self.number, self.kind, self.condition, self.bodies = number, kind, condition, bodies


class Barrier:
    def __init__(self, device, give=None, take=None):
        self.device, self.give, self.take = device, give, take


class Rounds:
    """A loop that all threads of a block go through alike, with barriers in it."""

    def __init__(self, number, count, body):
        self.number, self.count, self.body = number, count, body


class Leave:
    def __init__(self, number, condition):
        self.number, self.condition = number, condition


# ---- what statements are made of

class Scope:
    """The names that may be used, and what may be done."""

    def __init__(self, variables, arrays, words, kernel=None):
        self.variables = variables  # (name, type), may be written
        self.constants = []  # (name, type)
        self.arrays = arrays  # (name, type, elements), of the thread
        self.words = words  # of eight words: may be read and written
        self.kernel = kernel
        self.functions = []
        self.leave = None  # a statement
        self.weight = 1
        self.loops = 0  # around what is being made
        self.labels = []  # behind loops around it


class Maker:
    def __init__(self, seed, arch):
        self.random = random.Random(seed)
        self.arch = arch
        self.number = 0
        self.names = 0

    def next_number(self):
        self.number += 1
        return self.number

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def lower(self, depth):
        return depth - self.pick([1, 1, 2, 3])

    def chance(self, share):
        return self.random.random() < share

    def pick(self, values):
        return self.random.choice(values)

    # ---- expressions

    def constant(self, kind):
        if kind in REALS:
            suffix = "f" if kind == "float" else ""
            return "(" + self.pick(["0.0", "1.0", "-1.0", "0.5", "3.0", "-2.75", "1e10", "1e-3", "65536.0", "0.1", "-7.0",
                              "1e-40" if kind == "float" else "1e-310", "1e30"]) + suffix + ")"
        bits = INTEGERS[kind]
        value = self.pick([0, 1, 2, 3, 5, 7, 8, 10, 16, 31, 32, 63, 64, 100, 127, 128, 255, 256, 1000, 0x7FFF, 0x8000, 0xFFFF,
                           0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x9E3779B97F4A7C15, 1 << 63, (1 << 64) - 1,
                           self.random.getrandbits(64), self.random.getrandbits(16), self.random.getrandbits(6)])
        return f"({kind}){value & ((1 << bits) - 1):#x}ull"

    def index(self, scope, depth):
        return self.expression(scope, "u32", depth - 1)

    def condition(self, scope, depth):
        roll = self.random.random()
        if depth > 0 and roll < 0.15:
            return f"({self.condition(scope, depth - 1)} {self.pick(['&&', '||'])} {self.condition(scope, depth - 1)})"
        if depth > 0 and roll < 0.2:
            return f"!{self.condition(scope, depth - 1)}"
        if roll < 0.4:
            mask = self.pick([1, 2, 3, 4, 7, 8, 16])
            return f"(({self.expression(scope, 'u32', depth - 1)} & {mask}u) {self.pick(['==', '!='])} {self.pick([0, 0, 1])}u)"
        kind = self.pick(COMMON)
        return f"({self.expression(scope, kind, depth - 1)} {self.pick(['<', '<=', '>', '>=', '==', '!='])} " \
               f"{self.expression(scope, kind, depth - 1)})"

    def leaf(self, scope, kind):
        same = [name for name, its in scope.variables + scope.constants if its == kind]
        if same and self.chance(0.6):
            return self.pick(same)
        if self.chance(0.25):
            return self.constant(kind)
        name, its = self.pick(scope.variables + scope.constants)
        return name if its == kind else self.converted(name, its, kind)

    def converted(self, text, its, kind):
        if its == kind:
            return text
        if its in REALS and kind in INTEGERS:
            wide = ("s" if kind[0] == "s" else "u") + ("64" if INTEGERS[kind] == 64 else "32")
            return f"({kind})to_{wide}({text})"
        return f"({kind})({text})"

    def expression(self, scope, kind, depth):
        if depth <= 0:
            return self.leaf(scope, kind)
        roll = self.random.random()
        if roll < 0.18:
            return self.leaf(scope, kind)
        if roll < 0.32:
            return self.load(scope, kind, depth)
        if roll < 0.37:
            return f"({self.condition(scope, depth - 1)} ? {self.expression(scope, kind, depth - 1)} : " \
                   f"{self.expression(scope, kind, depth - 1)})"
        if roll < 0.42:
            its = self.pick(COMMON)
            return self.converted(f"({self.expression(scope, its, depth - 1)})", its, kind)
        if roll < 0.47 and scope.functions and scope.weight <= 32:
            return self.call(scope, kind, depth)
        if kind in REALS:
            return self.real(scope, kind, depth)
        return self.integer(scope, kind, depth)

    def real(self, scope, kind, depth):
        a, b, c = (self.expression(scope, kind, self.lower(depth)) for _ in range(3))
        f = "f" if kind == "float" else ""
        return self.pick([f"({a} + {b})", f"minus({a}, {b})", f"({a} * {b})", f"({a} + {b} * {c})", f"({a} / {b})",
                          f"sqrt{f}({a})", f"fma{f}({a}, {b}, {c})", f"smaller({a}, {b})", f"larger({a}, {b})",
                          f"(-({a}))", f"fabs{f}({a})", f"floor{f}({a})", f"trunc{f}({a})", f"rint{f}({a})",
                          f"ceil{f}({a})", f"({kind})({self.condition(scope, depth - 1)})"])

    def integer(self, scope, kind, depth):
        bits = INTEGERS[kind]
        wide = "64" if bits == 64 else "32"
        u = "u" + wide
        mine = ("s" if kind[0] == "s" else "u") + wide
        a = f"({mine}){self.expression(scope, kind, self.lower(depth))}"
        b = f"({mine}){self.expression(scope, kind, self.lower(depth))}"
        n = f"({self.expression(scope, 'u32', depth - 1)})" if self.chance(0.4) else f"{self.random.randrange(bits)}u"
        ua, ub = f"({u}){a}", f"({u}){b}"
        few = self.random.randrange(1, bits)
        forms = [f"({ua} + {ub})", f"({ua} - {ub})", f"({ua} * {ub})", f"({ua} * {ub} + ({u}){self.leaf(scope, kind)})",
                 f"({a} & {b})", f"({a} | {b})", f"({a} ^ {b})", f"(~{a})", f"(0 - {ua})",
                 f"({ua} << ({n} & {int(wide) - 1}))", f"(({a}) >> ({n} & {int(wide) - 1}))", f"(({a}) >> ({n} & {int(wide) - 1}))",
                 f"shifted_out({ua}, {n})", f"shifted_in({a}, {n})", f"rotated({ua}, {n})",
                 f"smaller({a}, {b})", f"larger({a}, {b})", f"({self.condition(scope, depth - 1)})",
                 f"(({ua} >> {few // 2}) & {(1 << few) - 1:#x}ull)", f"popc({ua})", f"clz({ua})", f"ffs({ua})", f"brev({ua})",
                 f"mul_hi({a}, {b})", f"({ua} / ({ub} | 1))", f"({ua} % ({ub} | 1))",
                 f"({a} / ({mine})(({ub} & 0x7f) + 1))", f"({a} % ({mine})(({ub} & 0x3ff) + 1))",
                 f"({a} / ({mine}){self.pick([3, 7, 10, 16, 100, 127])})", f"({a} % ({mine}){self.pick([3, 7, 10, 16, 100, 127])})",
                 f"(({mine})(({a}) >> 2) + ({mine})(({b}) >> 2))", f"(({ua} ^ {ub}) & ({ua} | ~{ub}))",
                 f"((({mine}){ua} << {int(wide) - bits if bits < int(wide) else few}) >> {few})" if kind[0] == "u"
                 else f"((s{wide})({ua} << {few}) >> {few})"]
        if bits <= 32:
            x = self.expression(scope, "u32", depth - 1)
            forms += [f"byte_perm({ua}, {ub}, {x})", f"funnel_left({ua}, {ub}, {x})", f"funnel_right({ua}, {ub}, {x})",
                      f"distance((s32){a}, (s32){b}, {x})", f"byte_perm({ua}, {ub}, 0x{self.random.getrandbits(16) & 0x7777:x})"]
        else:
            x, y = (self.expression(scope, kind[0] + "32", depth - 1) for _ in range(2))
            forms += [f"(({kind}){x} * ({kind}){y})", f"(({u})({kind}){x} * ({u})({kind}){y} + ({u}){b})",
                      f"((u64)(u32){x} << 32 | (u32){y})"]
        return f"({kind})({self.pick(forms)})"

    def load(self, scope, kind, depth):
        """Something from memory, of that type."""
        i = self.index(scope, depth)
        ways = []
        for name, its, count in scope.arrays:
            ways += [self.converted(f"{name}[{i} & {count - 1}]", its, kind)] * 3
        for name in scope.words:
            ways.append(self.converted(f"{name}[{i} & 7]", "u32", kind))
        ways.append(self.converted(f"CON[{i} & {256 - 1}]", "u32", kind))
        if kind in INTEGERS:
            ways.append(f"((const {kind}*)CON)[{i} & {1024 // size(kind) - 1}]")
        if scope.kernel:
            ways += self.kernel_loads(scope, kind, i, depth)
        return self.pick(ways)

    def kernel_loads(self, scope, kind, i, depth):
        kernel = scope.kernel
        its = kind if kind in INTEGERS else self.pick(list(INTEGERS))
        elements = 4096 // size(its)
        near = self.pick([i, "@tid", "@gid", f"(@tid + {self.random.randrange(64)}u)", f"(@gid * {self.pick([2, 3, 4])}u)"])
        plain = self.converted(f"((const {its}*)m.in)[{near} & {elements - 1}]", its, kind)
        cached = self.converted(f"loaded_readonly(&((const {its}*)m.in)[{near} & {elements - 1}])", its, kind)
        vector, its, part, count = self.pick([("uint4", "u32", "xyzw", 256), ("uint2", "u32", "xy", 512), ("uchar4", "u8", "xyzw", 1024),
                                              ("ushort2", "u16", "xy", 1024), ("int4", "s32", "xyzw", 256), ("ulonglong2", "u64", "xy", 256),
                                              ("short4", "s16", "xyzw", 512), ("char2", "s8", "xy", 2048)])
        vectors = self.converted(f"((const {vector}*)m.in)[{near} & {count - 1}].{self.pick(part)}", its, kind)
        field, its = self.pick([("a", "u16"), ("b", "s8"), ("c", "u8"), ("d", "s32"), ("e", "u32")])
        fields = self.converted(f"((const Mixed*)m.in)[{near} % 341].{field}", its, kind)
        odd = self.converted(f"((const Odd*)m.in)[{near} % 819].x[{self.random.randrange(5)}]", "u8", kind)
        own = self.converted(f"{kernel.own(i)}", "u32", kind)
        shared = self.converted(f"`sh[{kernel.readable()} + {near} % @size]", "u32", kind)
        ways = [plain, plain, cached, vectors, fields, odd, own, own, shared, shared]
        if kind in REALS:
            ways += [f"clean(((const {kind}*)m.in)[{near} & {4096 // size(kind) - 1}])"]
        if not kernel.adds:
            ways.append(self.converted(f"`sacc[{i} & 31]", "u32", kind))
        choices = [f"&{name}[{i} & 7]" for name in scope.words] + [f"&{kernel.own(i)}", f"(const u32*)&`sh[{kernel.readable()} + {near} % @size]",
                                                                    f"&m.in[{near} & 1023]", f"&CON[{i} & 255]"]
        a, b, c = (self.pick(choices) for _ in range(3))
        ways.append(self.converted(f"(*({self.condition(scope, depth - 1)} ? {a} : {b}))", "u32", kind))
        ways.append(self.converted(f"(*({self.condition(scope, depth - 1)} ? {a} : {self.condition(scope, depth - 1)} ? {b} : {c}))", "u32", kind))
        return ways

    def call(self, scope, kind, depth):
        function = self.pick(scope.functions)
        arguments = []
        for its in function.parameters:
            if its == "words":
                arguments.append(self.pick(scope.words))
            elif its == "Several":
                arguments.append("Several{" + ", ".join(self.expression(scope, part, 1) for part in ("u32", "u64", "float", "u8", "s16")) + "}")
            elif its == "depth":
                arguments.append(f"({self.index(scope, 2)} & 3)")
            else:
                arguments.append(self.expression(scope, its, min(depth - 1, 2)))
        called = function.name
        if function.table and self.chance(0.6):
            called = f"FUNCTIONS[{self.index(scope, 2)} % {function.table}]"
        text = f"{called}({', '.join(arguments)})"
        if function.result == "Several":
            part, its = self.pick([("a", "u32"), ("b", "u64"), ("c", "float"), ("d", "u8"), ("e", "s16")])
            return self.converted(f"{text}.{part}", its, kind)
        return self.converted(text, function.result, kind)

    # ---- statements of one thread

    def statements(self, scope, count, depth):
        return [self.statement(scope, depth) for _ in range(count)]

    def assignment(self, scope):
        name, kind = self.pick(scope.variables)
        return Text(self.next_number(), f"{name} = {self.expression(scope, kind, self.pick([1, 2, 2, 3]))};")

    def statement(self, scope, depth):
        roll = self.random.random()
        if depth <= 0 or roll < 0.4:
            return self.simple(scope)
        number = self.next_number()
        if roll < 0.62:
            bodies = [self.statements(scope, self.random.randrange(1, 4), depth - 1)]
            heads = [f"if ({self.condition(scope, 2)}) {{"]
            while self.chance(0.35):
                heads.append("} else {" if self.chance(0.6) else f"}} else if ({self.condition(scope, 2)}) {{")
                bodies.append(self.statements(scope, self.random.randrange(1, 4), depth - 1))
                if heads[-1] == "} else {":
                    break
            return Nest(number, heads + ["}"], bodies)
        if roll < 0.72:
            return self.switch(scope, number, depth)
        if scope.weight <= 60:
            return self.loop(scope, number, depth)
        return self.simple(scope)

    def switch(self, scope, number, depth):
        count = self.pick([2, 3, 4, 6, 8, 11])
        step = self.pick([1, 1, 1, 5])
        heads, bodies = [f"switch ({self.expression(scope, 'u32', 2)} % {count * step + 1}u) {{ case {count * step}:"], []
        for i in range(count):
            bodies.append(self.statements(scope, self.pick([1, 1, 2]), min(depth - 1, 1)))
            end = "" if self.chance(0.25) else "break; "
            heads.append(f"{end}case {i * step}:" if i + 1 < count or self.chance(0.5) else f"{end}default:")
        bodies.append(self.statements(scope, 1, 0))
        return Nest(number, heads + ["}"], bodies)

    def loop(self, scope, number, depth):
        counter = self.name("i")
        rounds = self.pick([2, 3, 4, 5, 7])
        scope.weight *= rounds
        if self.chance(0.12):
            # Two ways into it.
            heads = [f"{{ u32 {counter}; {counter} = 0; if ({self.condition(scope, 2)}) goto middle_{counter}; again_{counter}:;",
                     f"middle_{counter}:;",
                     f"if (++{counter} < {rounds} && {self.condition(scope, 2)}) goto again_{counter}; }}"]
            scope.constants.append((counter, "u32"))
            bodies = [self.statements(scope, self.random.randrange(1, 3), depth - 1) for _ in range(2)]
            scope.constants.pop()
            scope.weight //= rounds
            return Nest(number, heads, bodies)
        kind = self.random.random()
        scope.loops += 1
        scope.labels.append("behind_" + counter)
        scope.constants.append((counter, "u32"))
        limit = f"({self.expression(scope, 'u32', 2)} & 7)" if kind < 0.5 else str(rounds)
        limit = limit.replace(counter, "1u")
        body = self.statements(scope, self.random.randrange(1, 5), depth - 1)
        for word in ("break", "continue"):
            if self.chance(0.3):
                body.insert(self.random.randrange(len(body) + 1), Text(self.next_number(), f"if ({self.condition(scope, 2)}) {word};"))
        way = self.random.random()
        if way < 0.5:
            step = self.pick(["++" + counter, "++" + counter, f"{counter} += 2"])
            heads = [f"for (u32 {counter} = 0, end = {limit}; {counter} < end; {step}) {{", "}"]
        elif way < 0.65:
            heads = [f"for (u32 {counter} = {limit}; {counter} != 0; --{counter}) {{", "}"]
        elif way < 0.8:
            heads = [f"for (u32 {counter} = 0; {counter} < {rounds} && {self.condition(scope, 2)}; ++{counter}) {{", "}"]
        else:
            heads = [f"{{ u32 {counter} = 0; do {{", f"}} while (++{counter} < {rounds} && {self.condition(scope, 1)}); }}"]
        scope.constants.pop()
        scope.loops -= 1
        heads[-1] += f" {scope.labels.pop()}:;"
        scope.weight //= rounds
        return Nest(number, heads, [body])

    def simple(self, scope):
        number = self.next_number()
        roll = self.random.random()
        if roll < 0.45:
            return self.assignment(scope)
        value = lambda kind, depth=2: self.expression(scope, kind, depth)
        if roll < 0.6 and scope.arrays:
            name, kind, count = self.pick(scope.arrays)
            return Text(number, f"{name}[{value('u32')} & {count - 1}] = {value(kind)};")
        if roll < 0.66 and scope.words:
            return Text(number, f"{self.pick(scope.words)}[{value('u32')} & 7] {self.pick(['=', '+=', '^='])} {value('u32')};")
        if roll < 0.7 and scope.leave:
            return Text(number, f"if ({self.condition(scope, 2)}) {scope.leave()}")
        if roll < 0.76 and scope.loops:
            return Text(number, f"if ({self.condition(scope, 2)}) {self.pick(['break', 'continue', 'goto ' + self.pick(scope.labels)])};")
        if scope.kernel:
            return self.kernel_simple(scope, number, value)
        return self.assignment(scope)

    def kernel_simple(self, scope, number, value):
        kernel = scope.kernel
        i = value("u32")
        ways = [f"{kernel.own(i)} = {value('u32')};", f"{kernel.own(i)} += {value('u32')};",
                f"{kernel.own(self.random.randrange(16))} = {value('u32')};",
                f"`sh[{kernel.writable()} + @tid] = {value('u32', 3)};", f"`sh[{kernel.writable()} + @tid] ^= {value('u32')};"]
        word = self.name("p")
        targets = [f"&{name}[{i} & 7]" for name in scope.words] + [f"&{kernel.own(i)}", f"&`sh[{kernel.writable()} + @tid]"]
        ways.append(f"{{ u32* {word} = {self.condition(scope, 2)} ? {self.pick(targets)} : {self.pick(targets)}; *{word} = *{word} * 3 + {value('u32')}; }}")
        if not kernel.strided:
            kind = self.pick(list(INTEGERS))
            some = self.random.randrange(64 // size(kind))
            ways += [f"(({kind}*)m.out)[@gid * {64 // size(kind)} + ({i} & {64 // size(kind) - 1})] = {value(kind)};",
                     f"(({kind}*)m.out)[@gid * {64 // size(kind)} + {some}] = {value(kind)};",
                     f"((uint4*)m.out)[@gid * 4 + ({i} & 3)] = uint4{{{value('u32')}, {value('u32')}, {value('u32')}, {value('u32')}}};",
                     f"((ushort4*)m.out)[@gid * 8 + ({i} & 7)] = ushort4{{{value('u16')}, {value('u16')}, {value('u16')}, {value('u16')}}};",
                     f"((uchar4*)m.out)[@gid * 16 + {some % 16}] = uchar4{{{value('u8')}, {value('u8')}, {value('u8')}, {value('u8')}}};",
                     f"((float2*)m.out)[@gid * 8 + ({i} & 7)] = float2{{clean({value('float')}), clean({value('float')})}};",
                     f"((double*)m.out)[@gid * 8 + ({i} & 7)] = clean({value('double')});",
                     f"((Mixed*)(m.out + @gid * 16))[{i} % 5] = ((const Mixed*)m.in)[{value('u32')} % 341];",
                     f"((Odd*)(m.out + @gid * 16))[{i} % 12] = ((const Odd*)m.in)[{value('u32')} % 819];",
                     f"*(volatile u32*)&m.out[@gid * 16 + ({i} & 15)] = {value('u32')};"]
        index = self.pick([f"({i} & 63)", "(@tid & 63)", "(@gid & 7)", "5", "(@lane & 3)"])
        near = self.pick([f"({i} & 31)", "@lane", "(@lane & 3)", "7"])
        operation = kernel.operation
        atomics = [f"atomic_{operation}(&m.acc[{index}], {value('u32')});", f"atomic_{kernel.wide_operation}(&m.wide_acc[{index}], {value('u64')});",
                   f"atomic_inc(&m.wrapped[{index}], 9999u);",
                   f"atomic_add(&m.real_acc[{index}], (float)({value('u32')} & 3));"]
        if kernel.retries:
            atomics.append(f"atomic_mul(&m.products[{index}], {value('u32')} | 1);")
        if kernel.adds:
            atomics += [f"atomic_{operation}(&`sacc[{near}], {value('u32')});"] * 2
            atomics.append(f"atomic_{operation}({self.condition(scope, 2)} ? &`sacc[{near}] : &m.acc[{index}], {value('u32')});")
        return Text(number, self.pick(ways if self.chance(0.65) else atomics))


class Function:
    def __init__(self, name, result, parameters, table=0):
        self.name, self.result, self.parameters, self.table = name, result, parameters, table
        self.body = []
        self.locals = []


class Kernel:
    """One kernel: its statements, on the device and as the host models them."""

    def __init__(self, seed, index, arch):
        self.maker = make = Maker(f"{seed}/{index}", arch)
        self.seed, self.index, self.arch = seed, index, arch
        self.strided = make.chance(0.4)
        self.dynamic = make.chance(0.3)
        self.bounded = make.chance(0.2)
        # What it does depends on who comes in between, and so do its counts.
        self.retries = make.chance(0.2)
        self.name = f"{'retrying' if self.retries else 'kernel'}_{index}"
        self.operation = make.pick(["add", "min", "max", "and", "or", "xor"])
        self.wide_operation = make.pick(["add", "add", "max", "xor"])
        self.half = 0  # of the shared array: the readable one
        self.adds = True  # to shared sums; else they may be read
        self.with_warps = make.chance(0.6)
        self.masks = 1
        self.functions = []
        self.make_functions()
        kinds = [make.pick(COMMON) for _ in range(make.pick([4, 7, 10]))]
        self.variables = [(f"@v{i}", kind) for i, kind in enumerate(kinds)]
        if not any(kind == "u32" for _, kind in self.variables):
            self.variables.append(("@w", "u32"))
        self.arrays = [("@first", make.pick(["u32", "u8", "u64", "s16"]), 8), ("@second", make.pick(["float", "u32", "double", "s8"]), 4)]
        self.arrays = self.arrays[:make.pick([0, 1, 2])]
        self.scope = Scope(self.variables, self.arrays, ["@words"] if make.chance(0.6) else [], self)
        self.scope.constants = [("@tid", "u32"), ("@gid", "u32"), ("@lane", "u32"), ("m.salt", "u32"), ("@tx", "u32"), ("@ty", "u32")]
        self.scope.functions = [function for function in self.functions if self.scope.words or "words" not in function.parameters]
        if not self.with_warps and make.chance(0.5):
            self.scope.leave = lambda: "RETURN"
        self.body = self.phases(make.pick([1, 1, 2, 3]), True)

    def readable(self):
        return self.half * 256

    def writable(self):
        return 256 - self.half * 256

    def own(self, i):
        if self.strided:
            return f"m.out[({i} & 15) * @total + @gid]"
        return f"m.out[@gid * 16 + ({i} & 15)]"

    # ---- functions

    def make_functions(self):
        make = self.maker
        table = make.pick([0, 0, 2, 3])
        for i in range(table + make.pick([0, 0, 1, 2])):
            name = f"function_{self.index}_{i}"
            if i < table:
                function = Function(name, "u32", ["u32", "u64", "float"], table)
            else:
                kinds = [make.pick(COMMON + ["words", "Several"]) for _ in range(make.pick([1, 2, 4]))]
                if make.chance(0.4):
                    kinds.append("depth")
                function = Function(name, make.pick(COMMON + ["Several"] * 4), kinds)
            self.make_body(function)
            self.functions.append(function)

    def make_body(self, function):
        make = self.maker
        variables, words, depth = [], [], None
        for i, kind in enumerate(function.parameters):
            if kind == "words":
                words.append(f"p{i}")
            elif kind == "Several":
                variables += [(f"p{i}.a", "u32"), (f"p{i}.b", "u64"), (f"p{i}.c", "float"), (f"p{i}.d", "u8"), (f"p{i}.e", "s16")]
            elif kind == "depth":
                depth = f"p{i}"
            else:
                variables.append((f"p{i}", kind))
        function.locals = [("r0", "u32"), ("r1", make.pick(COMMON))]
        arrays = [("area", make.pick(["u32", "u16", "float"]), 8)] if make.chance(0.4) else []
        function.arrays = arrays
        scope = Scope(variables + function.locals, arrays, words)
        # Calls go to those before it, unless it is one that pointers go to: then to none.
        scope.functions = [] if function.table else [f for f in self.functions if words or "words" not in f.parameters]
        scope.weight = 16
        result = lambda: self.result_of(function, scope)
        scope.leave = lambda: f"return {result()};"
        function.body = make.statements(scope, make.pick([1, 2, 3]), make.pick([1, 2]))
        if depth:
            arguments = [f"p{i}" if kind != "depth" else f"{depth} - 1" for i, kind in enumerate(function.parameters)]
            call = f"{function.name}({', '.join(arguments)})"
            part = f"{call}.b" if function.result == "Several" else call
            wanted = make.converted(part, "u64" if function.result == "Several" else function.result, "u32")
            again = Text(make.next_number(), f"if ({depth} != 0 && {make.condition(scope, 1)}) r0 = r0 * 5 + {wanted};")
            function.body.insert(make.random.randrange(len(function.body) + 1), again)
        function.end = result()

    def result_of(self, function, scope):
        make = self.maker
        if function.result == "Several":
            return "Several{" + ", ".join(make.expression(scope, part, 1) for part in ("u32", "u64", "float", "u8", "s16")) + "}"
        return make.expression(scope, function.result, 2)

    def head(self, function):
        as_c = {"words": "u32*", "depth": "u32"}
        parameters = ", ".join(f"{as_c.get(kind, kind)} p{i}" for i, kind in enumerate(function.parameters))
        return f"HD __noinline__ {function.result} {function.name}({parameters})"

    def function_text(self, function, without):
        lines = [self.head(function) + " {"]
        lines += [f"    {kind} {name} = 1;" for name, kind in function.locals]
        lines += [f"    {kind} {name}[{count}] = {{}};" for name, kind, count in function.arrays]
        for statement in function.body:
            lines += ["    " + line for line in statement.lines(without)]
        return lines + [f"    return {function.end};", "}"]

    # ---- what threads do between the points where they meet

    def phases(self, count, outer):
        make = self.maker
        body = []
        for i in range(count):
            body += self.section(2 if outer else 1)
            if outer and make.chance(0.2):
                body.append(Rounds(make.next_number(), make.pick([2, 3, 4]), self.phases(2, False)))
                continue
            if outer and i + 1 == count:
                break
            body.append(self.barrier())
            self.half = 1 - self.half
            self.adds = not self.adds
        if outer and self.with_warps and make.chance(0.2):
            body.insert(make.random.randrange(len(body)), Leave(make.next_number(), self.guard()))
        return body

    def guard(self):
        return self.maker.pick(["@gid >= 77u", "@tid >= 40u", "(@tid & 3) == 3", "@lane > 20u", "(m.salt & 1) == (@tid >> 5 & 1)"])

    def barrier(self):
        make = self.maker
        if make.chance(0.75):
            return Barrier("__syncthreads();")
        target = make.pick([name for name, kind in self.variables if kind == "u32"])
        condition = make.condition(self.scope, 2)
        function, rule = make.pick([("count", "count"), ("and", "count == present"), ("or", "count != 0")])
        number = f"__syncthreads_{function}({condition})"
        return Barrier(f"{target} = {number if function == 'count' else number + ' != 0'};", condition, f"{target} = {rule};")

    def section(self, depth):
        make = self.maker
        found = []
        for _ in range(make.pick([1, 1, 2])):
            found += make.statements(self.scope, make.pick([1, 1, 2]), make.pick([1, 2, 2, 3]))
            if self.with_warps:
                found.append(self.together(depth))
        return found

    def together(self, depth):
        """Lanes of a warp exchange something, where only some may be."""
        make = self.maker
        if depth == 0 or make.chance(0.4):
            return self.exchange()
        number = make.next_number()
        kind = make.pick(["if", "if", "else", "loop"])
        bodies = []
        for _ in range(2 if kind == "else" else 1):
            body = make.statements(self.scope, make.pick([0, 1, 2]), 1) + [self.together(depth - 1)]
            bodies.append(body + make.statements(self.scope, make.pick([0, 1]), 1))
        condition = f"({make.expression(self.scope, 'u32', 2)} % 5u)" if kind == "loop" else make.condition(self.scope, 2)
        return Parting(number, kind, condition, bodies)

    def exchange(self):
        make, scope, number = self.maker, self.scope, self.maker.next_number()
        kind = make.pick(["u32", "s32", "u64", "s64", "float", "double"])
        target, its = make.pick(self.variables)
        give = f"clean({make.expression(scope, kind, 2)})"
        taken = lambda text, of: f"{target} = {make.converted(text, of, its)};"
        roll = make.random.random()
        if roll < 0.2:
            n = make.expression(scope, "u32", 2)
            device = f"{{ const {kind} x = {give}; {taken(f'__shfl_sync(MASK, x, nth(MASK, {n}))', kind)} }}"
            return Together(number, device, f"({kind}){give}", taken(f"value[nth(mask, {n})]", kind))
        if roll < 0.45:
            how = make.random.randrange(3)
            width = make.pick([2, 4, 8, 16, 32, 32, 32])
            distance = make.pick([1, 2, 3, 4, 8, 16, 5, 31])
            if how == 2:
                distance = distance % width
            place = f"source_lane({how}, @lane, {distance}, {width})"
            call = f"__shfl_{['up', 'down', 'xor'][how]}_sync(MASK, x, {distance}, {width})"
            device = f"{{ const {kind} x = {give}; const {kind} y = {call}; if (MASK >> {place} & 1) {taken('y', kind)} }}"
            return Together(number, device, f"({kind}){give}", f"if (mask >> {place} & 1) {taken(f'value[{place}]', kind)}")
        if roll < 0.65:
            condition = make.condition(scope, 3)
            function, rule = make.pick([("ballot", "same_as(mask, value, 1u)"), ("any", "same_as(mask, value, 1u) != 0"),
                                        ("all", "same_as(mask, value, 1u) == mask")])
            call = f"(u32){'' if function == 'ballot' else '!!'}__{function}_sync(MASK, {condition})"
            return Together(number, taken(call, "u32"), f"(u32)({condition})", taken(f"(u32)({rule})", "u32"))
        if roll < 0.72 and self.arch >= 70:
            few = f"(({make.expression(scope, 'u32', 2)}) & 3u)"
            if make.chance(0.5):
                few = f"((u64){few} << 33)"
            wide = "u64" if "u64" in few[:6] else "u32"
            if make.chance(0.5):
                return Together(number, taken(f"(u32)__match_any_sync(MASK, {few})", "u32"), f"({wide}){few}", taken("same_as(mask, value, value[lane])", "u32"))
            device = f"{{ int all; const u32 found = __match_all_sync(MASK, {few}, &all); {taken('(found + (all != 0))', 'u32')} }}"
            return Together(number, device, f"({wide}){few}", taken("(same_as(mask, value, value[lane]) == mask ? mask + 1 : 0u)", "u32"))
        if roll < 0.82 and self.arch >= 80:
            word = make.pick(["u32", "s32"])
            name, rule = make.pick([("add", "T(u32(a) + u32(b))"), ("min", "std::min(a, b)"), ("max", "std::max(a, b)")] +
                                   ([("and", "a & b"), ("or", "a | b"), ("xor", "a ^ b")] if word == "u32" else []))
            value = make.expression(scope, word, 2)
            rule = rule.replace("T(", f"{word}(")
            return Together(number, taken(f"__reduce_{name}_sync(MASK, {value})", word), f"({word}){value}",
                            taken(f"combined(mask, value, []({word} a, {word} b) {{ return {rule}; }})", word))
        if roll < 0.9:
            give = make.expression(scope, "u32", 2)
            n = make.expression(scope, "u32", 2)
            device = f"{{ `sw[@tid] = {give}; __syncwarp(MASK); const u32 x = `sw[(@tid & ~31u) + nth(MASK, {n})]; __syncwarp(MASK); {taken('x', 'u32')} }}"
            return Together(number, device, f"(u32){give}", taken(f"value[nth(mask, {n})]", "u32"))
        if roll < 0.95:
            give = make.expression(scope, "u32", 2)
            return Together(number, taken(f"sum_of_warp(MASK, {give})", "u32"), f"(u32){give}",
                            taken("combined(mask, value, [](u32 a, u32 b) { return a * 3 + b; })", "u32"))
        device = f"if (@lane == ffs(MASK) - 1) atomic_{self.operation}(&m.acc[@tid >> 5], popc(MASK));"
        return Together(number, device, "0u", f"if (lane == ffs(mask) - 1) atomic_{self.operation}(&m.acc[@tid >> 5], popc(mask));")

    # ---- text

    def on_device(self, statements, without, mask, indent):
        lines = []
        put = lambda text: lines.append("    " * indent + text)
        for statement in statements:
            if getattr(statement, "number", None) in without:
                continue
            if isinstance(statement, (Text, Nest)):
                for line in statement.lines(without):
                    put(line.replace("RETURN", "return;"))
            elif isinstance(statement, Together):
                put(statement.device.replace("MASK", mask))
            elif isinstance(statement, Barrier):
                put(statement.device)
            elif isinstance(statement, Leave):
                put(f"{{ const bool out = {statement.condition}; {mask} = __ballot_sync({mask}, !out); if (out) return; }}")
            elif isinstance(statement, Rounds):
                put(f"for (u32 round = 0; round < {statement.count}; ++round) {{")
                lines += self.on_device(statement.body, without, mask, indent + 1)
                put("}")
            elif statement.kind == "loop":
                inner = f"mask{statement.number}"
                put(f"{{ u32 {inner} = {mask}; const u32 end = {statement.condition};")
                # nvcc 11 unrolls it for sm_35 and sm_52, and lanes that are to shuffle together are in different copies.
                put("#pragma unroll 1")
                put(f"for (u32 i = 0;; ++i) {{ const bool goes = i < end; {inner} = __ballot_sync({inner}, goes); if (!goes) break;")
                lines += self.on_device(statement.bodies[0], without, inner, indent + 1)
                put("} }")
            else:
                inner = f"mask{statement.number}"
                put(f"{{ const bool yes = {statement.condition}; u32 {inner} = __ballot_sync({mask}, yes); if (yes) {{")
                lines += self.on_device(statement.bodies[0], without, inner, indent + 1)
                if statement.kind == "else":
                    put(f"}} else {{ {inner} = {mask} & ~{inner};")
                    lines += self.on_device(statement.bodies[1], without, inner, indent + 1)
                put("} }")
        return lines

    def on_host(self, statements, without, on, indent):
        lines = []
        put = lambda text: lines.append("    " * indent + text)
        for statement in statements:
            if getattr(statement, "number", None) in without:
                continue
            if isinstance(statement, (Text, Nest)):
                put(f"each(threads, {on}, [&](State& s) {{")
                for line in statement.lines(without):
                    put("    " + line.replace("RETURN", "{ s.alive = false; return; }"))
                put("});")
            elif isinstance(statement, Together):
                put(f"collective(threads, {on}, [&](State& s) {{ return {statement.give}; }}, "
                    f"[&](State& s, u32 mask, u32 lane, const auto* value) {{ {statement.take} }});")
            elif isinstance(statement, Barrier):
                if statement.give:
                    put(f"{{ u32 count = 0, present = 0; each(threads, {on}, [&](State& s) {{ ++present; count += {statement.give}; }});")
                    put(f"each(threads, {on}, [&](State& s) {{ {statement.take} }}); }}")
            elif isinstance(statement, Leave):
                put(f"each(threads, {on}, [&](State& s) {{ if ({statement.condition}) s.alive = false; }});")
            elif isinstance(statement, Rounds):
                put(f"for (u32 round = 0; round < {statement.count}; ++round) {{")
                lines += self.on_host(statement.body, without, on, indent + 1)
                put("}")
            elif statement.kind == "loop":
                inner = f"on{statement.number}"
                put(f"{{ Lanes {inner} = {on}; std::vector<u32> ends(threads.size());")
                put(f"each(threads, {on}, [&](State& s) {{ ends[s.tid] = {statement.condition}; }});")
                put(f"for (u32 i = 0;; ++i) {{ {inner} = those(threads, {inner}, [&](State& s) {{ return i < ends[s.tid]; }}); if (!any({inner})) break;")
                lines += self.on_host(statement.bodies[0], without, inner, indent + 1)
                put("} }")
            else:
                inner, other = f"on{statement.number}", f"off{statement.number}"
                put(f"{{ const Lanes {inner} = those(threads, {on}, [&](State& s) {{ return {statement.condition}; }});")
                put(f"Lanes {other} = {on}; for (size_t t = 0; t < {other}.size(); ++t) {other}[t] = {on}[t] && !{inner}[t];")
                lines += self.on_host(statement.bodies[0], without, inner, indent + 1)
                if statement.kind == "else":
                    lines += self.on_host(statement.bodies[1], without, other, indent + 1)
                put("}")
        return lines

    def begins(self):
        return [f"{name} = {('(' + kind + ')')}(m.in[(@gid + {31 * i}u) & 1023] >> {self.index + i & 7});"
                for i, (name, kind) in enumerate(self.variables)]

    def ends(self):
        lines = [f"{self.own(i)} = {self.own(i)} * 31 + digest({name});" for i, (name, _) in enumerate(self.variables)]
        for name, kind, count in self.arrays + ([("@words", "u32", 8)] if self.scope.words else []):
            lines.append(f"for (u32 i = 0; i < {count}; ++i) {self.own('i')} = {self.own('i')} * 7 + digest({name}[i]);")
        return lines

    def declarations(self):
        lines = [f"{kind} {name[1:]} = 0;" for name, kind in self.variables]
        lines += [f"{kind} {name[1:]}[{count}] = {{}};" for name, kind, count in self.arrays]
        return lines + (["u32 words[8] = {};"] if self.scope.words else [])

    def text(self, without):
        lines = [self.head(function) + ";" for function in self.functions]
        of_table = [function.name for function in self.functions if function.table]
        if of_table:
            names = ", ".join(of_table)
            lines += [f"typedef u32 (*Pointer{self.index})(u32, u64, float);",
                      f"__device__ Pointer{self.index} functions_{self.index}[] = {{{names}}};",
                      f"static Pointer{self.index} host_functions_{self.index}[] = {{{names}}};",
                      "#undef FUNCTIONS", f"#define FUNCTIONS EITHER(functions_{self.index}, host_functions_{self.index})"]
        for function in self.functions:
            lines += self.function_text(function, without)
        # On the device.
        bounds = "__launch_bounds__(256) " if self.bounded else ""
        lines.append(f"__global__ {bounds}void {self.name}(Memory m) {{")
        lines.append("    extern __shared__ u32 sh[];" if self.dynamic else "    __shared__ u32 sh[512];")
        lines += ["    __shared__ u32 sw[256], sacc[32];",
                  "    const u32 tx = threadIdx.x, ty = threadIdx.y, tid = tx + blockDim.x * (ty + blockDim.y * threadIdx.z);",
                  f"    const u32 bid = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z), size = blockDim.x * blockDim.y * blockDim.z, gid = bid * size + tid;",
                  f"    const u32 total = gridDim.x * gridDim.y * gridDim.z * size, lane = tid & 31;",
                  "    u32 mask = size - (tid & ~31u) >= 32 ? ~0u : (1u << (size - (tid & ~31u))) - 1;"]
        device = self.declarations() + self.begins() + ["sh[tid] = m.in[tid]; sh[256 + tid] = tid; sw[tid] = 0;",
                                                        "for (u32 i = tid; i < 32; i += size) sacc[i] = i * 77;", "__syncthreads();"]
        lines += ["    " + line for line in device]
        lines += self.on_device(self.body, without, "mask", 1)
        lines += ["    " + line for line in self.ends()] + ["    (void)mask; (void)lane; (void)total; (void)ty;", "}"]
        lines = [line.replace("@", "").replace("`", "") for line in lines]
        # On the host.
        host = [f"static void model_{self.index}(dim3 grid, dim3 block, Memory m) {{",
                "    struct State { bool alive = true; u32 tx = 0, ty = 0, tid = 0, gid = 0, lane = 0, total = 0, size = 0;"]
        host += ["        " + line for line in self.declarations()] + ["    };"]
        host += ["    const u32 blocks = grid.x * grid.y * grid.z, size = block.x * block.y * block.z;",
                 "    for (u32 bid = 0; bid < blocks; ++bid) {",
                 "    struct { u32 sh[512], sw[256], sacc[32]; } b{};",
                 "    std::vector<State> threads(size); const Lanes on(size, 1); u32 next = 0;",
                 "    for (u32 i = 0; i < 32; ++i) b.sacc[i] = i * 77;",
                 "    for (State& s : threads) {",
                 "        s.tid = next++; s.tx = s.tid % block.x; s.ty = s.tid / block.x % block.y; s.lane = s.tid & 31;",
                 "        s.size = size; s.gid = bid * size + s.tid; s.total = blocks * size;",
                 "        b.sh[s.tid] = m.in[s.tid]; b.sh[256 + s.tid] = s.tid;"]
        host += ["        " + line for line in self.begins()] + ["    }"]
        host += self.on_host(self.body, without, "on", 1)
        host += ["    each(threads, on, [&](State& s) {"] + ["        " + line for line in self.ends()] + ["    });", "    }", "}"]
        host = [line.replace("@", "s.").replace("`", "b.") for line in host]
        return lines + host + self.launches()

    def launches(self):
        dynamic = ", 2048" if self.dynamic else ""
        return [f"static bool run_{self.index}(u32 seed) {{", f"    current = {self.index};", "    Arrays arrays(seed);",
                "    for (int launch = 0; launch < 6; ++launch) {", "        const Shape shape = arrays.next_shape(seed);",
                "        for (u32 i = 0; i < shape.times; ++i) {",
                f"            {self.name}<<<shape.grid, shape.block{dynamic}>>>(arrays.with(shape.salt));",
                f"            model_{self.index}(shape.grid, shape.block, arrays.of_host(shape.salt));", "        }",
                "        CHECK(cudaDeviceSynchronize());", "        if (!arrays.compare(shape)) return false;", "    }",
                "    return true;", "}"]


def program(seed, arch, kernels, only=None, without=()):
    values = random.Random(f"constants {seed}")
    constants = ", ".join(f"{values.getrandbits(values.choice([3, 8, 32])):#x}u" for _ in range(256))
    lines = ['#include "random_programs.hpp"', f"__constant__ alignas(16) u32 device_constants[256] = {{{constants}}};",
             f"alignas(16) static const u32 host_constants[256] = {{{constants}}};", "#define CON EITHER(device_constants, host_constants)",
             "__device__ __noinline__ u32 sum_of_warp(u32 mask, u32 x) {",
             "    u32 sum = __shfl_sync(mask, x, ffs(mask) - 1);",
             "    for (u32 left = mask & (mask - 1); left != 0; left &= left - 1) sum = sum * 3 + __shfl_sync(mask, x, ffs(left) - 1);",
             "    return sum;", "}"]
    wanted = range(kernels) if only is None else [only]
    for index in wanted:
        lines += Kernel(seed, index, arch).text(set(without))
    lines += ["int main(int argc, char** argv) {", "    bool right = true;", "    const u32 rounds = argc > 1 ? atoi(argv[1]) : 1;"]
    for index in wanted:
        lines += ["    for (u32 i = 0, goes = 1; goes && i < rounds; ++i)", f"        right = (goes = run_{index}({seed * 64 + index}u + (i << 20))) && right;"]
    return "\n".join(lines + ["    std::printf(right ? \"right\\n\" : \"wrong\\n\");", "    return right ? 0 : 1;", "}"]) + "\n"


# ---- building, running, comparing

def build(options, way, text, place):
    """The program, or why it does not compile."""
    compiler, arch, words = WAYS[way]
    source = place.with_suffix(".cu")
    source.write_text(text)
    call = [*shlex.split(getattr(options, compiler)), "-std=c++17", "-fmad=false", "-w", f"-I{HERE}", *words,
            f"-gencode=arch=compute_{arch},code=compute_{arch}", str(source), "-o", str(place)]
    done = subprocess.run(["timeout", "300", *call], capture_output=True, text=True, errors="replace")
    if done.returncode == 0:
        return None
    return next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])


def profile(options, gpuproj, place, extra):
    """What it printed where that is not right, and its profile."""
    file = place.with_suffix(".json")
    file.unlink(missing_ok=True)
    call = ["timeout", str(options.seconds), gpuproj, "profile", "-q", "--ref", options.ref, *extra, "-o", str(file), "--", str(place), str(options.rounds)]
    done = subprocess.run(call, capture_output=True, text=True, errors="replace")
    wrong = None
    if done.returncode != 0 or done.stdout.strip() != "right":
        wrong = " | ".join((done.stdout + done.stderr).strip().splitlines()[:3]) or f"ended with {done.returncode}"
    return wrong, json.loads(file.read_text()) if file.exists() else None


def counted(kernels):
    """By kernel what was counted, without times and notes."""
    return {f"{kernel['kernel']} {kernel.get('grid')} {kernel.get('block')}":
            {key: value for key, value in kernel.items() if key not in ("notes", "sampled_fraction")} for kernel in kernels
            if "retrying" not in kernel["kernel"]}


def difference(one, other, path=""):
    """Where two profiles first differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        parts = [(key, one.get(key), other.get(key)) for key in sorted(set(one) | set(other))]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        parts = [(str(i), a, b) for i, (a, b) in enumerate(zip(one, other))]
    else:
        parts = []
    if parts or one == other:
        return next((found for key, a, b in parts if (found := difference(a, b, f"{path} {key}"))), None)
    if isinstance(one, float) and isinstance(other, float) and math.isclose(one, other):
        return None  # sums in another order
    return f"{path.strip()}: {one}, {other}"


def check(options, way, text, place):
    """Everything that differs."""
    problem = build(options, way, text, place)
    if problem:
        return ["does not compile: " + problem]
    problems = []
    wrong, usual = profile(options, options.gpuproj, place, [])
    if wrong:
        problems.append(wrong)
    others = [("the same again", options.gpuproj, []), ("--threads 1", options.gpuproj, ["--threads", "1"]),
              ("--count-every-launch", options.gpuproj, ["--count-every-launch"])] if options.counts else []
    if options.other:
        others.append(("other build", options.other, []))
    for name, gpuproj, extra in others:
        wrong, its = profile(options, gpuproj, place, extra)
        if wrong and wrong not in problems:
            problems.append(f"{name}: {wrong}")
        if usual and its:
            found = difference(counted(usual["kernels"]), counted(its["kernels"]))
            if found:
                problems.append(f"{name} counts otherwise: {found}")
    return problems


def run(options):
    first, _, last = options.seeds.partition("-")
    tried = failed = 0
    begin = time.monotonic()
    options.work.mkdir(parents=True, exist_ok=True)
    for seed in range(int(first), int(last or first) + 1):
        for way in options.ways.split(","):
            place = options.work / f"r{seed}-{way}"
            problems = check(options, way, program(seed, WAYS[way][1], options.kernels), place)
            tried += 1
            failed += 1 if problems else 0
            for problem in problems:
                print(f"{seed} {way}: {problem}", flush=True)
            for suffix in ("", ".json", ".cu"):
                if not (problems and suffix == ".cu"):
                    place.with_suffix(suffix).unlink(missing_ok=True)
    print(f"{tried - failed} of {tried} programs of {options.kernels} kernels are right, {time.monotonic() - begin:.0f} s")
    return 1 if failed else 0


def write(options):
    without = [int(number) for number in options.without.split(",") if number]
    print(program(int(options.seeds), WAYS[options.ways][1], options.kernels, options.only, without), end="")


def reduce(options):
    """Leaves out halves, quarters, ... of the statements while the first problem stays."""
    way, seed = options.ways, int(options.seeds)
    options.work.mkdir(parents=True, exist_ok=True)
    place = options.work / f"reduced{seed}-{options.only}-{way}"
    arch = WAYS[way][1]

    def differs(without):
        problem = build(options, way, program(seed, arch, options.kernels, options.only, without), place)
        if problem:
            return False
        wrong, _ = profile(options, options.gpuproj, place, [])
        return wrong is not None

    without = set()
    if not differs(without):
        raise SystemExit("random_programs.py: the kernel is right")
    left = list(range(1, Kernel(seed, options.only, arch).maker.number + 1))
    part = len(left)
    while part >= 1:
        for begin in range(0, len(left), part):
            some = set(left[begin:begin + part])
            if differs(without | some):
                without |= some
        left = [number for number in left if number not in without]
        print(f"{len(left)} statements are left", file=sys.stderr, flush=True)
        part //= 2
    place.with_suffix(".cu").write_text(program(seed, arch, options.kernels, options.only, without))
    print(f"{place.with_suffix('.cu')} --without {','.join(map(str, sorted(without)))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "write", "reduce"])
    parser.add_argument("seeds")
    parser.add_argument("--ways", "--way", default="80")
    parser.add_argument("--kernels", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--only", type=int)
    parser.add_argument("--without", default="")
    parser.add_argument("--gpuproj", default=str(ROOT / "build" / "gpuproj"))
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--other")
    parser.add_argument("--ref", default="GTX480")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--nvcc11", default="nvcc")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/random_programs"))
    parser.add_argument("--seconds", type=int, default=120)
    options = parser.parse_args()
    return {"run": run, "write": write, "reduce": reduce}[options.what](options)


if __name__ == "__main__":
    sys.exit(main())
