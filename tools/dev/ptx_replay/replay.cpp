// Repeats launches that tests/support/ptx_record.cpp recorded on a GPU, and compares memory byte by byte.
//
// replay RECORDS REPORT [--workers N] [--only FIRST-LAST] [--limit SECONDS]
//     N = 0: in this process, without a watchdog.
// replay --list RECORDS: one line a record.
// replay --text RECORDS INDEX: its PTX.
//
// Uses nothing of CUDA but libcuda.so.1. REPORT.gpu.bin gets what the GPU left in buffers that differ, or whose results
// are approximate: u32 record, u32 buffer, u64 bytes, the bytes; and again.
// Build: g++ -std=c++20 -O2 -static-libstdc++ -static-libgcc replay.cpp -o replay -ldl
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

namespace {

std::string format(const char* pattern, ...) {
    char text[4096];
    va_list values;
    va_start(values, pattern);
    vsnprintf(text, sizeof text, pattern, values);
    va_end(values);
    return text;
}

// ---- records

struct Buffer {
    u64 address, bytes;
    u32 before, after;
};
struct Record {
    std::string_view name, results_as, kernel, fault;
    u32 text, arguments;
    std::array<u32, 3> grid, block, cluster;
    u32 shared, cooperative;
    std::vector<Buffer> buffers;
};
struct Records {
    std::vector<std::string_view> contents;
    std::vector<Record> records;
};

struct Reader {
    std::string_view left;
    template <class T>
    T get() {
        T value;
        if (left.size() < sizeof value) throw std::string("the records end too early");
        memcpy(&value, left.data(), sizeof value);
        left.remove_prefix(sizeof value);
        return value;
    }
    std::string_view bytes(u64 count) {
        if (left.size() < count) throw std::string("the records end too early");
        const std::string_view found = left.substr(0, count);
        left.remove_prefix(count);
        return found;
    }
    std::string_view text() { return bytes(get<u32>()); }
};

Records read_records(const char* path) {
    const int file = open(path, O_RDONLY);
    struct stat about {};
    if (file < 0 || fstat(file, &about) != 0) throw format("cannot read %s", path);
    const auto size = static_cast<size_t>(about.st_size);
    void* at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (at == MAP_FAILED) throw format("cannot map %s", path);
    Reader all{{static_cast<const char*>(at), size}};
    if (size < 8 || all.bytes(8) != "GPRREC01") throw format("%s holds no records", path);
    Records found;
    while (!all.left.empty()) {
        const char kind = all.get<char>();
        const std::string_view part = all.bytes(all.get<u64>());
        if (kind == 'B') {
            found.contents.push_back(part);
            continue;
        }
        Reader in{part};
        Record r;
        r.name = in.text();
        r.results_as = in.text();
        r.text = in.get<u32>();
        r.kernel = in.text();
        for (auto* shape : {&r.grid, &r.block, &r.cluster})
            for (u32& extent : *shape) extent = in.get<u32>();
        r.shared = in.get<u32>();
        r.cooperative = in.get<u32>();
        r.arguments = in.get<u32>();
        r.fault = in.text();
        const u32 buffers = in.get<u32>();
        for (u32 i = 0; i < buffers; ++i) {
            Buffer b{};
            b.address = in.get<u64>();
            b.bytes = in.get<u64>();
            b.before = in.get<u32>();
            b.after = in.get<u32>();
            r.buffers.push_back(b);
        }
        found.records.push_back(std::move(r));
    }
    return found;
}

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}
std::string_view target_of(std::string_view text) {
    const size_t at = text.find(".target ");
    return at == std::string_view::npos ? "?" : text.substr(at + 8, text.find_first_of(", \n", at + 8) - at - 8);
}
/// What of the text tells one record from the next: lines that all kernels of the tests have are left out.
std::string gist(std::string_view text) {
    std::string kept;
    while (!text.empty() && kept.size() < 420) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const size_t first = line.find_first_not_of(" \t");
        if (first == std::string_view::npos) continue;
        const std::string_view body = line.substr(first);
        bool usual = body.starts_with('.') && !body.starts_with(".func");
        for (const char* start : {"ld.param", "mov.u32 %t0, %ctaid", "mov.u32 %tid_", "mad.wide.u32 %in", "ret;", "}",
                                  "{", "ld.global.", "st.global.u32 [%out], %r;"})
            usual = usual || (body.starts_with(start) && body.size() < 120);
        if (!usual) kept += std::string(body) + " ";
    }
    if (kept.size() > 420) kept.resize(420);
    return kept;
}
/// Words that say why a GPU may rightly do otherwise.
std::string flags_of(std::string_view text) {
    std::string flags;
    for (const char* part :
         {".approx",       "div.full",    "tanh",      "ex2.",         "mma",      "tex.",       "tld4",
          "suld",          "sust",        "sured",     "txq",          "suq",      "%clock",     "%smid",
          "%nsmid",        "%warpid",     "%nwarpid",  "%globaltimer", "%gridid",  "%envreg",    "%lanemask",
          "%dynamic_smem", "%total_smem", "%reserved", "vprintf",      "malloc",   "cudaLaunch", "__assertfail",
          "trap",          "nanosleep",   "bf16",      "f16",          "atom",     "red.",       "activemask",
          "createpolicy",  "tensor",      "alloca",    "stacksave",    "isspacep", "cvta",       ".local"})
        if (has(text, part)) flags += (flags.empty() ? "" : " ") + std::string(part);
    return flags;
}

