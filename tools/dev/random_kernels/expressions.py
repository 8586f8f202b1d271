"""Random expressions and statements of one thread, for names that are in scope."""
import random

from random_kernels import packed
from random_kernels.statements import Nest, Text

INTEGERS = {"u8": 8, "s8": 8, "u16": 16, "s16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64}
REALS = {"float": 32, "double": 64}
COMMON = ["u32"] * 5 + ["s32"] * 3 + ["u64", "s64"] * 2 + ["u16", "s16", "u8", "s8"] + ["float"] * 3 + ["double"]


def size(kind):
    return (INTEGERS.get(kind) or REALS[kind]) // 8


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
    def __init__(self, seed, arch, packed_share):
        self.random = random.Random(seed)
        self.arch = arch
        self.packed_share = packed_share  # of the words that are calculated
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
        if kind == "float" and self.arch >= 53 and self.chance(self.packed_share / 2):
            return packed.real(self, scope, depth)
        return self.pick([f"({a} + {b})", f"minus({a}, {b})", f"({a} * {b})", f"({a} + {b} * {c})", f"({a} / {b})",
                          f"sqrt{f}({a})", f"fma{f}({a}, {b}, {c})", f"smaller({a}, {b})", f"larger({a}, {b})",
                          f"(-({a}))", f"fabs{f}({a})", f"floor{f}({a})", f"trunc{f}({a})", f"rint{f}({a})",
                          f"ceil{f}({a})", f"({kind})({self.condition(scope, depth - 1)})"])

    def integer(self, scope, kind, depth):
        bits = INTEGERS[kind]
        if bits == 32 and self.chance(self.packed_share):
            return f"({kind}){packed.word(self, scope, depth)}"
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
