#include "model/total_interval.hpp"

#include <cmath>

namespace gpuproj {

void TotalInterval::add(const TotalInterval& more) {
    duration_ += more.duration_;
    common_ += more.common_;
    own_squares_ += more.own_squares_;
    kernel_ += more.kernel_;
    kernel_squares_ += more.kernel_squares_;
    kernel_duration_ += more.kernel_duration_;
    duration_squares_ += more.duration_squares_;
}

std::optional<TotalInterval::Bounds> TotalInterval::bounds() const {
    if (duration_ <= 0) return std::nullopt;
    const double sd = std::sqrt(common_ * common_ + kernel_squares_ + own_squares_) / duration_;
    const double factor = std::exp(normal_90 * sd);
    return Bounds{Seconds{duration_ / factor}, Seconds{duration_ * factor}};
}

}  // namespace gpuproj
