// Copies of boxes of tensors and their maps (PTX ISA 5.5 and 9.7.9.27): what arrives where is worked out here by loops
// over coordinates, and swizzles by the ISA's pictures of them, chunk by chunk.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "collector/simulate/engine/tensor_map.hpp"
#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::test;
using gpuproj::simulate::FaultKind;
using gpuproj::simulate::tensor_rows;
using gpuproj::simulate::TensorMap;
using gpuproj::simulate::TensorPlace;
using gpuproj::simulate::TensorRow;

namespace {

constexpr std::string_view shared = ".shared .align 1024 .b8 box[16384]; .shared .align 8 .b64 barrier;";
constexpr u32 outside = 0xFFFFFFFF;

/// Of words, `dimensions` without gaps between the rows.
TensorMap map_of(const std::vector<u32>& dimensions, const std::vector<u32>& box) {
    TensorMap map;
    map.mark = TensorMap::made;
    map.type = TensorMap::Type::u32;
    map.rank = static_cast<u8>(dimensions.size());
    u64 stride = sizeof(u32);
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        map.last.at(i) = dimensions[i] - 1;
        map.box.at(i) = static_cast<u16>(box[i]);
        if (i > 0) map.strides.at(i - 1) = stride;
        stride *= dimensions[i];
    }
    return map;
}
u32 words_of(const TensorMap& map) {
    u64 bytes = (u64{map.last.at(map.rank - 1U)} + 1) * (map.rank > 1 ? map.strides.at(map.rank - 2U) : 4);
    return static_cast<u32>(bytes / 4);
}

/// A map in front of its tensor, whose words hold 1000 and their index: %in is the map's address.
Prepare tensor(TensorMap map, u32 room = 0) {
    return [map, room](PtxRunner& runner) mutable {
        std::vector<u32> values(std::max(room, words_of(map)));
        for (u32 i = 0; i < values.size(); ++i) values[i] = 1000 + i;
        map.address = reinterpret_cast<u64>(runner.allocate(values).data());
        return reinterpret_cast<u64>(runner.allocate(std::vector<TensorMap>{map}).data());
    };
}

/// Thread 0 loads the box at `at`; every thread gets its word of it.
std::string loads(const std::vector<s32>& at, u32 bytes, std::string_view mode = "tile", std::string_view more = "") {
    std::string set, names;
    for (std::size_t i = 0; i < at.size(); ++i) {
        set += fmt::format("mov.u32 %s{}, {}; ", 4 + i, at[i]);
        names += fmt::format("{}%s{}", i == 0 ? "" : ", ", 4 + i);
    }
    const std::size_t rank = mode.starts_with("tile::") ? 2 : at.size();
    return fmt::format(
        "setp.eq.u32 %p7, %tid, 0; mov.u32 %s3, box; {}"
        "@%p7 mbarrier.init.shared.b64 [barrier], 1; bar.sync 0;"
        "@%p7 mbarrier.arrive.expect_tx.shared.b64 _, [barrier], {};"
        "@%p7 cp.async.bulk.tensor.{}d.shared::cluster.global.{}.mbarrier::complete_tx::bytes [%s3], [%in, {{{}}}], "
        "[barrier]{};"
        "WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [barrier], 0; @!%p0 bra WAIT;"
        "mad.lo.u32 %s2, %tid, 4, %s3; ld.shared.u32 %r, [%s2];",
        set, bytes, rank, mode, names, more);
}
/// Every thread puts 5000 and its number into the box; thread 0 stores it, or reduces; then %r is word %tid of the
/// tensor.
std::string stores(const std::vector<s32>& at, std::string_view instruction, std::string_view value = "") {
    std::string set, names;
    for (std::size_t i = 0; i < at.size(); ++i) {
        set += fmt::format("mov.u32 %s{}, {}; ", 4 + i, at[i]);
        names += fmt::format("{}%s{}", i == 0 ? "" : ", ", 4 + i);
    }
    return fmt::format(
        "setp.eq.u32 %p7, %tid, 0; mov.u32 %s3, box; {} add.u32 %s10, %tid, 5000; {}"
        "mad.lo.u32 %s2, %tid, 4, %s3; st.shared.u32 [%s2], %s10; fence.proxy.async.shared::cta; bar.sync 0;"
        "@%p7 {} [%in, {{{}}}], [%s3]; @%p7 cp.async.bulk.commit_group; @%p7 cp.async.bulk.wait_group 0; bar.sync 0;"
        "ld.global.u64 %l0, [%in]; mad.wide.u32 %l0, %tid, 4, %l0; ld.global.u32 %r, [%l0];",
        set, value, instruction, names);
}
Shape threads(u32 count) {
    return {{1, 1, 1}, {count, 1, 1}};
}
void expect_fault(const std::string& body, const TensorMap& map, FaultKind kind, const std::string& text) {
    const Threads result = run_threads(body, threads(32), shared, tensor(map));
    REQUIRE(result.report.fault);
    INFO(result.report.fault->message);
    CHECK(result.report.fault->kind == kind);
    CHECK(result.report.fault->message.find(text) != std::string::npos);
}

}  // namespace

