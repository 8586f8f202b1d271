#include "collector/simulate/engine/texture.hpp"
#include "collector/simulate/engine/checks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "collector/simulate/engine/handlers/texture_warp.hpp"
#include "collector/simulate/engine/texture_wrap.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

namespace {

/// A texel in whatever numbers the texture holds; only one of the two is meant.
struct Texel {
    std::array<float, 4> real{};
    std::array<std::int32_t, 4> integer{};
};

float half_to_float(std::uint16_t bits) {
    return static_cast<float>(std::bit_cast<_Float16>(bits));
}

/// IEC 61966-2-1.
float linear_of_srgb(float x) {
    return x <= 0.04045F ? x / 12.92F : std::pow((x + 0.055F) / 1.055F, 2.4F);
}

/// An integer of a channel as a number between -1 or 0 and 1.
float normalized(std::int32_t value, bool is_signed, std::uint32_t bytes) {
    const auto most = static_cast<double>((std::uint64_t{1} << (8 * bytes - (is_signed ? 1 : 0))) - 1);
    const double number = is_signed ? value : static_cast<double>(static_cast<std::uint32_t>(value));
    return static_cast<float>(std::max(-1.0, number / most));
}
/// The same for all bytes, so that nobody divides.
const std::array<float, 256>& normalized_bytes(bool is_signed) {
    static const auto tables = [] {
        std::array<std::array<float, 256>, 2> made{};
        for (std::uint32_t raw = 0; raw < 256; ++raw) {
            made[0][raw] = normalized(static_cast<std::int32_t>(raw), false, 1);
            made[1][raw] = normalized(static_cast<std::int8_t>(raw), true, 1);
        }
        return made;
    }();
    return tables[is_signed ? 1 : 0];
}

std::uint32_t read_raw(const std::byte* from, std::uint32_t bytes) {
    std::uint32_t raw = 0;
    if (bytes == 1)
        raw = static_cast<std::uint8_t>(*from);
    else if (bytes == 2)
        std::memcpy(&raw, from, 2);
    else
        std::memcpy(&raw, from, 4);
    return raw;
}

Texel read_texel(const Texture& texture, const std::byte* at) {
    Texel texel;
    if (texture.kind == ChannelKind::real && texture.channel_bytes == sizeof(float)) {
        for (std::uint32_t c = 0; c < std::min(texture.channels, 4U); ++c) {
            std::memcpy(&texel.real[c], at + c * sizeof(float), sizeof(float));
            std::memcpy(&texel.integer[c], at + c * sizeof(float), sizeof(float));
        }
        return texel;
    }
    for (std::uint32_t c = 0; c < std::min(texture.channels, 4U); ++c) {
        const std::uint32_t raw = read_raw(at + std::size_t{c} * texture.channel_bytes, texture.channel_bytes);
        if (texture.kind == ChannelKind::real) {
            texel.real[c] =
                texture.channel_bytes == 2 ? half_to_float(static_cast<std::uint16_t>(raw)) : std::bit_cast<float>(raw);
            texel.integer[c] = std::bit_cast<std::int32_t>(raw);
            continue;
        }
        const bool is_signed = texture.kind == ChannelKind::signed_integer;
        const std::uint32_t shift = 32 - 8 * texture.channel_bytes;
        const std::int32_t value =
            is_signed ? static_cast<std::int32_t>(raw << shift) >> shift : static_cast<std::int32_t>(raw);
        texel.integer[c] = value;
        texel.real[c] = texture.channel_bytes == 1 ? normalized_bytes(is_signed)[raw]
                                                   : normalized(value, is_signed, texture.channel_bytes);
        if (texture.srgb && c < 3) texel.real[c] = linear_of_srgb(texel.real[c]);
    }
    return texel;
}

Texel border_of(const Texture& texture) {
    Texel texel;
    std::copy_n(texture.border.begin(), std::min(texture.channels, 4U), texel.real.begin());
    return texel;
}

/// The sum of texels that a filter weighs; channels that the texture does not have stay 0. Integers that are read as
/// such are summed as they are and rounded: CUDA does not say what is read, but its driver makes such textures.
class Sum {
public:
    explicit Sum(const Texture& texture)
        : channels_(std::min(texture.channels, 4U)),
          integers_(texture.kind != ChannelKind::real),
          unsigned_(texture.kind == ChannelKind::unsigned_integer) {}
    void add(float share, const Texel& texel) {
        for (std::size_t c = 0; c < channels_; ++c) sum_.real[c] += share * texel.real[c];
        for (std::size_t c = 0; integers_ && c < channels_; ++c)
            integer_[c] += static_cast<double>(share) * number(texel.integer[c]);
    }
    Texel texel() const {
        Texel texel = sum_;
        for (std::size_t c = 0; c < channels_; ++c)
            texel.integer[c] = integers_ ? static_cast<std::int32_t>(std::llrint(integer_[c]))
                                         : std::bit_cast<std::int32_t>(texel.real[c]);
        return texel;
    }

private:
    double number(std::int32_t value) const { return unsigned_ ? static_cast<std::uint32_t>(value) : value; }