// ---- numbers

/// How results lie in the last buffer.
struct Results {
    char type = 0;  // 's' f32, 'd' f64, 'h' f16, 'b' bf16, 0 unknown
    u32 bytes = 4, stride = 4;
};
Results results_of(const Record& r, std::string_view text) {
    Results how;
    std::string_view type = r.results_as;
    bool rows = false;
    if (type.empty() && has(text, "%outside ret;")) {  // a row of operands each thread: 32 bytes in, 8 bytes out
        rows = true;
        type = has(text, "st.global.f32 [%out], %d")   ? "f32"
               : has(text, "st.global.f64 [%out], %d") ? "f64"
               : has(text, "st.global.b16 [%out], %d") ? (has(text, "bf16") ? "bf16" : "f16")
                                                       : "";
    }
    how.type = type.starts_with("f32")    ? 's'
               : type.starts_with("f64")  ? 'd'
               : type.starts_with("f16")  ? 'h'
               : type.starts_with("bf16") ? 'b'
                                          : 0;
    how.bytes = how.type == 'd' ? 8 : how.type == 's' || how.type == 0 ? 4 : 2;
    how.stride = rows ? 8 : how.bytes;
    return how;
}
bool is_nan(char type, u64 bits) {
    switch (type) {
        case 's':
            return (bits & 0x7FFFFFFF) > 0x7F800000;
        case 'd':
            return (bits & 0x7FFFFFFFFFFFFFFF) > 0x7FF0000000000000;
        case 'h':
            return (bits & 0x7FFF) > 0x7C00;
        case 'b':
            return (bits & 0x7FFF) > 0x7F80;
        default:
            return false;
    }
}
/// Steps from one number to another; both signs of zero are one step apart.
u64 steps(u32 bytes, u64 a, u64 b) {
    const u64 sign = u64{1} << (bytes * 8 - 1);
    const auto place = [&](u64 bits) {
        return (bits & sign) != 0 ? ~static_cast<s64>(bits & ~sign) : static_cast<s64>(bits);
    };
    const s64 x = place(a), y = place(b);
    return x > y ? static_cast<u64>(x) - static_cast<u64>(y) : static_cast<u64>(y) - static_cast<u64>(x);
}

// ---- the driver