TEST_CASE("a box of a matrix arrives, with zeros for what is outside", "[engine][tensor]") {
    const TensorMap map = map_of({20, 10}, {8, 4});
    for (const auto& [x, y] : {std::pair{0, 0}, {12, 6}, {3, 2}, {-3, -1}, {16, 8}, {-8, 0}, {20, 0}, {0, 10}}) {
        expect_threads(
            loads({x, y}, 128),
            [&, x = x, y = y](u32 i) {
                const s32 column = x + static_cast<s32>(i % 8), row = y + static_cast<s32>(i / 8);
                const bool inside = column >= 0 && column < 20 && row >= 0 && row < 10;
                return inside ? 1000 + static_cast<u32>(row * 20 + column) : 0;
            },
            threads(32), shared, tensor(map));
    }
    TensorMap filled = map;
    filled.type = TensorMap::Type::f32;
    filled.fill = TensorMap::Fill::nan;
    expect_threads(
        loads({16, 0}, 128), [](u32 i) { return i % 8 < 4 ? 1000 + i / 8 * 20 + 16 + i % 8 : 0x7FFFFFFF; }, threads(32),
        shared, tensor(filled));
}

TEST_CASE("boxes of one to five dimensions", "[engine][tensor]") {
    expect_threads(
        loads({5}, 128), [](u32 i) { return 1005 + i; }, threads(32), shared, tensor(map_of({64}, {32})));
    // Coordinates from the innermost on; each dimension begins somewhere else.
    const std::vector<u32> sizes{8, 5, 4, 3, 3}, box{4, 2, 3, 2, 1};
    for (std::size_t rank = 3; rank <= 5; ++rank) {
        const std::vector<s32> at{3, 1, 1, 1, 2};
        u32 count = 1;
        for (std::size_t i = 0; i < rank; ++i) count *= box[i];
        expect_threads(
            loads({at.begin(), at.begin() + static_cast<long>(rank)}, 4 * count),
            [&](u32 i) {
                u32 word = 0, stride = 1;
                for (std::size_t d = 0; d < rank; ++d) {
                    const u32 coordinate = static_cast<u32>(at[d]) + i % box[d];
                    i /= box[d];
                    word += coordinate * stride;
                    stride *= sizes[d];
                }
                return 1000 + word;
            },
            threads(count), shared,
            tensor(map_of({sizes.begin(), sizes.begin() + static_cast<long>(rank)},
                          {box.begin(), box.begin() + static_cast<long>(rank)})));
    }
}

TEST_CASE("every second row of a tensor", "[engine][tensor]") {
    TensorMap map = map_of({8, 16}, {8, 7});
    map.steps[1] = 2;  // 4 rows of 7
    expect_threads(
        loads({0, 1}, 128), [](u32 i) { return 1000 + (1 + i / 8 * 2) * 8 + i % 8; }, threads(32), shared, tensor(map));
    map.steps[0] = 5;  // without interleaving the innermost step is ignored
    expect_threads(
        loads({0, 1}, 128), [](u32 i) { return 1000 + (1 + i / 8 * 2) * 8 + i % 8; }, threads(32), shared, tensor(map));
}

TEST_CASE("swizzles exchange the 16-byte chunks of a row by its number", "[engine][tensor]") {
    struct Case {
        TensorMap::Swizzle swizzle;
        u32 chunks, rows_together, chunk_words;
    };
    // Which chunk: exclusive or with the number of the row, of which so many in turn have the same.
    for (const Case& c : {Case{TensorMap::Swizzle::in_32, 2, 4, 4}, Case{TensorMap::Swizzle::in_64, 4, 2, 4},
                          Case{TensorMap::Swizzle::in_128, 8, 1, 4}, Case{TensorMap::Swizzle::in_128_by_32, 4, 1, 8}}) {
        const u32 words = c.chunks * c.chunk_words, rows = 512 / words;
        TensorMap map = map_of({words, 64}, {words, rows});
        map.swizzle = c.swizzle;
        const auto want = [&](u32 i) {
            const u32 row = i / words, chunk = i % words / c.chunk_words;
            return row * words + (chunk ^ row / c.rows_together % c.chunks) * c.chunk_words + i % c.chunk_words;
        };
        expect_threads(
            loads({0, 0}, 2048), [&](u32 i) { return 1000 + want(i); }, threads(512), shared, tensor(map));
        expect_threads(
            stores({0, 0}, "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"),
            [&](u32 i) { return 5000 + want(i); }, threads(512), shared, tensor(map));  // it is its own inverse
    }
}

