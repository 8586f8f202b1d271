// A batch of transforms, calculated on the host.
#pragma once

#include <mutex>
#include <vector>

#include "collector/simulate/libraries/cufft_layout.hpp"
#include "collector/simulate/libraries/cufft_line.hpp"

namespace gpuproj::simulate::libraries::cufft {

/// Everything that a layout needs in one direction. Takes all the memory it needs when made, because what is done in a
/// stream cannot fail. Thread-safe.
class Calculation {
public:
    Calculation(const Layout& layout, Direction direction);

    /// Reads the elements of the layout's type from `in`, writes those of `out` (which may be `in`), and tells the
    /// simulated caches.
    void run(const void* in, void* out) noexcept;

private:
    template <class Real>
    void run_all(const void* in, void* out);
    template <class Element>
    void read(const Element* from, const Side& side);
    template <class Element>
    void write(Element* to, const Side& side);
    template <class Real>
    void rows_from_real(const Real* from, const Side& side);
    template <class Real>
    void rows_to_real(Real* to, const Side& side);
    void along(std::size_t axis);

    Layout layout_;
    Extents extents_;  // of the complex numbers
    std::mutex mutex_;
    std::vector<Line> lines_;  // one for each axis
    std::vector<Complex> grid_, row_, transformed_;
};

}  // namespace gpuproj::simulate::libraries::cufft
