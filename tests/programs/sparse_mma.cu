// Sparse matrix products (mma.sp) of every input type that sm_80 has, for random places of the stored elements and all
// sparsity selectors, against dense products.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "verify.hpp"

// Newer compilers advise against the older name, older ones have no other.
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1205
#define SPARSE "mma.sp::ordered_metadata.sync.aligned."
#else
#define SPARSE "mma.sp.sync.aligned."
#endif

constexpr int rows = 16, columns = 8, warp = 32;

/// D = A B + C by one warp, a, b, c and d being what the lanes hold, one after the other. Half as deep as the deepest
/// shape of a type: two registers of A and B.
#define SHALLOW(NAME, SHAPE_AND_TYPES, SUM, HOLDS)                                                               \
    template <int selector>                                                                                      \
    __global__ void NAME(const unsigned* a, const unsigned* b, const SUM* c, const unsigned* metadata, SUM* d) { \
        const int lane = threadIdx.x;                                                                            \
        SUM x[4];                                                                                                \
        for (int i = 0; i < 4; ++i) x[i] = c[4 * lane + i];                                                      \
        asm volatile(SPARSE SHAPE_AND_TYPES " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, %9;"           \
                     : "+" HOLDS(x[0]), "+" HOLDS(x[1]), "+" HOLDS(x[2]), "+" HOLDS(x[3])                        \
                     : "r"(a[2 * lane]), "r"(a[2 * lane + 1]), "r"(b[2 * lane]), "r"(b[2 * lane + 1]),           \
                       "r"(metadata[lane]), "n"(selector));                                                      \
        for (int i = 0; i < 4; ++i) d[4 * lane + i] = x[i];                                                      \
    }
/// Four registers of A and B.
#define DEEP(NAME, SHAPE_AND_TYPES, SUM, HOLDS)                                                                        \
    template <int selector>                                                                                            \
    __global__ void NAME(const unsigned* a, const unsigned* b, const SUM* c, const unsigned* metadata, SUM* d) {       \
        const int lane = threadIdx.x;                                                                                  \
        SUM x[4];                                                                                                      \
        for (int i = 0; i < 4; ++i) x[i] = c[4 * lane + i];                                                            \
        asm volatile(SPARSE SHAPE_AND_TYPES " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, %13;" \
                     : "+" HOLDS(x[0]), "+" HOLDS(x[1]), "+" HOLDS(x[2]), "+" HOLDS(x[3])                              \
                     : "r"(a[4 * lane]), "r"(a[4 * lane + 1]), "r"(a[4 * lane + 2]), "r"(a[4 * lane + 3]),             \
                       "r"(b[4 * lane]), "r"(b[4 * lane + 1]), "r"(b[4 * lane + 2]), "r"(b[4 * lane + 3]),             \
                       "r"(metadata[lane]), "n"(selector));                                                            \
        for (int i = 0; i < 4; ++i) d[4 * lane + i] = x[i];                                                            \
    }
#define IN_FLOATS "f"
#define IN_WORDS "r"
SHALLOW(half_16, "m16n8k16.row.col.f32.f16.f16.f32", float, IN_FLOATS)
DEEP(half_32, "m16n8k32.row.col.f32.f16.f16.f32", float, IN_FLOATS)
SHALLOW(bfloat_16, "m16n8k16.row.col.f32.bf16.bf16.f32", float, IN_FLOATS)
DEEP(bfloat_32, "m16n8k32.row.col.f32.bf16.bf16.f32", float, IN_FLOATS)
SHALLOW(tf32_8, "m16n8k8.row.col.f32.tf32.tf32.f32", float, IN_FLOATS)
DEEP(tf32_16, "m16n8k16.row.col.f32.tf32.tf32.f32", float, IN_FLOATS)
SHALLOW(byte_32, "m16n8k32.row.col.s32.s8.s8.s32", int, IN_WORDS)
DEEP(byte_64, "m16n8k64.row.col.s32.s8.s8.s32", int, IN_WORDS)
DEEP(mixed_64, "m16n8k64.row.col.s32.u8.s8.s32", int, IN_WORDS)
SHALLOW(nibble_64, "m16n8k64.row.col.s32.s4.s4.s32", int, IN_WORDS)
DEEP(nibble_128, "m16n8k128.row.col.s32.s4.s4.s32", int, IN_WORDS)

