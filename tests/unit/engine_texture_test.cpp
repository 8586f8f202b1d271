// Textures and surfaces (PTX ISA 9.7.11, 9.7.12; CUDA C++ Programming Guide, "Texture Fetching").
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>

#include "collector/simulate/engine/texture.hpp"
#include "tests/support/ptx_threads.hpp"

using namespace gpuproj::test;
using gpuproj::simulate::AddressMode;
using gpuproj::simulate::ChannelKind;
using gpuproj::simulate::FaultKind;
using gpuproj::simulate::Texture;

namespace {

/// 4 x 2 texels in 3 layers or slices: 100 z + 10 y + x + 1.
Prepare image(Texture& texture) {
    return [&texture](PtxRunner& runner) {
        std::vector<u32> texels;
        for (u32 z = 0; z < 3; ++z)
            for (u32 y = 0; y < 2; ++y)
                for (u32 x = 0; x < 4; ++x) {
                    const u32 value = 100 * z + 10 * y + x + 1;
                    texels.push_back(
                        texture.kind == ChannelKind::real ? static_cast<u32>(bits_of(static_cast<f32>(value))) : value);
                }
        texture.data = reinterpret_cast<std::byte*>(runner.allocate(texels).data());
        texture.width = 4;
        texture.height = 2;
        texture.depth = 3;
        texture.row_bytes = 16;
        texture.slice_bytes = 32;
        return texture_handle(texture);
    };
}
std::string word(f32 value) {
    return fmt::format("0f{:08X}", static_cast<u32>(bits_of(value)));
}
/// What every thread reads.
u32 read(Texture& texture, const std::string& body) {
    const Threads result = run_threads(body, {}, "", image(texture));
    INFO(body);
    INFO((result.report.fault ? result.report.fault->message : ""));
    REQUIRE_FALSE(result.report.fault);
    return result.values[31];
}
f32 read_real(Texture& texture, const std::string& body) {
    return from_bits<f32>(read(texture, body));
}

}  // namespace

TEST_CASE("the nearest texel, and what lies outside", "[engine][texture]") {
    Texture texture;
    texture.kind = ChannelKind::unsigned_integer;
    const auto at = [&](f32 x, f32 y) {
        return read(texture,
                    fmt::format("tex.2d.v4.u32.f32 {{%r, %s1, %s2, %s3}}, [%in, {{{}, {}}}];", word(x), word(y)));
    };
    for (u32 x = 0; x < 4; ++x) CHECK(at(static_cast<f32>(x) + 0.99F, 1.01F) == 11 + x);
    const auto everywhere = [&](AddressMode mode) { texture.address = {mode, mode, mode}; };
    const f32 infinity = INFINITY;
    everywhere(AddressMode::clamp);
    CHECK(at(-3, 0) == 1);
    CHECK(at(9, 5) == 14);
    CHECK(at(infinity, -infinity) == 4);
    everywhere(AddressMode::border);
    texture.border = {};
    CHECK(at(-0.5F, 0) == 0);
    CHECK(at(3.5F, 2) == 0);
    CHECK(at(3.5F, 1.5F) == 14);
    // Wrapping and mirroring go by normalised coordinates.
    texture.normalized_coordinates = true;
    everywhere(AddressMode::wrap);
    CHECK(at(1.125F, 0.25F) == 1);
    CHECK(at(-0.125F, 0.75F) == 14);
    everywhere(AddressMode::mirror);
    CHECK(at(1.125F, 0.25F) == 4);
    CHECK(at(-0.375F, 0.25F) == 2);
}

TEST_CASE("linear filters weigh their neighbours in 256ths", "[engine][texture]") {
    Texture texture;
    texture.linear = true;
    const auto at = [&](f32 x, f32 y) {
        return read_real(texture,
                         fmt::format("tex.2d.v4.f32.f32 {{%f0, %f1, %f2, %f3}}, [%in, {{{}, {}}}]; mov.b32 %r, %f0;",
                                     word(x), word(y)));
    };
    CHECK(at(1.5F, 0.5F) == 2);
    CHECK(at(2.0F, 0.5F) == 2.5F);
    CHECK(at(1.75F, 1.0F) == 2.25F + 5);
    CHECK(at(0, 0.5F) == 1);
    CHECK(at(2.5F + 1.0F / 1024, 0.5F) == 3);  // below a 512th
    // In one dimension.
    CHECK(read_real(texture, "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%in, {0f40400000}]; mov.b32 %r, %f0;") == 3.5F);
}

