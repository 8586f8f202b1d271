#include "model/total_interval.hpp"

#include <cmath>

namespace gpuproj {

void TotalInterval::add(const TotalInterval& more) {
    mean_ += more.mean_;
    common_ += more.common_;
    own_squares_ += more.own_squares_;
    kernel_ += more.kernel_;
    kernel_squares_ += more.kernel_squares_;
    kernel_duration_ += more.kernel_duration_;
    duration_squares_ += more.duration_squares_;
}

std::optional<TotalInterval::Bounds> TotalInterval::bounds() const {
    if (mean_ <= 0) return std::nullopt;
    const double variance = (common_ * common_ + kernel_squares_ + own_squares_) / (mean_ * mean_);
    const double median = mean_ * std::exp(-variance / 2);
    const double factor = std::exp(normal_90 * std::sqrt(variance));
    return Bounds{Seconds{median / factor}, Seconds{median * factor}};
}

}  // namespace gpuproj