    std::size_t channels_;
    bool integers_, unsigned_;
    Texel sum_;
    std::array<double, 4> integer_{};
};

/// Notes and checks an access of the memory behind a texture or surface.
void check_texel(Warp& warp, const Inst& inst, std::uint64_t address, std::uint32_t bytes, std::uint32_t lane) {
    if (recent_range(*warp.sm, inst).contains(address, bytes)) return;
    const auto range = warp.sm->launch->memory->find(address);
    if (!range || !range->contains(address, bytes))
        fault(warp, inst, FaultKind::illegal_address, "texture whose memory is gone", static_cast<int>(lane));
    meet_range(*warp.sm, inst, *range);
}

class Reader {
public:
    /// `level`: which of two, where a filter reads both.
    Reader(Warp& warp, const Inst& inst, const Texture& texture, TexelPlaces& texels, std::uint32_t level = 0)
        : warp_(warp),
          inst_(inst),
          texture_(texture),
          texels_(texels),
          first_corner_(level * TexelPlaces::corners),
          texel_bytes_(texture.texel_bytes()),
          alive_(recent_range(*warp.sm, inst)) {}
    /// Whose texels come next.
    void serve(std::uint32_t lane) { lane_ = lane; }
    TexelPlaces& texels() const { return texels_; }