TEST_CASE("filtered integers that are read as such are rounded", "[engine][texture]") {
    Texture texture;
    texture.linear = true;
    texture.kind = ChannelKind::unsigned_integer;
    const auto at = [&](f32 x, f32 y) {
        return read(texture,
                    fmt::format("tex.2d.v4.u32.f32 {{%r, %s1, %s2, %s3}}, [%in, {{{}, {}}}];", word(x), word(y)));
    };
    CHECK(at(1.5F, 0.5F) == 2);
    CHECK(at(1.75F, 1.0F) == 7);      // 7.25
    CHECK(at(2.5F, 1.4375F) == 12);   // 12.375
    CHECK(at(2.5F, 1.46875F) == 13);  // 12.6875
}

TEST_CASE("layers, slices, integer coordinates and gathers", "[engine][texture]") {
    Texture texture;
    texture.kind = ChannelKind::unsigned_integer;
    const auto one = [&](const std::string& opcode, const std::string& coordinates) {
        return read(texture, fmt::format("{} {{%r, %s1, %s2, %s3}}, [%in, {{{}}}];", opcode, coordinates));
    };
    CHECK(one("tex.a2d.v4.u32.f32", fmt::format("2, {}, {}, {}", word(3), word(1), word(0))) == 214);
    CHECK(one("tex.a2d.v4.u32.f32", fmt::format("7, {}, {}, {}", word(0), word(0), word(0))) == 201);
    CHECK(one("tex.a2d.v4.u32.s32", "1, 2, 1, 0") == 113);
    CHECK(one("tex.3d.v4.u32.f32", fmt::format("{}, {}, {}, {}", word(1), word(1), word(2), word(0))) == 212);
    CHECK(one("tex.3d.v4.u32.s32", "3, 0, 1, 0") == 104);
    CHECK(one("tex.2d.v4.u32.s32", "-1, 0") == 0);
    CHECK(one("tex.1d.v4.s32.s32", "2") == 3);
    // The four texels around (2, 1): below left, below right, above right, above left.
    const std::string gather =
        fmt::format("tld4.r.2d.v4.u32.f32 {{%s0, %s1, %s2, %s3}}, [%in, {{{}, {}}}]; ", word(2), word(1));
    CHECK(read(texture, gather + "mov.u32 %r, %s0;") == 12);
    CHECK(read(texture, gather + "mov.u32 %r, %s1;") == 13);
    CHECK(read(texture, gather + "mov.u32 %r, %s2;") == 3);
    CHECK(read(texture, gather + "mov.u32 %r, %s3;") == 2);
    // Whether the texels are in memory: they are.
    CHECK(read(texture, "tex.2d.v4.u32.s32 {%s0, %s1, %s2, %s3}|%p1, [%in, {2, 1}]; selp.u32 %r, %s0, 99, %p1;") == 13);
}