TEST_CASE("rows of halves that begin at an odd place", "[engine][tensor]") {
    TensorMap map = map_of({10, 8}, {8, 8});  // 20 halves a row, 8 of them in the box
    map.type = TensorMap::Type::f16;
    map.last[0] = 19;
    map.strides[0] = 48;
    const auto half = [](u32 row, u32 column) {  // of words that hold 1000 and their index
        const u32 at = row * 24 + column, word = 1000 + at / 2;
        return at % 2 == 0 ? word & 0xFFFF : word >> 16;
    };
    expect_threads(
        loads({3, 0}, 128), [&](u32 i) { return half(i / 4, 3 + i % 4 * 2) | half(i / 4, 4 + i % 4 * 2) << 16; },
        threads(32), shared, tensor(map, 96));
    // Of the last row of the box, none of what is beyond the tensor, though there is memory.
    expect_threads(
        loads({13, 0}, 128),
        [&](u32 i) {
            const auto value = [&](u32 column) { return column < 20 ? half(i / 4, column) : 0; };
            return value(13 + i % 4 * 2) | value(14 + i % 4 * 2) << 16;
        },
        threads(32), shared, tensor(map, 96));
}

TEST_CASE("types that round or flush what they copy", "[engine][tensor]") {
    const Prepare numbers = [](PtxRunner& runner) {
        TensorMap map = map_of({8}, {4});
        map.type = TensorMap::Type::tf32_ftz;
        map.address = reinterpret_cast<u64>(
            runner.allocate(std::vector<u32>{0x3F801000, 0x3F803000, 0x00000123, 0x7F800001, 0, 0, 0, 0}).data());
        return reinterpret_cast<u64>(runner.allocate(std::vector<TensorMap>{map}).data());
    };
    const std::vector<u32> want{0x3F800000, 0x3F804000, 0, 0x7F800001};
    expect_threads(
        loads({0}, 16), [&](u32 i) { return want[i]; }, threads(4), shared, numbers);
}

TEST_CASE("boxes are stored and reduced where the tensor is", "[engine][tensor]") {
    const TensorMap map = map_of({8, 8}, {4, 8});
    // Half of the box is beyond the right edge; its first row above the tensor.
    const auto position = [](u32 i) -> u32 {
        const u32 row = i / 8, column = i % 8;
        return column >= 6 && row < 7 ? (row + 1) * 4 + column - 6 : outside;
    };
    const std::string end = ".tile.bulk_group";
    expect_threads(
        stores({6, -1}, "cp.async.bulk.tensor.2d.global.shared::cta" + end),
        [&](u32 i) { return position(i) == outside ? 1000 + i : 5000 + position(i); }, threads(64), shared,
        tensor(map, 128));
    const auto reduced = [&](std::string_view operation, auto&& meaning) {
        INFO(operation);
        expect_threads(
            stores({6, -1}, fmt::format("cp.reduce.async.bulk.tensor.2d.global.shared::cta.{}{}", operation, end)),
            [&](u32 i) { return position(i) == outside ? 1000 + i : meaning(1000 + i, 5000 + position(i)); },
            threads(64), shared, tensor(map, 128));
    };
    reduced("add", [](u32 a, u32 b) { return a + b; });
    reduced("min", [](u32 a, u32 b) { return std::min(a, b); });
    reduced("max", [](u32 a, u32 b) { return std::max(a, b); });
    reduced("and", [](u32 a, u32 b) { return a & b; });
    reduced("or", [](u32 a, u32 b) { return a | b; });
    reduced("xor", [](u32 a, u32 b) { return a ^ b; });
    reduced("inc", [](u32 a, u32 b) { return a >= b ? 0 : a + 1; });
    reduced("dec", [](u32 a, u32 b) { return a == 0 || a > b ? b : a - 1; });
}

