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
    for (const OtherL2Size& size : other_l2_sizes) {
        const auto lines = static_cast<std::uint32_t>(size.bytes / size.halves / line_bytes / lines_for_one / shares);
        const std::uint32_t ways = std::min(lines, most_ways), sets = lines / ways;
        // The last line of each half is somewhere in it.
        const std::uint32_t second = (size.halves - 1) * sets * ways;
        caches_.push_back({L2Lines(sets * size.halves, ways), size.halves, SetIndex(sets), {0, second}, {}});
    }
}

void OtherL2::serve(LineRequest request, std::uint32_t sm) {
    for (std::size_t i = 0; i < caches_.size(); ++i) {
        Cache& cache = caches_[i];
        SampledDram dram{counted_[i], cache.dirtied};
        const std::uint32_t half = half_of(sm, cache.halves), set = cache.set_of(request.line(), half);
        if (cache.halves == 1)
            cache.lines.serve(request, set, cache.last[half], dram);
        else
            cache.lines.serve_of_two(request, set, cache.set_of(request.line(), 1 - half), cache.last.at(half), dram);
    }
}

void OtherL2::pass(LineRequest request, std::uint32_t sm) {
    const OtherL2Sectors before = counted_;
    serve(request, sm);
    counted_ = before;
}

void OtherL2::charge() {
    for (std::size_t i = 0; i < caches_.size(); ++i)
        counted_[i].write += caches_[i].lines.charge(caches_[i].dirtied) * lines_for_one;
}

OtherL2Sectors OtherL2::dirty_sectors() const {
    OtherL2Sectors dirty{};
    for (std::size_t i = 0; i < caches_.size(); ++i) dirty[i].write = caches_[i].lines.dirty_sectors() * lines_for_one;
    return dirty;
}

void OtherL2::drop(std::uint64_t first_sector, std::uint64_t sectors) {
    for (std::size_t i = 0; i < caches_.size(); ++i) {
        L2Lines& lines = caches_[i].lines;
        for (std::uint32_t half = 0; half < caches_[i].halves; ++half) {
            const auto find = [&](std::uint64_t line) {
                return sample_.has(line) ? lines.find_in(caches_[i].set_of(line, half), line)
                                         : static_cast<std::uint32_t>(lines.places.size());
            };
            counted_[i].write += lines.drop(first_sector, sectors, find) * lines_for_one;
        }
    }
}

}  // namespace gpuproj::simulate
