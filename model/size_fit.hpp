// Counters of several runs fitted against the size of the input (Konstantinidis 2017, section 6.2).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/enum_names.hpp"
#include "model/prediction.hpp"
#include "model/profile.hpp"

namespace gpuproj {

struct SizePoint {
    double size = 0;   // above 0
    double value = 0;  // at least 0
};

/// How a count grows with the size n.
enum class Growth : std::uint8_t { constant, power, linear, quadratic, cubic, n_log_n, matrix };
inline constexpr auto growth_names = std::to_array<std::string_view>(
    {"constant", "a n^b", "a + b n", "a + b n + c n^2", "a + b n^3", "a + b n log n", "a n^2 + b n^3"});
constexpr std::span<const std::string_view> enum_names(Growth) {
    return growth_names;
}

struct SizeFit {
    Growth growth = Growth::constant;
    std::array<double, 3> coefficients{};
    double error = 0;     // mean |ln(fitted / counted)|, each size left out in turn; 0 if there are too few to do so
    bool tested = false;  // whether there were enough
};

/// The growth with the smallest error over sizes left out in turn; the one with fewer coefficients where they are
/// alike. With two sizes a power of the size, untested; with values of 0 among others a polynomial. Fits are least
/// squares relative to the values. `points` are of at least one size.
SizeFit fit_size(std::span<const SizePoint> points);

/// At least 0.
double at_size(const SizeFit& fit, double size);

/// A profile of one run and its input size.
struct SizedProfile {
    double size = 0;
    const Profile* profile = nullptr;
};

/// What was predicted of the counters at another size.
struct ProfileAtSize {
    Profile profile;  // a record per kernel, with the fitted counters; its notes state the range and the errors
    double worst_error = 0;
};

/// Records of one name are matched in their order in each run; kernels that are not in every run as often are left out,
/// and a note says so. Counters, launches, grids and durations are fitted one by one; fractions and what does not grow
/// are those of the nearest size. Counters become derived ones; without ECC traffic if they were simulated. Partial if
/// a run is. Beyond the sizes given, a note warns; further than a factor of 4 is Inapplicable, as are fewer than two
/// sizes, sizes that are not above 0, not finite or repeated, profiles of different GPUs or with counters known in
/// different ways, and kernels that would execute no instruction.
std::variant<ProfileAtSize, Inapplicable> profile_at_size(std::span<const SizedProfile> runs, double size);

}  // namespace gpuproj
