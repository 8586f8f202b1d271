#include "model/profile_io.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "model/error.hpp"
#include "model/file_io.hpp"
#include "model/schema.hpp"

using namespace gpuproj;
using Catch::Contains;
using Catch::Equals;

namespace {

/// A directory of this test's own, removed at its end.
struct TemporaryDirectory {
    std::filesystem::path path;
    TemporaryDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "gpuproj_model_XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path = name;
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory() { std::filesystem::remove_all(path); }

    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path), {}));
    }
};

Profile sample() {
    KernelRecord kernel;
    kernel.kernel = "void scale<float>(float*, int)";
    kernel.mangled = "_Z5scaleIfEvPT_i";
    kernel.grid = Dim3{4096, 2, 1};
    kernel.block = Dim3{256, 1, 1};
    kernel.dynamic_shared = Bytes{4096};
    kernel.registers_per_thread = 32;
    kernel.launches = 3;
    kernel.duration = Duration{3, Seconds{0.0125}, Seconds{0.004}, Seconds{0.0043}};
    kernel.metrics.warp_inst = Instructions{9007199254740991};  // 2^53 - 1: the largest of which all bits are kept
    kernel.metrics.thread_inst_fp32 = Instructions{0};
    kernel.metrics.dram_read = Sectors{1218190.5};
    kernel.metrics.achieved_occupancy = 0.75;
    kernel.notes = {"a note"};

    Profile profile;
    profile.gpu = "GeForce GTX 480";
    profile.provenance.counters = "simulated";
    profile.provenance.collector = "simulate";
    profile.provenance.command = "./app -n \"1 2\"";
    profile.provenance.core_clock = Hertz{1.401e9};
    profile.provenance.ecc = false;
    profile.kernels = {kernel};
    profile.transfers = {{"host_to_device", 2, Bytes{1 << 20}, Seconds{1e-3}}};
    profile.peak_device_memory = Bytes{3e9};
    profile.host_time = Seconds{0.25};
    return profile;
}

nlohmann::json sample_json() {
    return nlohmann::json::parse(profile_to_json(sample()).dump());
}

std::string message_of(nlohmann::json json) {
    try {
        profile_from_json(std::move(json), "p.json");
    } catch (const Error& e) {
        return e.what();
    }
    return "no error";
}

/// The message when the value at `pointer` is replaced.
std::string message_with(const std::string& pointer, const nlohmann::json& value) {
    auto json = sample_json();
    json[nlohmann::json::json_pointer(pointer)] = value;
    return message_of(json);
}

std::string message_for_text(const std::string& text) {
    try {
        profile_from_json(parse_json(text, "p.json"), "p.json");
    } catch (const Error& e) {
        return e.what();
    }
    return "no error";
}

std::string message_without(const std::string& pointer, const std::string& key) {
    auto json = sample_json();
    json[nlohmann::json::json_pointer(pointer)].erase(key);
    return message_of(json);
}

}  // namespace

TEST_CASE("A profile reads back as it was written") {
    const auto written = profile_to_json(sample());
    const Profile read = profile_from_json(nlohmann::json::parse(written.dump()), "p.json");
    CHECK(profile_to_json(read) == written);
    REQUIRE(read.kernels.size() == 1);
    const auto& kernel = read.kernels[0];
    CHECK(kernel.blocks() == 8192u);
    CHECK(kernel.threads_per_block() == 256u);
    CHECK(kernel.metrics.warp_inst->value == 9007199254740991.0);
    CHECK(kernel.metrics.thread_inst_fp32->value == 0);
    CHECK_FALSE(kernel.metrics.thread_inst_fp64);
    CHECK(kernel.metrics.dram_read->value == 1218190.5);
    CHECK(kernel.duration->mean().value == Approx(0.0125 / 3));
}

TEST_CASE("Counters are written as whole numbers, without exponent or rounding") {
    const std::string text = json_text(profile_to_json(sample()));
    CHECK_THAT(text, Contains("\"warp_inst\": 9007199254740991,"));
    CHECK_THAT(text, Contains("\"dram_read_sector\": 1218190.5,"));
    CHECK_THAT(text, Contains("\"peak_device_memory_byte\": 3000000000,"));
    CHECK_THAT(text, Contains("\"core_clock_hz\": 1401000000,"));
}

