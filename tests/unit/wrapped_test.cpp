#include "collector/wrapped/wrapped.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "collector/launch/work_directory.hpp"
#include "model/error.hpp"
#include "model/file_io.hpp"
#include "tests/support/directories.hpp"
#include "tests/support/skip.hpp"

using namespace gpuproj;
using namespace gpuproj::wrapped;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

CollectRequest request_for(const std::string& capability) {
    CollectRequest request;
    request.command = {"/bin/true", "-n", "3"};
    request.reference = Gpu{};
    request.reference->name = "A GPU";
    request.reference->compute_capability = capability;
    return request;
}

std::string text(const Command& command) {
    return fmt::format("{}", fmt::join(command, " "));
}

/// A tool of that name in front of $PATH, a shell script.
class FakeTool {
public:
    FakeTool(const std::string& name, const std::string& script) : old_(std::getenv("PATH")) {
        const auto file = directory_.path() / name;
        std::ofstream(file) << "#!/bin/sh\n" << script;
        fs::permissions(file, fs::perms::owner_all);
        setenv("PATH", (directory_.path().string() + ":" + old_).c_str(), 1);
    }
    ~FakeTool() { setenv("PATH", old_.c_str(), 1); }
    FakeTool(const FakeTool&) = delete;
    FakeTool& operator=(const FakeTool&) = delete;

private:
    launch::WorkDirectory directory_;
    std::string old_;
};

// Finds the word behind `$2` in the tool's own words.
const std::string find_word =
    "find_word() { wanted=$1; shift; while [ $# -gt 0 ]; do [ \"$1\" = \"$wanted\" ] && { echo \"$2\"; return; }; "
    "shift; "
    "done; }\n";

}  // namespace

TEST_CASE("ncu is asked for the metrics that the GPU has, and for the launches chosen") {
    auto request = request_for("8.0");
    request.filter = {.name = "regex:^add", .launch_skip = 2, .launch_count = 5};
    const auto command = text(ncu_command("/x/ncu", request, "/t/log.csv"));
    CHECK_THAT(command, Contains("/x/ncu --csv --page raw --print-units base --log-file /t/log.csv --metrics "));
    CHECK_THAT(command, Contains("dram__sectors_read.sum") && !Contains("dram__sectors_op_read"));
    CHECK_THAT(command, Contains("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"));
    CHECK_THAT(command, Contains("device__attribute_display_name"));
    CHECK_THAT(command, Contains("--kernel-name regex:^add --launch-skip 2 --launch-count 5 /bin/true -n 3"));
    CHECK_THAT(text(ncu_command("ncu", request_for("12.0"), "l")), Contains("dram__sectors_op_read.sum"));
    CHECK_THAT(text(ncu_command("ncu", request_for("12.1"), "l")),
               Contains("lts__d_sectors_fill_device.sum") && !Contains("dram__"));
}

TEST_CASE("the installed ncu takes the command line") {
    if (std::system("command -v ncu >/dev/null") != 0) GPUPROJ_SKIP("no ncu is installed");
    const launch::WorkDirectory directory;
    const auto log = directory.path() / "log.csv", says = directory.path() / "says.txt";
    auto request = request_for("8.0");
    request.metrics = "full";
    request.filter = {.name = "regex:^add", .launch_skip = 2, .launch_count = 5};
    std::string command;
    for (const auto& word : ncu_command("ncu", request, log.string())) command += "'" + word + "' ";
    (void)std::system((command + ">" + says.string() + " 2>&1").c_str());
    // /bin/true launches nothing; without a driver ncu says so too. An option that it does not know ends it at once.
    const std::string output = read_file(says) + (fs::exists(log) ? read_file(log) : "");
    CHECK_THAT(output, Contains("No kernels were profiled") && !Contains("unrecognised option") &&
                           !Contains("Failed to find metric"));
}

