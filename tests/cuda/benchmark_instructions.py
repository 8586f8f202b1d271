#!/usr/bin/env python3
"""What compilers make of the micro-benchmarks: in a turn of a loop stand the instructions whose rate is measured, as
many as are counted, and shared memory is read by accesses of the width that is stated.

usage: benchmark_instructions.py ptx|gfx OUTPUT COMPILER WORD...   (the whole command but for -o OUTPUT)
exit codes: 0, 1 (something else is measured than said, or the command failed), 77 (there is no such compiler)"""

import collections
import re
import shutil
import subprocess
import sys

# Kernel: (instructions in PTX, in gfx90a's assembler), each with how many operations it counts.
COUNTED = {
    "mad_float": ({"fma.rn.ftz.f32": 1}, {"v_pk_fma_f32": 2, "v_fma_f32": 1, "v_fmac_f32_e32": 1}),
    "mad_double": ({"fma.rn.f64": 1}, {"v_fma_f64": 1, "v_fmac_f64_e32": 1}),
    "mad_half": ({"fma.rn.f16x2": 1}, {"v_pk_fma_f16": 1}),
    "mad_int": ({"mad.lo.s32": 1}, {"v_mul_lo_u32": 1}),
    "add_int": ({"add.s32": 1}, {"v_add_u32_e32": 1}),
    "logic_int": ({"or.b32": 1}, {"v_bfi_b32": 1}),
    "shift_int": ({"shr.u32": 1}, {"v_lshrrev_b32_e32": 1}),
    "min_int": ({"min.u32": 1}, {"v_min_u32_e32": 1}),
    "count_bits": ({"popc.b32": 1}, {"v_bcnt_u32_b32": 1}),
    "special_float": ({"rsqrt.approx.ftz.f32": 1}, {"v_rsq_f32_e32": 1}),
}
PER_TURN = 128
# Additions of integers also set the chains up and add them up; nothing else may.
SLACK = {"add_int": 20}

SHARED = {
    "shared_32": ("ld.shared.u32", "ds_read_b32"),
    "shared_64": ("ld.shared.v2.u32", "ds_read_b64"),
    "shared_128": ("ld.shared.v4.u32", "ds_read_b128"),
}
PER_SHARED_TURN = 4


def functions(text, dialect):
    """{kernel: Counter of its instructions}"""
    start = re.compile(r"^\.visible \.entry (\w+)\(" if dialect == "ptx" else r"^(\w+):")
    found, current = collections.defaultdict(collections.Counter), None
    for line in text.splitlines():
        if begin := start.match(line):
            current = found[begin[1]]
        elif dialect == "gfx" and line.startswith(".Lfunc_end"):
            current = None
        elif current is not None and (word := re.match(r"[\s{]+(?:@!?%p\d+\s+)?([a-z][\w.]+)", line)):
            current[word[1]] += 1
    return found


def main():
    dialect, output, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    if not shutil.which(command[0]):
        print(f"SKIPPED: no {command[0]}")
        return 77
    compiled = subprocess.run(command + ["-o", output], capture_output=True, text=True)
    if compiled.returncode != 0:
        print(compiled.stdout + compiled.stderr, "the compiler failed")
        return 1
    with open(output) as text:
        kernels = functions(text.read(), dialect)
    column = 0 if dialect == "ptx" else 1
    wrong = []
    for kernel, instructions in COUNTED.items():
        count = sum(kernels[kernel][name] * weight for name, weight in instructions[column].items())
        turns = count // PER_TURN
        print(f"{kernel:14} {count:4} of {' or '.join(instructions[column])}")
        if turns == 0 or count - turns * PER_TURN > SLACK.get(kernel, 0):
            wrong.append(f"{kernel}: {count} operations, not a multiple of {PER_TURN}")
    for kernel, names in SHARED.items():
        name = names[column]
        loads = {key: n for key, n in kernels[kernel].items() if re.match(r"ld\.shared|ds_read", key)}
        print(f"{kernel:14} {loads}")
        if set(loads) != {name} or loads[name] % PER_SHARED_TURN != 0:
            wrong.append(f"{kernel}: {loads}, not a multiple of {PER_SHARED_TURN} of {name}")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
