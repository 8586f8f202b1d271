// Headroom as tables.
#pragma once

#include <vector>

#include "reports/headroom.hpp"
#include "reports/table.hpp"

namespace gpuproj {

/// One row per kernel, by application time saved, then one per kernel that is left out. At most `most` kernels one by
/// one; the rest summed in a last row. 0: all.
Table headroom_table(const Headroom& headroom, const Profile& profile, std::size_t most);

/// One row per kernel and loss: the time if that alone were ideal. Losses that cannot be told say why.
Table loss_table(const Headroom& headroom, std::size_t most);

/// One row per kernel and resource: what it alone would take.
Table bound_table(const Headroom& headroom, std::size_t most);

/// Kernels, transfers, host: what the application's time is made of.
Table application_table(const Headroom& headroom);

/// The advice of the first `most` kernels, a sentence each.
std::vector<std::string> advice(const Headroom& headroom, std::size_t most);

/// What a reader must know of the figures, in sentences.
std::vector<std::string> headroom_notes(const Headroom& headroom);

}  // namespace gpuproj
