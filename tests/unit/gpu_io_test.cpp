#include "model/gpu_io.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "model/error.hpp"

using namespace gpuproj;
using Catch::Contains;
using Catch::Equals;

namespace {

nlohmann::json sample() {
    return nlohmann::json::parse(R"({
        "schema": "gpuproj.gpu", "version": 1,
        "name": "GeForce GTX 480", "aliases": ["GTX480"], "vendor": "NVIDIA", "architecture": "Fermi",
        "compute_capability": "2.0",
        "parameters": {
            "fp32_op_per_s": {"value": 1.4622e12, "quality": "measured", "source": "table 5.2", "uncertainty": 0.02},
            "sm_count": {"value": 15, "quality": "datasheet", "source": "table 5.1"},
            "dram_type": {"value": "GDDR5", "quality": "unverified", "source": "a list"},
            "ecc": {"value": false, "quality": "measured", "source": "the driver"}
        }})");
}

std::string message_of(nlohmann::json json) {
    try {
        gpu_from_json(std::move(json), "g.json");
    } catch (const Error& e) {
        return e.what();
    }
    return "no error";
}

std::string message_with(const std::string& pointer, const nlohmann::json& value) {
    auto json = sample();
    json[nlohmann::json::json_pointer(pointer)] = value;
    return message_of(json);
}

}  // namespace

TEST_CASE("A GPU reads back as it was written") {
    const Gpu gpu = gpu_from_json(sample(), "g.json");
    CHECK(gpu.name == "GeForce GTX 480");
    CHECK(gpu.aliases == std::vector<std::string>{"GTX480"});
    CHECK(gpu.fp32->value.value == 1.4622e12);
    CHECK(gpu.fp32->quality == Quality::measured);
    CHECK(gpu.fp32->uncertainty == 0.02);
    CHECK(gpu.sm_count->value == 15);
    CHECK(gpu.sm_count->quality == Quality::datasheet);
    CHECK(gpu.dram_type->value == "GDDR5");
    CHECK(gpu.ecc->value == false);
    CHECK_FALSE(gpu.fp64);
    CHECK(nlohmann::json::parse(gpu_to_json(gpu).dump()) == sample());
}

TEST_CASE("A GPU file with a wrong value is refused with its key path") {
    CHECK_THAT(message_with("/parameters/fp32_op_per_s/value", 0),
               Equals("g.json: parameters.fp32_op_per_s.value: must be above 0; leave out what the GPU does not have"));
    CHECK_THAT(message_with("/parameters/fp32_op_per_s/value", -5), Contains("must be a number of at least 0, is -5"));
    CHECK_THAT(message_with("/parameters/sm_count/value", 0), Contains("parameters.sm_count.value: must be above 0"));
    CHECK_THAT(message_with("/parameters/sm_count/value", 14.5), Contains("must be a whole number"));
    CHECK_THAT(message_with("/parameters/fp32_op_per_s/quality", "good"),
               Contains("must be one of measured, derived, datasheet, unverified, is \"good\""));
    CHECK_THAT(message_with("/parameters/fp32_op_per_s/source", ""), Contains("source: is empty"));
    CHECK_THAT(message_with("/parameters/fp32_ops_per_s", 1),
               Contains("parameters: has the unknown key 'fp32_ops_per_s'; did you mean fp32_op_per_s"));
    CHECK_THAT(message_with("/parameters/fp32_op_per_s/unit", "op/s"), Contains("has the unknown key 'unit'"));
    CHECK_THAT(message_with("/color", "green"), Contains("g.json: has the unknown key 'color'; remove it"));
    CHECK_THAT(message_with("/name", ""), Contains("name: is empty"));
    CHECK_THAT(message_with("/version", 7), Contains("newer than this gpuproj knows"));
    auto json = sample();
    json.erase("parameters");
    CHECK_THAT(message_of(json), Contains("parameters: is missing"));
}
