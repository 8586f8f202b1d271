"""Random kernels, on the device and as the host models them, and programs of them."""
import random

from random_kernels.expressions import COMMON, Maker, Scope
from random_kernels.statements import Barrier, Leave, Nest, Parting, Rounds, Text, Together


class Function:
    def __init__(self, name, result, parameters, table=0):
        self.name, self.result, self.parameters, self.table = name, result, parameters, table
        self.body = []
        self.locals = []


class Kernel:
    """One kernel: its statements, on the device and as the host models them."""

    def __init__(self, seed, index, arch, packed_share):
        self.maker = make = Maker(f"{seed}/{index}", arch, packed_share)
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


def program(seed, arch, kernels, packed_share, only=None, without=()):
    values = random.Random(f"constants {seed}")
    constants = ", ".join(f"{values.getrandbits(values.choice([3, 8, 32])):#x}u" for _ in range(256))
    lines = ['#include "random_halves.hpp"', '#include "random_packed.hpp"',
             f"__constant__ alignas(16) u32 device_constants[256] = {{{constants}}};",
             f"alignas(16) static const u32 host_constants[256] = {{{constants}}};", "#define CON EITHER(device_constants, host_constants)",
             "__device__ __noinline__ u32 sum_of_warp(u32 mask, u32 x) {",
             "    u32 sum = __shfl_sync(mask, x, ffs(mask) - 1);",
             "    for (u32 left = mask & (mask - 1); left != 0; left &= left - 1) sum = sum * 3 + __shfl_sync(mask, x, ffs(left) - 1);",
             "    return sum;", "}"]
    wanted = range(kernels) if only is None else [only]
    for index in wanted:
        lines += Kernel(seed, index, arch, packed_share).text(set(without))
    lines += ["int main(int argc, char** argv) {", "    bool right = true;", "    const u32 rounds = argc > 1 ? atoi(argv[1]) : 1;"]
    for index in wanted:
        lines += ["    for (u32 i = 0, goes = 1; goes && i < rounds; ++i)", f"        right = (goes = run_{index}({seed * 64 + index}u + (i << 20))) && right;"]
    return "\n".join(lines + ["    std::printf(right ? \"right\\n\" : \"wrong\\n\");", "    return right ? 0 : 1;", "}"]) + "\n"