TEST_CASE("A launch configuration that is not known is absent") {
    Profile profile = sample();
    profile.kernels[0].grid.reset();
    profile.kernels[0].block.reset();
    const auto json = nlohmann::json::parse(profile_to_json(profile).dump());
    CHECK_FALSE(json["kernels"][0].contains("grid"));
    const Profile read = profile_from_json(json, "p.json");
    CHECK_FALSE(read.kernels[0].blocks());
    CHECK_FALSE(read.kernels[0].threads_per_block());
}

TEST_CASE("The shortest and the longest launch may be unknown, and stay so when launches are added") {
    Profile profile = sample();
    profile.kernels[0].duration = Duration{3, Seconds{0.0125}, {}, {}};
    const auto json = nlohmann::json::parse(profile_to_json(profile).dump());
    CHECK_FALSE(json["kernels"][0]["duration"].contains("min_s"));
    Duration duration = *profile_from_json(json, "p.json").kernels[0].duration;
    duration.add({2, Seconds{0.002}, Seconds{0.0005}, Seconds{0.0015}});
    CHECK(duration.count == 5);
    CHECK(duration.sum.value == Approx(0.0145));
    CHECK_FALSE(duration.min);
    CHECK_FALSE(duration.max);

    Duration known{1, Seconds{1}, Seconds{1}, Seconds{1}};
    known.add({2, Seconds{5}, Seconds{2}, Seconds{3}});
    CHECK(known.min->value == 1);
    CHECK(known.max->value == 3);
}

TEST_CASE("A profile with a wrong value is refused with file, key path and what to do") {
    CHECK_THAT(message_with("/kernels/0/metrics/warp_inst", -1),
               Equals("p.json: kernels[0].metrics.warp_inst: must be a number of at least 0, is -1"));
    CHECK_THAT(message_with("/kernels/0/metrics/warp_inst", 0),
               Equals("p.json: kernels[0].metrics.warp_inst: is 0, but a kernel that ran executed instructions; "
                      "profile it again"));
    CHECK_THAT(message_with("/kernels/0/metrics/warp_inst", "many"), Contains("must be a number, is \"many\""));
    CHECK_THAT(message_with("/kernels/0/metrics/warp_inst", nullptr), Contains("leave the key out"));
    CHECK_THAT(message_with("/kernels/0/metrics/warp_inst", std::numeric_limits<double>::quiet_NaN()),
               Contains("kernels[0].metrics.warp_inst: must be a finite number"));
    CHECK_THAT(message_with("/kernels/0/metrics/warp_inst", std::numeric_limits<double>::infinity()),
               Contains("must be a finite number"));
    CHECK_THAT(message_with("/kernels/0/metrics/warp_insts", 1),
               Equals("p.json: kernels[0].metrics: has the unknown key 'warp_insts'; did you mean warp_inst?"));
    CHECK_THAT(message_with("/kernels/0/grid", nlohmann::json::array({1, 2})),
               Contains("kernels[0].grid: must be a list of 3 numbers"));
    CHECK_THAT(message_with("/kernels/0/grid/1", 0), Contains("kernels[0].grid: has a 0"));
    CHECK_THAT(message_with("/kernels/0/grid/1", 4294967296), Contains("kernels[0].grid[1]: must be a whole number"));
    CHECK_THAT(message_with("/kernels/0/launches", 1.5), Contains("kernels[0].launches: must be a whole number"));
    CHECK_THAT(message_with("/kernels/0/launches", 0), Contains("kernels[0].launches: is 0"));
    CHECK_THAT(message_with("/kernels/0/duration/count", 4), Contains("count is above the launches"));
    CHECK_THAT(message_with("/kernels/0/duration/min_s", 1), Contains("must have min_s <= max_s <= sum_s"));
    CHECK_THAT(message_with("/kernels/0/kernel", ""), Contains("kernels[0].kernel: is empty"));
    CHECK_THAT(message_with("/kernels/0/sampled_fraction", 2), Contains("must be above 0 and at most 1"));
    CHECK_THAT(message_with("/kernels", 3), Contains("kernels: must be a list, is 3"));
    CHECK_THAT(message_with("/provenance/counters", "guessed"),
               Equals("p.json: provenance.counters: must be one of measured, simulated, derived, unknown, is "
                      "\"guessed\""));
    CHECK_THAT(message_with("/transfers/0/direction", "up"), Contains("transfers[0].direction: must be one of"));
    CHECK_THAT(message_with("/partial", 0), Contains("partial: must be true or false, is 0"));
}

