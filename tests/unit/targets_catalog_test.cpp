#include "targets/catalog.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <random>

#include "model/error.hpp"
#include "targets/check.hpp"
#include "targets/names.hpp"
#include "targets/pci_names.hpp"

using namespace gpuproj;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

const Catalog& builtin() {
    static const Catalog catalog{std::span<const fs::path>{}};
    return catalog;
}

// A directory of its own per test case, gone afterwards.
struct Scratch {
    fs::path path = fs::temp_directory_path() / ("gpuproj-targets-" + std::to_string(std::random_device{}()));
    Scratch() { fs::create_directories(path); }
    ~Scratch() { fs::remove_all(path); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    fs::path write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name) << text;
        return path / name;
    }
};

std::string gpu_file(const std::string& name, const std::string& aliases, const std::string& fp32) {
    return R"({"schema":"gpuproj.gpu","version":1,"name":")" + name + R"(","aliases":[)" + aliases +
           R"(],"vendor":"NVIDIA","architecture":"Fermi","compute_capability":"2.0","parameters":{)" +
           R"("fp32_op_per_s":{"value":)" + fp32 + R"(,"quality":"measured","source":"test","uncertainty":0.01}}})";
}

}  // namespace

TEST_CASE("a GPU goes by every common spelling of its name", "[targets]") {
    const auto [spelling, name] = GENERATE(table<std::string, std::string>({
        {"GTX480", "GeForce GTX 480"},
        {"gtx-480", "GeForce GTX 480"},
        {"GeForce GTX 480", "GeForce GTX 480"},
        {"NVIDIA GeForce GTX 480", "GeForce GTX 480"},
        {"geforce_gtx_480", "GeForce GTX 480"},
        {"GTX1060", "GeForce GTX 1060 6GB"},
        {"GTX 1060 6GB", "GeForce GTX 1060 6GB"},
        {"M2050", "Tesla M2050"},
        {"k20c", "Tesla K20c"},
        {"Tesla-K20", "Tesla K20c"},
        {"R9Nano", "Radeon R9 Nano"},
        {"AMD Radeon R9 Nano", "Radeon R9 Nano"},
    }));
    CHECK(builtin().find(spelling).name == name);
}

TEST_CASE("a GPU goes by its PCI id and by what lspci prints", "[targets]") {
    const auto name = [](std::string_view given) { return builtin().find(given).name; };
    CHECK(name("10de:13c2") == "GeForce GTX 970");
    CHECK(name("GM204 [GeForce GTX 970]") == "GeForce GTX 970");
    CHECK(name("NVIDIA Corporation GK110BGL [Tesla K40m] [10de:1023] (rev a1)") == "Tesla K40c");
    CHECK(builtin().get("Aldebaran/MI200 [Instinct MI210]").name == "Instinct MI210");
    CHECK(name("00:05.0 3D controller [0302]: NVIDIA Corporation GH100 [H100L 94GB] [10de:2321] (rev a1)") ==
          "H100 NVL 94GB");
    CHECK(name("Battlemage G21 [Arc B580]") == "Arc B580");
    CHECK_THROWS_AS(name("XY100 [Unheard Of]"), UsageError);
}

// Ids, names and revisions as in pci.ids of August 2026 and libdrm's amdgpu.ids.
TEST_CASE("boards that share a PCI id are told apart by their revision or not at all", "[targets]") {
    const auto name = [](std::string_view given) { return builtin().find(given).name; };
    CHECK(name("1002:744c:c8") == "Radeon RX 7900 XTX");
    CHECK(name("1002:67DF:EF") == "Radeon RX 570");
    CHECK(name("Navi 31 [Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M] [1002:744c] (rev c8)") == "Radeon RX 7900 XTX");
    CHECK(name("Ellesmere [Radeon RX 470/480/570/570X/580/580X/590] (rev c7)") == "Radeon RX 480");
    CHECK(name("Hawaii PRO [Radeon R9 290/390] (rev 80)") == "Radeon R9 390");
    CHECK_THROWS_WITH(name("1002:744c"), Contains("Radeon RX 7900 XTX or a board that is not stored"));
    CHECK_THROWS_WITH(name("Navi 31 [Radeon RX 7900 XT/7900 XTX/7900M] [1002:744c] (rev cc)"),
                      Contains("or a board that is not stored"));
    CHECK_THROWS_WITH(name("TU102GL [Quadro RTX 6000/8000]"), Contains("Quadro RTX 6000 or Quadro RTX 8000;"));
    CHECK_THROWS_WITH(name("10de:25b6"), Contains("A2 or A16 (one GPU);"));
    CHECK_THROWS_WITH(name("Vega 10 XL/XT [Radeon RX Vega 56/64] [1002:687f] (rev c1)"),
                      Contains("Radeon RX Vega 56 or Radeon RX Vega 64;"));
}

