// Links PTX with relocatable code in an object and in an archive of the host's (nvcc -rdc=true), which are given; then
// the end of a link is no failure after a kernel's fault.
#include "driver.hpp"

static const char caller[] = R"(
.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 result) _Z6scaledi (.param .b32 x);
.visible .entry call_scaled(.param .u64 place) {
    .reg .b64 %p;
    .reg .b32 %v;
    ld.param.u64 %p, [place];
    cvta.to.global.u64 %p, %p;
    ld.global.u32 %v, [%p];
    {
    .param .b32 in;
    .param .b32 out;
    st.param.b32 [in], %v;
    call (out), _Z6scaledi, (in);
    ld.param.b32 %v, [out];
    }
    st.global.u32 [%p], %v;
    ret;
}
.visible .entry fail() {
    trap;
}
)";

static CUmodule linked_with(CUlinkState state, CUjitInputType type, const char* file) {
    void* image = nullptr;
    CUmodule module = nullptr;
    OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(caller), sizeof caller, "caller", 0, nullptr, nullptr));
    OK(cuLinkAddFile(state, type, file, 0, nullptr, nullptr));
    OK(cuLinkComplete(state, &image, nullptr));
    OK(cuModuleLoadData(&module, image));
    return module;
}

static void run(CUmodule module) {
    CUfunction function = nullptr;
    CUdeviceptr place = 0;
    int value = 7;
    OK(cuModuleGetFunction(&function, module, "call_scaled"));
    OK(cuMemAlloc(&place, sizeof value));
    OK(cuMemcpyHtoD(place, &value, sizeof value));
    void* arguments[] = {&place};
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuMemcpyDtoH(&value, place, sizeof value));
    CHECK(value == 21);
    OK(cuMemFree(place));
}

int main(int argc, char** argv) {
    CHECK(argc == 4);  // an object, an archive of it, an object without code for a GPU
    use_primary_context();
    CUlinkState state = nullptr;
    OK(cuLinkCreate(0, nullptr, nullptr, &state));
    run(linked_with(state, CU_JIT_INPUT_OBJECT, argv[1]));
    OK(cuLinkDestroy(state));
    OK(cuLinkCreate(0, nullptr, nullptr, &state));
    CHECK(cuLinkAddFile(state, CU_JIT_INPUT_OBJECT, argv[3], 0, nullptr, nullptr) != CUDA_SUCCESS);
    OK(cuLinkDestroy(state));
    OK(cuLinkCreate(0, nullptr, nullptr, &state));
    CUmodule module = linked_with(state, CU_JIT_INPUT_LIBRARY, argv[2]);
    run(module);
    CUfunction function = nullptr;
    OK(cuModuleGetFunction(&function, module, "fail"));
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    CHECK(cuCtxSynchronize() != CUDA_SUCCESS);
    OK(cuLinkDestroy(state));
    if (failures == 0) std::puts("PASSED");
    return failures != 0;
}
