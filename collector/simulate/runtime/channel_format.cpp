#include "collector/simulate/runtime/channel_format.hpp"

#include <array>
#include <cstddef>

namespace gpuproj::simulate {

std::optional<cuda::ChannelFormat> integers_of_normalized(int kind) {
    using Format = cuda::ChannelFormat;
    if (kind < Format::first_normalized || kind > Format::last_normalized) return std::nullopt;
    constexpr std::array channels{1, 2, 4};
    constexpr std::array widths{8, 16};
    const auto row = static_cast<std::size_t>(kind - Format::first_normalized);
    const int channel_count = channels.at(row % channels.size()),
              bits = widths.at(row / channels.size() % widths.size());
    const auto of = [&](int channel) { return channel < channel_count ? bits : 0; };
    return Format{of(0), of(1), of(2), of(3),
                  row < channels.size() * widths.size() ? Format::kind_unsigned : Format::kind_signed};
}

}  // namespace gpuproj::simulate