TEST_CASE("PCI ids are read out of what surrounds them", "[targets]") {
    CHECK_FALSE(pci_id("0000:03:00.0 VGA compatible controller [0300]"));
    CHECK_FALSE(pci_id("110de:13c2"));
    CHECK_FALSE(pci_id("10de:13c22"));
    CHECK_FALSE(pci_id(":"));
    CHECK_FALSE(pci_id("GTX 970"));
    REQUIRE(pci_id("[10DE:13C2] (rev A1)"));
    CHECK(pci_id("[10DE:13C2] (rev A1)")->device == "10de:13c2");
    CHECK(pci_id("[10DE:13C2] (rev A1)")->revision == "a1");
    CHECK(pci_id("10de:13c2:")->revision.empty());
    CHECK(boards_named("Radeon R9 FURY / NANO Series").at(1).back() == "Radeon R9 NANO ");
    CHECK(boards_named("/ /").size() == 1);
}

TEST_CASE("an unknown GPU names the near ones", "[targets]") {
    REQUIRE_THROWS_WITH(builtin().find("GTX 481"), Contains("GTX 480") && Contains("targets list"));
    REQUIRE_THROWS_AS(builtin().find("nothing like it at all"), UsageError);
    REQUIRE_THROWS_AS(builtin().find(""), UsageError);
    REQUIRE_THROWS_AS(builtin().find("-"), UsageError);
}

TEST_CASE("memory size and form factor may be left out only where that leaves one GPU", "[targets]") {
    const Scratch scratch;
    scratch.write("a.json", gpu_file("X900 PCIe 40GB", "", "1e12"));
    scratch.write("b.json", gpu_file("X900 SXM4 80GB", "", "1e12"));
    scratch.write("c.json", gpu_file("X900 Ti", "", "1e12"));
    const Catalog catalog(std::array{scratch.path});
    CHECK(catalog.find("x900 pcie").name == "X900 PCIe 40GB");
    CHECK(catalog.find("Tesla X900-80GB").name == "X900 SXM4 80GB");
    CHECK(catalog.find("x900ti").name == "X900 Ti");
    REQUIRE_THROWS_WITH(catalog.find("X900"),
                        Contains("X900 PCIe 40GB") && Contains("X900 SXM4 80GB") && !Contains("Ti"));
    REQUIRE_THROWS_AS(catalog.find("X900 16GB"), UsageError);
}

TEST_CASE("a GPU of the user's own hides the built-in one of the same name", "[targets]") {
    const Scratch scratch;
    scratch.write("mine.json", gpu_file("GeForce GTX 480", R"("my card")", "1.4e12"));
    const Catalog catalog(std::array{scratch.path});
    CHECK(catalog.gpus().size() == builtin().gpus().size());
    CHECK(catalog.get("my-card").fp32->value.value == 1.4e12);
    CHECK(catalog.get("GTX480").fp32->value.value == 1.4e12);
    CHECK(catalog.get((scratch.path / "mine.json").string()).name == "GeForce GTX 480");
}

TEST_CASE("the user's directories come from the environment", "[targets]") {
    const Scratch scratch;
    setenv("GPUPROJ_TARGETS", scratch.path.c_str(), 1);
    CHECK(user_target_directories().front() == scratch.path);
    setenv("GPUPROJ_TARGETS", (scratch.path / "missing").c_str(), 1);
    REQUIRE_THROWS_WITH(user_target_directories(), Contains("missing") && Contains("not a directory"));
    unsetenv("GPUPROJ_TARGETS");
}

TEST_CASE("one broken file of the user's hurts nobody who does not ask for it", "[targets]") {
    const Scratch scratch;
    scratch.write("broken.json", "{\"schema\": \"gpuproj.gpu\", ");
    const Catalog catalog(std::array{scratch.path});
    CHECK(catalog.get("GTX480").name == "GeForce GTX 480");
    REQUIRE_THROWS_WITH(catalog.get("broken"), Contains("broken.json"));
}

TEST_CASE("a file with a value in the wrong unit is refused", "[targets]") {
    const Scratch scratch;
    const fs::path gflops = scratch.write("gflops.json", gpu_file("GFLOPS", "", "1462.2"));
    const fs::path huge = scratch.write("huge.json", gpu_file("HUGE", "", "1.4e18"));
    REQUIRE_THROWS_WITH(builtin().get(gflops.string()), Contains("fp32_op_per_s") && Contains("unit"));
    REQUIRE_THROWS_WITH(builtin().get(huge.string()), Contains("fp32_op_per_s"));
    REQUIRE_THROWS_AS(builtin().get("no/such/file.json"), Error);
}

TEST_CASE("targets are selected by list, file or all, each once", "[targets]") {
    CHECK(builtin().select("K20c,GTX480,k20c").size() == 2);
    CHECK(builtin().select("K20c,GTX480").front().name == "Tesla K20c");
    CHECK(builtin().select("all").size() == builtin().gpus().size());
    REQUIRE_THROWS_AS(builtin().select(","), UsageError);
}