TEST_CASE("four rows are gathered and scattered", "[engine][tensor]") {
    const TensorMap map = map_of({8, 16}, {8, 1});
    const std::array<s32, 4> rows{9, 2, 16, 5};  // one of them is outside
    expect_threads(
        loads({0, 9, 2, 16, 5}, 128, "tile::gather4"),
        [&](u32 i) { return i / 8 == 2 ? 0 : 1000 + static_cast<u32>(rows[i / 8]) * 8 + i % 8; }, threads(32), shared,
        tensor(map));
    expect_threads(
        stores({0, 9, 2, 16, 5}, "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group"),
        [&](u32 i) {
            const auto* found = std::ranges::find(rows, static_cast<s32>(i / 8));
            return found == rows.end() ? 1000 + i : 5000 + static_cast<u32>(found - rows.begin()) * 8 + i % 8;
        },
        threads(128), shared, tensor(map));
}

TEST_CASE("pixels of convolutions", "[engine][tensor]") {
    // N = 2 images of 5 x 4 pixels of 4 channels; a filter of 3 x 3 with a padding of 1; every second pixel of a row.
    TensorMap map = map_of({4, 5, 4, 2}, {0, 0, 0, 0});
    map.walk = TensorMap::Walk::im2col;
    map.lower = {-1, -1, 0};
    map.upper = {-1, -1, 0};
    map.channels = 4;
    map.pixels = 16;
    map.steps = {1, 2, 1, 1, 1};
    for (const auto& [r, s] : {std::pair{0U, 0U}, {2U, 1U}, {1U, 2U}}) {
        expect_threads(
            fmt::format("mov.u16 %h0, {}; mov.u16 %h1, {};", r, s) +
                loads({0, -1, 1, 0}, 256, "im2col", ", {%h0, %h1}"),
            [&, r = r, s = s](u32 i) {
                // Pixel i / 4 counted from (-1, 1) of the first image, 3 in a row, 4 rows from -1 to 2.
                const u32 pixel = i / 4 + 2 * 3;
                const s32 w = static_cast<s32>(pixel % 3 * 2) - 1 + static_cast<s32>(r);
                const s32 h = static_cast<s32>(pixel / 3 % 4) - 1 + static_cast<s32>(s);
                const u32 n = pixel / 12;
                const bool inside = w >= 0 && w < 5 && h >= 0 && h < 4 && n < 2;
                return inside ? 1000 + ((n * 4 + static_cast<u32>(h)) * 5 + static_cast<u32>(w)) * 4 + i % 4 : 0;
            },
            threads(64), shared, tensor(map));
    }
}

TEST_CASE("a box goes to several blocks of a cluster", "[engine][tensor][cluster]") {
    // Block 1 loads it for blocks 0, 1 and 3, with barriers of their own; block 2 keeps what it has.
    const std::string body =
        "mov.u32 %s3, box; mad.lo.u32 %s2, %tid, 4, %s3; st.shared.u32 [%s2], 7; setp.eq.u32 %p7, %tid, 0;"
        "mov.u32 %s9, %cluster_ctarank; setp.ne.u32 %p6, %s9, 2; setp.eq.and.u32 %p5, %s9, 1, %p7;"
        "@%p7 mbarrier.init.shared.b64 [barrier], 1; @%p7 mbarrier.arrive.expect_tx.shared.b64 _, [barrier], 128;"
        "barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %s4, 2; mov.u32 %s5, 1; mov.u16 %h0, 11;"
        "@%p5 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%s3], [%in, {%s4, %s5}], [barrier], %h0;"
        "@!%p6 bra OVER; WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [barrier], 0; @!%p0 bra WAIT;"
        "OVER: barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 %r, [%s2];";
    Shape shape{{4, 1, 1}, {32, 1, 1}};
    shape.cluster = {4, 1, 1};
    expect_threads(
        body, [](u32 i) { return i / 32 == 2 ? 7 : 1000 + (1 + i % 32 / 8) * 20 + 2 + i % 8; }, shape, shared,
        tensor(map_of({20, 10}, {8, 4})));
}

