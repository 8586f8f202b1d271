"""Random expressions of a word whose parts are calculated with: halves, bfloat16, packed integers."""

ROUNDED = ["rn", "rz", "ru", "rd"]
OF_WIDTHS = ["vadd", "vsub", "vaddss", "vaddus", "vsubss", "vsubus", "vavgs", "vavgu", "vhaddu", "vabsdiffs", "vabsdiffu", "vmaxs", "vmaxu",
             "vmins", "vminu", "vsads", "vsadu"]
OF_WIDTHS += [kind + how for kind in ("vcmp", "vset") for how in ("eq", "ne", "gts", "gtu", "ges", "geu", "lts", "ltu", "les", "leu")]
OF_WIDTHS_OF_ONE = ["vabs", "vabsss", "vneg", "vnegss"]
OF_TWO = ["umul24", "mul24", "hadd", "rhadd", "uhadd", "urhadd"]
OF_THREE = ["usad", "funnel_lc", "funnel_rc"]
# CUDA 12 on.
LARGEST_OF_TWO = [f"vi{kind}_{type}_relu" for kind in ("max", "min") for type in ("s32", "s16x2")]
LARGEST_OF_TWO += [f"vib{kind}_{type}" for kind in ("max", "min") for type in ("s32", "u32", "s16x2", "u16x2")]
LARGEST_OF_THREE = [f"{name}_{type}" for kind in ("max", "min") for name in (f"viadd{kind}", f"vi{kind}3")
                    for type in ("s32", "u32", "s32_relu", "s16x2", "u16x2", "s16x2_relu")]
DOTS = ["dp4a", "dp2a_lo", "dp2a_hi"]

HALVES_OF_ONE = ["neg", "abs", "floor", "ceil", "trunc", "rint"]
HALVES_OF_TWO = ["add", "sub", "mul"] * 3 + ["add_sat", "sub_sat", "mul_sat"]
HALVES_COMPARED = [how + u for how in ("eq", "lt", "le", "gt", "ge") for u in ("", "u")]
EXTREMES = ["min", "max", "min_nan", "max_nan"]
# Ones that are near to others, to halves between two numbers, to overflow and to underflow.
OPERANDS = {"half": [0x0000, 0x8000, 0x0001, 0x03FF, 0x0400, 0x3C00, 0xBC00, 0x3C01, 0x3BFF, 0x3555, 0x6400, 0x6800, 0x7BFF, 0x7C00, 0xFC00,
                     0x7E00, 0x1400, 0x0401, 0x8001],
            "bfloat": [0x0000, 0x8000, 0x0001, 0x007F, 0x0080, 0x3F80, 0xBF80, 0x3F81, 0x3F7F, 0x3EAB, 0x4300, 0x4380, 0x7F7F, 0x7F80, 0xFF80,
                       0x7FC0, 0x3B80, 0x0081, 0x8001]}


def operand(make, scope, depth, kind):
    """A word for operations on halves: any, a half of similar numbers, or one that is special."""
    roll = make.random.random()
    if roll < 0.25:
        return f"{make.pick(OPERANDS[kind]) | make.pick(OPERANDS[kind]) << 16:#x}u"
    if roll < 0.45 and depth > 0:
        return halves(make, scope, depth - 1, kind)
    word = make.expression(scope, "u32", depth - 1)
    if roll < 0.8:
        # Exponents of few numbers: sums are of both operands.
        few, exponents = ("0x83ff83ff", 0x38003800) if kind == "half" else ("0x81ff81ff", 0x3E003E00)
        return f"(({word}) & {few}u | {exponents:#x}u)" if make.chance(0.6) else f"((({word}) & {few}u) + {make.random.getrandbits(14) * 0x10001:#x}u)"
    return f"({word})"


