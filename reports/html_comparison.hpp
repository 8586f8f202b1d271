// GPUs compared, and the whole application, as the HTML page takes them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "reports/application.hpp"
#include "reports/comparison.hpp"

namespace gpuproj {

/// What a comparison adds to the totals of one profile, one row per target: speed-up with its interval, probability of
/// being the fastest. GPUs that are no target have none.
nlohmann::ordered_json comparison_by_target(const Comparison& comparison, std::span<const Gpu* const> targets);

/// All that `gpuproj compare` prints (comparison_tables, by column), with what is needed to weigh and price anew:
/// {"summary","notes","weights","jobs","owned","target","terms","ranking",...}. `owned` is the row of the profiles' own
/// GPU or null, `target` each row's place among the targets or null, `candidate` whether it competes (is_candidate).
nlohmann::ordered_json comparison_to_json(const Comparison& comparison, std::span<const WorkloadPart> parts,
                                          const ComparisonTerms& terms, std::span<const Gpu* const> targets);

/// {"measured":{"kernels_s","transfers_s","host_s"},"targets":columns}: what does not depend on the model.
nlohmann::ordered_json application_to_json(const MeasuredApplication& measured, std::span<const ApplicationTime> times);

}  // namespace gpuproj