TEST_CASE("nvprof counts in one run and times in another") {
    auto request = request_for("3.5");
    request.filter.name = "add";
    const auto commands = nvprof_commands("nvprof", request, "m.csv", "t.csv");
    REQUIRE(commands.size() == 2);
    CHECK_THAT(text(commands[0]),
               Contains("--log-file m.csv --kernels ^add$ --metrics flop_count_sp_fma,") && Contains("/bin/true -n 3"));
    CHECK_THAT(text(commands[1]), Contains("--print-gpu-trace --log-file t.csv /bin/true -n 3"));
    request.filter.launch_skip = 1;
    CHECK_THROWS_AS(nvprof_commands("nvprof", request, "m", "t"), UsageError);
}

TEST_CASE("rocprofv3 gets its counters by lines, named as the chip has them") {
    CHECK_THAT(rocprof_input("gfx942"), Contains("TCC_EA0_RDREQ_sum") && Contains("TCC_BUBBLE_sum"));
    CHECK_THAT(rocprof_input("gfx90a"), Contains("TCC_EA_RDREQ_sum") && !Contains("BUBBLE"));
    auto request = request_for("gfx942");
    request.filter.name = "add";
    CHECK(text(rocprof_command("rocprofv3", request, "in.txt", "out")) ==
          "rocprofv3 -i in.txt --output-format csv -d out -o run --kernel-include-regex \\badd\\b -- /bin/true -n 3");
}

TEST_CASE("what a tool complains of is told without its marks") {
    CHECK(complaints("==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - no permission\nhello\n") ==
          "ERR_NVGPUCTRPERM - no permission");
    CHECK(complaints("======== Error: CUDA device error, GPU profiling skipped\n") ==
          "Error: CUDA device error, GPU profiling skipped");
    CHECK(complaints("Error: the application's own\n").empty());
}

TEST_CASE("ncu's output becomes the profile, its failure is told in its words") {
    const std::string rows =
        R"~("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","smsp__inst_executed.sum")~"
        "\n"
        R"~("","","","","","","","","","","","inst")~"
        "\n"
        R"~("0","1","true","h","add(int)","1","7","(32, 1, 1)","(2, 1, 1)","0","8.0","1,024")~"
        "\n";
    {
        const FakeTool ncu(
            "ncu", find_word + "cat > \"$(find_word --log-file \"$@\")\" <<'E'\n==PROF== Connected\n" + rows + "E\n");
        const auto result = collect_ncu(request_for("8.0"));
        CHECK(result.application_status == 0);
        CHECK(result.profile.gpu == "A GPU");
        CHECK(result.profile.provenance.collector == "ncu");
        CHECK(result.profile.provenance.counters == "measured");
        CHECK(result.profile.kernels.at(0).metrics.warp_inst->value == 1024);
        CHECK_FALSE(result.profile.partial);
    }
    {
        const FakeTool ncu("ncu",
                           find_word + "cat > \"$(find_word --log-file \"$@\")\" <<'E'\n" + rows + "E\nexit 7\n");
        const auto result = collect_ncu(request_for("8.0"));
        CHECK(result.application_status == 7);
        CHECK(result.profile.partial);
        CHECK(result.profile.kernels.size() == 1);
    }
    {
        const FakeTool ncu("ncu", find_word +
                                      "echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission' > "
                                      "\"$(find_word --log-file \"$@\")\"; exit 1\n");
        CHECK_THROWS_WITH(collect_ncu(request_for("8.0")), Contains("ncu failed") && Contains("ERR_NVGPUCTRPERM"));
    }
    {
        const FakeTool ncu("ncu", "exit 9\n");
        CHECK_THROWS_WITH(collect_ncu(request_for("8.0")), Contains("exit code 9") && Contains("wrote nothing"));
    }
}

TEST_CASE("nvprof's counters and times are joined") {
    const auto fixtures = test::source_directory() + "/tests/fixtures/import/";
    const FakeTool nvprof("nvprof", find_word + "log=$(find_word --log-file \"$@\")\ncase \"$*\" in\n" +
                                        "*--print-gpu-trace*) cat " + fixtures + "nvprof_trace.csv > $log;;\n" +
                                        "*) cat " + fixtures + "nvprof_metrics.csv > $log;;\nesac\n");
    const auto profile = collect_nvprof(request_for("3.5")).profile;
    REQUIRE(profile.kernels.size() == 1);
    CHECK(profile.kernels[0].launches == 4);
    CHECK(profile.kernels[0].grid == Dim3{20, 40, 1});
    CHECK(profile.kernels[0].metrics.warp_inst->value == 4 * 46194400.0);
    CHECK(profile.kernels[0].duration->sum.value == Approx(12.808e-3));
}

