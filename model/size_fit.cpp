#include "model/size_fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace gpuproj {

namespace {

constexpr double furthest = 4;          // beyond the sizes given
constexpr double clearly_better = 0.9;  // of the error of a growth with fewer coefficients

using Terms = std::array<double, 3>;

/// The terms of a growth that is linear in its coefficients, and how many there are.
std::pair<Terms, std::size_t> terms(Growth growth, double n) {
    switch (growth) {
        case Growth::constant:
            return {{1, 0, 0}, 1};
        case Growth::linear:
            return {{1, n, 0}, 2};
        case Growth::quadratic:
            return {{1, n, n * n}, 3};
        case Growth::cubic:
            return {{1, n * n * n, 0}, 2};
        case Growth::matrix:
            return {{n * n, n * n * n, 0}, 2};
        case Growth::n_log_n:
            return {{1, n * std::log2(std::max(n, 1.0)), 0}, 2};
        case Growth::power:
            break;
    }
    return {{1, std::log(n), 0}, 2};  // of the logarithm
}

/// Solves the normal equations of weighted least squares by elimination; nothing if they are singular.
std::optional<Terms> least_squares(std::span<const SizePoint> points, Growth growth) {
    const bool logarithmic = growth == Growth::power;
    std::array<std::array<double, 4>, 3> a{};
    std::size_t count = 0;
    // Terms are scaled to the largest size, so that powers of large sizes do not drown the others.
    double largest = 0;
    for (const auto& p : points) largest = std::max(largest, p.size);
    const auto [scale, used] = terms(growth, largest);
    count = used;
    const auto scaled = [&, scale_of = scale](double n) {
        Terms t = terms(growth, n).first;
        for (std::size_t i = 0; i < count; ++i) {
            if (!logarithmic && scale_of[i] != 0) t[i] /= scale_of[i];
        }
        return t;
    };
    double smallest = 0;
    for (const auto& p : points) {
        if (p.value > 0) smallest = smallest > 0 ? std::min(smallest, p.value) : p.value;
    }
    for (const auto& p : points) {
        const Terms t = scaled(p.size);
        const double y = logarithmic ? std::log(p.value) : p.value;
        const double weight = logarithmic ? 1 : 1 / std::pow(std::max(p.value, smallest > 0 ? smallest : 1), 2);
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; j < count; ++j) a[i][j] += weight * t[i] * t[j];
            a[i][3] += weight * t[i] * y;
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t pivot = i;
        for (std::size_t r = i + 1; r < count; ++r) {
            if (std::abs(a[r][i]) > std::abs(a[pivot][i])) pivot = r;
        }
        std::swap(a[i], a[pivot]);
        if (!(std::abs(a[i][i]) > 1e-300)) return std::nullopt;
        for (std::size_t r = 0; r < count; ++r) {
            if (r == i) continue;
            const double factor = a[r][i] / a[i][i];
            for (std::size_t c = i; c < 4; ++c) a[r][c] -= factor * a[i][c];
        }
    }
    Terms result{};
    for (std::size_t i = 0; i < count; ++i) {
        result[i] = a[i][3] / a[i][i];
        if (!logarithmic && scale[i] != 0) result[i] /= scale[i];
        if (!std::isfinite(result[i])) return std::nullopt;
    }
    return result;
}

std::optional<double> left_out_error(std::span<const SizePoint> points, Growth growth) {
    double sum = 0;
    for (std::size_t out = 0; out < points.size(); ++out) {
        std::vector<SizePoint> others(points.begin(), points.end());
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(out));
        const auto coefficients = least_squares(others, growth);
        if (!coefficients) return std::nullopt;
        const double fitted = at_size({growth, *coefficients, 0, true}, points[out].size);
        const double counted = points[out].value;
        if (counted == 0 && fitted < 0.5) continue;
        // A fit of 0, or of something where there is nothing, is as bad as a factor of ten.
        sum += counted > 0 && fitted > 0 ? std::abs(std::log(fitted / counted)) : std::log(10.0);
    }
    return sum / static_cast<double>(points.size());
}