TEST_CASE("fields of a map are replaced", "[engine][tensor]") {
    // In shared memory, from where it goes back to device memory: another box, and other strides.
    const std::string change =
        "mov.u32 %s8, box; mad.lo.u32 %s9, %tid, 4, %s8; mad.wide.u32 %l1, %tid, 4, %in; ld.global.u32 %s10, [%l1];"
        "st.shared.u32 [%s9], %s10; bar.sync 0; setp.eq.u32 %p7, %tid, 0; cvt.u64.u32 %l2, %s8; mov.u64 %l3, 160;"
        "@%p7 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%l2], 0, 4;"
        "@%p7 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%l2], 1, 8;"
        "@%p7 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%l2], 0, %l3;"
        "@%p7 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%l2], 1, 5;"
        "bar.sync 0; mov.u64 %l4, box; setp.lt.u32 %p1, %tid, 32;"
        "@%p1 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%in], [%l4], 128;"
        "fence.proxy.tensormap::generic.acquire.gpu [%in], 128; bar.sync 0;";
    expect_threads(
        change + loads({2, 0}, 128), [](u32 i) { return i / 4 < 5 ? 1000 + i / 4 * 40 + 2 + i % 4 : 0; }, threads(32),
        shared, tensor(map_of({20, 10}, {8, 4})));
    // In device memory: rank (one less), address, type, and what fills the outside.
    const std::string in_place =
        "setp.eq.u32 %p7, %tid, 0; ld.global.u64 %l0, [%in]; add.u64 %l0, %l0, 64;"
        "@%p7 tensormap.replace.tile.global_address.global.b1024.b64 [%in], %l0;"
        "@%p7 tensormap.replace.tile.rank.global.b1024.b32 [%in], 0;"
        "@%p7 tensormap.replace.tile.box_dim.global.b1024.b32 [%in], 0, 32;"
        "@%p7 tensormap.replace.tile.elemtype.global.b1024.b32 [%in], 7;"
        "@%p7 tensormap.replace.tile.fill_mode.global.b1024.b32 [%in], 1; bar.sync 0;";
    expect_threads(
        in_place + loads({0}, 128), [](u32 i) { return i < 20 ? 1016 + i : 0x7FFFFFFF; }, threads(32), shared,
        tensor(map_of({20, 10}, {8, 4})));
}

TEST_CASE("tensor copies that cannot be", "[engine][tensor]") {
    const TensorMap map = map_of({20, 10}, {8, 4});
    const std::string body = loads({0, 0}, 128);
    TensorMap other = map;
    other.mark = 0;
    expect_fault(body, other, FaultKind::unsupported, "no tensor map");
    other = map;
    other.interleave = 1;
    expect_fault(body, other, FaultKind::unsupported, "interleaved");
    other = map;
    other.swizzle = TensorMap::Swizzle::in_128;
    expect_fault(body, other, FaultKind::unsupported, "narrower");
    other = map;
    other.swizzle = TensorMap::Swizzle::in_128_by_64;
    expect_fault(body, other, FaultKind::unsupported, "atoms of 64 bytes");
    other = map;
    other.type = TensorMap::Type::b4_packed;
    expect_fault(body, other, FaultKind::unsupported, "4 or 6 bits");
    other = map;
    other.last[1] = 1U << 30;  // more than there is memory
    expect_fault(loads({0, 1 << 26}, 128), other, FaultKind::outside_allocations, "illegal address");
    expect_fault(loads({0}, 128), map, FaultKind::invalid_launch, "another kind");
    std::string misaligned = body;
    misaligned.replace(misaligned.find("mov.u32 %s3, box;"), 17, "mov.u32 %s3, 64;");
    expect_fault(misaligned, map, FaultKind::misaligned_address, "multiple of 128");
    other = map_of({20, 10}, {256, 256});
    expect_fault(body, other, FaultKind::illegal_address, "shared-memory address");
    other = map;
    other.type = TensorMap::Type::u16;
    other.box[0] = 16;
    expect_fault(stores({0, 0}, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group"), other,
                 FaultKind::unsupported, "reduction");
}

TEST_CASE("the traffic of a box is that of its bytes in the tensor", "[engine][tensor]") {
    // 16 rows of 64 bytes, 128 bytes apart: 2 sectors each; 4 more rows are beyond the end.
    const TensorMap map = map_of({32, 16}, {16, 20});
    const Threads loaded = run_threads(loads({0, 0}, 1280), threads(32), shared, tensor(map));
    REQUIRE_FALSE(loaded.report.fault);
    const Threads nothing = run_threads(loads({0, 16}, 1280), threads(32), shared, tensor(map));
    REQUIRE_FALSE(nothing.report.fault);
    const auto sectors = [](const Threads& run) { return run.report.counted.metrics.l2_read.value().value; };
    CHECK(sectors(loaded) - sectors(nothing) == 32);
    const auto fetched = [](const Threads& run) { return run.report.counted.metrics.dram_read.value().value; };
    CHECK(fetched(loaded) - fetched(nothing) == 32);
}
