// The kernels of the micro-benchmarks, for OpenCL C, CUDA and HIP alike: dialect.h says how each spells a kernel.
// Nothing here can be computed beforehand: every result depends on data or arguments that only the host knows, and is
// written where the host checks it. All sizes are powers of two where a mask is used.

// --- Arithmetic: eight independent chains per work-item, 16 rounds per turn of the loop; 128 operations per turn.
// Every value is used twice, by its own chain and by the one before: a compiler that puts two steps into one
// instruction of three inputs gains nothing by it.
#define ROUND_1(OP) \
    OP(x0, x1, x2) OP(x1, x2, x3) OP(x2, x3, x4) OP(x3, x4, x5) OP(x4, x5, x6) OP(x5, x6, x7) OP(x6, x7, x0) OP(x7, x0, x1)
#define ROUND_4(OP) ROUND_1(OP) ROUND_1(OP) ROUND_1(OP) ROUND_1(OP)
#define ROUND_16(OP) ROUND_4(OP) ROUND_4(OP) ROUND_4(OP) ROUND_4(OP)
#define ARITHMETIC(NAME, TYPE, OP)                                                                                 \
    KERNEL NAME(GLOBAL TYPE* out, TYPE a, TYPE b, int turns) {                                                     \
        TYPE x0 = FROM_UINT(TYPE, LOCAL_ID) + a, x1 = x0 + a, x2 = x1 + a, x3 = x2 + a;                            \
        TYPE x4 = x3 + a, x5 = x4 + a, x6 = x5 + a, x7 = x6 + a;                                                   \
        for (int turn = 0; turn < turns; ++turn) {                                                                 \
            ROUND_16(OP)                                                                                           \
        }                                                                                                          \
        out[GLOBAL_ID] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;                                                    \
    }

// a = 0.5: every chain converges to 2 b, whatever it started from.
#define MULTIPLY_ADD(x, y, z) x = FMA(x, a, b);
#define INTEGER_MULTIPLY_ADD(x, y, z) x = x * a + b;
// Neighbours add up: no closed form that a compiler would find.
#define INTEGER_ADD(x, y, z) x = x + y;
// One instruction where logic has three inputs: LOP3, AMD's and Intel's select by bits, AVX-512's ternary logic. Two
// would be put into one or cancel out.
#define SELECT_BITS(x, y, z) x = (x & ~z) | (y & z);
// By a count that the compiler does not know; nothing is left after a few.
#define SHIFT(x, y, z) x = y >> a;
// The least of all comes through.
#define MINIMUM(x, y, z) x = min(x, y);
// Ends at 1.
#define POPULATION_COUNT(x, y, z) x = POPCOUNT(x);
// Converges to 1.
#define RECIPROCAL_ROOT(x, y, z) x = RSQRT(x);

ARITHMETIC(mad_float, float, MULTIPLY_ADD)
ARITHMETIC(mad_int, uint, INTEGER_MULTIPLY_ADD)
ARITHMETIC(add_int, uint, INTEGER_ADD)
ARITHMETIC(logic_int, uint, SELECT_BITS)
ARITHMETIC(shift_int, uint, SHIFT)
ARITHMETIC(min_int, uint, MINIMUM)
ARITHMETIC(count_bits, uint, POPULATION_COUNT)
ARITHMETIC(special_float, float, RECIPROCAL_ROOT)
#ifdef HAS_DOUBLE
ARITHMETIC(mad_double, double, MULTIPLY_ADD)
#endif
#ifdef HAS_HALF
ARITHMETIC(mad_half, half_pair, HALF_MULTIPLY_ADD)
#endif
// The same in vectors, which CPUs need to fill their lanes; in the narrower ones eight chains fit into 16 registers.
#ifdef HAS_VECTORS
ARITHMETIC(mad_float_16, float16, MULTIPLY_ADD)
ARITHMETIC(mad_float_8, float8, MULTIPLY_ADD)
ARITHMETIC(mad_int_16, uint16, INTEGER_MULTIPLY_ADD)
ARITHMETIC(mad_int_8, uint8, INTEGER_MULTIPLY_ADD)
ARITHMETIC(add_int_16, uint16, INTEGER_ADD)
ARITHMETIC(add_int_8, uint8, INTEGER_ADD)
ARITHMETIC(logic_int_16, uint16, SELECT_BITS)
ARITHMETIC(logic_int_8, uint8, SELECT_BITS)
ARITHMETIC(shift_int_16, uint16, SHIFT)
ARITHMETIC(shift_int_8, uint8, SHIFT)
ARITHMETIC(min_int_16, uint16, MINIMUM)
ARITHMETIC(min_int_8, uint8, MINIMUM)
ARITHMETIC(count_bits_16, uint16, POPULATION_COUNT)
ARITHMETIC(count_bits_8, uint8, POPULATION_COUNT)
ARITHMETIC(special_float_16, float16, RECIPROCAL_ROOT)
ARITHMETIC(special_float_8, float8, RECIPROCAL_ROOT)
#ifdef HAS_DOUBLE
ARITHMETIC(mad_double_8, double8, MULTIPLY_ADD)
ARITHMETIC(mad_double_4, double4, MULTIPLY_ADD)
#endif
#endif

