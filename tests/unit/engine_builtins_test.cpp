// Functions that no module defines: those of the device runtime go by different names in different toolkits.
#include <catch2/catch.hpp>

#include "collector/simulate/engine/program.hpp"

using gpuproj::simulate::Builtin;
using gpuproj::simulate::find_builtin;

TEST_CASE("functions of the device runtime are known by their names in CUDA 11 and since CUDA 12", "[engine]") {
    CHECK(find_builtin("__cudaCDP2LaunchDeviceV2") == Builtin::launch);
    CHECK(find_builtin("cudaLaunchDeviceV2") == Builtin::launch);
    CHECK(find_builtin("cudaGetParameterBufferV2") == Builtin::parameter_buffer);
    CHECK(find_builtin("cudaGraphSetConditional") == Builtin::set_condition);
    CHECK(find_builtin("__cudaCDP2GraphSetConditional") == Builtin::none);
    // A kernel that goes on when its children are done is not what is simulated.
    CHECK(find_builtin("cudaDeviceSynchronize") == Builtin::none);
    CHECK(find_builtin("LaunchDeviceV2") == Builtin::none);
}
