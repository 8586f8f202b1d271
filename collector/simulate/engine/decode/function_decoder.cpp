// The table of instructions, and what is done once per function.
#include "collector/simulate/engine/decode/function_decoder.hpp"

namespace gpuproj::simulate::decoding {

namespace {

/// " m64n8k8 m64n8k16 ...": those of some types, which the instruction itself looks at again.
std::string group_shapes() {
    std::string shapes;
    for (std::uint32_t n = 8; n <= 256; n += 8)
        for (const std::uint32_t k : {8U, 16U, 32U, 64U, 256U}) shapes += fmt::format(" m64n{}k{}", n, k);
    return shapes;
}

}  // namespace

// One row per instruction: how its operands and modifiers become a handler and a cost, and the modifiers it may have:
// one that is not there may change what the instruction means, and is refused.
const std::vector<FunctionDecoder::Row>& FunctionDecoder::instruction_table() {
    static const std::string orders = "weak relaxed acquire release acq_rel sc volatile mmio cta cluster gpu sys";
    static const std::string spaces =
        "global shared shared::cta shared::cluster local const param param::entry param::func";
    static const std::string access =
        orders +
        " ca cg cs lu cv wb wt nc L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate "
        "L2::evict_normal L2::evict_first L2::evict_last L2::cache_hint L2::64B L2::128B L2::256B " +
        spaces;
    static const auto& table = *new std::vector<Row>{
        // modules are loaded until the very end of a process
        {"add", &FunctionDecoder::arithmetic, "rn rz rm rp ftz sat cc relu"},
        {"sub", &FunctionDecoder::arithmetic, "rn rz rm rp ftz sat cc relu"},
        {"min", &FunctionDecoder::arithmetic, "ftz NaN xorsign abs relu"},
        {"max", &FunctionDecoder::arithmetic, "ftz NaN xorsign abs relu"},
        {"div", &FunctionDecoder::arithmetic, "rn rz rm rp ftz approx full"},
        {"rem", &FunctionDecoder::arithmetic, ""},
        {"abs", &FunctionDecoder::arithmetic, "ftz"},
        {"neg", &FunctionDecoder::arithmetic, "ftz"},
        {"copysign", &FunctionDecoder::arithmetic, ""},
        {"mul", &FunctionDecoder::multiply, "rn rz rm rp ftz sat lo hi wide relu"},
        {"mul24", &FunctionDecoder::multiply, "lo hi"},
        {"mad", &FunctionDecoder::multiply_add, "rn rz rm rp ftz sat lo hi wide cc"},
        {"mad24", &FunctionDecoder::multiply_add, "lo hi sat"},
        {"fma", &FunctionDecoder::multiply_add, "rn rz rm rp ftz sat relu"},
        {"sad", &FunctionDecoder::multiply_add, ""},
        {"addc", &FunctionDecoder::carry, "cc"},
        {"subc", &FunctionDecoder::carry, "cc"},
        {"madc", &FunctionDecoder::carry, "lo hi cc"},
        {"rcp", &FunctionDecoder::special_function, "rn rz rm rp ftz approx"},
        {"sqrt", &FunctionDecoder::special_function, "rn rz rm rp ftz approx"},
        {"rsqrt", &FunctionDecoder::special_function, "ftz approx"},
        {"sin", &FunctionDecoder::special_function, "ftz approx"},
        {"cos", &FunctionDecoder::special_function, "ftz approx"},
        {"lg2", &FunctionDecoder::special_function, "ftz approx"},
        {"ex2", &FunctionDecoder::special_function, "ftz approx"},
        {"tanh", &FunctionDecoder::special_function, "approx"},
        {"popc", &FunctionDecoder::unary_integer, ""},
        {"clz", &FunctionDecoder::unary_integer, ""},
        {"bfind", &FunctionDecoder::unary_integer, "shiftamt"},
        {"brev", &FunctionDecoder::unary_integer, ""},
        {"and", &FunctionDecoder::logic, ""},
        {"or", &FunctionDecoder::logic, ""},
        {"xor", &FunctionDecoder::logic, ""},
        {"not", &FunctionDecoder::logic, ""},
        {"cnot", &FunctionDecoder::logic, ""},
        {"shl", &FunctionDecoder::shift, ""},
        {"shr", &FunctionDecoder::shift, ""},
        {"shf", &FunctionDecoder::funnel, "l r wrap clamp"},
        {"bfe", &FunctionDecoder::bit_field, ""},
        {"bfi", &FunctionDecoder::bit_field, ""},
        {"bmsk", &FunctionDecoder::bit_field, "clamp wrap"},
        {"szext", &FunctionDecoder::bit_field, "clamp wrap"},
        {"fns", &FunctionDecoder::bit_field, ""},
        {"prmt", &FunctionDecoder::permute, "f4e b4e rc8 ecl ecr rc16"},
        {"lop3", &FunctionDecoder::lop3, "or and"},
        {"dp4a", &FunctionDecoder::dot_product, ""},
        {"dp2a", &FunctionDecoder::dot_product, "lo hi"},
        {"vadd2", &FunctionDecoder::video, "add sat"},
        {"vadd4", &FunctionDecoder::video, "add sat"},
        {"vsub2", &FunctionDecoder::video, "add sat"},
        {"vsub4", &FunctionDecoder::video, "add sat"},
        {"vavrg2", &FunctionDecoder::video, "add sat"},
        {"vavrg4", &FunctionDecoder::video, "add sat"},
        {"vabsdiff2", &FunctionDecoder::video, "add sat"},
        {"vabsdiff4", &FunctionDecoder::video, "add sat"},
        {"vmin2", &FunctionDecoder::video, "add sat"},
        {"vmin4", &FunctionDecoder::video, "add sat"},
        {"vmax2", &FunctionDecoder::video, "add sat"},
        {"vmax4", &FunctionDecoder::video, "add sat"},
        {"vset2", &FunctionDecoder::video, "add sat eq ne lt le gt ge"},
        {"vset4", &FunctionDecoder::video, "add sat eq ne lt le gt ge"},
        {"vadd", &FunctionDecoder::video_word, "sat add min max"},
        {"vsub", &FunctionDecoder::video_word, "sat add min max"},
        {"vabsdiff", &FunctionDecoder::video_word, "sat add min max"},
        {"vmin", &FunctionDecoder::video_word, "sat add min max"},
        {"vmax", &FunctionDecoder::video_word, "sat add min max"},
        {"vshl", &FunctionDecoder::video_word, "sat clamp wrap add min max"},
        {"vshr", &FunctionDecoder::video_word, "sat clamp wrap add min max"},
        {"vset", &FunctionDecoder::video_word, "eq ne lt le gt ge add min max"},
        {"vmad", &FunctionDecoder::video_multiply_add, "po sat shr7 shr15"},
        {"testp", &FunctionDecoder::test_property, "finite infinite number notanumber normal subnormal"},
        {"setp", &FunctionDecoder::compare,
         "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz"},
        {"set", &FunctionDecoder::compare,
         "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz"},
        {"selp", &FunctionDecoder::select, ""},
        {"slct", &FunctionDecoder::select, "ftz"},
        {"mov", &FunctionDecoder::move, ""},
        {"cvt", &FunctionDecoder::convert, "rn rz rm rp rna rni rzi rmi rpi ftz sat relu satfinite pack s2 u2"},
        {"cvta", &FunctionDecoder::convert_address, "to " + spaces},
        {"mapa", &FunctionDecoder::map_address, "shared::cluster"},
        {"getctarank", &FunctionDecoder::map_address, "shared::cluster"},
        {"alloca", &FunctionDecoder::allocate_stack, ""},
        {"stacksave", &FunctionDecoder::allocate_stack, ""},
        {"stackrestore", &FunctionDecoder::allocate_stack, ""},
        {"isspacep", &FunctionDecoder::is_space, spaces},
        {"ld", &FunctionDecoder::load, access + " v2 v4 v8"},
        {"ldu", &FunctionDecoder::load, "global v2 v4 v8"},
        {"st", &FunctionDecoder::store, access + " v2 v4 v8 async bulk mbarrier::complete_tx::bytes"},
        {"atom", &FunctionDecoder::atomic, access + " v2 v4 v8 noftz exch cas add inc dec min max and or xor"},
        {"red", &FunctionDecoder::atomic,
         access + " v2 v4 v8 async mbarrier::complete_tx::bytes noftz add inc dec min max and or xor"},
        {"cp", &FunctionDecoder::copy_async,
         "async ca cg global shared shared::cta shared::cluster L2::cache_hint L2::64B L2::128B L2::256B commit_group "
         "wait_group wait_all read mbarrier arrive noinc b64 bulk bulk_group mbarrier::complete_tx::bytes prefetch L2 "
         "multicast::cluster tensor 1d 2d 3d 4d 5d tile tile::gather4 tile::scatter4 im2col im2col_no_offs im2col::w "
         "im2col::w::128 cta_group::1 cta_group::2 cp_mask reduce noftz add inc dec min max and or xor"},
        {"tensormap", &FunctionDecoder::tensor_map,
         "replace tile global_address rank box_dim global_dim global_stride element_stride elemtype interleave_layout "
         "swizzle_mode swizzle_atomicity fill_mode b1024 cp_fenceproxy tensormap::generic sync aligned " +
             orders + " " + spaces},
        {"createpolicy", &FunctionDecoder::create_policy,
         "fractional range global cvt L2 L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged"},
        {"prefetch", &FunctionDecoder::prefetch,
         "global local L1 L2 L2::evict_last L2::evict_normal const param tensormap"},
        {"prefetchu", &FunctionDecoder::prefetch, "L1"},
        {"discard", &FunctionDecoder::prefetch, "global L2"},
        {"applypriority", &FunctionDecoder::prefetch, "global L2::evict_normal"},
        {"shfl", &FunctionDecoder::shuffle, "sync up down bfly idx"},
        {"vote", &FunctionDecoder::vote, "sync all any uni ballot"},
        {"match", &FunctionDecoder::match, "sync any all"},
        {"redux", &FunctionDecoder::redux, "sync add min max and or xor abs NaN"},
        {"activemask", &FunctionDecoder::active_mask, ""},
        {"elect", &FunctionDecoder::elect, "sync"},
        {"bar", &FunctionDecoder::barrier, "sync arrive red popc and or warp cta"},
        {"barrier", &FunctionDecoder::barrier,
         "sync arrive red popc and or aligned cta cluster wait acquire release relaxed"},
        {"mbarrier", &FunctionDecoder::mbarrier,
         orders + " " + spaces +
             " init inval arrive arrive_drop test_wait try_wait parity expect_tx complete_tx pending_count noComplete"},
        {"clusterlaunchcontrol", &FunctionDecoder::cluster_launch_control,
         "try_cancel async shared::cta mbarrier::complete_tx::bytes multicast::cluster::all query_cancel is_canceled "
         "get_first_ctaid get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z v4"},
        {"membar", &FunctionDecoder::fence, "cta gl sys cluster proxy alias async"},
        {"fence", &FunctionDecoder::fence,
         orders + " proxy alias async async::generic async.global global shared::cta shared::cluster "
                  "sync_restrict::shared::cta sync_restrict::shared::cluster mbarrier_init "
                  "op_restrict::release.cluster aligned tensormap::generic unified"},
        {"bra", &FunctionDecoder::branch, "uni"},
        {"brx", &FunctionDecoder::branch_indexed, "idx uni"},
        {"call", &FunctionDecoder::call, "uni"},
        {"ret", &FunctionDecoder::leave, "uni"},
        {"exit", &FunctionDecoder::leave, ""},
        {"trap", &FunctionDecoder::trap, ""},
        {"brkpt", &FunctionDecoder::nothing, ""},
        {"pmevent", &FunctionDecoder::nothing, "mask"},
        {"nanosleep", &FunctionDecoder::sleep, ""},
        {"griddepcontrol", &FunctionDecoder::nothing, "launch_dependents wait"},
        {"setmaxnreg", &FunctionDecoder::nothing, "inc dec sync aligned"},
        {"tex", &FunctionDecoder::texture, "1d 2d 3d a1d a2d cube acube v2 v4 base level grad"},
        {"tld4", &FunctionDecoder::texture, "r g b a 2d a2d cube acube v4"},
        {"suld", &FunctionDecoder::surface, "1d 2d 3d a1d a2d cube acube b v2 v4 trap clamp zero ca cg cs cv"},
        {"sust", &FunctionDecoder::surface, "1d 2d 3d a1d a2d cube acube b p v2 v4 trap clamp zero wb cg cs wt"},
        {"mma", &FunctionDecoder::matrix_multiply,
         "sync aligned row col satfinite xor and popc kind::f8f6f4 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4 "
         "block_scale scale_vec::1X scale_vec::2X scale_vec::4X ue8m0 ue4m3 sp sp::ordered_metadata m8n8k4 m8n8k16 "
         "m8n8k32 m8n8k128 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256"},
        {"wmma", &FunctionDecoder::wmma,
         "load store mma sync aligned row col a b c d satfinite rn xor and popc global shared shared::cta m16n16k16 "
         "m16n16k8 m8n32k16 m32n8k16 m8n8k4 m8n8k32 m8n8k128"},
        {"ldmatrix", &FunctionDecoder::matrix_rows,
         "sync aligned m8n8 m8n16 x1 x2 x4 trans shared shared::cta b8x16 b6x16_p32 b4x16_p64"},
        {"stmatrix", &FunctionDecoder::matrix_rows, "sync aligned m8n8 x1 x2 x4 trans shared shared::cta"},
        {"movmatrix", &FunctionDecoder::move_matrix, "sync aligned m8n8 trans"},
        {"wgmma", &FunctionDecoder::warp_group,
         "fence commit_group wait_group mma_async sp sync aligned satfinite and popc" + group_shapes()},
    };
    return table;
}

namespace {

/// Whether `word` is one of those that stand in `words` between blanks.
bool has_word(std::string_view words, std::string_view word) {
    while (!words.empty()) {
        const std::size_t blank = words.find(' ');
        if (words.substr(0, blank) == word) return true;
        words = blank == std::string_view::npos ? std::string_view{} : words.substr(blank + 1);
    }
    return false;
}

}  // namespace

void FunctionDecoder::instruction() {
    const Opcode op(instruction_->opcode);
    for (const Row& row : instruction_table()) {
        if (row.root != op.root()) continue;
        for (const std::string_view part : std::span(op.parts).subspan(1)) {
            if (ptx::parse_type(part) == Type::none && !has_word(row.modifiers, part))
                throw Unsupported{fmt::format("modifier '{}'", part)};
        }
        return (this->*row.decode)(op);
    }
    throw Unsupported{};
}

std::uint32_t FunctionDecoder::result_bytes(const Spec& spec) {
    switch (spec.op) {
        case Op::setp:
        case Op::testp:
        case Op::is_space:
            return 0;
        case Op::set:
        case Op::vote:  // a predicate or a ballot
            return any_width;
        case Op::cvt:  // to a register of any size, but for packed results
            return name_of(spec.type).ends_with("x2") || spec.type == Type::tf32 ? size_of(spec.type) : any_width;
        case Op::popc:
        case Op::clz:
        case Op::bfind:
        case Op::bfind_shift:
        case Op::match_any:
        case Op::match_all:
        case Op::redux:
        case Op::mbarrier_pending:
        case Op::rank_of:
            return 4;
        case Op::mul_wide:
        case Op::mad_wide:
            return 2 * size_of(spec.type);
        default:
            return size_of(spec.type);
    }
}

std::uint32_t FunctionDecoder::cost_index(const Cost& cost) {
    const auto found = std::ranges::find(program_.costs, cost);
    if (found == program_.costs.end()) {
        program_.costs.push_back(cost);
        program_.expansions.push_back(expansions_of(cost));
        return static_cast<std::uint32_t>(program_.costs.size() - 1);
    }
    return static_cast<std::uint32_t>(found - program_.costs.begin());
}

/// A branch to the end of a kernel: EXIT with a condition, of which the threads that leave have one, and no other.
bool FunctionDecoder::leaves_kernel(const DraftInst& item) const {
    return draft_.code.entry && item.flow == Flow::branch && only_leaves(draft_, item.inst.target);
}

/// Counters: one per block, one per guarded instruction for the threads whose guard held, and one for each slow way.
void FunctionDecoder::finish_counters() {
    Code& code = draft_.code;
    auto next = static_cast<std::uint32_t>(code.blocks.size());
    std::uint32_t of_branch = 0;  // the block of the last that was not speculated
    for (std::uint32_t b = 0; b < code.blocks.size(); ++b) {
        for (std::uint32_t i = code.blocks[b].first; i < code.blocks[b].last; ++i) {
            DraftInst& item = draft_.instructions[i];
            const bool guarded = item.inst.guard != no_ref;
            if (guarded) item.inst.slot = next++;
            const bool apart = is_slow_way(item.spec.op);
            if (apart) item.inst.list = next++;
            if (item.flow == Flow::branch && !item.speculated) of_branch = b;
            code.slot_of.push_back(apart ? item.inst.list : item.speculated ? of_branch : b);
            code.threads_of.push_back(apart || !guarded     ? ThreadsOf::block
                                      : leaves_kernel(item) ? ThreadsOf::nobody
                                                            : ThreadsOf::guard);
            code.cost.push_back(cost_index(item.cost));
            code.instructions.push_back(item.inst);
            if (!program_.files.empty()) code.sources.push_back(item.source);
        }
    }
    code.slots = next;
    for (const UnrolledDraft& loop : draft_.unrolled)
        code.unrolled.push_back({loop.block, loop.from, loop.rounds, loop.known_trips, loop.one_after_other});
    for (std::uint32_t i = 0; i < draft_.instructions.size(); ++i)
        if (const auto& loop = draft_.instructions[i].shared) code.unrolled[*loop].shared.push_back(i);
    for (const Draft::OfBlock& more : draft_.block_costs)
        code.block_costs.push_back({more.block, cost_index(more.cost), more.times});
}

void FunctionDecoder::finish_info() {
    Code& code = draft_.code;
    KernelInfo& info = code.info;
    info.name = code.name;
    info.static_shared_bytes = shared_.bytes;
    info.local_bytes = code.local_bytes;
    if (function_.max_threads != 0) info.max_threads = std::min(function_.max_threads, 1024U);
    const auto said = [](std::uint32_t number) { return number > 0 ? std::optional(number) : std::nullopt; };
    info.register_bounds = {said(std::max(function_.max_threads, function_.required_threads)),
                            said(function_.min_blocks), said(function_.max_registers)};
    if (function_.cluster[0] != 0) info.cluster = {function_.cluster[0], function_.cluster[1], function_.cluster[2]};
    if (!code.unsupported.empty()) info.unsupported = code.unsupported;
}

}  // namespace gpuproj::simulate::decoding