using Status = int;
using Handle = void*;
struct LaunchAttribute {
    u32 id, pad;
    union {
        char bytes[64];
        u32 words[16];
    } value;
};
struct LaunchConfig {
    u32 grid[3], block[3], shared;
    Handle stream;
    LaunchAttribute* attributes;
    u32 count;
};
struct Driver {
    Status (*init)(u32);
    Status (*version)(int*);
    Status (*device)(int*, int);
    Status (*name)(char*, int, int);
    Status (*attribute)(int*, int, int);
    Status (*retain)(Handle*, int);
    Status (*set_current)(Handle);
    Status (*allocate)(u64*, size_t);
    Status (*fill)(u64, u8, size_t);
    Status (*to_device)(u64, const void*, size_t);
    Status (*to_host)(void*, u64, size_t);
    Status (*load)(Handle*, const void*, u32, int*, void**);
    Status (*unload)(Handle);
    Status (*function)(Handle*, Handle, const char*);
    Status (*set_function)(Handle, int, int);
    Status (*launch)(Handle, u32, u32, u32, u32, u32, u32, u32, Handle, void**, void**);
    Status (*launch_ex)(const LaunchConfig*, Handle, void**, void**);
    Status (*synchronize)();
    Status (*error_string)(Status, const char**);

    std::string error(Status status) const {
        const char* text = nullptr;
        if (error_string(status, &text) != 0 || text == nullptr) text = "?";
        return format("%d, %s", status, text);
    }
};

Driver open_driver() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) throw format("no GPU driver here: %s", dlerror());
    Driver d{};
    const auto get = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        if (function == nullptr) throw format("the driver has no %s", name);
    };
    get(d.init, "cuInit");
    get(d.version, "cuDriverGetVersion");
    get(d.device, "cuDeviceGet");
    get(d.name, "cuDeviceGetName");
    get(d.attribute, "cuDeviceGetAttribute");
    get(d.retain, "cuDevicePrimaryCtxRetain");
    get(d.set_current, "cuCtxSetCurrent");
    get(d.allocate, "cuMemAlloc_v2");
    get(d.fill, "cuMemsetD8_v2");
    get(d.to_device, "cuMemcpyHtoD_v2");
    get(d.to_host, "cuMemcpyDtoH_v2");
    get(d.load, "cuModuleLoadDataEx");
    get(d.unload, "cuModuleUnload");
    get(d.function, "cuModuleGetFunction");
    get(d.set_function, "cuFuncSetAttribute");
    get(d.launch, "cuLaunchKernel");
    get(d.launch_ex, "cuLaunchKernelEx");
    get(d.synchronize, "cuCtxSynchronize");
    get(d.error_string, "cuGetErrorString");
    return d;
}

// ---- replaying

enum class Outcome : u32 { none, ok, nan, diff, jit_fail, launch_fail, skipped, hang, crash, count };
constexpr const char* outcome_names[] = {"NONE",       "OK",      "NAN",  "DIFF", "JITFAIL",
                                         "LAUNCHFAIL", "SKIPPED", "HANG", "CRASH"};

/// Shared by the processes.
struct Result {
    Outcome outcome;
    u32 differing, compared;  // words of 4 bytes, or results where their type is known
    u64 most_steps;
    char message[3000];
};
struct Worker {
    std::atomic<s64> running, since_ms, group;  // record, or -1
};
struct Shared {
    std::atomic<u32> next_group;
    std::atomic<s64> saved_bytes;
    Worker workers[64];
};

s64 now_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}
void say(Result& result, Outcome outcome, const std::string& message) {
    snprintf(result.message, sizeof result.message, "%s", message.c_str());
    for (char* c = result.message; *c != 0; ++c)
        if (*c == '\n' || *c == '\r') *c = ' ';
    result.outcome = outcome;
}

constexpr u64 alignment = u64{2} << 20;

