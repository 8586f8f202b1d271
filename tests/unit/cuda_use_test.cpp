#include "collector/simulate/cuda_use.hpp"

#include <catch2/catch.hpp>

using gpuproj::simulate::CudaUse;
using gpuproj::simulate::objection;

namespace {

CudaUse program() {
    CudaUse use;
    use.file = "./app";
    use.fat_binary = use.ptx = use.static_runtime = true;
    use.machine_targets = {75};
    return use;
}

bool says(const std::optional<std::string>& text, const std::string& part) {
    return text && text->find("./app") == 0 && text->find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("programs that can be simulated meet no objection") {
    auto use = program();
    CHECK_FALSE(objection({use}, {"libc.so.6"}));
    use.static_runtime = false;
    use.shared_runtime = use.stripped = true;  // strip does no harm to a shared runtime
    CHECK_FALSE(objection({use}, {}));
    CudaUse host_only;
    host_only.file = "./app";
    host_only.stripped = true;
    CHECK_FALSE(objection({host_only, program()}, {"libkernels.so"}));
    host_only.driver_api = true;  // beside the runtime API, or alone
    CHECK_FALSE(objection({host_only, program()}, {"libcuda.so.1"}));
    CHECK_FALSE(objection({host_only}, {"libcuda.so.1"}));
    CHECK_FALSE(objection({host_only}, {"libnvrtc.so.13"}));
    use = program();
    use.ptx = false;  // what it loads is looked at then
    use.driver_api = true;
    CHECK_FALSE(objection({use}, {"libcuda.so.1"}));
}

TEST_CASE("what cannot be simulated is told by its cause, with the way out") {
    auto use = program();
    use.static_runtime = false;
    use.stripped = true;
    CHECK(says(objection({use}, {}), "-cudart shared"));

    use = program();
    use.ptx = false;
    use.machine_targets = {80, 86};
    CHECK(says(objection({use}, {}), "NVCC_APPEND_FLAGS='-gencode arch=compute_86,code=compute_86'"));

    for (const char* closed : {"libcublas.so.13", "libnppig.so.12", "libcudnn_ops.so.9", "libcutensor.so.2"})
        CHECK(says(objection({program()}, {"libc.so.6", closed}), closed));
}