double number_in(double value) {
    return value;
}
template <Dimension D>
double number_in(Quantity<D> quantity) {
    return quantity.value;
}

void set_number(double& number, double value) {
    number = value;
}
template <Dimension D>
void set_number(Quantity<D>& quantity, double value) {
    quantity.value = value;
}

/// The n-th record of each kernel name, by name and n.
using Numbered = std::map<std::pair<std::string, std::size_t>, const KernelRecord*>;

Numbered numbered(const Profile& profile) {
    std::map<std::string, std::size_t> seen;
    Numbered records;
    for (const auto& kernel : profile.kernels) records[{kernel.kernel, seen[kernel.kernel]++}] = &kernel;
    return records;
}

/// Fits one number of all runs and gives it at `size`; absent if a run lacks it or no number can hold it.
class Fitter {
public:
    Fitter(std::span<const SizedProfile> runs, double size) : runs_(runs), size_(size) {}

    template <class Read>
    std::optional<double> operator()(std::span<const KernelRecord* const> records, Read read) {
        std::vector<SizePoint> points;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            const std::optional<double> value = read(*records[i]);
            if (!value) return std::nullopt;
            points.push_back({runs_[i].size, *value});
        }
        const SizeFit fit = fit_size(points);
        worst_ = std::max(worst_, fit.error);
        const double fitted = at_size(fit, size_);
        return std::isfinite(fitted) ? std::optional(fitted) : std::nullopt;
    }
    double worst() const { return worst_; }

private:
    std::span<const SizedProfile> runs_;
    double size_;
    double worst_ = 0;
};

constexpr bool is_fraction(std::string_view key) {
    return key == "achieved_occupancy" || key == "dram_channel_balance" || key == "warp_balance" ||
           key == "load_parallelism" || key.ends_with("_page_share") || key.ends_with("_utilization");
}

KernelRecord record_at(std::span<const KernelRecord* const> records, const KernelRecord& nearest, Fitter& fitted) {
    KernelRecord record = nearest;
    record.other_gpus.reset();  // is not fitted
    record.launches = static_cast<std::uint64_t>(std::max(1.0, std::round(fitted(records, [](const KernelRecord& r) {
                                                                              return std::optional<double>(r.launches);
                                                                          }).value_or(1))));
    if (record.grid) {
        for (std::size_t axis = 0; axis < record.grid->size(); ++axis) {
            const auto blocks = fitted(records, [&](const KernelRecord& r) {
                return r.grid ? std::optional<double>((*r.grid)[axis]) : std::nullopt;
            });
            if (blocks) (*record.grid)[axis] = static_cast<std::uint32_t>(std::clamp(std::round(*blocks), 1.0, 4e9));
        }
    }
    const auto seconds = fitted(records, [](const KernelRecord& r) {
        return r.duration && r.duration->count > 0 ? std::optional(r.duration->mean().value) : std::nullopt;
    });
    record.duration.reset();
    if (seconds && *seconds > 0) {
        record.duration = Duration{record.launches, Seconds{*seconds * static_cast<double>(record.launches)}, {}, {}};
    }
    const auto field = [&](const auto& f) {
        if (is_fraction(f.key)) return;
        auto& counter = record.metrics.*f.member;
        const auto value = fitted(records, [&](const KernelRecord& r) -> std::optional<double> {
            const auto& counted = r.metrics.*f.member;
            if (!counted) return std::nullopt;
            return number_in(*counted);
        });
        counter.reset();
        if (value) set_number(counter.emplace(), std::round(*value));
    };
    std::apply([&](const auto&... f) { (field(f), ...); }, KernelMetrics::fields);
    return record;
}