TEST_CASE("two different GPUs of one name are not selected together, one named twice is one", "[targets]") {
    const Scratch scratch;
    const auto mine = scratch.write("mine.json", gpu_file("Tesla K20c", "", "1e12")).string();
    const auto copy = scratch.write("copy.json", gpu_file("Tesla K20c", "", "1e12")).string();
    CHECK(builtin().select(mine).size() == 1);
    CHECK(builtin().select(mine + "," + copy + ",GTX480").size() == 2);
    const auto names = GENERATE(as<std::string>{}, "K20c,MINE", "MINE,K20c", "all,MINE", "MINE,GTX480,all");
    const auto text = names.substr(0, names.find("MINE")) + mine + names.substr(names.find("MINE") + 4);
    REQUIRE_THROWS_AS(builtin().select(text), UsageError);
    REQUIRE_THROWS_WITH(builtin().select(text), Contains("two different GPUs are named \"Tesla K20c\"") &&
                                                    Contains("give the one in " + mine + " another name"));
}

TEST_CASE("GPUs are listed as people count", "[targets]") {
    std::vector<std::string> names;
    for (const StoredGpu& gpu : builtin().gpus()) names.push_back(gpu.name);
    const auto at = [&](const char* name) { return std::find(names.begin(), names.end(), name) - names.begin(); };
    CHECK(at("GeForce GTX 480") < at("GeForce GTX 660"));
    CHECK(at("GeForce GTX 960") < at("GeForce GTX 1060 6GB"));
}

TEST_CASE("every stored GPU is complete, possible and named once", "[targets]") {
    const std::vector<Finding> findings = check_catalog(builtin());
    CHECK(findings.empty());
    for (const Finding& finding : findings) {
        FAIL_CHECK(finding.gpu << ": " << finding.parameter << ": " << finding.what);
    }
}

TEST_CASE("check finds what is wrong", "[targets]") {
    Gpu gpu = builtin().get("GTX480");
    REQUIRE(check_values(gpu).empty());
    SECTION("a measured rate above the peak at the card's own clock: 2 x 32 x 15 x 1.55 GHz = 1488 GFLOP/s") {
        gpu.fp32->value.value = 1600e9;
        REQUIRE(check_values(gpu).size() == 1);
        CHECK(check_values(gpu)[0].parameter == "fp32_op_per_s");
    }
    SECTION("bandwidth above its peak") {
        gpu.dram_bandwidth->value.value = 200e9;
        CHECK(check_values(gpu).size() == 1);
    }
    SECTION("a sweep over loads above the peak of the memory") {
        gpu.bandwidth_by_loads->value.back().bandwidth.value = 200e9;
        REQUIRE(check_values(gpu).size() == 1);
        CHECK(check_values(gpu)[0].parameter == "bandwidth_by_loads");
    }
    SECTION("a gap and a value without source") {
        gpu.sm_count.reset();
        gpu.fp64->source.clear();
        CHECK(check_completeness(gpu).size() == 2);
    }
    SECTION("a PCI id that is missing, or that a GPU without PCI has") {
        StoredGpu stored = builtin().find("GTX480");
        CHECK(check_pci_id(stored, "2.0").empty());
        CHECK(check_pci_id(stored, "8.7").size() == 1);
        stored.aliases = {"GTX-480"};
        CHECK(check_pci_id(stored, "2.0").size() == 1);
        CHECK(check_pci_id(stored, "8.7").empty());
    }
    SECTION("a stored board's PCI id in a file of the user's") {
        std::vector<StoredGpu> gpus = builtin().gpus();
        gpus.push_back({.name = "My card", .aliases = {"10de:13c2"}, .file = "my.json", .json = {}});
        REQUIRE(check_names(gpus).size() == 1);
        CHECK_THAT(check_names(gpus)[0].what, Contains("GeForce GTX 970"));
    }
    SECTION("a short form of a stored name in a file of the user's") {
        std::vector<StoredGpu> gpus = builtin().gpus();
        gpus.push_back({.name = "My card", .aliases = {"K20c"}, .file = "my.json", .json = {}});
        REQUIRE(check_names(gpus).size() == 1);
        CHECK_THAT(check_names(gpus)[0].what, Contains("\"K20c\" means Tesla K20c"));
        gpus.back().aliases = {"K20c of mine"};
        CHECK(check_names(gpus).empty());
    }
    SECTION("a name that two claim") {
        std::vector<StoredGpu> gpus = builtin().gpus();
        gpus[1].aliases.push_back(gpus[0].name);
        REQUIRE(check_names(gpus).size() == 1);
        CHECK_THAT(check_names(gpus)[0].what, Contains(gpus[0].name));
    }
}

TEST_CASE("names fall into family and variants", "[targets]") {
    const NameParts parts = name_parts("NVIDIA A100 80GB PCIe");
    CHECK(parts.family == "a100");
    CHECK(parts.variants == std::vector<std::string>{"80gb", "pcie"});
    CHECK(bare_name("Quadro RTX 8000") == "rtx8000");
    CHECK(spoken_name("NVIDIA GeForce GTX 480") == "GTX 480");
}
