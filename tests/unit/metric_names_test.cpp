#include "collector/metric_names/metric_names.hpp"

#include <catch2/catch.hpp>

#include "collector/metric_names/units.hpp"

using namespace gpuproj;

TEST_CASE("units of ncu and nvprof come to base units") {
    const auto seconds = [](const char* text) { return vendor_unit(text)->factor; };
    CHECK(seconds("us") == 1e-6);
    CHECK(seconds("usecond") == 1e-6);
    CHECK(seconds("ms") == 1e-3);
    CHECK(seconds("nsecond") == 1e-9);
    CHECK(seconds("\xC2\xB5s") == 1e-6);  // the micro sign
    CHECK(seconds("s") == 1);
    CHECK(vendor_unit("s")->measure == Measure::second);
    CHECK(vendor_unit("Mbyte")->factor == 1e6);
    CHECK(vendor_unit("Kbyte/block")->factor == 1e3);
    CHECK(vendor_unit("Kbyte/block")->measure == Measure::byte);
    CHECK(vendor_unit("KB", BytePrefix::binary)->factor == 1024);
    CHECK(vendor_unit("MB", BytePrefix::binary)->factor == 1048576);
    CHECK(vendor_unit("ms", BytePrefix::binary)->factor == 1e-3);
    CHECK(vendor_unit("GB/s")->measure == Measure::byte_per_second);
    CHECK(vendor_unit("cycle/nsecond")->factor == 1e9);
    CHECK(vendor_unit("Ghz")->factor == 1e9);
    CHECK(vendor_unit("%")->factor == 0.01);
    CHECK(vendor_unit("inst")->factor == 1);
    CHECK(vendor_unit("")->measure == Measure::count);
    CHECK_FALSE(vendor_unit("furlong"));
    CHECK_FALSE(vendor_unit("M"));
}

TEST_CASE("numbers with separated thousands, in both styles") {
    const NumberStyle point, comma{','};
    CHECK(vendor_number("5,156,128", point) == 5156128);
    CHECK(vendor_number("5.156.128", comma) == 5156128);
    CHECK(vendor_number("1,234.5", point) == 1234.5);
    CHECK(vendor_number("1.234,5", comma) == 1234.5);
    CHECK(vendor_number("5 156 128", point) == 5156128);
    CHECK(vendor_number("1.68555351e-01", point) == 0.168555351);
    CHECK(vendor_number("+3", point) == 3);
    CHECK(vendor_number("-3", point) == -3);
    for (const char* bad :
         {"", "1,23", "1,2345", ",123", "1,,234", "12,34,567", "0x10", "1e", "1e99", "nan", "3 apples", "1.2.3"}) {
        INFO(bad);
        CHECK_FALSE(vendor_number(bad, point));
    }
}

TEST_CASE("the style of a file is what leaves no doubt in it") {
    const auto decimal = [](std::vector<std::string_view> cells) { return number_style(cells).decimal; };
    CHECK(decimal({"5,760", "28,448"}) == '.');
    CHECK(decimal({"5,760", "28.5"}) == '.');
    CHECK(decimal({"5.760", "28,5"}) == ',');
    CHECK(decimal({"5.156.128", "28.448"}) == ',');
    CHECK(decimal({"1.234,5"}) == ',');
    CHECK(decimal({"abc", ""}) == '.');
}

TEST_CASE("one quantity has one name per chip, and the first that is there is taken") {
    const auto family = MetricFamily::nsight;
    CHECK(to_kernel_metrics(family, {{"dram__sectors_read.sum", 7}}).dram_read->value == 7);
    CHECK(to_kernel_metrics(family, {{"dram__sectors_op_read.sum", 7}}).dram_read->value == 7);
    CHECK(to_kernel_metrics(family, {{"dram__bytes_read.sum", 320}}).dram_read->value == 10);
    CHECK(to_kernel_metrics(family, {{"dram__bytes_read.sum", 320}, {"dram__sectors_read.sum", 11}}).dram_read->value ==
          11);
    CHECK(to_kernel_metrics(family, {{"lts__d_sectors_fill_device.sum", 3}, {"lts__d_sectors_fill_sysmem.sum", 4}})
              .dram_read->value == 7);
    CHECK_FALSE(to_kernel_metrics(family, {}).dram_read);
}

TEST_CASE("sums need all their terms, greatest values one") {
    CHECK_FALSE(to_kernel_metrics(MetricFamily::nvprof, {{"shared_load_transactions", 5}}).shared_wavefront);
    CHECK(to_kernel_metrics(MetricFamily::nvprof, {{"shared_load_transactions", 5}, {"shared_store_transactions", 2}})
              .shared_wavefront->value == 7);
    CHECK(
        to_kernel_metrics(MetricFamily::nvprof, {{"alu_fu_utilization", 0.3}, {"double_precision_fu_utilization", 0.6}})
            .compute_utilization == 0.6);
}