// --- Memory. GPUs want neighbouring work-items at neighbouring elements; CPUs want each in a piece of its own (`blocked`).
#define FIRST_ELEMENT (blocked ? GLOBAL_ID * (count / GLOBAL_SIZE) : GLOBAL_ID)
#define NEXT_ELEMENT (blocked ? 1 : GLOBAL_SIZE)

// Four sums, or the additions would wait for each other; count / GLOBAL_SIZE is a multiple of four.
KERNEL read_all(GLOBAL const float4* in, GLOBAL float* out, ulong count, int blocked) {
    float sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
    ulong i = FIRST_ELEMENT;
    const ulong step = NEXT_ELEMENT;
    for (ulong left = count / GLOBAL_SIZE; left > 0; left -= 4, i += 4 * step) {
        const float4 v0 = in[i], v1 = in[i + step], v2 = in[i + 2 * step], v3 = in[i + 3 * step];
        sum0 += (v0.x + v0.y) + (v0.z + v0.w);
        sum1 += (v1.x + v1.y) + (v1.z + v1.w);
        sum2 += (v2.x + v2.y) + (v2.z + v2.w);
        sum3 += (v3.x + v3.y) + (v3.z + v3.w);
    }
    out[GLOBAL_ID] = (sum0 + sum1) + (sum2 + sum3);
}

#ifdef HAS_VECTORS
// The same for CPUs, which would have to sort the parts of a vector: count in vectors of 16.
KERNEL read_all_16(GLOBAL const float16* in, GLOBAL float* out, ulong count, int blocked) {
    float16 sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
    ulong i = FIRST_ELEMENT;
    const ulong step = NEXT_ELEMENT;
    for (ulong left = count / GLOBAL_SIZE; left > 0; left -= 4, i += 4 * step) {
        sum0 += in[i];
        sum1 += in[i + step];
        sum2 += in[i + 2 * step];
        sum3 += in[i + 3 * step];
    }
    const float16 sum = (sum0 + sum1) + (sum2 + sum3);
    const float8 half_sum = sum.lo + sum.hi;
    const float4 quarter = half_sum.lo + half_sum.hi;
    out[GLOBAL_ID] = (quarter.x + quarter.y) + (quarter.z + quarter.w);
}
#endif

KERNEL write_all(GLOBAL float4* out, float value, ulong count, int blocked) {
    float4 v;
    v.x = v.y = v.z = v.w = value;
    ulong i = FIRST_ELEMENT;
    for (ulong left = count / GLOBAL_SIZE; left > 0; --left, i += NEXT_ELEMENT) out[i] = v;
}

KERNEL copy_all(GLOBAL const float4* in, GLOBAL float4* out, ulong count, int blocked) {
    ulong i = FIRST_ELEMENT;
    for (ulong left = count / GLOBAL_SIZE; left > 0; --left, i += NEXT_ELEMENT) out[i] = in[i];
}

