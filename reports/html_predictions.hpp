// The predictions of several models as the HTML page takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/evaluate.hpp"
#include "reports/html_columns.hpp"
#include "reports/table.hpp"

namespace gpuproj {

/// What models say of a prediction beside its time: the limiter, and warnings in words; or in the place of both why
/// there is no prediction. Each thing said is kept once, and so is each text.
class Remarks {
public:
    /// `limiter` absent: not predicted.
    std::uint32_t place(std::optional<Limiter> limiter, std::span<const std::string> texts);
    const std::vector<std::string>& texts() const { return texts_.all(); }

    struct Remark {
        std::optional<Limiter> limiter;
        std::vector<std::size_t> texts;
        auto operator<=>(const Remark&) const = default;
    };
    const std::vector<Remark>& all() const { return all_; }

private:
    TextPool texts_;
    std::vector<Remark> all_;
    std::map<Remark, std::uint32_t> places_;
};

/// One model's answers: by target, then kernel.
struct ShownModel {
    const Model* model = nullptr;
    std::vector<std::optional<double>> duration, low, high;  // s; low and high empty where the model gives none
    std::vector<std::uint32_t> remarks;                      // places in Remarks
    Table totals;                                            // a row per target
    std::string first_reason;                                // of a refusal
    bool predicts = false;                                   // anything at all
};

/// `shown` has one model; `totals` are its, by target, over the whole profile, of which `shown` may have a part.
ShownModel shown_model(const EvaluationInput& shown, const Evaluation& evaluation,
                       std::span<const EvaluationTotal> totals, Remarks& remarks);

/// {"models":[{"name","title","source","predictions":{"duration_s","intervals","interval_at","interval_width","remarks"},
/// "totals"}],"remarks":[[limiter or null,[places of texts]]],"remark_width","texts"}: arrays packed
/// (html_columns.hpp). Intervals are kept once each, as [low, high] over the duration with nine digits, or [null,
/// null]: many predictions share one. "intervals" is empty where the model gives none, and "interval_at" null.
nlohmann::ordered_json models_to_json(std::span<const ShownModel> models, const Remarks& remarks);

}  // namespace gpuproj