    Texel at(std::int64_t x, std::int64_t y, std::int64_t z, std::uint32_t corner = 0) {
        x = wrap_index(x, texture_.width, texture_.address[0]);
        y = wrap_index(y, texture_.height, texture_.address[1]);
        if (x < 0 || y < 0 || z < 0 || z >= static_cast<std::int64_t>(texture_.depth)) {
            return border_of(texture_);
        }
        const std::byte* place = texture_.data + static_cast<std::uint64_t>(z) * texture_.slice_bytes +
                                 static_cast<std::uint64_t>(y) * texture_.row_bytes +
                                 static_cast<std::uint64_t>(x) * texel_bytes_;
        const auto address = reinterpret_cast<std::uint64_t>(place);
        if (!alive_.contains(address, texel_bytes_)) {
            check_texel(warp_, inst_, address, texel_bytes_, lane_);
            alive_ = recent_range(*warp_.sm, inst_);
        }
        if (warp_.sm->counts) texels_.add(first_corner_ + corner, lane_, address);
        return read_texel(texture_, place);
    }

private:
    Warp& warp_;
    const Inst& inst_;
    const Texture& texture_;
    TexelPlaces& texels_;
    std::size_t first_corner_;
    std::uint32_t texel_bytes_;
    Range alive_;
    std::uint32_t lane_ = 0;
};

/// The texel a coordinate lies in; far outside is as good as just outside, and NaN is 0.
std::int64_t texel_at(float x) {
    if (is_ordinary(x)) return floor_of_ordinary(x);
    constexpr float far = 0x1p31F;
    return std::isnan(x) ? 0 : static_cast<std::int64_t>(std::floor(std::clamp(x, -far, far)));
}

float fraction(float x) {
    return is_ordinary(x) ? fraction_of_ordinary(x) : std::nearbyint((x - std::floor(x)) * 256.0F) / 256.0F;
}

/// `normalize`: the coordinates go from 0 to 1.
template <std::uint32_t Dimensions>
Texel filtered(Reader& reader, const Texture& texture, bool normalize, std::array<float, 3> p, std::int64_t layer) {
    const std::array<std::uint32_t, 3> sizes = {texture.width, texture.height, texture.depth};
    for (std::uint32_t d = 0; d < Dimensions; ++d) {
        if (normalize) p[d] *= static_cast<float>(sizes[d]);
    }
    if (!texture.linear) {
        const auto z = Dimensions > 2 ? wrap_index(texel_at(p[2]), texture.depth, texture.address[2]) : layer;
        return reader.at(texel_at(p[0]), Dimensions > 1 ? texel_at(p[1]) : 0, z);
    }
    Sum sum(texture);
    std::array<std::int64_t, 3> low{};
    std::array<float, 3> weight{};
    for (std::uint32_t d = 0; d < Dimensions; ++d) {
        low[d] = texel_at(p[d] - 0.5F);
        weight[d] = fraction(p[d] - 0.5F);
    }
    for (std::uint32_t corner = 0; corner < (1U << Dimensions); ++corner) {
        float share = 1;
        std::array<std::int64_t, 3> at{};
        for (std::uint32_t d = 0; d < Dimensions; ++d) {
            const bool high = ((corner >> d) & 1U) != 0;
            share *= high ? weight[d] : 1 - weight[d];
            at[d] = low[d] + (high ? 1 : 0);
        }
        if (share == 0) continue;
        const std::int64_t z = Dimensions > 2 ? wrap_index(at[2], texture.depth, texture.address[2]) : layer;
        sum.add(share, reader.at(at[0], Dimensions > 1 ? at[1] : 0, z, corner));
    }
    return sum.texel();
}
Texel filtered(Reader& reader, const Texture& texture, bool normalize, const TexturePlan& plan,
               const std::array<float, 3>& p, std::int64_t layer) {
    switch (plan.dimensions) {
        case 1:
            return filtered<1>(reader, texture, normalize, p, layer);
        case 2:
            return filtered<2>(reader, texture, normalize, p, layer);
        default:
            return filtered<3>(reader, texture, normalize, p, layer);
    }
}

/// Of the levels of a mipmap, as the instruction says or the derivatives of its coordinates: the longer of the two in
/// texels, whose logarithm to base 2 is the level (OpenGL 4.6, 8.14.1; CUDA has the same).
float level_of(Warp& warp, const Texture& texture, const TexturePlan& plan, std::uint32_t lane) {
    const auto detail = [&](std::uint32_t i) { return source<float>(warp, warp.code->lists[plan.details + i])[lane]; };
    float level = 0;
    if (plan.level == LevelOfDetail::given) level = detail(0);
    if (plan.level == LevelOfDetail::gradients) {
        const std::array<std::uint32_t, 3> sizes = {texture.width, texture.height, texture.depth};
        const std::uint32_t count = plan.detail_count / 2;
        float longest = 0;
        for (std::uint32_t direction = 0; direction < 2; ++direction) {
            float square = 0;
            for (std::uint32_t d = 0; d < count; ++d) {
                float part = detail(direction * count + d);
                if (texture.normalized_coordinates && d < plan.dimensions) part *= static_cast<float>(sizes[d]);
                square += part * part;
            }
            longest = std::max(longest, square);
        }
        level = longest == 0 ? 0 : std::log2(longest) / 2;
    }
    level = std::min(std::max(level + texture.level_bias, texture.least_level), texture.most_level);
    return std::clamp(level, 0.0F, static_cast<float>(texture.levels - 1));
}

/// From the nearest level, or from two of them.
Texel filtered_levels(Warp& warp, const Inst& inst, const Texture& texture, const TexturePlan& plan, std::uint32_t lane,
                      const std::array<float, 3>& p, std::int64_t layer, TexelPlaces& texels) {
    const float level = level_of(warp, texture, plan, lane);
    const auto from = [&](std::int64_t i, std::uint32_t which = 0) {
        const Texture& image = (&texture)[i];
        Reader reader(warp, inst, image, texels, which);
        reader.serve(lane);
        return filtered(reader, image, image.normalized_coordinates, plan, p, layer);
    };
    if (!texture.linear_levels) return from(texel_at(level + 0.5F));
    const std::int64_t low = texel_at(level);
    const float weight = fraction(level);
    const Texel texel = from(low);
    if (weight == 0) return texel;
    Sum sum(texture);
    sum.add(1 - weight, texel);
    sum.add(weight, from(std::min<std::int64_t>(low + 1, texture.levels - 1), 1));
    return sum.texel();
}

/// Face and position on it of a direction (OpenGL and CUDA agree on the order +x -x +y -y +z -z).
std::int64_t cube_face(std::array<float, 3>& p) {
    const float x = p[0], y = p[1], z = p[2], ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    std::int64_t face = 0;
    float s = 0, t = 0, m = 1;
    if (ax >= ay && ax >= az) {
        face = x >= 0 ? 0 : 1;
        s = x >= 0 ? -z : z;
        t = -y;
        m = ax;
    } else if (ay >= az) {
        face = y >= 0 ? 2 : 3;
        s = x;
        t = y >= 0 ? z : -z;
        m = ay;
    } else {
        face = z >= 0 ? 4 : 5;
        s = z >= 0 ? x : -x;
        t = -y;
        m = az;
    }
    p = {(s / m + 1) / 2, (t / m + 1) / 2, 0};
    return face;
}

const Texture& texture_of(Warp& warp, const Inst& inst, std::uint32_t lane) {
    const std::uint64_t handle = source<std::uint64_t>(warp, inst.a)[lane];
    if ((handle & window_mask) != texture_window)
        fault(warp, inst, FaultKind::illegal_address, "access of a texture or surface that is none",
              static_cast<int>(lane));
    const auto* texture = reinterpret_cast<const Texture*>(handle & ~window_mask);  // NOLINT
    SmContext& sm = *warp.sm;
    if (sm.texture != texture) {
        // What it says is part of what the launch reads; where that is not to be seen, nobody can compare it.
        sm.texture = texture;
        const auto range = sm.launch->memory->find(handle & ~window_mask);
        if (range && range->contains(handle & ~window_mask, sizeof(Texture) * texture->levels))
            meet_range(sm, inst, *range);
        else
            sm.repeatable = false;
    }
    return *texture;
}

/// The nearest access inside; one that is outside, too, where the surface has no room for any. No std::clamp, whose
/// limits have to be in order.
void clamp_to(const Texture& texture, std::uint32_t bytes, std::int64_t& x, std::int64_t& y, std::int64_t& z) {
    const auto nearest = [](std::int64_t at, std::int64_t last) {
        return std::max<std::int64_t>(std::min(at, last), 0);
    };
    x = nearest(x, std::int64_t{texture.width} * texture.texel_bytes() - bytes);
    y = nearest(y, std::int64_t{texture.height} - 1);
    z = nearest(z, std::int64_t{texture.depth} - 1);
}

/// Surfaces are addressed by bytes in x and never filtered; outside is a trap, zeros that nobody writes, or the nearest
/// place inside.
void surface_lane(Warp& warp, const Inst& inst, const TexturePlan& plan, std::uint32_t lane, std::uint64_t& address) {
    const Texture& texture = texture_of(warp, inst, lane);
    std::array<std::int64_t, 4> p{};
    for (std::uint32_t i = 0; i < std::min(plan.coordinate_count, 4U); ++i)
        p[i] = source<std::int32_t>(warp, warp.code->lists[plan.coordinates + i])[lane];
    std::int64_t layer = 0;
    if (plan.layered) {
        layer = p[0];
        p = {p[1], p[2], 0, 0};
    }
    std::int64_t z = plan.dimensions > 2 ? p[2] : layer, y = plan.dimensions > 1 ? p[1] : 0;
    const std::uint32_t bytes = plan.value_bytes * plan.value_count;
    if (plan.boundary == SurfaceBoundary::clamp) clamp_to(texture, bytes, p[0], y, z);
    const bool inside = p[0] >= 0 && y >= 0 && z >= 0 &&
                        p[0] + bytes <= std::int64_t{texture.width} * texture.texel_bytes() && y < texture.height &&
                        z < texture.depth;
    if (!inside && plan.boundary == SurfaceBoundary::trap)
        fault(warp, inst, FaultKind::illegal_address, "surface access outside the surface", static_cast<int>(lane));
    if (!inside) {
        for (std::uint32_t i = 0; i < plan.value_count && plan.access == TextureAccess::load; ++i) {
            const Ref ref = warp.code->lists[plan.values + i];
            const std::size_t stride = std::max(plan.value_bytes, 2U);
            if (ref != no_ref) std::memset(destination<std::byte>(warp, ref) + lane * stride, 0, stride);
        }
        return;
    }
    std::byte* at = texture.data + static_cast<std::uint64_t>(z) * texture.slice_bytes +
                    static_cast<std::uint64_t>(y) * texture.row_bytes + static_cast<std::uint64_t>(p[0]);
    address = reinterpret_cast<std::uint64_t>(at);
    check_texel(warp, inst, address, bytes, lane);
    for (std::uint32_t i = 0; i < plan.value_count; ++i) {
        const Ref ref = warp.code->lists[plan.values + i];
        if (ref == no_ref) continue;
        // Elements narrower than 16 bits live in 16-bit registers.
        const std::size_t stride = std::max(plan.value_bytes, 2U);
        auto* reg = const_cast<std::byte*>(source<std::byte>(warp, ref)) + lane * stride;
        if (plan.access == TextureAccess::store) {
            std::memcpy(at + std::size_t{i} * plan.value_bytes, reg, plan.value_bytes);
        } else {
            std::memset(reg, 0, stride);
            std::memcpy(reg, at + std::size_t{i} * plan.value_bytes, plan.value_bytes);
        }
    }
}

void access_surface(Warp& warp, const Inst& inst, const TexturePlan& plan) {
    alignas(64) std::uint64_t address[lanes] = {};
    std::uint32_t touched = 0;
    for (std::uint32_t mask = warp.exec; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        surface_lane(warp, inst, plan, lane, address[lane]);
        if (address[lane] != 0) touched |= 1U << lane;
    }
    count_surface(warp, address, touched, plan.value_bytes * plan.value_count, plan.access == TextureAccess::store);
}

/// The registers of a fetch.
struct FetchRegisters {
    std::array<const std::uint32_t*, 4> coordinates{};  // the layer first, where there is one
    std::array<std::uint32_t*, 4> values{};             // nullptr: nobody wants it

