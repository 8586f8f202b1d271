// Matrix instructions: mma, wmma, ldmatrix, stmatrix (PTX ISA 9.7.14).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collector/simulate/ptx/ast.hpp"

namespace gpuproj::simulate {

enum class Fragment : std::uint8_t { a, b, c };  // c: accumulators, both C and D

/// How a fragment's elements lie in the lanes' registers.
enum class FragmentLayout : std::uint8_t {
    mma,   // as the ISA documents for mma.sync, eight columns of B, C and D after the other; then copies of them
    wmma,  // opaque in the ISA: the registers one after the other, each of all lanes, have the elements by rows, but by
           // columns in a B of less than bytes, so that neighbours in memory share a register; then copies of them
    of_quarters,  // of mma.m8n8k4 on halves, which multiplies four pairs of matrices, each in eight of the lanes: a row
                  // of A or B in each; the matrices of C and D
    of_quarters_turned,  // the same with a column in each
};

/// Where the elements of a register, lane after lane, are in the matrix (element_of says so of each).
enum class Spread : std::uint8_t {
    stretch,   // side by side
    pairs,     // every other element, the register after it has those in between
    blocks,    // eight rows, of four lanes' elements each
    columns,   // eight columns, of four lanes' elements each
    anywhere,  // MatrixFragment::places
};

struct MatrixFragment {
    Fragment fragment = Fragment::a;
    FragmentLayout layout = FragmentLayout::mma;
    Spread spread = Spread::anywhere;
    ptx::Type type = ptx::Type::f16;
    std::uint32_t bits = 16;  // of an element
    std::uint32_t rows = 0, cols = 0;
    std::uint32_t first = 0, registers = 0;  // in Code::lists
    std::uint32_t register_bytes = 4;
    std::vector<std::uint16_t> places{};  // in the matrix, row by row: of lane 0's elements, then of lane 1's, ...

    std::uint32_t per_register() const { return 8 * register_bytes / bits; }
    std::uint32_t per_lane() const { return registers * per_register(); }
    /// Where in the matrix element `index` of `lane` is, and the others of its register behind it.
    const std::uint16_t* place(std::uint32_t lane, std::uint32_t index) const {
        return places.data() + std::size_t{lane} * per_lane() + index;
    }
    /// Of a wmma fragment: how its elements are numbered.
    bool by_columns() const { return fragment == Fragment::b && (bits < 8 || layout == FragmentLayout::mma); }
};

/// How wmma.load and wmma.store reach memory. ptxas makes of them what reads each element once, without the copies that
/// the fragments have: pairs of elements (4 bytes of those that are smaller) of eight lines at once, and ldmatrix, 16
/// bytes of a line a lane, where inputs of at most 16 bits are known to be in shared memory. Seen in its code for sm_75
/// and sm_80; sm_70 loads copies, too, 16 bytes at a time.
struct MatrixAccess {
    std::uint32_t bytes = 0;  // of a lane
    std::uint32_t count = 0;  // of accesses
    struct Piece {
        std::uint32_t line = 0, place = 0;  // place: in the line, in `bytes`
    };
    /// The `number`th piece of a matrix: lane after lane, access after access.
    Piece piece(std::uint32_t number, std::uint32_t lines, std::uint32_t per_line) const {
        constexpr std::uint32_t together = 4;  // lanes of a line
        if (bytes == 16 || per_line % together != 0) return {number % lines, number / lines};
        const std::uint32_t group = number / (lines * together), rest = number % (lines * together);
        return {rest / together, group * together + rest % together};
    }
};
MatrixAccess access_of(const MatrixFragment& fragment, bool known_shared);

/// Inst::mode of wmma.load and .store.
inline constexpr std::uint8_t matrix_in_global = 0, matrix_in_shared = 1, matrix_anywhere = 2;

/// Factors of mma's inputs: of as many parts of each row of A and column of B as `parts`, each a byte.
/// `first`, in Code::lists: the factors of A, the first byte that counts, in which lanes; those of B.
struct BlockScale {
    std::uint32_t parts = 0;  // 0: none
    bool powers = false;      // of two (ue8m0), not ue4m3
    std::uint32_t first = 0;
    static constexpr std::uint32_t refs = 6;
};

/// d = a b + c, or one fragment in memory (d for loads, a for stores).
struct MatrixPlan {
    std::uint32_t m = 0, n = 0, k = 0;
    std::uint32_t products = 1;  // of m x k and k x n each, whose matrices lie below each other
    MatrixFragment a, b, c, d;
    BlockScale scale{};
    bool saturate = false;
    bool exclusive_or = false;        // of bits: differences are counted instead of products
    bool column_major = false;        // of the matrix in memory
    bool transposed = false;          // ldmatrix.trans
    std::uint32_t element_bits = 16;  // of ldmatrix; 6 and 4 become 8
    bool sparse = false;              // a holds half of the elements of A's rows, and metadata says which
    std::uint32_t selector = 0;       // of the lanes that hold the metadata
    std::uint32_t matrices = 0;
    std::uint32_t panels = 1;  // of a warp group's product: n is of one of them, whose registers follow each other
    std::vector<MatrixAccess::Piece> pieces{};  // of the matrix in memory: lane after lane, access after access
    /// Of a wmma fragment as mma has it, for each register and four lanes that follow each other: where in the elements
    /// by their numbers the first of them has its four bytes. The others have the next ones, or where an element fills
    /// a register the next but one each, and the next register those between.
    std::vector<std::uint16_t> fours{};
};

/// Row and column of element `index` of `lane`.
struct Element {
    std::uint32_t row = 0, col = 0;
};
Element element_of(const MatrixFragment& fragment, std::uint32_t lane, std::uint32_t index);
/// Does this wmma fragment lie in the registers of GPUs as those of mma.sync do? Programs rely on it that fill inputs
/// of halves by ldmatrix, or know where in the matrix an accumulator is (seen in public programs for sm_80).
bool lies_as_mma(const MatrixFragment& fragment);
/// Fills in the fragments' places and spread.
void place_elements(MatrixPlan& plan);
/// What `access` makes of the matrix d in memory: MatrixPlan::pieces.
std::vector<MatrixAccess::Piece> pieces_of(const MatrixPlan& plan, const MatrixAccess& access);

}  // namespace gpuproj::simulate
