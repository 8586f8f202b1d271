// Texture and surface references by the driver API, as programs of CUDA 11 and before use them: PTX is all that is left
// of them in later toolkits' compilers.
#include <cuda.h>

#include <cstdio>

#include "driver.hpp"

static const char* const ptx = R"(.version 7.0
.target sm_52
.address_size 64
.global .texref image;
.global .surfref plane;
.global .u32 word;
.visible .entry reads(.param .u64 out_) {
.reg .b32 %t, %x, %y; .reg .f32 %f<6>; .reg .b64 %out;
ld.param.u64 %out, [out_];
mov.u32 %t, %tid.x; and.b32 %x, %t, 3; shr.u32 %y, %t, 2;
cvt.rn.f32.u32 %f4, %x; cvt.rn.f32.u32 %f5, %y; add.f32 %f4, %f4, 0f3F000000; add.f32 %f5, %f5, 0f3F000000;
tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [image, {%f4, %f5}];
mad.wide.u32 %out, %t, 4, %out;
st.global.f32 [%out], %f0;
ret;
}
.visible .entry reads_words(.param .u64 out_) {
.reg .b32 %t, %r<4>; .reg .b64 %out;
ld.param.u64 %out, [out_];
mov.u32 %t, %tid.x;
tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [image, {%t}];
mad.wide.u32 %out, %t, 4, %out;
st.global.u32 [%out], %r0;
ret;
}
.visible .entry writes() {
.reg .b32 %t, %x, %y, %v;
mov.u32 %t, %tid.x; and.b32 %x, %t, 3; shl.b32 %x, %x, 2; shr.u32 %y, %t, 2; add.u32 %v, %t, 100;
sust.b.2d.b32.trap [plane, {%x, %y}], {%v};
ret;
}
)";

constexpr int width = 4, height = 2, count = width * height;

static CUmodule module;
static CUdeviceptr out;

static void launch(const char* name) {
    CUfunction function;
    OK(cuModuleGetFunction(&function, module, name));
    void* arguments[] = {&out};
    OK(cuLaunchKernel(function, 1, 1, 1, count, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuCtxSynchronize());
}

static CUarray array_of(CUarray_format format, const void* values) {
    CUarray array;
    const CUDA_ARRAY_DESCRIPTOR wanted = {width, height, format, 1};
    OK(cuArrayCreate(&array, &wanted));
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = values;
    copy.srcPitch = copy.WidthInBytes = width * 4;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.Height = height;
    OK(cuMemcpy2D(&copy));
    return array;
}

static void textures() {
    CUtexref image, again;
    OK(cuModuleGetTexRef(&image, module, "image"));
    OK(cuModuleGetTexRef(&again, module, "image"));
    CHECK(image == again);
    CHECK(cuModuleGetTexRef(&again, module, "none") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleGetTexRef(&again, module, "word") == CUDA_ERROR_NOT_FOUND);

    float values[count], read[count];
    for (int i = 0; i < count; ++i) values[i] = 1.5f * static_cast<float>(i);
    CUarray array = array_of(CU_AD_FORMAT_FLOAT, values), bound = nullptr;
    OK(cuTexRefSetArray(image, array, CU_TRSA_OVERRIDE_FORMAT));
    OK(cuTexRefGetArray(&bound, image));
    CHECK(bound == array);
    launch("reads");
    OK(cuMemcpyDtoH(read, out, sizeof read));
    for (int i = 0; i < count; ++i) CHECK(read[i] == values[i]);

    // Coordinates of 1/4 of a texel are beyond the border of an image whose coordinates go from 0 to 1.
    OK(cuTexRefSetFlags(image, CU_TRSF_NORMALIZED_COORDINATES));
    OK(cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_WRAP));
    OK(cuTexRefSetAddressMode(image, 1, CU_TR_ADDRESS_MODE_WRAP));
    unsigned flags = 0;
    CUaddress_mode mode;
    OK(cuTexRefGetFlags(&flags, image));
    OK(cuTexRefGetAddressMode(&mode, image, 1));
    CHECK(flags == CU_TRSF_NORMALIZED_COORDINATES && mode == CU_TR_ADDRESS_MODE_WRAP);
    launch("reads");
    OK(cuMemcpyDtoH(read, out, sizeof read));
    for (int i = 0; i < count; ++i) CHECK(read[i] == values[6]);  // every half: column 2, row 1
    CHECK(cuTexRefSetFlags(image, 0x80) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuTexRefSetAddressMode(image, 3, CU_TR_ADDRESS_MODE_WRAP) == CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(array));

    // Linear memory, of integers that stay integers: bound before either is said.
    unsigned words[count], read_words[count];
    for (unsigned i = 0; i < count; ++i) words[i] = 7 * i;
    CUdeviceptr memory, at = 0;
    OK(cuMemAlloc(&memory, sizeof words));
    OK(cuMemcpyHtoD(memory, words, sizeof words));
    size_t offset = 1;
    OK(cuTexRefSetAddress(&offset, image, memory, sizeof words));
    OK(cuTexRefSetFormat(image, CU_AD_FORMAT_UNSIGNED_INT32, 1));
    OK(cuTexRefSetFlags(image, CU_TRSF_READ_AS_INTEGER));
    OK(cuTexRefGetAddress(&at, image));
    CHECK(offset == 0 && at == memory);
    launch("reads_words");
    OK(cuMemcpyDtoH(read_words, out, sizeof read_words));
    for (int i = 0; i < count; ++i) CHECK(read_words[i] == words[i]);
    OK(cuMemFree(memory));

    CUtexref made;
    OK(cuTexRefCreate(&made));
    CHECK(made != image);
    OK(cuTexRefDestroy(made));
    CHECK(cuTexRefDestroy(made) == CUDA_ERROR_INVALID_HANDLE);
}

static void surfaces() {
    CUsurfref plane;
    OK(cuModuleGetSurfRef(&plane, module, "plane"));
    unsigned words[count] = {};
    CUarray array = array_of(CU_AD_FORMAT_UNSIGNED_INT32, words);
    OK(cuSurfRefSetArray(plane, array, 0));
    launch("writes");
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = words;
    copy.dstPitch = copy.WidthInBytes = width * 4;
    copy.Height = height;
    OK(cuMemcpy2D(&copy));
    for (unsigned i = 0; i < count; ++i) CHECK(words[i] == 100 + i);
    OK(cuArrayDestroy(array));
}

int main() {
    use_primary_context();
    OK(cuModuleLoadData(&module, ptx));
    OK(cuMemAlloc(&out, count * sizeof(float)));
    textures();
    surfaces();
    if (failures != 0) return 1;
    std::puts("PASSED");
    return 0;
}