// One element per work-item and turn, `loads` turns far apart: how many loads in flight a device needs.
KERNEL read_some(GLOBAL const float* in, GLOBAL float* out, int loads) {
    float sum = 0.0f;
    for (int turn = 0; turn < loads; ++turn) sum += in[GLOBAL_ID + (ulong)turn * GLOBAL_SIZE];
    out[GLOBAL_ID] = sum;
}

// Every group reads the same window of mask + 1 elements again and again, each from `offset` elements behind the one
// before it on: a cache's rate. Where all begin at one place, the groups of a multiprocessor share what its first-level
// cache loaded.
#define READ_WINDOW(NAME, LOAD)                                                                     \
    KERNEL NAME(GLOBAL const float4* in, GLOBAL float* out, uint mask, uint offset, int turns) {    \
        float sum = 0.0f;                                                                           \
        uint at = LOCAL_ID + GROUP_ID * offset;                                                     \
        for (int turn = 0; turn < turns; ++turn) {                                                  \
            const float4 v = LOAD(in + (at & mask));                                                \
            const float4 w = LOAD(in + ((at + LOCAL_SIZE) & mask));                                 \
            sum += (v.x + v.y) + (v.z + v.w) + (w.x + w.y) + (w.z + w.w);                           \
            at += 2 * LOCAL_SIZE;                                                                   \
        }                                                                                           \
        out[GLOBAL_ID] = sum;                                                                       \
    }
#define LOAD_BY_ALL_CACHES(address) (*(address))
READ_WINDOW(read_window, LOAD_BY_ALL_CACHES)
READ_WINDOW(read_window_of_l2, LOAD_PAST_L1)

// `work` multiply-adds for every float read: operational intensity work / 2.
KERNEL mixed(GLOBAL const float4* in, GLOBAL float* out, float a, float b, int work, ulong count, int blocked) {
    float sum = 0.0f;
    ulong i = FIRST_ELEMENT;
    for (ulong left = count / GLOBAL_SIZE; left > 0; --left, i += NEXT_ELEMENT) {
        float4 v = in[i];
        for (int k = 0; k < work; ++k) {
            v.x = FMA(v.x, a, b);
            v.y = FMA(v.y, a, b);
            v.z = FMA(v.z, a, b);
            v.w = FMA(v.w, a, b);
        }
        sum += (v.x + v.y) + (v.z + v.w);
    }
    out[GLOBAL_ID] = sum;
}

#ifdef HAS_VECTORS
// The same for CPUs: four vectors at a time; count in vectors of 16.
KERNEL mixed_16(GLOBAL const float16* in, GLOBAL float16* out, float a, float b, int work, ulong count, int blocked) {
    const float16 a16 = a, b16 = b;
    float16 sum = 0.0f;
    ulong i = FIRST_ELEMENT;
    const ulong step = NEXT_ELEMENT;
    for (ulong left = count / GLOBAL_SIZE; left > 0; left -= 4, i += 4 * step) {
        float16 v0 = in[i], v1 = in[i + step], v2 = in[i + 2 * step], v3 = in[i + 3 * step];
        for (int k = 0; k < work; ++k) {
            v0 = FMA(v0, a16, b16);
            v1 = FMA(v1, a16, b16);
            v2 = FMA(v2, a16, b16);
            v3 = FMA(v3, a16, b16);
        }
        sum += (v0 + v1) + (v2 + v3);
    }
    out[GLOBAL_ID] = sum;
}
#endif