struct Replayer {
    const Records& all;
    const Driver& driver;
    Shared& shared;
    Result* results;
    int outputs;  // file
    u64 arena = 0, arena_bytes = 0;
    Handle module = nullptr;
    u32 loaded_text = ~0u;
    std::string load_error{};

    void start() {
        Handle context = nullptr;
        int device = 0;
        Status status = driver.init(0);
        if (status == 0) status = driver.device(&device, 0);
        if (status == 0) status = driver.retain(&context, device);
        if (status == 0) status = driver.set_current(context);
        arena_bytes = 8 * alignment;
        for (const Record& r : all.records)
            if (!r.buffers.empty()) arena_bytes = std::max(arena_bytes, span(r).second - span(r).first + 4 * alignment);
        arena_bytes = std::min(arena_bytes, u64{1} << 30);
        if (status == 0) status = driver.allocate(&arena, arena_bytes);
        if (status != 0) throw format("no GPU to work with: %s", driver.error(status).c_str());
    }
    static std::pair<u64, u64> span(const Record& r) {
        u64 low = ~u64{0}, high = 0;
        for (const Buffer& b : r.buffers) {
            low = std::min(low, b.address);
            high = std::max(high, b.address + b.bytes);
        }
        return {low, high};
    }
    bool load(u32 text) {
        // Variables of a module are as the last launch left them.
        const bool keeps = !has(all.contents[text], ".global .") && !has(all.contents[text], ".const .");
        if (loaded_text == text && keeps) return module != nullptr;
        if (module != nullptr) driver.unload(module);
        module = nullptr;
        loaded_text = text;
        char log[2048] = "";
        int options[] = {5, 6};  // CU_JIT_ERROR_LOG_BUFFER, its size
        void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
        const std::string ptx(all.contents[text]);
        const Status status = driver.load(&module, ptx.c_str(), 2, options, values);
        if (status == 0) return true;
        module = nullptr;
        log[sizeof log - 1] = 0;
        load_error = driver.error(status) + ": " + log;
        return false;
    }
    /// Adds `delta` to what points into the recorded buffers.
    static u32 relocate(std::string& bytes, u64 low, u64 high, u64 delta) {
        u32 moved = 0;
        for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
            u64 word;
            memcpy(&word, bytes.data() + i, 8);
            if (word < low || word > high) continue;
            word += delta;
            memcpy(bytes.data() + i, &word, 8);
            ++moved;
        }
        return moved;
    }

    /// False: the context is lost.
    bool replay(u32 index) {
        const Record& r = all.records[index];
        Result& result = results[index];
        const std::string_view text = all.contents[r.text];
        if (!r.fault.empty()) return say(result, Outcome::skipped, "engine: " + std::string(r.fault)), true;
        for (const char* part : {"tex.", "tld4", "suld", "sust", "sured", "txq", "suq"})
            if (has(text, part))
                return say(result, Outcome::skipped, std::string("textures or surfaces: ") + part), true;
        if (!load(r.text)) return say(result, Outcome::jit_fail, load_error), true;
        Handle function = nullptr;
        Status status = driver.function(&function, module, std::string(r.kernel).c_str());
        if (status != 0) return say(result, Outcome::jit_fail, "cuModuleGetFunction: " + driver.error(status)), true;
        if (r.shared > 48 * 1024) {
            status = driver.set_function(function, 8, static_cast<int>(r.shared));
            if (status != 0) return say(result, Outcome::launch_fail, "shared memory: " + driver.error(status)), true;
        }

        const auto [low, high] = r.buffers.empty() ? std::pair<u64, u64>{1, 0} : span(r);
        const u64 base = arena / alignment * alignment + (arena % alignment != 0 ? alignment : 0) + low % alignment;
        if (high > low && base + (high - low) > arena + arena_bytes)
            return say(result, Outcome::skipped, "buffers too far apart"), true;
        const u64 delta = base - low;
        // Numbers that look like addresses are none where a test is about numbers.
        const bool numbers = !r.results_as.empty() || has(text, "%outside ret;") || has(r.name, "random kernel");
        const u64 last = numbers ? 0 : high;
        u32 pointers = 0;
        for (const Buffer& b : r.buffers) {
            std::string before(all.contents[b.before]);
            pointers += relocate(before, low, last, delta);
            status = driver.to_device(b.address + delta, before.data(), b.bytes);
            if (status != 0) return say(result, Outcome::launch_fail, "copy to: " + driver.error(status)), false;
        }
        std::string arguments(all.contents[r.arguments]);
        relocate(arguments, low, high, delta);
        size_t size = arguments.size();
        void* extra[] = {reinterpret_cast<void*>(1), arguments.data(), reinterpret_cast<void*>(2), &size, nullptr};
        void** packed = size == 0 ? nullptr : extra;
        const bool clustered = r.cluster[0] != 0;
        if (clustered || r.cooperative != 0) {
            LaunchAttribute attributes[2]{};
            LaunchConfig config{{r.grid[0], r.grid[1], r.grid[2]},
                                {r.block[0], r.block[1], r.block[2]},
                                r.shared,
                                nullptr,
                                attributes,
                                0};
            if (clustered) {
                attributes[config.count].id = 4;
                for (int i = 0; i < 3; ++i) attributes[config.count].value.words[i] = r.cluster[i];
                ++config.count;
            }
            if (r.cooperative != 0) {
                attributes[config.count].id = 2;
                attributes[config.count++].value.words[0] = 1;
            }
            status = driver.launch_ex(&config, function, nullptr, packed);
        } else {
            status = driver.launch(function, r.grid[0], r.grid[1], r.grid[2], r.block[0], r.block[1], r.block[2],
                                   r.shared, nullptr, nullptr, packed);
        }
        if (status != 0) {
            say(result, Outcome::launch_fail, "launch: " + driver.error(status));
            return driver.synchronize() == 0;
        }
        status = driver.synchronize();
        if (status != 0) return say(result, Outcome::launch_fail, "while it ran: " + driver.error(status)), false;

        u32 differing = 0, compared = 0, both_nan = 0;
        u64 most = 0;
        std::map<u64, u32> histogram;
        std::string shown;
        const Results how = results_of(r, text);
        for (u32 number = 0; number < r.buffers.size(); ++number) {
            const Buffer& b = r.buffers[number];
            std::string want(all.contents[b.after]), got(b.bytes, '\0');
            relocate(want, low, last, delta);
            status = driver.to_host(got.data(), b.address + delta, b.bytes);
            if (status != 0) return say(result, Outcome::launch_fail, "copy from: " + driver.error(status)), false;
            const bool is_last = number + 1 == r.buffers.size();
            const bool typed = is_last && how.type != 0;
            const u32 width = typed ? how.bytes : 4, stride = typed ? how.stride : 4;
            const bool same = want == got;
            const u32 before_this = differing;
            for (u64 i = 0; i < b.bytes; i += stride) {
                const size_t take = std::min<u64>(width, b.bytes - i);
                u64 x = 0, y = 0;
                memcpy(&x, want.data() + i, take);
                memcpy(&y, got.data() + i, take);
                if (typed || how.type == 0) ++compared;
                if (x == y) continue;
                ++differing;
                const bool nan = typed && is_nan(how.type, x) && is_nan(how.type, y);
                if (nan) ++both_nan;
                u64 apart = 0;
                if (typed && !nan) {
                    apart = steps(width, x, y);
                    most = std::max(most, apart);
                    ++histogram[apart];
                }
                if (differing <= 4 || (differing - both_nan <= 6 && !nan) ||
                    (apart != 0 && apart == most && differing < 4000 && shown.size() < 1200)) {
                    shown += format("; buffer %u+%#" PRIx64 " engine %0*" PRIx64 " GPU %0*" PRIx64, number, i,
                                    static_cast<int>(2 * width), x, static_cast<int>(2 * width), y);
                    if (typed && number == 1) shown += " of" + operands(r, i / stride, how);
                    if (!typed && number == 1 && has(text, "%outside ret;"))
                        shown += " of" + operands(r, i / 8, {0, 4, 8});
                    if (typed && !nan) shown += format(" (%" PRIu64 " steps)", apart);
                }
            }
            if (same != (before_this == differing))  // bytes between results
                ++differing, shown += format("; buffer %u: bytes beside the results differ", number);
            if (!same || (!r.results_as.empty() && is_last)) save(index, number, got);
        }
        std::string summary;
        if (differing != 0 || !r.results_as.empty()) {
            summary = format("%u of %u differ", differing, compared);
            if (both_nan != 0) summary += format(", %u of them both NaN", both_nan);
            if (how.type != 0) {
                summary += format(", most steps %" PRIu64, most);
                u32 listed = 0;
                summary += ", by steps";
                for (const auto& [apart, count] : histogram)
                    if (listed++ < 6) summary += format(" %" PRIu64 ":%u", apart, count);
            }
        }
        if (pointers != 0) summary += format(" (%u pointers in memory relocated)", pointers);
        result.differing = differing;
        result.compared = compared;
        result.most_steps = most;
        say(result,
            differing == 0          ? Outcome::ok
            : both_nan == differing ? Outcome::nan
                                    : Outcome::diff,
            summary + shown);
        return true;
    }
    /// The operands of result i, where the first buffer holds them.
    std::string operands(const Record& r, u64 i, const Results& how) const {
        const std::string_view in = all.contents[r.buffers[0].before];
        std::string shown;
        const bool rows = r.results_as.empty();
        const u64 width = rows ? 8 : how.bytes, count = in.size() / (rows ? 32 : width);
        for (u64 k = 0; k < (rows ? 4 : 2); ++k) {
            const u64 at = rows ? 32 * i + 8 * k : width * (k == 0 ? i : count - 1 - i);
            if (at + width > in.size() || (!rows && k == 1 && !has(r.name, "div"))) break;
            u64 value = 0;
            memcpy(&value, in.data() + at, width);
            shown += format(" %" PRIx64, value);
        }
        return shown;
    }
    void save(u32 index, u32 number, const std::string& bytes) const {
        if (bytes.size() > (u64{1} << 20) ||
            shared.saved_bytes.fetch_add(static_cast<s64>(bytes.size())) > (s64{48} << 20))
            return;
        std::string out(16, '\0');
        const u64 size = bytes.size();
        memcpy(out.data(), &index, 4);
        memcpy(out.data() + 4, &number, 4);
        memcpy(out.data() + 8, &size, 8);
        out += bytes;
        if (write(outputs, out.data(), out.size()) < 0) perror("outputs");
    }
};

