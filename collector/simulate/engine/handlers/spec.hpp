// What the decoder wants executed, and who executes it. Handlers are compiled once for any x86-64 and once for AVX2;
// the decoder takes the set this machine can run.
#pragma once

#include "collector/simulate/engine/program.hpp"
#include "collector/simulate/ptx/ast.hpp"

namespace gpuproj::simulate {

enum class Op : std::uint8_t {
    // arithmetic: d = a op b (op c)
    add,
    sub,
    mul_lo,
    mul_hi,
    mul_wide,
    mad_lo,
    mad_hi,
    mad_wide,
    mul24,
    mad24,
    sad,
    div,
    rem,
    abs,
    neg,
    min,
    max,
    add_cc,
    addc,
    addc_cc,
    sub_cc,
    subc,
    subc_cc,
    mad_lo_cc,
    mad_hi_cc,
    madc_lo,
    madc_hi,
    madc_lo_cc,
    madc_hi_cc,
    popc,
    clz,
    bfind,
    bfind_shift,
    brev,
    bfe,
    bfi,
    bmsk,
    szext,
    fns,
    dp4a,
    dp2a,
    lop3,
    video,
    vmad,
    and_,
    or_,
    xor_,
    not_,
    cnot,
    shl,
    shr,
    shf_l_wrap,
    shf_l_clamp,
    shf_r_wrap,
    shf_r_clamp,
    prmt,
    // floating point
    fma,
    rcp,
    sqrt,
    rsqrt,
    sin,
    cos,
    lg2,
    ex2,
    tanh,
    copysign,
    testp,
    slow_div,  // counts what takes the slow way of the instruction behind it
    slow_rcp,
    slow_sqrt,
    // selection and moves
    setp,
    set,
    selp,
    slct,
    mov,
    cvt,
    cvt_pack,
    pack,
    unpack,
    mov_special,
    // memory
    ld_param,
    ld_global,
    ld_constant,
    ld_shared,
    ld_local,
    ld_generic,
    ld_cluster,
    ld_frame,
    st_global,
    st_shared,
    st_local,
    st_generic,
    st_cluster,
    st_frame,
    st_param,
    atom_global,
    atom_shared,
    atom_generic,
    atom_cluster,
    atom_vector,
    map_rank,
    rank_of,
    allocate_stack,
    save_stack,
    restore_stack,
    cp_async,
    bulk_copy,
    bulk_zero,
    create_policy,
    tensor_copy,
    tensor_map_replace,
    tensor_map_copy,
    try_cancel,
    prefetch,
    is_space,
    // warp
    shfl,
    vote,
    match_any,
    match_all,
    redux,
    activemask,
    elect,
    warp_sync,
    // barriers in shared memory
    mbarrier_init,
    mbarrier_inval,
    mbarrier_arrive,
    mbarrier_transactions,
    mbarrier_wait,
    mbarrier_pending,
    // matrices
    mma,
    wmma_load,
    wmma_store,
    ldmatrix,
    stmatrix,
    movmatrix,
    group_multiply,
    group_commit,
    group_wait,
    // control
    block_entry,
    bra,
    brx,
    call,
    ret,
    exit,
    trap,
    bar_sync,
    bar_red,
    bar_arrive,
    cluster_arrive,
    cluster_wait,
    nop,
    fence,
    sleep,
    poll  // of what other threads may change
};

/// Whether it counts the lanes that take a slow way, which nothing else does.
constexpr bool is_slow_way(Op op) {
    return op == Op::slow_div || op == Op::slow_rcp || op == Op::slow_sqrt;
}

enum class Compare : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
enum class Rounding : std::uint8_t { nearest, zero, down, up, integer_nearest, integer_zero, integer_down, integer_up };
enum class Atomic : std::uint8_t { exch, cas, add, inc, dec, min, max, and_, or_, xor_ };

struct Spec {
    Op op = Op::nop;
    ptx::Type type = ptx::Type::none;  // of the operation, of what memory holds, or the destination of a conversion
    ptx::Type from = ptx::Type::none;  // source of a conversion, or the comparison's type
    Compare compare = Compare::eq;
    Atomic atomic = Atomic::add;
    Rounding rounding = Rounding::nearest;
    bool ftz = false, sat = false, approx = false;
    bool full = false;        // div.full, which is approximate as well
    bool nan = false;         // min/max propagate NaN
    bool magnitudes = false;  // min/max of magnitudes, with the sign of the product
    bool three = false;       // min/max of three
    bool relu = false;        // of integers: negative results become 0
    bool wrap = false;        // bit positions and widths modulo 32
    bool high = false;        // mul24, mad24: bits 47 to 16 of the product
    bool d_is_float = false;
    std::uint8_t d_width = 0;  // bytes per lane of the destination register
};

/// nullptr: the engine does not have it.
using Select = Handler (*)(const Spec&);

namespace baseline {
Handler select_handler(const Spec& spec);
}
namespace avx2 {
Handler select_handler(const Spec& spec);
}
/// Of the better set that this processor runs.
Handler select_handler(const Spec& spec);

}  // namespace gpuproj::simulate
