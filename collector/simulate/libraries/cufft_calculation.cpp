#include "collector/simulate/libraries/cufft_calculation.hpp"

#include <algorithm>

namespace gpuproj::simulate::libraries::cufft {

namespace {

// From the first to behind the last element of the result.
std::size_t span(const Side& side, const Extents& extents, std::size_t batch) {
    std::size_t last = (batch - 1) * side.item;
    for (std::size_t i = 0; i < extents.size(); ++i) last += (extents[i] - 1) * side.step[i];
    return last + 1;
}

// Calls `use(place)` with the first element of each row.
template <class Use>
void for_rows(const Side& side, const Extents& extents, Use&& use) {
    for (std::size_t x = 0; x < extents[0]; ++x)
        for (std::size_t y = 0; y < extents[1]; ++y) use(x * side.step[0] + y * side.step[1]);
}

}  // namespace

Calculation::Calculation(const Layout& layout, Direction direction)
    : layout_(layout), extents_(layout.complex_size()), grid_(extents_[0] * extents_[1] * extents_[2]) {
    for (const std::size_t length : layout.size) lines_.emplace_back(length, direction);
    row_.resize(*std::max_element(layout.size.begin(), layout.size.end()));
    transformed_.resize(row_.size());
}

void Calculation::run(const void* in, void* out) noexcept {
    const std::lock_guard lock(mutex_);
    if (is_double(layout_.type))
        run_all<double>(in, out);
    else
        run_all<float>(in, out);
}

template <class Real>
void Calculation::run_all(const void* in, void* out) {
    const bool in_place = in == out;
    const Side& from = in_place ? layout_.in_place_in : layout_.in;
    const Side& to = in_place ? layout_.in_place_out : layout_.out;
    const auto* const reals = static_cast<const Real*>(in);
    const auto* const complexes = static_cast<const std::complex<Real>*>(in);
    auto* const real_results = static_cast<Real*>(out);
    auto* const complex_results = static_cast<std::complex<Real>*>(out);

    for (std::size_t b = 0; b < layout_.batch; ++b) {
        if (is_from_real(layout_.type)) {
            rows_from_real(reals + b * from.item, from);
        } else {
            read(complexes + b * from.item, from);
            if (!is_to_real(layout_.type)) along(2);
        }
        along(1);
        along(0);
        if (is_to_real(layout_.type))
            rows_to_real(real_results + b * to.item, to);
        else
            write(complex_results + b * to.item, to);
    }
    const bool to_real = is_to_real(layout_.type);
    const std::size_t elements = span(to, to_real ? layout_.size : extents_, layout_.batch);
    gpuproj_library_wrote(out, elements * (to_real ? sizeof(Real) : sizeof(std::complex<Real>)));
}

template <class Element>
void Calculation::read(const Element* from, const Side& side) {
    auto next = grid_.begin();
    for_rows(side, extents_, [&](std::size_t place) {
        for (std::size_t z = 0; z < extents_[2]; ++z) *next++ = Complex(from[place + z * side.step[2]]);
    });
}

template <class Element>
void Calculation::write(Element* to, const Side& side) {
    auto next = grid_.begin();
    for_rows(side, extents_, [&](std::size_t place) {
        for (std::size_t z = 0; z < extents_[2]; ++z) to[place + z * side.step[2]] = Element(*next++);
    });
}

template <class Real>
void Calculation::rows_from_real(const Real* from, const Side& side) {
    auto next = grid_.begin();
    for_rows(side, extents_, [&](std::size_t place) {
        for (std::size_t z = 0; z < layout_.size[2]; ++z) row_[z] = from[place + z * side.step[2]];
        lines_[2].transform(row_.data(), transformed_.data());
        next = std::copy_n(transformed_.begin(), extents_[2], next);
    });
}

// The other half of a row is the conjugate of this half. What can only be real of a real row's spectrum is taken so.
template <class Real>
void Calculation::rows_to_real(Real* to, const Side& side) {
    const std::size_t length = layout_.size[2];
    auto next = grid_.begin();
    for_rows(side, extents_, [&](std::size_t place) {
        std::copy_n(next, extents_[2], row_.begin());
        next += static_cast<std::ptrdiff_t>(extents_[2]);
        row_[0] = row_[0].real();
        if (length % 2 == 0) row_[length / 2] = row_[length / 2].real();
        for (std::size_t z = extents_[2]; z < length; ++z) row_[z] = std::conj(row_[length - z]);
        lines_[2].transform(row_.data(), transformed_.data());
        for (std::size_t z = 0; z < length; ++z)
            to[place + z * side.step[2]] = static_cast<Real>(transformed_[z].real());
    });
}

// Transforms every line of the grid along `axis`.
void Calculation::along(std::size_t axis) {
    const std::size_t length = extents_[axis];
    if (length == 1) return;
    std::size_t step = 1;
    for (std::size_t i = axis + 1; i < extents_.size(); ++i) step *= extents_[i];
    for (std::size_t outer = 0; outer < grid_.size(); outer += length * step) {
        for (std::size_t inner = 0; inner < step; ++inner) {
            Complex* const first = grid_.data() + outer + inner;
            for (std::size_t i = 0; i < length; ++i) row_[i] = first[i * step];
            lines_[axis].transform(row_.data(), transformed_.data());
            for (std::size_t i = 0; i < length; ++i) first[i * step] = transformed_[i];
        }
    }
}

}  // namespace gpuproj::simulate::libraries::cufft