TEST_CASE("of nvprof's times, which are of all kernels, those of the kernels chosen are kept") {
    const std::string metrics =
        "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n"
        "\"Tesla K20c (0)\",\"void add<int>(int*)\",1,\"inst_executed\",\"x\",5,5,5\n";
    const auto launch = [](const std::string& name) {
        return "213.1,12.5,1,1,1,32,1,1,25,\"Tesla K20c (0)\",\"" + name + "\"\n";
    };
    const std::string trace =
        "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\","
        "\"Registers Per Thread\",\"Device\",\"Name\"\nms,us,,,,,,,,,\n" +
        launch("void add<int>(int*)") + launch("void add<float>(float*)") + launch("other(int)");
    const FakeTool nvprof("nvprof", find_word +
                                        "log=$(find_word --log-file \"$@\")\ncase \"$*\" in\n"
                                        "*--print-gpu-trace*) cat > $log <<'E'\n" +
                                        trace + "E\n;;\n*) cat > $log <<'E'\n" + metrics + "E\n;;\nesac\n");
    auto request = request_for("3.5");
    request.filter.name = "add";
    const auto kernels = collect_nvprof(request).profile.kernels;
    REQUIRE(kernels.size() == 2);
    CHECK(kernels[0].metrics.warp_inst->value == 5);
    CHECK(kernels[0].duration->sum.value == Approx(12.5e-6));
    CHECK(kernels[1].kernel == "void add<float>(float*)");
    // What nvprof counted it chose: its expressions see less of a name than ours.
    request.filter.name = "regex:^add";
    const auto counted = collect_nvprof(request).profile.kernels;
    REQUIRE(counted.size() == 1);
    CHECK(counted[0].kernel == "void add<int>(int*)");
    request.filter.name.reset();
    CHECK(collect_nvprof(request).profile.kernels.size() == 3);
}

TEST_CASE("a tool's launches are those of the reference, whatever else the program uses") {
    const std::string header =
        "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n";
    const auto row = [](const std::string& device, const std::string& value) {
        return "\"" + device + "\",\"k\",1,\"inst_executed\",\"x\",1,1," + value + "\n";
    };
    const FakeTool nvprof("nvprof", find_word + "cat > \"$(find_word --log-file \"$@\")\" <<'E'\n" + header +
                                        row("NVS 510 (0)", "5") + row("NVIDIA A GPU (1)", "6") + "E\n");
    auto request = request_for("3.5");
    request.is_reference = [](const std::string& name) {
        return name == "NVIDIA A GPU" ? NameMatch(true) : NameMatch::unknown();
    };
    const auto kernels = collect_nvprof(request).profile.kernels;
    REQUIRE(kernels.size() == 1);
    CHECK(kernels[0].metrics.warp_inst->value == 6);
}

TEST_CASE("rocprofv3's passes are joined") {
    const std::string head =
        "\\\"Dispatch_Id\\\",\\\"Kernel_Name\\\",\\\"Grid_Size\\\",\\\"Workgroup_Size\\\",\\\"Counter_Name\\\","
        "\\\"Counter_Value\\\"";
    const FakeTool rocprof(
        "rocprofv3", find_word +
                         "d=$(find_word -d \"$@\"); mkdir -p $d/pass_1 $d/pass_2\n"
                         "printf \"" +
                         head +
                         "\\n1,k,128,64,SQ_INSTS,5\\n\" > $d/pass_1/run_counter_collection.csv\n"
                         "printf \"" +
                         head + "\\n1,k,128,64,SQ_INSTS_VALU_FMA_F32,3\\n\" > $d/pass_2/run_counter_collection.csv\n");
    const auto profile = collect_rocprof(request_for("gfx942")).profile;
    REQUIRE(profile.kernels.size() == 1);
    CHECK(profile.kernels[0].metrics.warp_inst->value == 10);
    CHECK(profile.kernels[0].metrics.thread_inst_fp32_fma->value == 192);
    CHECK(profile.provenance.collector == "rocprof");
}