    FetchRegisters(const Warp& warp, const TexturePlan& plan) {
        for (std::uint32_t i = 0; i < std::min(plan.coordinate_count, 4U); ++i)
            coordinates[i] = source<std::uint32_t>(warp, warp.code->lists[plan.coordinates + i]);
        for (std::uint32_t i = 0; i < std::min(plan.value_count, 4U); ++i) {
            const Ref ref = warp.code->lists[plan.values + i];
            values[i] = ref == no_ref ? nullptr : destination<std::uint32_t>(warp, ref);
        }
    }
    void write(const TexturePlan& plan, std::uint32_t lane, const Texel& texel) const {
        const bool as_float = plan.result == ptx::Type::f32;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i] == nullptr) continue;
            values[i][lane] =
                as_float ? std::bit_cast<std::uint32_t>(texel.real[i]) : static_cast<std::uint32_t>(texel.integer[i]);
        }
    }
};

void fetch_lane(Warp& warp, const Inst& inst, Reader& reader, const Texture& texture, const TexturePlan& plan,
                const FetchRegisters& registers, std::uint32_t lane) {
    reader.serve(lane);
    std::uint32_t first = 0;
    std::int64_t layer = 0;
    if (plan.layered) {
        // Layers and cubes are numbered from 0; outside counts as the nearest.
        const std::int64_t layers = texture.depth / (plan.cube ? 6 : 1);
        layer = registers.coordinates[first++][lane];
        layer = std::min(layer, std::max<std::int64_t>(layers, 1) - 1);
    }
    if (plan.integer_coordinates) {
        std::array<std::int64_t, 3> p{};
        for (std::uint32_t d = 0; d < plan.dimensions; ++d)
            p[d] = static_cast<std::int32_t>(registers.coordinates[first + d][lane]);
        const bool inside = p[0] >= 0 && p[0] < texture.width && p[1] >= 0 && p[1] < texture.height && p[2] >= 0 &&
                            p[2] < texture.depth;
        registers.write(plan, lane, inside ? reader.at(p[0], p[1], plan.dimensions > 2 ? p[2] : layer) : Texel{});
        return;
    }
    std::array<float, 3> p{};
    const std::uint32_t count = plan.cube ? 3 : plan.dimensions;
    for (std::uint32_t d = 0; d < count; ++d) p[d] = std::bit_cast<float>(registers.coordinates[first + d][lane]);
    if (plan.cube) {
        layer = layer * 6 + cube_face(p);
        registers.write(plan, lane, filtered(reader, texture, true, plan, p, layer));
    } else if (plan.access == TextureAccess::gather) {
        // The four texels that a linear filter would use, in the hardware's order.
        const float x = texture.normalized_coordinates ? p[0] * static_cast<float>(texture.width) : p[0];
        const float y = texture.normalized_coordinates ? p[1] * static_cast<float>(texture.height) : p[1];
        const std::int64_t low_x = texel_at(x - 0.5F), low_y = texel_at(y - 0.5F);
        Texel gathered;
        constexpr std::array<std::array<std::uint32_t, 2>, 4> order{{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
        for (std::size_t i = 0; i < 4; ++i) {
            const auto [upper_x, upper_y] = order[i];
            const Texel texel = reader.at(low_x + upper_x, low_y + upper_y, layer, upper_x + 2 * upper_y);
            gathered.real[i] = texel.real[plan.component];
            gathered.integer[i] = texel.integer[plan.component];
        }
        registers.write(plan, lane, gathered);
    } else if (texture.levels > 1) {
        registers.write(plan, lane, filtered_levels(warp, inst, texture, plan, lane, p, layer, reader.texels()));
    } else {
        registers.write(plan, lane, filtered(reader, texture, texture.normalized_coordinates, plan, p, layer));
    }
}

/// Bytes from the first texel to the end of the last.
std::uint64_t texture_bytes(const Texture& texture) {
    return (texture.depth - 1) * texture.slice_bytes + (texture.height - 1) * texture.row_bytes +
           std::uint64_t{texture.width} * texture.texel_bytes();
}

/// Is it a fetch that fetch_together knows?
bool is_common(const Texture& texture, const TexturePlan& plan) {
    const bool plain = plan.access == TextureAccess::fetch && !plan.layered && !plan.cube && texture.levels == 1;
    const bool whole_words = std::has_single_bit(texture.texel_bytes()) && texture.texel_bytes() <= 16;
    const bool known_numbers = plan.result == ptx::Type::f32
                                   ? !texture.srgb && (texture.kind == ChannelKind::real || texture.channel_bytes < 4)
                                   : !texture.linear || plan.integer_coordinates;
    const bool has_texels = texture.width > 0 && texture.height > 0 && texture.depth > 0;
    return plain && whole_words && known_numbers && has_texels && texture_bytes(texture) <= most_bytes_together;
}

/// All lanes of `mask`, which name `texture`, side by side; false if that cannot be done.
bool fetch_side_by_side(Warp& warp, const Inst& inst, const TexturePlan& plan, const Texture& texture,
                        const FetchRegisters& registers, std::uint32_t mask, TexelPlaces& texels) {
    if (!is_common(texture, plan)) return false;
    const auto first = reinterpret_cast<std::uint64_t>(texture.data);
    check_texel(warp, inst, first, texture.texel_bytes(), static_cast<std::uint32_t>(std::countr_zero(mask)));
    if (!recent_range(*warp.sm, inst).contains(first, static_cast<std::uint32_t>(texture_bytes(texture)))) return false;
    return fetch_together(
        {&texture, &plan, registers.coordinates, registers.values, mask, warp.sm->counts ? &texels : nullptr});
}

/// The lanes of one texture after each other: mostly all.
void fetch(Warp& warp, const Inst& inst, const TexturePlan& plan, TexelPlaces& texels) {
    const FetchRegisters registers(warp, plan);
    const auto* handles = source<std::uint64_t>(warp, inst.a);
    for (std::uint32_t left = warp.exec; left != 0;) {
        const auto first = static_cast<std::uint32_t>(std::countr_zero(left));
        std::uint32_t together = 0;
        for (std::uint32_t lane = 0; lane < lanes; ++lane)
            together |= static_cast<std::uint32_t>(handles[lane] == handles[first]) << lane;
        together &= left;
        left &= ~together;
        const Texture& texture = texture_of(warp, inst, first);
        if (fetch_side_by_side(warp, inst, plan, texture, registers, together, texels)) continue;
        Reader reader(warp, inst, texture, texels);
        for (std::uint32_t mask = together; mask != 0; mask &= mask - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
            fetch_lane(warp, inst, reader, texture, plan, registers, lane);
        }
    }
}

}  // namespace

void run_texture(Warp& warp, const Inst& inst) {
    const TexturePlan& plan = warp.code->textures[inst.list];
    if (plan.access == TextureAccess::fetch || plan.access == TextureAccess::gather) {
        TexelPlaces texels;
        fetch(warp, inst, plan, texels);
        // A fetch gives four numbers whatever a texel has.
        if (texels.any()) count_texels(warp, texels, static_cast<const Texture*>(warp.sm->texture)->texel_bytes());
    } else {
        access_surface(warp, inst, plan);
    }
    give_way_to_block(warp);
}

}  // namespace gpuproj::simulate