TEST_CASE("nvprof's transactions of global accesses are not sectors") {
    const auto m = to_kernel_metrics(MetricFamily::nvprof, {{"gld_transactions", 5}, {"gst_transactions", 6}});
    CHECK(m.global_load_transaction->value == 5);
    CHECK(m.global_store_transaction->value == 6);
    CHECK_FALSE(m.global_load);
    CHECK_FALSE(m.global_store);
}

TEST_CASE("AMD's requests become sectors of 32 bytes, waves become warps") {
    // gfx942: 128 bytes x BUBBLE + 32 x RDREQ_32B + 64 x (RDREQ - BUBBLE - RDREQ_32B)
    const double bytes = 128 * 10 + 32 * 20 + 64 * (100 - 10 - 20);
    const auto m = to_kernel_metrics(MetricFamily::rocprof, {{"TCC_BUBBLE_sum", 10},
                                                             {"TCC_EA0_RDREQ_32B_sum", 20},
                                                             {"TCC_EA0_RDREQ_sum", 100},
                                                             {"TCC_EA0_WRREQ_sum", 100},
                                                             {"TCC_EA0_WRREQ_64B_sum", 60},
                                                             {"SQ_INSTS", 50},
                                                             {"SQ_INSTS_VALU_FMA_F64", 3}});
    CHECK(m.dram_read->value == bytes / 32);
    CHECK(m.dram_write->value == (64.0 * 60 + 32 * 40) / 32);
    CHECK(m.warp_inst->value == 100);
    CHECK(m.thread_inst_fp64_fma->value == 192);
    // gfx90a has other names and no BUBBLE.
    CHECK(to_kernel_metrics(MetricFamily::rocprof, {{"TCC_EA_RDREQ_sum", 100}, {"TCC_EA_RDREQ_32B_sum", 20}})
              .dram_read->value == (64.0 * 80 + 32 * 20) / 32);
}

TEST_CASE("sums over SMs are those over their parts") {
    CHECK(table_name(MetricFamily::nsight, "sm__sass_thread_inst_executed_op_ffma_pred_on.sum") ==
          "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum");
    CHECK(table_name(MetricFamily::nsight, "sm__inst_executed.sum") == "smsp__inst_executed.sum");
    CHECK(table_name(MetricFamily::nsight, "sm__warps_active.avg.pct_of_peak_sustained_active") ==
          "sm__warps_active.avg.pct_of_peak_sustained_active");
    CHECK(is_used(MetricFamily::nsight, "sm__inst_executed.sum"));
    CHECK_FALSE(is_used(MetricFamily::nsight, ""));
    CHECK_FALSE(is_used(MetricFamily::nsight, "flop_count_sp"));
}

TEST_CASE("rates become sums by the time of the launch") {
    VendorMetrics values{{"gpu__time_duration.sum", 0.002},
                         {"dram__bytes_read.sum.per_second", 32e9},
                         {"smsp__cycles_elapsed.avg.per_second", 1e9},
                         {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed", 50}};
    CHECK(add_sums_of_rates(values));
    const auto m = to_kernel_metrics(MetricFamily::nsight, values);
    CHECK(m.dram_read->value == Approx(2e6));
    CHECK(m.thread_inst_fp32_fma->value == Approx(1e8));
    VendorMetrics untimed{{"dram__bytes_read.sum.per_second", 32e9}};
    CHECK_FALSE(add_sums_of_rates(untimed));
}

TEST_CASE("counters are scaled to all launches, fractions are not") {
    KernelMetrics m;
    m.warp_inst = Instructions{10};
    m.achieved_occupancy = 0.5;
    scale(m, 3);
    CHECK(m.warp_inst->value == 30);
    CHECK(m.achieved_occupancy == 0.5);
}

TEST_CASE("moves by half precision are no tensor instructions, products are") {
    // As an H200 counts them: Rodinia's cuda_compute_flux, whose lanes diverge, the samples' scalarProdGPU, and the
    // samples' cudaTensorCoreGemm, whose products are fp16 instructions too.
    const auto tensor = [](double pipe, double half, double half_fma) {
        return to_kernel_metrics(MetricFamily::nsight,
                                 {{"smsp__inst_executed_pipe_tensor.sum", pipe},
                                  {"smsp__sass_thread_inst_executed_op_fp16_pred_on.sum", half},
                                  {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", half_fma}})
            .warp_inst_tensor->value;
    };
    CHECK(tensor(68712, 1031278, 1031278) == 0);
    CHECK(tensor(262144, 8388608, 8388608) == 0);
    CHECK(tensor(33554432, 1073741824, 0) == 33554432);
    // int8: no fp16 instructions, and 32 moves
    CHECK(tensor(1000, 32, 32) == 1000);
}