// ---- processes

struct Options {
    const char* records = nullptr;
    const char* report = nullptr;
    int workers = 10;
    int limit_s = 240;  // for all
    u32 first = 0, last = ~0u;
};

void work(Replayer& replayer, const std::vector<std::vector<u32>>& groups, int number, s64 begin_with) {
    Worker& me = replayer.shared.workers[number];
    replayer.start();
    for (s64 group = begin_with;; group = -1) {
        if (group < 0) group = replayer.shared.next_group.fetch_add(1);
        if (group >= static_cast<s64>(groups.size())) break;
        me.group = group;
        for (const u32 index : groups[static_cast<size_t>(group)]) {
            if (replayer.results[index].outcome != Outcome::none) continue;
            me.since_ms = now_ms();
            me.running = index;
            const bool goes_on = replayer.replay(index);
            me.running = -1;
            if (!goes_on) _exit(3);
        }
        me.group = -1;
    }
}

template <class T>
T* shared_memory(size_t count) {
    void* at = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::string("no shared memory");
    return static_cast<T*>(at);
}

int replay_all(const Options& options) {
    const s64 began = now_ms();
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    const Records all = read_records(options.records);
    if (const std::string path = options.report; has(path, "/")) mkdir(path.substr(0, path.rfind('/')).c_str(), 0755);
    FILE* report = fopen(options.report, "w");
    if (report == nullptr) throw format("cannot write %s", options.report);
    const int outputs =
        open((std::string(options.report) + ".gpu.bin").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
    auto* results = shared_memory<Result>(all.records.size());
    auto* shared = shared_memory<Shared>(1);
    std::map<u32, std::vector<u32>> by_text;
    u32 asked = 0;
    for (u32 i = options.first; i < all.records.size() && i <= options.last; ++i)
        by_text[all.records[i].text].push_back(i), ++asked;
    std::vector<std::vector<u32>> groups;
    for (auto& [text, indices] : by_text) groups.push_back(std::move(indices));
    const auto say_gpu =
        [&](FILE* to) {  // in a process of its own: a forked one cannot use what its parent initialised
            const Driver driver = open_driver();
            int version = 0, device = 0, major = 0, minor = 0;
            char name[200] = "?";
            const Status status = driver.init(0);
            if (status != 0) throw format("no GPU to work with: %s", driver.error(status).c_str());
            if (driver.device(&device, 0) != 0) throw std::string("no GPU to work with");
            driver.version(&version);
            driver.name(name, sizeof name, device);
            driver.attribute(&major, 75, device);
            driver.attribute(&minor, 76, device);
            fprintf(to, "%s, compute capability %d.%d, driver for CUDA %d\n", name, major, minor, version);
            fflush(to);
        };
    if (options.workers == 0) {
        say_gpu(stdout);
        const Driver driver = open_driver();
        Replayer replayer{all, driver, *shared, results, outputs};
        replayer.start();
        for (const auto& group : groups)
            for (const u32 index : group)
                if (!replayer.replay(index)) fprintf(stderr, "record %u: %s\n", index, results[index].message);
    } else {
        const auto spawn = [&](auto&& what) {
            fflush(nullptr);
            const pid_t child = fork();
            if (child != 0) return child;
            try {
                what();
            } catch (const std::string& error) {
                fprintf(stderr, "replay: %s\n", error.c_str());
                _exit(2);
            }
            fflush(nullptr);
            _exit(0);
        };
        const pid_t first = spawn([&] { say_gpu(stdout), say_gpu(report); });
        int status = 0;
        waitpid(first, &status, 0);
        if (status != 0) return 2;
        const int count = std::min(options.workers, 64);
        std::vector<pid_t> pids(static_cast<size_t>(count), 0);
        int restarts = 0;
        const auto begin = [&](int number, s64 group) {
            shared->workers[number].running = shared->workers[number].group = -1;
            pids[static_cast<size_t>(number)] = spawn([&, number, group] {
                const Driver driver = open_driver();
                Replayer replayer{all, driver, *shared, results, outputs};
                work(replayer, groups, number, group);
            });
        };
        for (int i = 0; i < count; ++i) begin(i, -1);
        for (int alive = count; alive > 0;) {
            usleep(20000);
            for (int i = 0; i < count; ++i) {
                pid_t& pid = pids[static_cast<size_t>(i)];
                if (pid == 0) continue;
                Worker& worker = shared->workers[i];
                const s64 running = worker.running;
                const bool hangs = running >= 0 && now_ms() - worker.since_ms > 6000;
                const bool late = now_ms() - began > 1000 * s64{options.limit_s};
                if (hangs || late) kill(pid, SIGKILL);
                if (late) pid = 0, --alive;
                if (late || waitpid(pid, &status, WNOHANG) != pid) continue;
                const s64 at = worker.running, group = worker.group;
                if (at >= 0 && results[at].outcome == Outcome::none)
                    say(results[at], hangs ? Outcome::hang : Outcome::crash,
                        hangs ? "no end within 6 s; killed" : format("its process ended with status %#x", status));
                pid = 0;
                if ((WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2)) || ++restarts > 300)
                    --alive;
                else
                    begin(i, group);
            }
        }
        fprintf(report, "%d contexts lost\n", restarts);
    }
    std::array<u32, static_cast<size_t>(Outcome::count)> counts{};
    for (u32 i = options.first; i < all.records.size() && i <= options.last; ++i) {
        const Record& r = all.records[i];
        const Result& result = results[i];
        ++counts[static_cast<size_t>(result.outcome)];
        const char* outcome = outcome_names[static_cast<size_t>(result.outcome)];
        fprintf(report, "%s #%u %.*s", outcome, i, static_cast<int>(r.name.size()), r.name.data());
        if (result.message[0] != 0) fprintf(report, " | %s", result.message);
        if (result.outcome != Outcome::ok) {
            const std::string_view text = all.contents[r.text];
            fprintf(report, " | grid %u,%u,%u block %u,%u,%u | flags: %s | %s", r.grid[0], r.grid[1], r.grid[2],
                    r.block[0], r.block[1], r.block[2], flags_of(text).c_str(), gist(text).c_str());
        }
        fputc('\n', report);
    }
    std::string summary = format("%u records in %.1f s:", asked, static_cast<double>(now_ms() - began) / 1000);
    for (size_t i = 0; i < counts.size(); ++i)
        if (counts[i] != 0) summary += format(" %s %u", outcome_names[i], counts[i]);
    fprintf(report, "SUMMARY %s\n", summary.c_str());
    printf("%s\n", summary.c_str());
    fclose(report);
    return 0;
}

}  // namespace