// --- Shared memory: four chains of loads per work-item; every word holds 0, so that an address stays what it was, which
// the compiler cannot know. `stride` elements between work-items: 1 is free of bank conflicts. Addresses are kept in
// bytes: nothing but the load and the sum of its words is left in a step. All words count, else the load is narrowed.
#define SHARED_WORDS 4096
#define SHARED_LOADS(NAME, TYPE, WORDS)                                                                            \
    KERNEL NAME(GLOBAL uint* out, uint zero, uint stride, int turns) {                                             \
        LOCAL TYPE words[SHARED_WORDS / WORDS];                                                                    \
        for (uint i = LOCAL_ID; i < SHARED_WORDS / WORDS; i += LOCAL_SIZE) FILL_##WORDS(words[i], zero);           \
        BARRIER;                                                                                                   \
        LOCAL_POINTER const char* const bytes = (LOCAL_POINTER const char*)words;                                  \
        uint a = ((LOCAL_ID * stride) & (SHARED_WORDS / WORDS - 1)) * 4 * WORDS;                                   \
        uint b = a ^ (4 * WORDS), c = a ^ (8 * WORDS), d = a ^ (12 * WORDS);                                       \
        for (int turn = 0; turn < turns; ++turn) {                                                                 \
            const TYPE at_a = *(LOCAL_POINTER const TYPE*)(bytes + a);                                             \
            const TYPE at_b = *(LOCAL_POINTER const TYPE*)(bytes + b);                                             \
            const TYPE at_c = *(LOCAL_POINTER const TYPE*)(bytes + c);                                             \
            const TYPE at_d = *(LOCAL_POINTER const TYPE*)(bytes + d);                                             \
            a += ALL_##WORDS(at_a);                                                                                \
            b += ALL_##WORDS(at_b);                                                                                \
            c += ALL_##WORDS(at_c);                                                                                \
            d += ALL_##WORDS(at_d);                                                                                \
        }                                                                                                          \
        out[GLOBAL_ID] = a + b + c + d;                                                                            \
    }
#define FILL_1(word, value) word = value
#define FILL_2(word, value) word.x = word.y = value
#define FILL_4(word, value) word.x = word.y = word.z = word.w = value
#define ALL_1(word) word
#define ALL_2(word) (word.x | word.y)
#define ALL_4(word) (word.x | word.y | word.z | word.w)
SHARED_LOADS(shared_32, uint, 1)
SHARED_LOADS(shared_64, two_words, 2)
SHARED_LOADS(shared_128, four_words, 4)

// All work-items read the same constant.
KERNEL read_constant(CONSTANT_PARAMETER GLOBAL uint* out, uint start, int turns) {
    uint a = start;
    for (int turn = 0; turn < turns; ++turn) {
        a += CONSTANT_WORDS[a];
        a += CONSTANT_WORDS[a + 1];
        a += CONSTANT_WORDS[a + 2];
        a += CONSTANT_WORDS[a + 3];
    }
    out[GLOBAL_ID] = a;
}

// --- Latency: one load after the other, each address from the one before.
KERNEL chase(GLOBAL const uint* next, GLOBAL uint* out, uint start, int steps) {
    uint at = start;
    for (int step = 0; step < steps; ++step) at = next[at];
    out[GLOBAL_ID] = at;
}

KERNEL chase_shared(GLOBAL const uint* next, GLOBAL uint* out, uint start, int steps) {
    LOCAL uint words[SHARED_WORDS];
    for (uint i = LOCAL_ID; i < SHARED_WORDS; i += LOCAL_SIZE) words[i] = next[i];
    BARRIER;
    uint at = start;
    for (int step = 0; step < steps; ++step) at = words[at];
    out[GLOBAL_ID] = at;
}

// Each warp follows its own chain: together (all lanes in one line, `lane_step` 0) or apart (a line per lane). Element
// [line * 32 + lane] holds the first element of the next line.
KERNEL chase_warps(GLOBAL const uint* next, GLOBAL uint* out, uint warp_step, uint lane_step, uint mask, int steps) {
    const uint lane = LOCAL_ID & 31;
    uint line = ((LOCAL_ID >> 5) * warp_step + lane * lane_step) & mask;
    uint at = line * 32;
    for (int step = 0; step < steps; ++step) at = next[at + lane];
    out[GLOBAL_ID] = at;
}

KERNEL empty(GLOBAL uint* out) {
    if (GLOBAL_SIZE == 0) out[0] = 0;
}