/// Types of inputs, and how whole numbers are held in them.
struct Half {
    static constexpr int bits = 16;
    static unsigned held(int value) { return __half_as_ushort(__float2half(static_cast<float>(value))); }
};
struct BFloat {
    static constexpr int bits = 16;
    static unsigned held(int value) { return __bfloat16_as_ushort(__float2bfloat16(static_cast<float>(value))); }
};
struct Tf32 {
    static constexpr int bits = 32;
    static unsigned held(int value) {
        const float x = static_cast<float>(value);
        unsigned result;
        memcpy(&result, &x, sizeof(result));
        return result;
    }
};
struct Byte {
    static constexpr int bits = 8;
    static unsigned held(int value) { return static_cast<unsigned>(value) & 0xFF; }
};
struct Nibble {
    static constexpr int bits = 4;
    static unsigned held(int value) { return static_cast<unsigned>(value) & 0xF; }
};

/// A matrix of `depth` columns. Of every `chunk` neighbours in a row half are stored.
template <class Type>
struct Product {
    static constexpr int bits = Type::bits, per_register = 32 / bits, chunk = bits == 32 ? 2 : bits == 4 ? 8 : 4;
    int depth;
    std::vector<int> a, stored, b, c;
    std::vector<unsigned> metadata, a_held, b_held;

    Product(int k, int selector, Random& random, int least)
        : depth(k),
          a(rows * k),
          stored(rows * k / 2),
          b(k * columns),
          c(rows * columns),
          metadata(warp),
          a_held(rows * k / 2 / per_register),
          b_held(k * columns / per_register) {
        for (int& value : b) value = static_cast<int>(random.next() % 15) - 7;
        for (int& value : c) value = static_cast<int>(random.next() % 200) - 100;
        for (unsigned& word : metadata) word = random.next() << 8;  // lanes whose words nobody reads
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < k; column += chunk) fill(row, column, selector, random, least);
        // Fragments: groups of four lanes hold neighbours in a row of A and in a column of B.
        for (int lane = 0; lane < warp; ++lane) {
            const int group = lane / 4, in_group = lane % 4, a_registers = k / 2 / per_register / 2;
            const int b_registers = k / per_register / 4;
            for (int r = 0; r < a_registers; ++r)
                for (int i = 0; i < per_register; ++i) {
                    const int row = group + r % 2 * 8, column = (in_group + r / 2 * 4) * per_register + i;
                    a_held[lane * a_registers + r] |= Type::held(stored[row * k / 2 + column]) << (i * bits) % 32;
                }
            for (int r = 0; r < b_registers; ++r)
                for (int i = 0; i < per_register; ++i) {
                    const int row = (in_group + 4 * r) * per_register + i;
                    b_held[lane * b_registers + r] |= Type::held(b[row * columns + group]) << (i * bits) % 32;
                }
        }
    }
    /// Two of four places, in order, four bits of metadata; pairs of 4-bit numbers are together, and of tf32 one of two
    /// is held as both halves of its place.
    void fill(int row, int column, int selector, Random& random, int least) {
        int first = 0, second = 0;
        if (bits == 32) {
            first = random.next() % 2 * 2;
            second = first + 1;
        } else {
            while (first >= second) {
                first = random.next() % 4;
                second = random.next() % 4;
            }
        }
        const int each = chunk / 2;
        for (int i = 0; i < each; ++i) {
            const int place = bits == 32  ? first / 2
                              : bits == 4 ? 2 * (i < 2 ? first : second) + i % 2
                              : i         ? second
                                          : first;
            const int value = static_cast<int>(random.next() % (8 - least)) + least;
            a[row * depth + column + place] = stored[row * depth / 2 + column / 2 + i] = value;
        }
        // Floating point: half words of two rows. Whole numbers: words of a row, and in the next lane of the row 8
        // below.
        const int codes = bits >= 16 ? 4 : 8, code = column / chunk;
        const int lanes_for_all = depth / chunk / 4;
        const int lane =
            row % 8 * 4 + selector * lanes_for_all + (bits >= 16 ? code / codes : code / codes * 2 + row / 8);
        const int shift = (bits >= 16 ? row / 8 * 16 : 0) + code % codes * 4;
        metadata[lane] = (metadata[lane] & ~(0xFU << shift)) | static_cast<unsigned>(first | second << 2) << shift;
    }
    /// Of row and column of C or D, in the order in which lanes hold them.
    static int place(int i) {
        const int lane = i / 4;
        return (lane / 4 + i % 4 / 2 * 8) * columns + lane % 4 * 2 + i % 2;
    }
};