def halves(make, scope, depth, kind):
    """A word made of one or two halves, or of what was compared or converted."""
    a, b, c = (operand(make, scope, depth, kind) for _ in range(3))
    h = make.pick(["h", "h2"])
    t = "<__half>" if kind == "half" else "<__nv_bfloat16>"
    forms = [f"{h}_{make.pick(HALVES_OF_ONE)}{t}({a})", f"{h}_{make.pick(HALVES_OF_TWO)}{t}({a}, {b})", f"{h}_{make.pick(HALVES_OF_TWO)}{t}({a}, {b})",
             f"{h}_{make.pick(['fma', 'fma', 'fma_sat'])}{t}({a}, {b}, {c})", f"{h}_fma{t}({a}, {b}, {c})",
             f"{h}_{make.pick(HALVES_COMPARED)}{t}({a}, {b})", f"h2_b{make.pick(['eq', 'lt', 'le', 'gt', 'ge'])}{t}({a}, {b})",
             f"h_{make.pick(['ne', 'neu'])}{t}({a}, {b})", f"h_class{t}({a})", f"h2_turned{t}({a})"]
    if make.arch >= 75:
        forms += [f"{h}_{make.pick(EXTREMES[:2] if make.arch < 80 else EXTREMES)}{t}({a}, {b})", f"h2_{make.pick(['eq', 'lt', 'le', 'gt', 'ge'])}_mask{t}({a}, {b})"]
    if make.arch >= 80:
        forms.append(f"h_fma_relu{t}({a}, {b}, {c})")
    real = make.expression(scope, "float", depth - 1)
    scaled = make.pick([real, real, f"float_from_{kind}({a}) * {make.pick(['1.0009765625f', '1.00048828125f', '0.99951171875f', '1.00390625f', '0.5f', '3.0f'])}"])
    number, type = make.pick([("int", "s32"), ("uint", "u32"), ("short", "s16"), ("ushort", "u16"), ("ll", "s64"), ("ull", "u64")])
    value = make.expression(scope, type, depth - 1)
    if make.chance(0.5):
        value = f"({type})({value} >> {make.random.randrange(make.pick([8, 16, 32]))})"
    forms += [f"{kind}_from_float_{make.pick(ROUNDED)}({scaled})", f"{kind}_from_float_{make.pick(ROUNDED)}({scaled})",
              f"{kind}_from_double({make.expression(scope, 'double', depth - 1)})", f"{kind}_from_double((double)({scaled}))",
              f"{kind}_pair_from_floats({scaled}, {real})", f"bits(float_from_{kind}({a}))",
              f"{kind}_from_{number}_{make.pick(ROUNDED)}(({type}){value})", f"{kind}_to_{number}_{make.pick(ROUNDED)}({a})"]
    if kind == "half":
        forms.append(f"bits(float_from_high_half({a}))")
    return make.pick(forms)


def integers(make, scope, depth):
    a, b, c = (make.expression(scope, "u32", make.lower(depth)) for _ in range(3))
    if make.chance(0.2):
        b = make.pick(["0x80808080u", "0x80008000u", "0x7f7f7f7fu", "0x01010101u", "0xffffffffu", "0x7fff8000u", f"({a} ^ 0x00ff0001u)"])
    width = make.pick([2, 4])
    forms = [f"p_{make.pick(OF_WIDTHS)}{width}({a}, {b})"] * 4
    forms += [f"p_{make.pick(OF_WIDTHS_OF_ONE)}{width}({a})", f"p_{make.pick(OF_TWO)}({a}, {b})",
              f"p_{make.pick(OF_THREE)}({a}, {b}, {make.pick([c, str(make.random.randrange(40)) + 'u', f'({c} & 63)'])})"]
    if make.arch >= 61:
        forms.append(f"p_{make.pick(DOTS)}<{make.pick(['u32', 's32'])}>({a}, {b}, {c})")
    if make.arch >= 75:
        forms += [f"p_{make.pick(LARGEST_OF_TWO)}({a}, {b})", f"p_{make.pick(LARGEST_OF_THREE)}({a}, {b}, {c})", f"p_{make.pick(LARGEST_OF_THREE)}({a}, {b}, {c})"]
    return make.pick(forms)


def real(make, scope, depth):
    kind = "bfloat" if make.arch >= 80 and make.chance(0.5) else "half"
    return f"float_from_{kind}({operand(make, scope, depth, kind)})"


def word(make, scope, depth):
    """A word of which parts are calculated with."""
    roll = make.random.random()
    if make.arch < 53 or roll < 0.4:
        return integers(make, scope, depth)
    return halves(make, scope, depth, "bfloat" if make.arch >= 80 and roll < 0.7 else "half")