/// A kernel that ran executed instructions: a fit of none is no count, and no profile may state it.
std::optional<Inapplicable> refusal(const KernelRecord& fitted, std::span<const SizedProfile> runs, double size) {
    const auto& instructions = fitted.metrics.warp_inst;
    if (!instructions || instructions->value > 0) return std::nullopt;
    std::vector<std::string> sizes;
    for (const auto& run : runs) sizes.push_back(fmt::format("{:g}", run.size));
    return Inapplicable{fmt::format(
        "the instructions of {}, fitted from the sizes {}, come to none at {:g}; run it at a size nearer to that",
        fitted.kernel, fmt::join(sizes, ", "), size)};
}

std::optional<Inapplicable> refusal(std::span<const SizedProfile> runs, double size) {
    if (runs.size() < 2) return Inapplicable{"a fit against a size needs runs of at least two sizes"};
    double low = runs[0].size, high = low;
    for (const auto& run : runs) {
        const bool is_size = run.size > 0 && std::isfinite(run.size);
        if (!is_size) return Inapplicable{"sizes have to be above 0 and finite"};
        if (run.profile->gpu != runs[0].profile->gpu) {
            return Inapplicable{
                fmt::format("the runs are of different GPUs: {} and {}", runs[0].profile->gpu, run.profile->gpu)};
        }
        const auto &counters = run.profile->provenance.counters, &first = runs[0].profile->provenance.counters;
        if (counters != first) {
            return Inapplicable{
                fmt::format("the runs have {} and {} counters: they cannot be fitted together", first, counters)};
        }
        const auto same = std::count_if(runs.begin(), runs.end(), [&](const auto& r) { return r.size == run.size; });
        if (same > 1) return Inapplicable{fmt::format("there are {} runs of size {:g}", same, run.size)};
        low = std::min(low, run.size), high = std::max(high, run.size);
    }
    const bool is_near = size >= low / furthest && size <= high * furthest;  // NaN is not
    if (!is_near) {
        return Inapplicable{
            fmt::format("{:g} is too far from the sizes that were run ({:g} to {:g}); at most a factor "
                        "of {:g} beyond them",
                        size, low, high, furthest)};
    }
    return std::nullopt;
}

/// Of `model`, one of the runs, but for what the fit makes another thing of.
Provenance fitted_provenance(std::span<const SizedProfile> runs, const Profile& model) {
    Provenance provenance = model.provenance;
    for (const auto& run : runs) {
        if (run.profile->provenance.ecc != provenance.ecc) provenance.ecc.reset();
    }
    // as_counted() knows it of simulated counters, which these are no longer.
    if (provenance.counters == "simulated") provenance.ecc = false;
    provenance.counters = "derived";
    return provenance;
}

/// Records that some run has and another has not.
std::size_t unmatched_records(std::span<const Numbered> runs) {
    std::set<Numbered::key_type> unmatched;
    for (const auto& run : runs) {
        for (const auto& [key, record] : run) {
            const auto lacks = [&key = key](const Numbered& other) { return !other.contains(key); };
            if (std::any_of(runs.begin(), runs.end(), lacks)) unmatched.insert(key);
        }
    }
    return unmatched.size();
}

/// What a reader must know of counters that were fitted for `size`.
std::vector<std::string> range_notes(std::span<const SizedProfile> runs, double size, double worst_error) {
    const auto [low, high] =
        std::minmax_element(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.size < b.size; });
    std::vector<std::string> notes;
    notes.push_back(fmt::format("counters fitted against the size, from {} runs of {:g} to {:g}, for {:g}", runs.size(),
                                low->size, high->size, size));
    if (runs.size() == 2) {
        notes.emplace_back("two sizes: every counter is taken for a power of the size, untested");
    } else {
        notes.back() += fmt::format("; each size left out in turn, the worst counter is off by {:.1f} %",
                                    100 * std::expm1(worst_error));
    }
    if (size < low->size || size > high->size) {
        notes.push_back(
            fmt::format("{:g} is outside the sizes that were run ({:g} to {:g}): caches may behave otherwise", size,
                        low->size, high->size));
    }
    return notes;
}

