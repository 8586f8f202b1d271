// Texture references as nvcc 11 registers them: a name in the PTX where a pointer to the device's variable was once,
// and one in C++, of which that in the PTX does not always follow (templates, namespaces without a name).
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

struct Dim {
    unsigned x, y, z;
};
struct Format {
    int bits[4], kind;
};
struct Reference {
    int normalized, filter, address[3];
    Format format;
    int rest[32];
};

extern "C" {
int cudaMalloc(void** pointer, std::size_t bytes);
int cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind);
int cudaBindTexture(std::size_t* offset, const Reference* reference, const void* pointer, const Format* format,
                    std::size_t bytes);
int cudaLaunchKernel(const void* function, Dim grid, Dim block, void** arguments, std::size_t shared, void* stream);
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name, int threads, void*, void*,
                            void*, void*, int*);
void __cudaRegisterTexture(void** handle, const Reference* host, const void** device, const char* name, int dimensions,
                           int normalized, int external);
}

namespace {

constexpr char ptx[] = R"(.version 7.0
.target sm_52
.address_size 64
.global .texref words;
.global .texref _ZN5outer5wordsE;
.global .texref _ZN5TableIiE5EntryILi7EE5wordsE;
.visible .entry adds(.param .u64 out_) {
.reg .b32 %t, %a<4>, %b<4>, %c<4>; .reg .b64 %out;
ld.param.u64 %out, [out_];
mov.u32 %t, %tid.x;
tex.1d.v4.u32.s32 {%a0, %a1, %a2, %a3}, [words, {%t}];
tex.1d.v4.u32.s32 {%b0, %b1, %b2, %b3}, [_ZN5outer5wordsE, {%t}];
tex.1d.v4.u32.s32 {%c0, %c1, %c2, %c3}, [_ZN5TableIiE5EntryILi7EE5wordsE, {%t}];
add.u32 %a0, %a0, %b0;
add.u32 %a0, %a0, %c0;
mad.wide.u32 %out, %t, 4, %out;
st.global.u32 [%out], %a0;
ret;
}
)";

// A fat binary with the PTX and no more.
struct FatBinary {
    std::uint32_t magic = 0xBA55ED50;
    std::uint16_t version = 1, header_bytes = 16;
    std::uint64_t bytes = 64 + sizeof ptx;
    std::uint16_t kind = 1, entry_version = 1;
    std::uint32_t entry_header_bytes = 64;
    std::uint64_t payload_bytes = sizeof ptx;
    std::uint32_t compressed_bytes = 0, unknown1 = 0;
    std::uint16_t minor = 0, major = 7;
    std::uint32_t sm = 52, unknown2 = 0, unknown3 = 0;
    std::uint64_t flags = 0, unknown4 = 0, uncompressed_bytes = 0;
    char text[sizeof ptx];
};

constexpr int count = 4;
int stub;  // whose address is the kernel's
Reference words, outer_words, table_words;

bool bind(const Reference& reference, const std::vector<std::uint32_t>& values) {
    const Format format{{32, 0, 0, 0}, 1};
    void* data = nullptr;
    std::size_t offset = 1;
    return cudaMalloc(&data, sizeof(std::uint32_t) * count) == 0 &&
           cudaMemcpy(data, values.data(), sizeof(std::uint32_t) * count, 1) == 0 &&
           cudaBindTexture(&offset, &reference, data, &format, sizeof(std::uint32_t) * count) == 0 && offset == 0;
}

const void** device_name(const char* name) {
    return reinterpret_cast<const void**>(const_cast<char*>(name));
}

}  // namespace

int main() {
    static FatBinary fatbin;
    std::memcpy(fatbin.text, ptx, sizeof ptx);
    struct {
        int magic, version;
        const void* data;
        void* unused;
    } wrapper{0x466243B1, 1, &fatbin, nullptr};
    void** const handle = __cudaRegisterFatBinary(&wrapper);
    char name[] = "adds";
    __cudaRegisterFunction(handle, reinterpret_cast<const char*>(&stub), name, name, -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
    __cudaRegisterTexture(handle, &words, device_name("words"), "::words", 1, 0, 0);
    __cudaRegisterTexture(handle, &outer_words, nullptr, "::outer::words", 1, 0, 0);
    __cudaRegisterTexture(handle, &table_words, device_name("_ZN5TableIiE5EntryILi7EE5wordsE"),
                          "::Table<int> ::Entry<(int)7> ::words", 1, 0, 0);

    if (!bind(words, {1, 2, 3, 4})) return 1;
    if (!bind(outer_words, {10, 20, 30, 40})) return 2;
    if (!bind(table_words, {100, 200, 300, 400})) return 3;
    void* out = nullptr;
    if (cudaMalloc(&out, sizeof(std::uint32_t) * count) != 0) return 4;
    void* arguments[] = {&out};
    if (cudaLaunchKernel(&stub, {1, 1, 1}, {count, 1, 1}, arguments, 0, nullptr) != 0) return 5;
    std::uint32_t results[count];
    if (cudaMemcpy(results, out, sizeof results, 2) != 0) return 6;
    for (std::uint32_t i = 0; i < count; ++i)
        if (results[i] != 111 * (i + 1)) return 7;
    return 0;
}