TEST_CASE("surfaces are read and written by bytes", "[engine][texture]") {
    Texture texture;
    texture.kind = ChannelKind::unsigned_integer;
    CHECK(read(texture, "suld.b.2d.b32.trap %r, [%in, {8, 1}];") == 13);
    CHECK(read(texture, "suld.b.3d.v2.b32.trap {%s1, %r}, [%in, {0, 1, 2, 0}];") == 212);
    CHECK(read(texture, "suld.b.a2d.b32.trap %r, [%in, {1, 4, 0, 0}];") == 102);
    CHECK(read(texture, "suld.b.2d.b8.trap %h0, [%in, {12, 1}]; cvt.u32.u16 %r, %h0;") == 14);
    CHECK(read(texture,
               "mov.b16 %h0, 513; sust.b.2d.b16.trap [%in, {2, 0}], %h0; suld.b.2d.b32.trap %r, [%in, {0, 0}];") ==
          (513U << 16) + 1);
    CHECK(read(texture,
               "sust.b.2d.v2.b32.trap [%in, {0, 1}], {7, 8}; suld.b.2d.v2.b32.trap {%s1, %s2}, [%in, {0, 1}]; "
               "mad.lo.u32 %r, %s1, 10, %s2;") == 78);
    for (const char* outside : {"{16, 0}", "{-4, 0}", "{0, 2}", "{14, 0}"}) {
        CAPTURE(outside);
        const auto report =
            run_threads(fmt::format("suld.b.2d.b32.trap %r, [%in, {}];", outside), {}, "", image(texture)).report;
        REQUIRE(report.fault);
        CHECK(report.fault->kind == FaultKind::illegal_address);
    }
    // As asked for: zeros and nothing written, or the nearest place.
    CHECK(read(texture, "mov.u32 %r, 5; suld.b.2d.b32.zero %r, [%in, {16, 0}];") == 0);
    CHECK(read(texture, "suld.b.2d.b32.clamp %r, [%in, {16, 1}];") == 14);
    CHECK(read(texture, "suld.b.2d.b32.clamp %r, [%in, {-8, 9}];") == 11);
    CHECK(read(texture, "sust.b.2d.b32.zero [%in, {16, 0}], 77; suld.b.2d.b32.trap %r, [%in, {0, 1}];") == 11);
    CHECK(read(texture, "sust.b.2d.b32.clamp [%in, {-4, 0}], 77; suld.b.2d.b32.trap %r, [%in, {0, 0}];") == 77);
    CHECK(run_threads("suld.b.2d.b32.trap %r, [%out, {0, 0}];").report.fault->kind == FaultKind::illegal_address);
    // A row that is shorter than the access has no place for it.
    const Threads narrow = run_threads("mov.u32 %r, 5; suld.b.2d.v4.b32.clamp {%r, %s1, %s2, %s3}, [%in, {4, 0}];", {},
                                       "", [&](PtxRunner& runner) {
                                           image(texture)(runner);
                                           texture.width = 2;
                                           return texture_handle(texture);
                                       });
    REQUIRE_FALSE(narrow.report.fault);
    CHECK(narrow.values[31] == 0);
}

TEST_CASE("fetches and surface accesses are counted among loads and stores", "[engine][texture]") {
    Texture texture;
    texture.kind = ChannelKind::unsigned_integer;
    const auto loads_and_stores = [&](const std::string& body) {
        return run_threads(body, {}, "", image(texture)).report.counted.metrics.thread_inst_load_store.value().value;
    };
    const double without = loads_and_stores("mov.u32 %r, 1;");
    CHECK(loads_and_stores("tex.2d.v4.u32.s32 {%r, %s1, %s2, %s3}, [%in, {1, 1}];") == without + 32);
    CHECK(loads_and_stores("suld.b.2d.b32.trap %r, [%in, {8, 1}];") == without + 32);
}

TEST_CASE("a texture reference is a variable that holds the handle of an object", "[engine][texture]") {
    Texture texture;
    texture.kind = ChannelKind::unsigned_integer;
    PtxRunner runner;
    const u64 handle = image(texture)(runner);
    const auto out = runner.allocate<u32>(32);
    const gpuproj::simulate::Module module(module_text(R"(.global .texref image;
.visible .entry k(.param .u64 out_) {
.reg .b32 %r<5>; .reg .b64 %out;
ld.param.u64 %out, [out_]; mov.u32 %r4, 2;
tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [image, {%r4}];
st.global.u32 [%out], %r0;
ret;
})"),
                                           "test", runner.memory());
    REQUIRE(module.variable("image") != nullptr);
    std::memcpy(module.variable("image")->address, &handle, sizeof handle);
    const auto report = runner.run(module, {}, Arguments(out.data()));
    CHECK_FALSE(report.fault);
    CHECK(out[0] == 3);
}