/// Partial if a run is. The reason is the last note, where it is looked for.
void take_partial(Profile& fitted, std::span<const SizedProfile> runs) {
    for (const auto& run : runs) {
        if (!run.profile->partial) continue;
        fitted.partial = true;
        const auto& notes = run.profile->notes;
        fitted.notes.push_back(fmt::format("the run of size {:g} is partial ({})", run.size,
                                           notes.empty() ? "the application ended early" : notes.back()));
    }
}

}  // namespace

double at_size(const SizeFit& fit, double size) {
    const auto& c = fit.coefficients;
    if (fit.growth == Growth::power) return std::exp(c[0]) * std::pow(size, c[1]);
    const auto [t, count] = terms(fit.growth, size);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += c[i] * t[i];
    return std::max(sum, 0.0);
}

SizeFit fit_size(std::span<const SizePoint> points) {
    const double first = points.front().value;
    const auto same = [&](const SizePoint& p) { return p.value == first; };
    if (std::all_of(points.begin(), points.end(), same)) {
        return {Growth::constant, {first, 0, 0}, 0, points.size() > 1};
    }
    const bool positive = std::all_of(points.begin(), points.end(), [](const SizePoint& p) { return p.value > 0; });
    if (points.size() == 2) {
        const Growth growth = positive ? Growth::power : Growth::linear;
        return {growth, least_squares(points, growth).value_or(Terms{first, 0, 0}), 0, false};
    }
    std::optional<SizeFit> best;
    // In the order of preference where they do alike.
    for (const Growth growth : {Growth::constant, Growth::linear, Growth::power, Growth::n_log_n, Growth::matrix,
                                Growth::cubic, Growth::quadratic}) {
        if (growth == Growth::power && !positive) continue;
        if (terms(growth, 1).second >= points.size()) continue;  // nothing would be left to test it on
        const auto coefficients = least_squares(points, growth);
        const auto error = coefficients ? left_out_error(points, growth) : std::nullopt;
        if (!error) continue;
        if (!best || *error < clearly_better * best->error - 1e-12) best = SizeFit{growth, *coefficients, *error, true};
    }
    return best.value_or(SizeFit{Growth::constant, {first, 0, 0}, 0, false});
}

std::variant<ProfileAtSize, Inapplicable> profile_at_size(std::span<const SizedProfile> runs, double size) {
    if (auto no = refusal(runs, size)) return *std::move(no);
    const auto distance = [&](const SizedProfile& run) { return std::abs(std::log(run.size / size)); };
    const auto nearest = static_cast<std::size_t>(
        std::min_element(runs.begin(), runs.end(),
                         [&](const auto& a, const auto& b) { return distance(a) < distance(b); }) -
        runs.begin());

    ProfileAtSize result;
    const Profile& model = *runs[nearest].profile;
    result.profile.gpu = model.gpu;
    result.profile.provenance = fitted_provenance(runs, model);
    Fitter fitted(runs, size);
    std::vector<Numbered> of_runs;
    for (const auto& run : runs) of_runs.push_back(numbered(*run.profile));
    for (const auto& [key, record] : of_runs[nearest]) {
        std::vector<const KernelRecord*> records;
        for (const auto& run : of_runs) {
            if (const auto found = run.find(key); found != run.end()) records.push_back(found->second);
        }
        if (records.size() != runs.size()) continue;
        result.profile.kernels.push_back(record_at(records, *record, fitted));
        if (auto no = refusal(result.profile.kernels.back(), runs, size)) return *std::move(no);
    }
    if (result.profile.kernels.empty()) return Inapplicable{"no kernel is in all of the runs"};
    result.worst_error = fitted.worst();
    auto& notes = result.profile.notes;
    notes = range_notes(runs, size, result.worst_error);
    if (const auto unmatched = unmatched_records(of_runs); unmatched > 0)
        notes.push_back(fmt::format("{} records are not in every run and were left out", unmatched));
    take_partial(result.profile, runs);
    return result;
}

}  // namespace gpuproj
