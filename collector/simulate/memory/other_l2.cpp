#include "collector/simulate/memory/other_l2.hpp"

#include <algorithm>

namespace gpuproj::simulate {

namespace {

constexpr std::uint64_t lines_for_one = 64;
constexpr std::uint32_t most_ways = 16;

/// What one cache of the sample asks of DRAM, for all that it stands for.
struct SampledDram {
    DramSectors& counted;
    std::vector<std::uint32_t>& dirtied;

    void read(std::uint64_t, std::uint32_t sectors) const { counted.read += sectors * lines_for_one; }
    static void becomes_dirty(std::uint64_t, std::uint32_t) {}
    void write(std::uint64_t, std::uint32_t sectors) const { counted.write += sectors * lines_for_one; }
};

}  // namespace

OtherL2::OtherL2(const Sample& sample, std::uint32_t shares) : sample_(sample) {
    static_assert(lines_for_one == std::uint64_t{1} << share_bits);
    for (const std::uint64_t bytes : other_l2_sizes) {
        const auto lines = static_cast<std::uint32_t>(bytes / line_bytes / lines_for_one / shares);
        const std::uint32_t ways = std::min(lines, most_ways), sets = lines / ways;
        caches_.push_back({L2Lines(sets, ways), SetIndex(sets), 0, {}});
    }
}

void OtherL2::serve(LineRequest request) {
    for (std::size_t i = 0; i < caches_.size(); ++i) {
        Cache& cache = caches_[i];
        SampledDram dram{counted_[i], cache.dirtied};
        cache.lines.serve(request, cache.set_of(request.line()), cache.last, dram);
    }
}

void OtherL2::write_back() {
    for (std::size_t i = 0; i < caches_.size(); ++i)
        counted_[i].write += caches_[i].lines.clean(caches_[i].dirtied) * lines_for_one;
}

OtherL2Sectors OtherL2::dirty_sectors() const {
    OtherL2Sectors dirty{};
    for (std::size_t i = 0; i < caches_.size(); ++i) dirty[i].write = caches_[i].lines.dirty_sectors() * lines_for_one;
    return dirty;
}

void OtherL2::drop(std::uint64_t first_sector, std::uint64_t sectors) {
    for (std::size_t i = 0; i < caches_.size(); ++i) {
        L2Lines& lines = caches_[i].lines;
        const auto find = [&](std::uint64_t line) {
            return sample_.has(line) ? lines.find_in(caches_[i].set_of(line), line)
                                     : static_cast<std::uint32_t>(lines.places.size());
        };
        counted_[i].write += lines.drop(first_sector, sectors, find) * lines_for_one;
    }
}

}  // namespace gpuproj::simulate
