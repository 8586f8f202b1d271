#!/usr/bin/env python3
"""Which loops ptxas unrolls: what the engine knows of it (collector/simulate/engine/assembler/unrolled_loops.cpp) was found by this.

    tools/dev/unrolled_loops.py limits ARCHITECTURE [--toolkit BIN_FOLDER]
    tools/dev/unrolled_loops.py compare ARCHITECTURE FILE.ptx... [--toolkit BIN_FOLDER] [--tool gpuproj_static_costs]

`limits` asks ptxas: how many multiply-adds a loop may have besides what is named for it to be unrolled, and how many
rounds are put behind each other. `compare` looks at the loops of programs that have one block of instructions: those
whose accesses and barriers ptxas' code has several times in a loop, against those the engine takes for unrolled.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import tempfile

import expansions

ROOT = pathlib.Path(__file__).resolve().parents[2]
MULTIPLY_ADD = "fma.rn.f32 %f2, %f2, %f1, %f3;"
COUNT = "add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r3;"
FROM_ZERO = "mov.u32 %r1, 0;"

# What: what the loop has, how it counts, what is in front of it.
KINDS = {
    "nothing": ("", COUNT, FROM_ZERO),
    "a store": ("st.global.f32 [%rd2], %f1;", COUNT, FROM_ZERO),
    "a barrier": ("bar.sync 0;", COUNT, FROM_ZERO),
    "an atomic addition": ("red.global.add.u32 [%rd2], %r3;", COUNT, FROM_ZERO),
    "a load from shared memory": ("ld.volatile.shared.f32 %f10, [%r6];", COUNT, FROM_ZERO),
    "four of them": ("".join(f"ld.volatile.shared.f32 %f{10 + i}, [%r6+{4 * i}];" for i in range(4)), COUNT, FROM_ZERO),
    "a load from global memory": ("ld.volatile.global.f32 %f10, [%rd2];", COUNT, FROM_ZERO),
    "eight of them": ("".join(f"ld.volatile.global.f32 %f{10 + i}, [%rd2+{4 * i}];" for i in range(8)), COUNT, FROM_ZERO),
    "a condition": ("setp.lt.f32 %p2, %f2, %f1; @%p2 bra OVER_NAME; add.s32 %r2, %r2, 1; OVER_NAME:", COUNT, FROM_ZERO),
    "a quotient": ("div.rn.f64 %d1, %d1, %d2;", COUNT, FROM_ZERO),
    "a pragma": ('.pragma "nounroll";', COUNT, FROM_ZERO),
    "counting down to 0": ("", "add.s32 %r1, %r1, -1; setp.ne.s32 %p1, %r1, 0;", ""),
    "from any number to another": ("", "add.s32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, %r3;", "mov.u32 %r1, %laneid;"),
    "steps of a register": ("", "add.s32 %r1, %r1, %r5; setp.lt.s32 %p1, %r1, %r3;", FROM_ZERO),
    "comparing the old number": ("", "setp.lt.s32 %p1, %r1, %r3; add.s32 %r1, %r1, 1;", FROM_ZERO),
    "1000 rounds": ("", "add.s32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, 1000;", FROM_ZERO),
}


def kernel(name, body, count, begin):
    return f"""
.visible .entry {name}(.param .u64 p, .param .u32 n, .param .f32 x) {{
    .reg .f32 %f<64>; .reg .f64 %d<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>;
    .shared .align 8 .b8 {name}_tile[4096];
    ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; ld.param.f32 %f1, [x]; ld.param.u32 %r3, [n];
    cvta.to.global.u64 %rd2, %rd1; mov.u32 %r5, %tid.x; mul.wide.u32 %rd3, %r5, 4; add.s64 %rd2, %rd2, %rd3;
    mov.u32 %r6, {name}_tile; mov.u32 %r2, 0; mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f3F800000;
    ld.global.f64 %d1, [%rd2+64]; ld.global.f64 %d2, [%rd2+72];
    {begin}
AGAIN_{name}:
    {body.replace("NAME", name)}
    {count} @%p1 bra AGAIN_{name};
    st.global.f32 [%rd2], %f2; st.global.u32 [%rd2+4], %r2; st.global.f64 [%rd2+64], %d1;
    ret;
}}"""


def machine_loops(toolkit, architecture, file, folder):
    """By kernel: the opcodes of each loop in ptxas' code that has no other in it."""
    try:
        listing = expansions.assemble(toolkit, architecture, file, folder)
    except subprocess.CalledProcessError:  # ptxas has said why: often that the file is for later GPUs
        return {}
    return {name: innermost(*function) for name, function in expansions.functions_of(listing).items()}