template <class Type, class Sum, class Kernel>
bool test(const char* name, Kernel kernel, int depth, int selector, Random& random, int least = -8) {
    bool right = true;
    for (int repetition = 0; repetition < 8; ++repetition) {
        const Product<Type> product(depth, selector, random, least);
        std::vector<Sum> c(rows * columns), expected(rows * columns);
        for (int i = 0; i < rows * columns; ++i) {
            const int at = Product<Type>::place(i), row = at / columns, column = at % columns;
            int sum = product.c[at];
            c[i] = static_cast<Sum>(sum);
            for (int k = 0; k < depth; ++k) sum += product.a[row * depth + k] * product.b[k * columns + column];
            expected[i] = static_cast<Sum>(sum);
        }
        const Device<unsigned> a(product.a_held), b(product.b_held), metadata(product.metadata);
        const Device<Sum> c_device(c);
        Device<Sum> d(c.size());
        kernel<<<1, warp>>>(a, b, c_device, metadata, d);
        right &= agree(name, d.host(), expected);
    }
    return right;
}

int main() {
    Random random;
    bool right = true;
#define ALL_FOUR(TYPE, SUM, KERNEL, DEPTH)                                         \
    right &= test<TYPE, SUM>(#KERNEL " selector 0", KERNEL<0>, DEPTH, 0, random) & \
             test<TYPE, SUM>(#KERNEL " selector 1", KERNEL<1>, DEPTH, 1, random) & \
             test<TYPE, SUM>(#KERNEL " selector 2", KERNEL<2>, DEPTH, 2, random) & \
             test<TYPE, SUM>(#KERNEL " selector 3", KERNEL<3>, DEPTH, 3, random)
#define BOTH(TYPE, SUM, KERNEL, DEPTH)                                             \
    right &= test<TYPE, SUM>(#KERNEL " selector 0", KERNEL<0>, DEPTH, 0, random) & \
             test<TYPE, SUM>(#KERNEL " selector 1", KERNEL<1>, DEPTH, 1, random)
    ALL_FOUR(Half, float, half_16, 16);
    BOTH(Half, float, half_32, 32);
    ALL_FOUR(BFloat, float, bfloat_16, 16);
    BOTH(BFloat, float, bfloat_32, 32);
    ALL_FOUR(Tf32, float, tf32_8, 8);
    BOTH(Tf32, float, tf32_16, 16);
    BOTH(Byte, int, byte_32, 32);
    right &= test<Byte, int>("bytes", byte_64<0>, 64, 0, random);
    right &= test<Byte, int>("unsigned and signed bytes", mixed_64<0>, 64, 0, random, 0);
    BOTH(Nibble, int, nibble_64, 64);
    right &= test<Nibble, int>("nibbles", nibble_128<0>, 128, 0, random);
    return verdict(right);
}
