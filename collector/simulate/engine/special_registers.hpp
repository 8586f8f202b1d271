// Special registers (PTX ISA 10).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuproj::simulate {

struct Warp;

enum class SpecialRegister : std::uint8_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    warpid,
    nwarpid,
    smid,
    nsmid,
    gridid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    clock,
    clock_hi,
    clock64,
    globaltimer,
    globaltimer_lo,
    globaltimer_hi,
    dynamic_smem_size,
    total_smem_size,
    envreg1,
    envreg2,
    cluster_ctaid_x,
    cluster_ctaid_y,
    cluster_ctaid_z,
    cluster_ctarank,
    cluster_nctaid_x,
    cluster_nctaid_y,
    cluster_nctaid_z,
    cluster_nctarank,
    clusterid_x,
    clusterid_y,
    clusterid_z,
    nclusterid_x,
    nclusterid_y,
    nclusterid_z,
    is_explicit_cluster,
    reserved_smem_begin,
    reserved_smem_end,
    reserved_smem_cap,
    local_base,  // of the current call's local variables: the engine's own, without a name
    param_base,  // of the kernel's parameters
    zero,
    one
};

/// "%tid.x" and the like; nothing if the engine does not have it.
std::optional<SpecialRegister> find_special(std::string_view name);
/// Read from a constant bank on the machine, so that reading it costs no instruction.
bool is_free(SpecialRegister reg);
/// Tells one SM from others: its number, or its clock.
bool is_of_sm(SpecialRegister reg);
/// Whether all lanes of a warp have the same.
bool is_uniform(SpecialRegister reg);
/// The value of such a register.
std::uint64_t uniform_special(const Warp& warp, SpecialRegister reg);
/// One value per lane, of any register.
void read_special(const Warp& warp, SpecialRegister reg, std::uint64_t* values);

}  // namespace gpuproj::simulate