TEST_CASE("levels of a mipmap: the nearest, between two, by gradients, and what the description does to them",
          "[engine][texture]") {
    // 4 x 2 texels of 10, 2 x 1 of 20, one of 40.
    std::vector<Texture> levels(3);
    std::string instruction;
    const auto prepare = [&](PtxRunner& runner) {
        std::vector<u32> texels;
        for (const auto& [value, count] : {std::pair{10.0F, 8}, {20.0F, 2}, {40.0F, 1}})
            for (int i = 0; i < count; ++i) texels.push_back(static_cast<u32>(bits_of(value)));
        auto* data = reinterpret_cast<std::byte*>(runner.allocate(texels).data());
        u32 first = 0;
        for (u32 i = 0; i < 3; ++i) {
            Texture& level = levels[i];
            level.data = data + std::size_t{first} * sizeof(f32);
            level.width = 4U >> i;
            level.height = std::max(2U >> i, 1U);
            level.row_bytes = level.width * sizeof(f32);
            level.slice_bytes = level.row_bytes * level.height;
            level.normalized_coordinates = true;
            level.levels = 3;
            first += level.width * level.height;
        }
        return texture_handle(levels.front());
    };
    const auto at = [&](const std::string& how, const std::string& details) {
        const Threads result =
            run_threads(fmt::format("tex.{}.2d.v4.f32.f32 {{%r, %s1, %s2, %s3}}, [%in, {{{}, {}}}]{};", how, word(0.5F),
                                    word(0.5F), details),
                        {}, "", prepare);
        INFO((result.report.fault ? result.report.fault->message : ""));
        REQUIRE_FALSE(result.report.fault);
        return from_bits<f32>(result.values[31]);
    };
    const auto level = [&](f32 detail) { return at("level", ", " + word(detail)); };
    const auto gradient = [&](f32 by_x, f32 by_y) {
        return at("grad", fmt::format(", {{{}, {}}}, {{{}, {}}}", word(by_x), word(0), word(0), word(by_y)));
    };
    const auto describe = [&](f32 least, f32 most, f32 bias, bool between) {
        for (Texture& one : levels) {
            one.least_level = least;
            one.most_level = most;
            one.level_bias = bias;
            one.linear_levels = between;
        }
    };

    describe(0, 2, 0, false);
    CHECK(at("base", "") == 10);
    CHECK(level(0.4F) == 10);
    CHECK(level(0.6F) == 20);
    CHECK(level(7) == 40);
    CHECK(level(-1) == 10);
    CHECK(gradient(1.0F / 4, 0) == 10);  // one texel a step
    CHECK(gradient(2.0F / 4, 0) == 20);  // two
    CHECK(gradient(0, 4.0F / 2) == 40);  // four
    CHECK(gradient(0, 0) == 10);
    describe(0, 2, 0, true);
    CHECK(level(0.25F) == 12.5F);
    CHECK(level(1.5F) == 30);
    CHECK(level(2) == 40);
    describe(0, 1, 0, true);
    CHECK(level(2) == 20);
    describe(1, 2, 0, true);
    CHECK(level(0) == 20);
    describe(0, 2, 0.5F, true);
    CHECK(level(0) == 15);
}