TEST_CASE("A profile with a missing key is refused with its meaning") {
    CHECK_THAT(message_without("", "gpu"), Equals("p.json: gpu: is missing; add it: the reference GPU"));
    CHECK_THAT(message_without("", "kernels"), Contains("kernels: is missing"));
    CHECK_THAT(message_without("/kernels/0", "kernel"), Contains("p.json: kernels[0].kernel: is missing"));
    CHECK_THAT(message_without("/kernels/0", "metrics"), Contains("p.json: kernels[0].metrics: is missing"));
    CHECK_THAT(message_without("/provenance", "collector"), Contains("provenance.collector: is missing"));
}

TEST_CASE("A file of another schema or a newer version is refused") {
    CHECK_THAT(message_without("", "schema"), Contains("does not say \"schema\": \"gpuproj.profile\""));
    CHECK_THAT(message_with("/schema", "gpuproj.gpu"), Contains("is a gpuproj.gpu file, not gpuproj.profile"));
    CHECK_THAT(message_with("/version", 2),
               Equals("p.json: version: 2 is newer than this gpuproj knows (1); update gpuproj"));
    CHECK_THAT(message_with("/version", "1"), Contains("version: must be a whole number"));
    CHECK_THAT(message_with("/version", 0), Contains("version: must be a whole number"));
    CHECK_THAT(message_of(nlohmann::json::array()), Contains("does not say \"schema\""));
}

TEST_CASE("Text that is not whole JSON is refused with its place") {
    CHECK_THAT(message_for_text(""), Contains("p.json: ends early, it is empty or cut off"));
    CHECK_THAT(message_for_text("{\"schema\": \"gpuproj.profile\",\n"), Contains("ends early"));
    CHECK_THAT(message_for_text("{\n  \"schema\" = 1}"), Contains("p.json: is not JSON (line 2, column 12)"));
    CHECK_THAT(message_for_text("{\"version\": NaN}"), Contains("is not JSON"));
    CHECK_THAT(message_for_text("{\"version\": 1e999}"), Contains("number too large"));
    CHECK_THAT(message_for_text("{\"version\": 1, \"version\": 2}"), Contains("has the key 'version' twice"));
}

TEST_CASE("Older versions are migrated step by step") {
    static constexpr std::array<Migration, 2> migrations{
        [](nlohmann::json& json) { json["trace"] = json.value("trace", "") + "1"; },
        [](nlohmann::json& json) { json["trace"] = json.value("trace", "") + "2"; },
    };
    const auto migrated = [&](int version) {
        nlohmann::json json{{"schema", "s"}, {"version", version}};
        migrate(json, "s", migrations, "f.json");
        CHECK(json["version"] == 3);
        return json.value("trace", "");
    };
    CHECK(migrated(1) == "12");
    CHECK(migrated(2) == "2");
    CHECK(migrated(3).empty());
    CHECK_THROWS_AS(migrated(4), Error);
}

TEST_CASE("A file is written whole or not at all, and replaced only when asked") {
    const TemporaryDirectory folder;
    const auto file = folder.path / "p.json";
    write_profile(sample(), file, false);
    CHECK(profile_to_json(read_profile(file)) == profile_to_json(sample()));
    CHECK(folder.entries() == 1);  // nothing temporary is left

    CHECK_THROWS_WITH(write_profile(sample(), file, false), Contains("exists") && Contains("-f"));
    Profile other = sample();
    other.gpu = "Tesla K20c";
    write_profile(other, file, true);
    CHECK(read_profile(file).gpu == "Tesla K20c");
    CHECK(folder.entries() == 1);

    CHECK_THROWS_WITH(write_profile(sample(), folder.path / "no" / "p.json", false), Contains("there is no directory"));
    CHECK_THROWS_WITH(write_profile(sample(), folder.path, true), Contains("is a directory"));
    CHECK_THROWS_WITH(read_profile(folder.path / "missing.json"), Contains("missing.json: cannot be read"));
    CHECK_THROWS_WITH(read_profile(folder.path), Contains("is a directory"));
}

TEST_CASE("Through a link, the file that it points to is replaced") {
    const TemporaryDirectory folder;
    write_file(folder.path / "data", "old", false);
    std::filesystem::create_symlink("data", folder.path / "link");
    write_file(folder.path / "link", "new", true);
    CHECK(std::filesystem::is_symlink(folder.path / "link"));
    CHECK(read_file(folder.path / "data") == "new");
}

TEST_CASE("A device is written to, not replaced") {
    write_file("/dev/null", "text", false);
    CHECK(std::filesystem::is_character_file("/dev/null"));
}