int main(int count, char** words) {
    const std::vector<std::string_view> all(words + 1, words + count);
    try {
        if (all.size() >= 2 && all[0] == "--list") {
            const Records found = read_records(words[2]);
            for (u32 i = 0; i < found.records.size(); ++i) {
                const Record& r = found.records[i];
                u64 bytes = 0;
                for (const Buffer& b : r.buffers) bytes += b.bytes;
                printf("%u | %.*s | %s | grid %u,%u,%u block %u,%u,%u | %zu buffers, %" PRIu64 " bytes | %s%s\n", i,
                       static_cast<int>(r.name.size()), r.name.data(),
                       std::string(target_of(found.contents[r.text])).c_str(), r.grid[0], r.grid[1], r.grid[2],
                       r.block[0], r.block[1], r.block[2], r.buffers.size(), bytes,
                       r.fault.empty() ? "" : "faults in the engine: ",
                       r.fault.empty() ? gist(found.contents[r.text]).c_str() : std::string(r.fault).c_str());
            }
            return 0;
        }
        if (all.size() >= 3 && all[0] == "--text") {
            const Records found = read_records(words[2]);
            const std::string_view text = found.contents.at(found.records.at(std::stoul(words[3])).text);
            printf("%.*s", static_cast<int>(text.size()), text.data());
            return 0;
        }
        Options options;
        for (size_t i = 0; i < all.size(); ++i) {
            if (all[i] == "--workers" && i + 1 < all.size())
                options.workers = std::atoi(words[++i + 1]);
            else if (all[i] == "--limit" && i + 1 < all.size())
                options.limit_s = std::atoi(words[++i + 1]);
            else if (all[i] == "--only" && i + 1 < all.size())
                sscanf(words[++i + 1], "%u-%u", &options.first, &options.last);
            else
                (options.records == nullptr ? options.records : options.report) = words[i + 1];
        }
        if (options.report == nullptr)
            throw std::string(
                "usage: replay RECORDS REPORT [--workers N] [--only FIRST-LAST] [--limit SECONDS]; replay --list "
                "RECORDS");
        return replay_all(options);
    } catch (const std::string& error) {
        fprintf(stderr, "replay: %s\n", error.c_str());
        return 2;
    }
}