TEST_CASE("sRGB texels are read as linear numbers, but for the fourth channel", "[engine][texture]") {
    Texture texture;
    texture.kind = ChannelKind::unsigned_integer;
    texture.channels = 4;
    texture.channel_bytes = 1;
    texture.srgb = true;
    texture.width = 1;
    const auto prepare = [&](PtxRunner& runner) {
        texture.data = reinterpret_cast<std::byte*>(runner.allocate(std::vector<u32>{0x80'80'05'80}).data());
        texture.row_bytes = texture.slice_bytes = 4;
        return texture_handle(texture);
    };
    const auto channel = [&](int which) {
        std::array<std::string, 4> to{"%s1", "%s2", "%s3", "%s4"};
        to.at(static_cast<std::size_t>(which)) = "%r";
        const Threads result =
            run_threads(fmt::format("tex.1d.v4.f32.s32 {{{}, {}, {}, {}}}, [%in, {{0}}];", to[0], to[1], to[2], to[3]),
                        {}, "", prepare);
        REQUIRE_FALSE(result.report.fault);
        return from_bits<f32>(result.values[0]);
    };
    CHECK(channel(0) == Approx(0.2158605));          // ((128/255 + 0.055) / 1.055) ^ 2.4
    CHECK(channel(1) == Approx(5.0 / 255 / 12.92));  // the straight part
    CHECK(channel(3) == Approx(128.0 / 255));
}

namespace {

/// A texture of random texels and rules; its memory is random bytes, but for floats, which are finite.
struct RandomTexture {
    Texture texture;
    std::vector<u32> texels;
    u32 dimensions = 2;
    bool real = true;  // how it is read

    explicit RandomTexture(std::mt19937& random) {
        const auto one_of = [&](std::initializer_list<u32> all) { return *(all.begin() + random() % all.size()); };
        dimensions = one_of({1, 2, 3});
        texture.width = one_of({1, 2, 5, 16});
        texture.height = dimensions > 1 ? one_of({1, 3, 8}) : 1;
        texture.depth = dimensions > 2 ? one_of({1, 2, 7}) : 1;
        texture.channels = one_of({1, 2, 4});
        texture.channel_bytes = one_of({1, 2, 4});
        texture.kind = static_cast<ChannelKind>(random() % 3);
        if (texture.channel_bytes == 1 && texture.kind == ChannelKind::real) texture.channel_bytes = 4;
        real = texture.kind == ChannelKind::real || (texture.channel_bytes < 4 && random() % 2 == 0);
        texture.linear = real && random() % 2 == 0;
        texture.normalized_coordinates = random() % 2 == 0;
        for (auto& mode : texture.address) mode = static_cast<AddressMode>(random() % 4);
        texture.border = {0.25F, -2, 8, 1};
        texture.row_bytes = texture.width * texture.texel_bytes() + one_of({0, 16});
        texture.slice_bytes = texture.row_bytes * texture.height;
        texels.resize((texture.slice_bytes * texture.depth + 3) / 4);
        for (u32& word : texels) {
            word = static_cast<u32>(random());
            if (texture.kind == ChannelKind::real) word &= texture.channel_bytes == 4 ? 0xC7FFFFFFU : 0xBBFFBBFFU;
            if (random() % 16 == 0) word = 0x80000000;  // -0, which a filter reads as 0
        }
    }
    Threads read(const std::array<f32, 96>& places) {
        std::string words;
        for (const f32 place : places) words += fmt::format("{}{}", words.empty() ? "" : ", ", bits_of(place));
        constexpr std::array coordinates{"%f4", "%f4, %f5", "%f4, %f5, %f6, %f6"};
        const std::string body = fmt::format(
            "mul.wide.u32 %l1, %tid, 12; mov.u64 %l0, places; add.u64 %l0, %l0, %l1; ld.global.f32 %f4, [%l0];\n"
            "ld.global.f32 %f5, [%l0+4]; ld.global.f32 %f6, [%l0+8];\n"
            "tex.{}d.v4.{}.f32 {{%s0, %s1, %s2, %s3}}, [%in, {{{}}}];\n"
            "mad.lo.u32 %r, %s0, 31, %s1; mad.lo.u32 %r, %r, 31, %s2; mad.lo.u32 %r, %r, 31, %s3;",
            dimensions, real ? "f32" : "u32", coordinates[dimensions - 1]);
        return run_threads(body, {}, fmt::format(".global .align 4 .b32 places[96] = {{{}}};", words),
                           [this](PtxRunner& runner) {
                               texture.data = reinterpret_cast<std::byte*>(runner.allocate(texels).data());
                               return texture_handle(texture);
                           });
    }
};

}  // namespace

TEST_CASE("a fetch asks for the bytes of its texels, and not of the four numbers that it gives", "[engine][texture]") {
    const auto sectors = [](u32 channels, u32 channel_bytes) {
        Texture texture;
        texture.kind = ChannelKind::unsigned_integer;
        texture.channels = channels;
        texture.channel_bytes = channel_bytes;
        texture.width = 32;
        const Prepare place = [&](PtxRunner& runner) {
            texture.data = reinterpret_cast<std::byte*>(runner.allocate<u32>(32 * 4).data());
            return texture_handle(texture);
        };
        const auto read_by = [&](const std::string& body) {
            return run_threads(body, {}, "", place).report.counted.metrics.l2_read->value;
        };
        return read_by("tex.1d.v4.u32.s32 {%r, %s1, %s2, %s3}, [%in, {%tid}];") - read_by("mov.u32 %r, %tid;");
    };
    // 32 lanes side by side.
    CHECK(sectors(1, 1) == 1);
    CHECK(sectors(2, 1) == 2);
    CHECK(sectors(1, 4) == 4);
    CHECK(sectors(4, 4) == 16);
}

TEST_CASE("a filter asks for all the texels that it reads", "[engine][texture]") {
    // 64 x 2 x 2 floats, a row of them 8 sectors; lane i reads around texel i + 8 of a row.
    Texture texture;
    texture.width = 64;
    texture.height = texture.depth = 2;
    texture.row_bytes = 256;
    texture.slice_bytes = 512;
    const Prepare place = [&](PtxRunner& runner) {
        texture.data = reinterpret_cast<std::byte*>(runner.allocate<u32>(64 * 4).data());
        return texture_handle(texture);
    };
    const auto sectors = [&](const std::string& fetch, f32 x) {
        const auto read_by = [&](const std::string& body) {
            const std::string coordinates =
                fmt::format("cvt.rn.f32.u32 %f4, %tid; add.f32 %f4, %f4, {}; mov.f32 %f5, {}; mov.f32 %f6, {};",
                            word(x), word(1), word(0.5F));
            return run_threads(coordinates + body, {}, "", place).report.counted.metrics.l2_read->value;
        };
        return read_by(fetch + " mov.u32 %r, %tid;") - read_by("mov.u32 %r, %tid;");
    };
    const std::string values = " {%s0, %s1, %s2, %s3}, [%in, ";
    const std::string line = "tex.1d.v4.f32.f32" + values + "{%f4}];", plane = "tex.2d.v4.f32.f32" + values,
                      space = "tex.3d.v4.f32.f32" + values, four = "tld4.r.2d.v4.f32.f32" + values;
    CHECK(sectors(line, 8.5F) == 4);
    CHECK(sectors(four + "{%f4, %f5}];", 9) == 2 * 5);
    texture.linear = true;
    CHECK(sectors(line, 8.5F) == 4);  // in the middle of a texel the others have no share
    CHECK(sectors(line, 9) == 5);
    CHECK(sectors(plane + "{%f4, %f6}];", 9) == 5);  // the middle of the first row
    CHECK(sectors(plane + "{%f4, %f5}];", 9) == 2 * 5);
    CHECK(sectors(plane + "{%f4, %f5}];", 8.5F) == 2 * 4);
    CHECK(sectors(space + "{%f4, %f5, %f5, %f5}];", 9) == 4 * 5);
    // Rows of one column by lane: each lane's texels are in a sector of their own, and more than one list holds.
    texture.width = 2;
    texture.height = 64;
    texture.row_bytes = 32;
    texture.slice_bytes = 32 * 64;
    const auto columns = [&](const Prepare& prepare) {
        const auto read_by = [&](const std::string& body) {
            return run_threads(
                       "cvt.rn.f32.u32 %f4, %tid; add.f32 %f4, %f4, 0f3F800000; mov.f32 %f5, 0f3F800000;" + body, {},
                       "", prepare)
                .report.counted.metrics.l2_read->value;
        };
        return read_by(space + "{%f5, %f4, %f5, %f5}]; mov.u32 %r, %tid;") - read_by("mov.u32 %r, %tid;");
    };
    CHECK(columns([&](PtxRunner& runner) {
              texture.data = reinterpret_cast<std::byte*>(runner.allocate<u32>(2 * 64 * 8).data());
              return texture_handle(texture);
          }) == 2 * 33);
}

TEST_CASE("lanes side by side read what they read one after the other", "[engine][texture]") {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        RandomTexture image(random);
        const Texture& texture = image.texture;
        std::array<f32, 96> places{};
        const u32 middles = random() % 8;  // dimensions in which lanes read the middle of texels, and no second one
        for (std::size_t i = 0; i + 3 < places.size(); ++i) {
            const std::array sizes{texture.width, texture.height, texture.depth};
            const auto texels = static_cast<f32>(sizes[i % 3]);
            f32 place = texels * (static_cast<f32>(random() % 4096) / 1024 - 1.5F);
            if ((middles >> i % 3 & 1) != 0) place = std::floor(place) + 0.5F;
            places[i] = texture.normalized_coordinates ? place / texels : place;
        }
        // Rows of texels, as most kernels read them.
        for (std::size_t i = 3; middles == 7 && random() % 2 == 0 && i + 3 < places.size(); ++i)
            places[i] = places[i % 3] + (i % 3 == 0 ? static_cast<f32>(i / 3) : 0) /
                                            static_cast<f32>(texture.normalized_coordinates ? texture.width : 1);
        const Threads together = image.read(places);
        // A lane whose coordinates are no numbers sends all the others the other way.
        for (std::size_t i = 93; i < places.size(); ++i) places[i] = NAN;
        const Threads one_by_one = image.read(places);
        CAPTURE(round, image.dimensions, texture.width, texture.height, texture.depth, texture.channels,
                texture.channel_bytes, texture.kind, image.real, texture.linear, texture.normalized_coordinates);
        REQUIRE_FALSE(together.report.fault);
        REQUIRE_FALSE(one_by_one.report.fault);
        for (std::size_t lane = 0; lane < 31; ++lane) CHECK(together.values[lane] == one_by_one.values[lane]);
        // Texels that are no numbers are the nearest to 0, so that the same places are read.
        if (!texture.linear)
            CHECK(together.report.counted.metrics.l2_read->value == one_by_one.report.counted.metrics.l2_read->value);
    }
}
