#include <catch2/catch.hpp>

#include "collector/records/kernel_names.hpp"
#include "collector/records/log.hpp"
#include "collector/records/merge.hpp"
#include "collector/records/sha256.hpp"
#include "model/error.hpp"

using namespace gpuproj;
using namespace gpuproj::records;

namespace {

KernelRecord record(const std::string& kernel, double warp_inst) {
    KernelRecord r;
    r.kernel = kernel;
    r.grid = Dim3{4, 1, 1};
    r.block = Dim3{256, 1, 1};
    r.dynamic_shared = Bytes{64};
    r.metrics.warp_inst = Instructions{warp_inst};
    r.metrics.achieved_occupancy = 0.5;
    return r;
}

}  // namespace

TEST_CASE("lines are read back as they were written") {
    Log log;
    auto kernel = record("add", 12345678901.0);
    kernel.launches = 3;
    kernel.notes = {"a note"};
    std::string text = to_text({.begin = "./app"}) + to_text({.device = Device{0, "Tesla T4"}}) +
                       to_text({.kernel = kernel}) +
                       to_text({.transfer = Transfer{"host_to_device", 2, Bytes{4096}, Seconds{0.25}}}) +
                       to_text({.peak_device_memory = Bytes{100}}) + to_text({.peak_device_memory = Bytes{50}}) +
                       to_text({.failure = Failure{std::string(unsupported), "cudaFoo", "add", ""}}) +
                       to_text({.note = "caf\xe9"}) + to_text({.end = true});
    read_lines(text, "1.jsonl", log);
    CHECK(log.begun == 1);
    CHECK(log.ended == 1);
    REQUIRE(log.kernels.size() == 1);
    CHECK(log.gpus == std::vector<std::string>{"Tesla T4"});
    CHECK(log.kernels[0].launches == 3);
    CHECK(log.kernels[0].metrics.warp_inst->value == 12345678901.0);
    CHECK_FALSE(log.kernels[0].metrics.thread_inst);
    CHECK(log.transfers.at(0).bytes.value == 4096);
    CHECK(log.peak_device_memory->value == 100);
    CHECK(log.failures.at(0).what == "cudaFoo");
    CHECK(log.notes.size() == 1);
}

TEST_CASE("a line cut off by the end of the process is ignored, a foreign one is not") {
    Log log;
    const auto line = to_text({.kernel = record("add", 1)});
    read_lines(line + line.substr(0, line.size() / 2), "1.jsonl", log);
    CHECK(log.kernels.size() == 1);
    CHECK(log.gpus == std::vector<std::string>{""});  // each process names its GPUs by itself
    CHECK_THROWS_AS(read_lines("{\"kernel\":\n", "1.jsonl", log), Error);
    CHECK_THROWS_AS(read_lines("{\"unknown\":1}\n", "1.jsonl", log), Error);
}

TEST_CASE("launches of one configuration are summed, others kept apart, unknown stays unknown") {
    auto first = record("add", 10), second = record("add", 32), other = record("add", 1), third = record("scale", 5);
    first.metrics.thread_inst = Instructions{100};
    second.launches = 3;
    second.metrics.achieved_occupancy = 0.9;
    other.block = Dim3{128, 1, 1};
    const std::vector<KernelRecord> all{first, third, second, other};
    const auto sums = sum_records(all);
    REQUIRE(sums.size() == 3);
    CHECK(sums[0].launches == 4);
    CHECK(sums[0].metrics.warp_inst->value == 42);
    CHECK_FALSE(sums[0].metrics.thread_inst);
    CHECK(*sums[0].metrics.achieved_occupancy == Approx(0.8));  // (1 x 0.5 + 3 x 0.9) / 4
    CHECK(sums[1].kernel == "scale");
    CHECK(same_launch(first, second));
    CHECK_FALSE(same_launch(first, other));
}

TEST_CASE("means over launches are the same however many launches were added at a time") {
    std::vector<KernelRecord> all;
    for (int i = 0; i < 3000; ++i) {
        auto launch = record("add", 10);
        launch.metrics.achieved_occupancy = (i % 7) / 27.0;
        launch.metrics.load_parallelism = 1 + i / 3.0;
        launch.metrics.dram_read = Sectors{7.0 + i};
        launch.metrics.dram_read_page_share = 0.1 + i / 7000.0;
        launch.sampled_fraction = 1.0 / (1 + i);
        all.push_back(launch);
    }
    const KernelRecord sum = sum_records(all).at(0);
    CHECK(*sum.metrics.load_parallelism == 500.833333333);  // 1 + 2999 / 6, to nine digits
    for (const std::size_t at_a_time : {2U, 17U, 1000U}) {
        std::vector<KernelRecord> gathered;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (i % at_a_time == 0)
                gathered.push_back(all[i]);
            else
                add_record(gathered.back(), all[i]);
        }
        const KernelRecord other = sum_records(gathered).at(0);
        CHECK(*other.metrics.achieved_occupancy == *sum.metrics.achieved_occupancy);
        CHECK(*other.metrics.load_parallelism == *sum.metrics.load_parallelism);
        CHECK(*other.metrics.dram_read_page_share == *sum.metrics.dram_read_page_share);
        CHECK(*other.sampled_fraction == *sum.sampled_fraction);
    }
}

TEST_CASE("kernels are known by their base name") {
    CHECK(demangle("_Z3addPKfS0_Pfi") == "add(float const*, float const*, float*, int)");
    CHECK(demangle("plain") == "plain");
    CHECK(base_name("add(float const*, float const*, float*, int)") == "add");
    CHECK(base_name("void ns::add<float, 3>(float*)") == "add");
    CHECK(base_name("void (anonymous namespace)::step<(int)4>(int)") == "step");
    CHECK(base_name("std::pair<int, int> a::b<c<int>>::run<(bool)1>(d(*)(int))") == "run");
    CHECK(base_name("plain_c_name") == "plain_c_name");
}

TEST_CASE("launches are selected by name, skip and count as ncu does") {
    const auto pick = [](const KernelFilter& filter) {
        LaunchSelector selector(filter);
        std::string picked;
        for (const char* name : {"void a<int>(int)", "b(int)", "void a<int>(int)", "a_2(int)", "void a<int>(int)"})
            picked += selector.selects(name) ? '1' : '0';
        return picked;
    };
    CHECK(pick({}) == "11111");
    CHECK(pick({.name = "a"}) == "10101");
    CHECK(pick({.name = "regex:^a"}) == "00010");
    CHECK(pick({.name = "a", .launch_skip = 1, .launch_count = 1}) == "00100");
    CHECK(pick({.launch_skip = 3}) == "00011");
    CHECK(pick({.launch_skip = 1, .launch_count = UINT64_MAX}) == "01111");
    CHECK_THROWS_AS(pick({.name = "regex:("}), UsageError);
}

TEST_CASE("sha256 of the examples of FIPS 180-4, around the block size") {
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