def innermost(code, labels):
    """The opcodes of the loops without loops."""
    ends = {}
    for at, instruction in enumerate(code):
        target = instruction.opcode.split(".")[0] == "BRA" and re.search(r"`\((.+?)\)", instruction.operands)
        if target and labels.get(target[1], at) < at:
            ends[labels[target[1]]] = at
    loops = [(first, last) for first, last in ends.items()
             if not any(first <= other and end <= last and other != first for other, end in ends.items())]
    return [[instruction.opcode for instruction in code[first:last + 1]] for first, last in loops]


def limits(options, toolkit):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "loops.ptx"
        print("| besides | unrolled up to | rounds |\n|---|---|---|")
        for what, (body, count, begin) in KINDS.items():
            most = 90
            text = "\n".join(kernel(f"k{n}", body + "\n" + n * (MULTIPLY_ADD + "\n"), count, begin) for n in range(2, most))
            source.write_text(f".version 7.8\n.target sm_{options.architecture}\n.address_size 64\n{text}")
            loops = machine_loops(toolkit, options.architecture, source, pathlib.Path(folder))
            rounds = {}
            for n in range(2, most):  # one may be in what a quotient is
                sums = [sum(opcode.startswith("FFMA") for opcode in loop) for loop in loops[f"k{n}"]]
                rounds[n] = max(sums, default=n) // n  # no loop is left: as good as one
            unrolled = [n for n in rounds if rounds[n] > 1]
            print(f"| {what} | {unrolled[-1]} | {rounds[unrolled[-1]]} |" if unrolled else f"| {what} | never | |")


def kind_of(opcode, machine):
    """What a memory instruction or a barrier is called in both; None for others."""
    root, *parts = opcode.split(".")
    if machine:
        names = {"LDG": "ld", "LD": "ld", "LDL": "ld", "LDS": "lds", "STG": "st", "ST": "st", "STL": "st", "STS": "sts",
                 "RED": "atom", "TEX": "tex", "TLD": "tex", "TEXS": "tex", "TLDS": "tex", "BAR": "bar"}
        return "atom" if root.startswith("ATOM") else names.get(root)
    shared = "s" if "shared" in parts else ""
    if root in ("ld", "ldu", "st") and not {"param", "const"} & set(parts):
        return root[:2] + shared
    return {"atom": "atom", "red": "atom", "tex": "tex", "bar": "bar", "barrier": "bar"}.get(root)


def ptx_loops(file):
    """(kernel, line of the branch, opcodes) of the loops of one block, but those with a pragma."""
    name, body, label, kept = None, [], None, False
    for number, line in enumerate(file.read_text().splitlines(), 1):
        line = line.split("//")[0].strip()
        if found := re.match(r"(?:\.visible |\.weak )?\.(entry|func)\s.*?([\w$]+)\(?", line):
            name = found[2] if found[1] == "entry" else None
        elif found := re.match(r"(\$?\w+):$", line):
            label, body, kept = found[1], [], False
        elif line.startswith(".pragma"):
            kept = True
        elif found := re.match(r"(?:@!?%\w+\s+)?([a-z][\w.:]*)\s*([^;]*);", line):
            body.append(found[1])
            if found[1].startswith("bra"):
                if name and label and found[2].strip() == label and not kept:
                    yield name, number, body
                label = None


def compare(options, toolkit):
    lines = subprocess.run([options.tool, "loops", *map(str, options.files)], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    ours = {(file, kernel_, int(line)): int(rounds) for file, kernel_, line, rounds in (row.split("\t") for row in lines)}
    same, different = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for file in options.files:
            machine = machine_loops(toolkit, options.architecture, file, pathlib.Path(folder))
            for name, line, body in ptx_loops(file):
                wanted = collections.Counter(filter(None, (kind_of(opcode, False) for opcode in body)))
                if not wanted or name not in machine:
                    continue
                theirs = 1
                for loop in machine[name]:
                    found = collections.Counter(filter(None, (kind_of(opcode, True) for opcode in loop)))
                    ratios = {found[kind] / wanted[kind] for kind in wanted} if set(found) == set(wanted) else set()
                    if len(ratios) == 1:
                        theirs = max(theirs, ratios.pop())
                mine = ours.get((str(file), name, line), 1)
                if (mine > 1) == (theirs > 1):
                    same += 1
                else:
                    different.append(f"{mine} {theirs:g} {file.name} {name} line {line}, {len(body)} instructions")
    print(f"{same} loops alike, {len(different)} not; of those rounds by the engine and by ptxas:")
    print("\n".join(different))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("limits", "compare"))
    parser.add_argument("architecture", type=int)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--toolkit", type=pathlib.Path)
    parser.add_argument("--tool", default=str(ROOT / "build" / "gpuproj_static_costs"))
    options = parser.parse_args()
    toolkit = expansions.find_toolkit(options.toolkit)
    (limits if options.command == "limits" else compare)(options, toolkit)


if __name__ == "__main__":
    main()
