#include "collector/collect.hpp"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "collector/launch/launch.hpp"
#include "collector/simulate/session.hpp"
#include "model/error.hpp"
#include "targets/catalog.hpp"
#include "tests/support/directories.hpp"
#include "tests/support/skip.hpp"

using namespace gpuproj;

namespace {

const std::string examples = test::binary_directory() + "/examples/";
const std::string variants = test::binary_directory() + "/tests/programs/";
const std::string programs = test::binary_directory() + "/tests/simulate/";

CollectRequest request(std::vector<std::string> command) {
    CollectRequest request;
    request.command = std::move(command);
    request.reference = Catalog({}).get("GTX480");
    request.application_stdout_to_stderr = true;
    return request;
}

CollectResult misbehave(const std::string& way) {
    return collect(request({programs + "misbehave", way}));
}

/// With a SIGINT to this process after two seconds.
CollectResult collect_interrupted(const CollectRequest& wanted) {
    std::thread sender([] {
        std::this_thread::sleep_for(std::chrono::seconds(2));
        kill(getpid(), SIGINT);
    });
    auto result = collect(wanted);
    sender.join();
    return result;
}

struct Refusal {
    int code = 0;
    std::string text;
    bool says(const std::string& part) const { return text.find(part) != std::string::npos; }
};
Refusal refusal(const CollectRequest& wanted) {
    try {
        collect(wanted);
    } catch (const Error& error) {
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
        return {error.exit_code(), error.what()};
    }
    return {};
}

bool has_note(const std::vector<std::string>& notes, const std::string& part) {
    return std::any_of(notes.begin(), notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("vector addition: one record, counts that can be worked out by hand, provenance") {
    const auto result = collect(request({examples + "vector_add"}));
    CHECK(result.application_status == 0);
    const auto& profile = result.profile;
    CHECK_FALSE(profile.partial);
    CHECK(profile.gpu == "GeForce GTX 480");
    CHECK(profile.provenance.counters == "simulated");
    CHECK(profile.provenance.collector == "simulate");
    REQUIRE(profile.provenance.program_sha256);
    CHECK(profile.provenance.program_sha256->size() == 64);
    CHECK(profile.provenance.command == examples + "vector_add");
    REQUIRE(profile.kernels.size() == 1);
    const auto& kernel = profile.kernels[0];
    const double n = kernel.metrics.thread_inst_fp32->value / static_cast<double>(kernel.launches);
    CHECK(n > 1e6);
    // Two loads and a store of 4 bytes each.
    CHECK(kernel.metrics.thread_inst_load_store->value == 3 * n * static_cast<double>(kernel.launches));
    const double traffic = 32 * (kernel.metrics.dram_read->value + kernel.metrics.dram_write->value);
    CHECK(traffic / static_cast<double>(kernel.launches) == Approx(12 * n).epsilon(0.02));
    CHECK(profile.peak_device_memory->value == Approx(12 * n));
    REQUIRE(profile.transfers.size() >= 2);
    CHECK(profile.transfers[0].direction == "host_to_device");
    CHECK(profile.transfers[0].bytes.value == 8 * n);
    CHECK(profile.host_time->value > 0);
}

TEST_CASE("shared runtime, static runtime and a file without debug information give the same counts") {
    const auto plain = collect(request({examples + "vector_add"})).profile;
    for (const char* variant : {"vector_add_shared", "vector_add_strip_debug"}) {
        const auto other = collect(request({variants + variant})).profile;
        REQUIRE(other.kernels.size() == plain.kernels.size());
        CHECK(other.kernels[0].kernel == plain.kernels[0].kernel);
        CHECK(other.kernels[0].metrics.warp_inst->value == plain.kernels[0].metrics.warp_inst->value);
        CHECK(other.kernels[0].metrics.dram_read->value == plain.kernels[0].metrics.dram_read->value);
    }
}

TEST_CASE("the runtime's functions keep their promises, however the program is linked") {
    for (const char* program : {"runtime_api", "runtime_api_shared", "runtime_api_no_pie"}) {
        const auto result = collect(request({programs + program}));
        CHECK(result.application_status == 0);
        CHECK_FALSE(result.profile.partial);
    }
}

TEST_CASE("programs of older toolkits meet the interface they were built for") {
    for (const char* program : {"abi_11", "abi_12", "registers_references"}) {
        INFO(program);
        simulate::Session session({.reference = Catalog({}).get("GTX480"), .filter = {}});
        launch::Command command;
        command.words = {programs + program};
        command.environment = session.environment();
        CHECK(launch::run(command).status == 0);
    }
}

TEST_CASE("programs of toolkits before 11 run, by shared runtimes and by static ones") {
    if (!std::filesystem::exists(programs + "kernels.fatbin")) GPUPROJ_SKIP("no libcuda.so beside nvcc");
    for (const char* program : {"abi_7.5", "abi_8.0", "abi_9.0", "abi_10.2", "abi_8.0_static"}) {
        INFO(program);
        const auto result = collect(request({programs + program, programs + "kernels.fatbin"}));
        CHECK(result.application_status == 0);
        REQUIRE(result.profile.kernels.size() == 1);
        CHECK(result.profile.kernels.front().launches == 1);
    }
}

TEST_CASE("programs on the driver API run as those on the runtime do") {
    if (!std::filesystem::exists(programs + "driver_api")) GPUPROJ_SKIP("no libcuda.so beside nvcc");
    const auto result =
        collect(request({programs + "driver_api", programs + "kernels.ptx", programs + "kernels.fatbin"}));
    CHECK(result.application_status == 0);
    CHECK_FALSE(result.profile.partial);
    const auto& kernels = result.profile.kernels;
    const auto scale = std::find_if(kernels.begin(), kernels.end(), [](const auto& k) { return k.kernel == "scale"; });
    REQUIRE(scale != kernels.end());
    CHECK(scale->launches == 4);
    CHECK(scale->metrics.thread_inst_fp32->value == 4 * 1000);  // one product each of 1000 threads

    const auto machine_code = refusal(request({programs + "driver_api", programs + "kernels.cubin"}));
    CHECK(machine_code.code == 3);
    CHECK(machine_code.says("cuModuleLoad"));
    CHECK(machine_code.says("kernels.cubin"));
    CHECK(machine_code.says("load PTX"));
}

TEST_CASE("programs that compile their kernels at run time, to machine code, run from the PTX of it") {
    if (!std::filesystem::exists(programs + "compiles_itself")) GPUPROJ_SKIP("no NVRTC");
    const auto result = collect(request({programs + "compiles_itself"}));
    CHECK(result.application_status == 0);
    REQUIRE(result.profile.kernels.size() == 1);
    CHECK(result.profile.kernels[0].kernel == "twice");
}

TEST_CASE("kernels in libraries, linked and loaded at run time") {
    for (const char* program : {"uses_library", "opens_library"}) {
        const auto result = collect(request({programs + program}));
        CHECK(result.application_status == 0);
        REQUIRE(result.profile.kernels.size() == 1);
        CHECK(result.profile.kernels[0].kernel == "doubled(int*, int)");
    }
}

TEST_CASE("relocatable device code: kernels, functions and variables of several files") {
    const auto result = collect(request({programs + "separate"}));
    CHECK(result.application_status == 0);
    CHECK(result.profile.kernels.size() == 3);
    CHECK(has_note(result.profile.notes, "asked cudaMemsetAsync for bytes of 1, and got zeros"));
}

TEST_CASE("launches are chosen by name, and one by one if asked") {
    auto wanted = request({programs + "runtime_api"});
    wanted.filter.name = "count";
    wanted.per_launch = true;
    wanted.filter.launch_skip = 1;
    wanted.filter.launch_count = 2;
    const auto profile = collect(wanted).profile;
    REQUIRE(profile.kernels.size() == 2);
    CHECK(profile.kernels[1].kernel == "count(int)");
    wanted.filter.name = "counts";
    const auto none = refusal(wanted);
    CHECK(none.code == 3);
    CHECK(none.says("count"));
    wanted.filter.name = "regex:(";
    CHECK(refusal(wanted).code == 2);
}

TEST_CASE("what cannot be simulated is refused before the launch, with what to do") {
    const auto stripped = refusal(request({variants + "vector_add_stripped"}));
    CHECK(stripped.code == 3);
    CHECK(stripped.says("stripped"));
    CHECK(stripped.says("-cudart shared"));
    const auto no_ptx = refusal(request({variants + "vector_add_no_ptx"}));
    CHECK(no_ptx.code == 3);
    CHECK(no_ptx.says("-gencode arch=compute_80,code=compute_80"));
    CHECK(refusal(request({programs + "not_there"})).says("no such file"));
    auto no_reference = request({examples + "vector_add"});
    no_reference.reference.reset();
    CHECK(refusal(no_reference).code == 2);
    CHECK(refusal(request({})).code == 2);
}

TEST_CASE("a program that launches nothing is an error") {
    CHECK(refusal(request({programs + "misbehave", "no_kernel"})).says("launched no kernel"));
    CHECK(refusal(request({"/bin/true"})).code == 3);
}

TEST_CASE("a program that fails by itself gives what was collected, marked partial, and its status") {
    const auto exits = misbehave("exit_3");
    CHECK(exits.application_status == 3);
    CHECK(exits.profile.partial);
    CHECK(exits.profile.kernels.size() == 1);
    const auto aborts = misbehave("crash");
    CHECK(aborts.application_status == 128 + SIGABRT);
    CHECK(aborts.profile.partial);
    CHECK(aborts.profile.kernels.size() == 1);
    CHECK(misbehave("killed").application_status == 128 + SIGKILL);
    const auto waits = misbehave("crash_behind_wait");
    CHECK(waits.application_status == 128 + SIGABRT);
    REQUIRE(waits.profile.kernels.size() == 1);
    CHECK(waits.profile.kernels[0].launches == 3);
    // Nothing is missing of a program that ends without a word, unless it does so at once.
    const auto quick = misbehave("quick_exit");
    CHECK(quick.application_status == 0);
    CHECK_FALSE(quick.profile.partial);
    CHECK(quick.profile.kernels.at(0).launches == 3);
    CHECK(quick.profile.transfers.size() == 2);  // a copy and a memset
    const auto at_once = misbehave("exit_in_launch");
    CHECK(at_once.application_status == 0);
    CHECK(at_once.profile.partial);
    const auto full = misbehave("disk_full");
    CHECK(full.application_status == 0);
    CHECK(full.profile.partial);
}

TEST_CASE("kernels are launched until the very end of a process") {
    const auto destructor = misbehave("static_destructor");
    CHECK(destructor.application_status == 0);
    CHECK_FALSE(destructor.profile.partial);
    CHECK(destructor.profile.kernels.size() == 2);
    const auto at_exit = misbehave("at_exit");
    CHECK(at_exit.application_status == 0);
    REQUIRE(at_exit.profile.kernels.size() == 1);
    CHECK(at_exit.profile.kernels[0].launches == 2);
}

TEST_CASE("a kernel's fault reaches the program as its CUDA error, and the reader by name") {
    const auto result = misbehave("fault");
    CHECK(result.application_status == 4);
    CHECK(result.profile.partial);
    CHECK(has_note(result.profile.notes, "write_to_null"));
    CHECK(has_note(result.profile.notes, "--out-of-bounds ignore"));

    // That option is for global memory, and what is right behind shared memory.
    const auto shared = misbehave("shared_fault");
    CHECK(shared.application_status == 4);
    CHECK(has_note(shared.profile.notes, "write_behind_shared"));
    CHECK_FALSE(has_note(shared.profile.notes, "--out-of-bounds ignore"));
}

TEST_CASE("a kernel's fault names the line of the source where the program was built with lines") {
    // The line of misbehave.cu that writes.
    std::ifstream source(test::source_directory() + "/tests/simulate/programs/misbehave.cu");
    std::string line, place;
    for (int number = 1; place.empty() && std::getline(source, line); ++number)
        if (line.find("values[threadIdx.x] = 1;") != std::string::npos)
            place = "misbehave.cu:" + std::to_string(number) + " (PTX line";
    REQUIRE_FALSE(place.empty());
    for (const char* built : {"misbehave_with_lines", "misbehave_debug"}) {
        const auto result = collect(request({programs + built, "fault"}));
        CAPTURE(built, result.profile.notes);
        CHECK(result.profile.partial);
        CHECK(has_note(result.profile.notes, place));
    }
}

TEST_CASE("registers are those of machine code, if need be of that for another generation") {
    auto near = request({programs + "misbehave_with_lines", "fault"});  // sm_80
    near.reference = Catalog({}).get("A100 SXM4 80GB");
    const auto assembled = collect(near);
    REQUIRE(assembled.profile.kernels.size() >= 1);
    CHECK(has_note(assembled.profile.kernels[0].notes, "machine code for sm_80"));
    CHECK(assembled.profile.kernels[0].registers_per_thread.value_or(0) >= 4);
    const auto far = collect(request({programs + "misbehave_with_lines", "fault"}));  // on a GTX 480
    REQUIRE(far.profile.kernels.size() >= 1);
    const std::uint32_t there = assembled.profile.kernels[0].registers_per_thread.value_or(0);
    CHECK(has_note(far.profile.kernels[0].notes,
                   "from the " + std::to_string(there) + " that machine code for sm_80 has"));
    CHECK(far.profile.kernels[0].registers_per_thread.value_or(0) < there);  // Fermi's code takes fewer
}

TEST_CASE("functions that are not simulated are named") {
    const auto handle = misbehave("pool_export");
    CHECK(handle.application_status == 3);
    CHECK(handle.profile.partial);
    CHECK(handle.profile.kernels.size() == 1);  // the one before
    CHECK(handle.profile.notes.back().find("cudaMemPoolExportToShareableHandle") != std::string::npos);
    const auto compressed = misbehave("compressed_texture");
    CHECK(compressed.application_status == 3);
    CHECK(has_note(compressed.profile.notes, "compressed blocks (BC1 to BC7)"));
    // Where the program launches kernels and ends well all the same, it is a note.
    const auto tolerant = misbehave("tolerant");
    CHECK(tolerant.application_status == 0);
    CHECK(!tolerant.profile.partial);
    CHECK(has_note(tolerant.profile.notes, "cudaMemPoolExportToShareableHandle"));
}

TEST_CASE("processes: CUDA after fork is an error, fork before CUDA and exec are followed") {
    const auto forked = misbehave("fork");
    CHECK(forked.application_status == 3);
    CHECK(forked.profile.partial);
    CHECK(forked.profile.kernels.at(0).launches == 1);  // the parent's
    CHECK(has_note(forked.profile.notes, "forked child"));
    const auto tolerant = misbehave("tolerant_fork");
    CHECK(tolerant.application_status == 0);
    CHECK_FALSE(tolerant.profile.partial);
    CHECK(has_note(tolerant.profile.notes, "forked child"));
    const auto early = misbehave("exit_early_fork");
    CHECK(early.application_status == 0);
    CHECK(early.profile.kernels.at(0).launches == 1);
    const auto exec = misbehave("fork_exec");
    CHECK(exec.application_status == 0);
    CHECK_FALSE(exec.profile.partial);
    CHECK(exec.profile.kernels.at(0).launches == 2);
    const auto script = collect(request({"/bin/sh", "-c", programs + "misbehave plain"}));
    CHECK(script.profile.kernels.at(0).launches == 1);
}

TEST_CASE("launch limits are those the program was compiled for, what the reference would refuse is noted") {
    CHECK(misbehave("too_much_shared").application_status == 0);
    const auto big = misbehave("big_grid");
    CHECK(big.application_status == 0);
    REQUIRE(big.profile.kernels.size() == 2);
    CHECK_FALSE(has_note(big.profile.kernels[0].notes, "would refuse"));
    CHECK(has_note(big.profile.kernels[1].notes, "GeForce GTX 480 would refuse this launch"));
}

TEST_CASE("launches that CUDA has an error for are noted, as programs need not look at it") {
    const auto unseen = misbehave("unseen_errors");
    CHECK(unseen.application_status == 0);
    CHECK_FALSE(unseen.profile.partial);
    CHECK(unseen.profile.kernels.at(0).launches == 1);  // the one before
    const std::string start = "kernel fill(int*, int) was not launched, once at least, and got ";
    CHECK(has_note(unseen.profile.notes, start +
                                             "cudaErrorInvalidConfiguration as on a GPU: blocks of 2048 threads, of "
                                             "which the GPU takes 1024"));
    CHECK_FALSE(has_note(unseen.profile.notes, "3072"));
    CHECK(has_note(unseen.profile.notes, start + "cudaErrorInvalidValue as on a GPU: 60000 bytes of dynamic shared "
                                                 "memory, of which the kernel has 49152 unless cudaFuncSetAttribute "
                                                 "raises it"));
}

TEST_CASE("launches by kernels that CUDA has an error for are noted") {
    const auto nested = collect(request({programs + "../programs/nested_launches"}));
    CHECK(nested.application_status == 0);
    CHECK(has_note(nested.profile.notes,
                   "kernel step(int*, Step) was not launched by kernel launch_too_much(int*, int*), once at least, and "
                   "got cudaErrorInvalidConfiguration as on a GPU: blocks of 2048 threads, of which the GPU takes "
                   "1024"));
}

TEST_CASE("a kernel that never ends is stopped at the time limit or by a signal, and named") {
    auto wanted = request({programs + "misbehave", "endless"});
    wanted.timeout = Seconds{2};
    const auto late = collect(wanted);
    CHECK(late.application_status == 128 + SIGTERM);
    CHECK(late.profile.partial);
    CHECK(late.profile.kernels.size() == 1);  // the one before
    CHECK(has_note(late.profile.notes, "endless"));

    wanted.timeout.reset();
    const auto interrupted = collect_interrupted(wanted);
    CHECK(interrupted.application_status == 128 + SIGINT);
    CHECK(has_note(interrupted.profile.notes, "interrupted"));
}

TEST_CASE("a kernel that is running at the time limit, or when a signal comes, counts by the blocks that have begun") {
    auto wanted = request({programs + "misbehave", "busy"});
    wanted.timeout = Seconds{2};
    const auto check = [](const CollectResult& result) {
        CHECK(result.profile.partial);
        REQUIRE(result.profile.kernels.size() == 2);
        const KernelRecord& busy = result.profile.kernels[1];
        CHECK(busy.kernel == "busy(int*, int)");
        REQUIRE(busy.sampled_fraction);
        CHECK(*busy.sampled_fraction < 0.5);
        CHECK(has_note(busy.notes, "of 100000 blocks, those that had begun when the launch was cut off, were counted"));
        CHECK(busy.metrics.warp_inst_global_store->value == Approx(100'000 * 128 / 32));
        CHECK(has_note(result.profile.notes, "during kernel busy(int*, int)"));
    };
    const auto late = collect(wanted);
    CHECK(late.application_status == 128 + SIGTERM);
    check(late);
    wanted.timeout.reset();
    const auto interrupted = collect_interrupted(wanted);
    CHECK(interrupted.application_status == 128 + SIGINT);
    check(interrupted);
}

TEST_CASE("where results do not matter, a program that finds them wrong has a whole profile") {
    auto wanted = request({programs + "misbehave", "busy"});
    wanted.sample = BlockSample{0, true};
    const auto result = collect(wanted);
    CHECK(result.application_status == 7);
    CHECK_FALSE(result.profile.partial);
    REQUIRE(result.profile.kernels.size() == 2);
    CHECK(result.profile.kernels[1].metrics.warp_inst_global_store->value == Approx(100'000 * 128 / 32));
    CHECK(has_note(result.profile.notes, "ended with exit code 7, as programs do that find their results wrong"));
    CHECK(has_note(result.profile.notes, "the results of the application are not valid"));
}

TEST_CASE("a kernel that waits when the program ends is stopped, not counted, and named") {
    const auto result = misbehave("left_running");
    CHECK(result.application_status == 0);
    CHECK(result.profile.kernels.size() == 1);  // the one before
    CHECK(has_note(result.profile.notes, "endless(int volatile*) was running still when the program ended"));
}

TEST_CASE("a program that ends while a function of its own runs has what is behind that done, unless it never ends") {
    const auto soon = misbehave("ends_in_function");
    CHECK(soon.application_status == 0);
    REQUIRE(soon.profile.kernels.size() == 1);
    CHECK(soon.profile.kernels[0].launches == 2);
    const auto never = misbehave("left_in_function");
    CHECK(never.application_status == 0);
    REQUIRE(never.profile.kernels.size() == 1);
    CHECK(never.profile.kernels[0].launches == 1);
}

TEST_CASE("calls within calls go as deep as the stack that the program asks for") {
    const auto result = misbehave("stack_overflow");
    CHECK(result.application_status == 4);
    CHECK(has_note(result.profile.notes, "stack overflow"));
    CHECK(has_note(result.profile.notes, "cudaLimitStackSize"));
}
