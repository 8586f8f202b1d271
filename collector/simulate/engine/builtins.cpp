// Device-side library functions that PTX only declares: vprintf, malloc, free, __assertfail, and those of the device
// runtime.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>

#include "collector/simulate/engine/checks.hpp"
#include "collector/simulate/engine/device_launch.hpp"
#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

namespace {

std::uint64_t argument(const Warp& warp, const CallSite& site, std::size_t i, std::uint32_t lane) {
    std::uint64_t value = 0;
    if (i < site.arguments.size()) {
        const CallArea& area = site.arguments[i];
        std::memcpy(&value, warp.frame + area.offset + static_cast<std::size_t>(lane) * area.bytes,
                    std::min<std::uint32_t>(area.bytes, 8));
    }
    return value;
}
void result(const Warp& warp, const CallSite& site, std::uint32_t lane, std::uint64_t value) {
    if (site.results.empty()) return;
    const CallArea& area = site.results.front();
    std::memcpy(warp.frame + area.offset + static_cast<std::size_t>(lane) * area.bytes, &value,
                std::min<std::uint32_t>(area.bytes, 8));
}

/// Calls piece(there, done, count) for the parts of `bytes` at a generic address of this lane; false: there is nothing.
template <class F>
bool for_pieces(Warp& warp, std::uint32_t lane, std::uint64_t address, std::uint32_t bytes, F&& piece) {
    const std::uint64_t offset = address & ~window_mask;
    if ((address & window_mask) == local_window) {
        if (offset + bytes > warp.local_stride) return false;
        for_local_words(warp, lane, static_cast<std::uint32_t>(offset), bytes, piece);
        return true;
    }
    std::byte* there = nullptr;
    if ((address & window_mask) == shared_window) {
        if (offset + bytes <= warp.block->shared.size()) there = warp.block->shared.data() + offset;
    } else if (const auto range = warp.sm->launch->memory->find(address); range && range->contains(address, bytes)) {
        there = reinterpret_cast<std::byte*>(address);  // NOLINT
    }
    if (there == nullptr) return false;
    piece(there, 0U, bytes);
    return true;
}
/// What is at a generic address of this lane; false: there is nothing.
bool read(Warp& warp, std::uint32_t lane, std::uint64_t address, void* to, std::uint32_t bytes) {
    return for_pieces(warp, lane, address, bytes, [&](const std::byte* there, std::uint32_t done, std::uint32_t count) {
        std::memcpy(static_cast<std::byte*>(to) + done, there, count);
    });
}

std::string text(Warp& warp, std::uint32_t lane, std::uint64_t address) {
    std::string out;
    for (std::size_t i = 0; i < 65536; ++i) {
        char next = 0;
        if (!read(warp, lane, address + i, &next, 1) || next == 0) break;
        out.push_back(next);
    }
    return out;
}

/// One that is no address, for whoever looks whether it is null.
constexpr std::uint64_t some_handle = 0x100;

/// The arguments of a lane's printf, packed as CUDA does it: 4 or 8 bytes each, aligned to their size.
class PackedArguments {
public:
    PackedArguments(Warp& warp, std::uint32_t lane, std::uint64_t address) : warp_(warp), lane_(lane), at_(address) {}
    std::uint64_t next(std::uint32_t bytes) {
        at_ = (at_ + bytes - 1) / bytes * bytes;
        std::uint64_t value = 0;
        read(warp_, lane_, at_, &value, bytes);  // nothing there: 0
        at_ += bytes;
        ++taken_;
        return value;
    }
    int next_int() { return static_cast<std::int32_t>(next(4)); }
    int taken() const { return taken_; }

private:
    Warp& warp_;
    std::uint32_t lane_;
    std::uint64_t at_;
    int taken_ = 0;
};

/// What stands between a percent sign and the letter of its conversion.
struct Conversion {
    std::string spec = "%";  // flags, width and precision, as the C library takes them
    std::string halves;      // "h" or "hh"
    bool wide = false;       // 8 bytes
};

/// A width or precision that is an argument. A negative precision is one that was not given.
void add_given(std::string& spec, int value) {
    if (value < 0 && spec.back() == '.')
        spec.pop_back();
    else
        spec += fmt::format("{}", value);
}

/// Leaves `at` at the letter of the conversion, or at the end.
Conversion parse_conversion(const std::string& pattern, std::size_t& at, PackedArguments& arguments) {
    Conversion parsed;
    for (; at < pattern.size(); ++at) {
        const char c = pattern[at];
        if (c == '*')
            add_given(parsed.spec, arguments.next_int());
        else if (c == 'h')
            parsed.halves.push_back(c);
        else if (std::strchr("lLzjt", c) != nullptr)
            parsed.wide = true;
        else if (std::strchr("-+ #'0123456789.", c) != nullptr)
            parsed.spec.push_back(c);
        else
            break;
    }
    return parsed;
}

/// Formats a value as the C library does, which also formats what a GPU prints.
template <class T>
void append(std::string& out, const std::string& spec, T value) {
    constexpr int most = 1 << 20;  // what the buffer of a GPU holds
    const int length = std::snprintf(nullptr, 0, spec.c_str(), value);
    if (length <= 0 || length > most) return;
    const std::size_t before = out.size();
    out.resize(before + static_cast<std::size_t>(length) + 1);
    std::snprintf(out.data() + before, static_cast<std::size_t>(length) + 1, spec.c_str(), value);
    out.pop_back();  // the zero
}

void append_integer(std::string& out, const Conversion& parsed, char kind, PackedArguments& arguments) {
    if (kind == 'c')
        append(out, parsed.spec + kind, static_cast<int>(arguments.next(parsed.wide ? 8 : 4)));
    else if (parsed.wide)
        append(out, parsed.spec + "ll" + kind, static_cast<long long>(arguments.next(8)));
    else
        append(out, parsed.spec + parsed.halves + kind, arguments.next_int());
}

/// What printf prints, and the number of arguments it took.
std::pair<std::string, int> format_lane(Warp& warp, std::uint32_t lane, std::uint64_t format, std::uint64_t packed) {
    const std::string pattern = text(warp, lane, format);
    PackedArguments arguments(warp, lane, packed);
    std::string out;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            out.push_back(pattern[i]);
            continue;
        }
        const Conversion parsed = parse_conversion(pattern, ++i, arguments);
        if (i >= pattern.size()) break;
        const char kind = pattern[i];
        if (kind == '%') {
            out.push_back(kind);
        } else if (std::strchr("diuoxXc", kind) != nullptr) {
            append_integer(out, parsed, kind, arguments);
        } else if (std::strchr("fFeEgGaA", kind) != nullptr) {
            append(out, parsed.spec + kind, std::bit_cast<double>(arguments.next(8)));
        } else if (kind == 's') {
            // The C library says what a null pointer is printed as, which a short precision changes.
            const std::uint64_t address = arguments.next(8);
            const std::string found = text(warp, lane, address);
            append(out, parsed.spec + kind, address == 0 ? nullptr : found.c_str());
        } else if (kind == 'p') {
            append(out, parsed.spec + kind, reinterpret_cast<void*>(arguments.next(8)));  // NOLINT
        }
    }
    return {std::move(out), arguments.taken()};
}

/// Gives what printf does in a kernel (CUDA C++ Programming Guide, Formatted Output): the number of arguments parsed,
/// -1 if the format is null.
int print(Warp& warp, std::uint32_t lane, std::uint64_t format, std::uint64_t packed) {
    if (format == 0) return -1;
    static std::mutex output;  // lines of different SMs do not mix
    const auto [line, taken] = format_lane(warp, lane, format, packed);
    const std::scoped_lock lock(output);
    std::fwrite(line.data(), 1, line.size(), stdout);
    return taken;
}

void write(Warp& warp, const Inst& inst, std::uint32_t lane, std::uint64_t address, const void* value,
           std::uint32_t bytes) {
    const bool there =
        for_pieces(warp, lane, address, bytes, [&](std::byte* place, std::uint32_t done, std::uint32_t count) {
            std::memcpy(place, static_cast<const std::byte*>(value) + done, count);
        });
    if (!there)
        fault(warp, inst, FaultKind::illegal_address, "illegal address: a result that has no place",
              static_cast<int>(lane));
}

Dim3 dimensions(const Warp& warp, const CallSite& site, std::size_t i, std::uint32_t lane) {
    Dim3 d{1, 1, 1};
    const CallArea& area = site.arguments.at(i);
    std::memcpy(d.data(), warp.frame + area.offset + static_cast<std::size_t>(lane) * area.bytes,
                std::min<std::size_t>(area.bytes, sizeof d));
    return d;
}

/// The kernel is the first argument; grid, block and shared memory begin at the argument `i`.
DeviceLaunch wanted_launch(const Warp& warp, const CallSite& site, std::size_t i, std::uint32_t lane) {
    return {argument(warp, site, 0, lane), dimensions(warp, site, i, lane), dimensions(warp, site, i + 1, lane),
            static_cast<std::uint32_t>(argument(warp, site, i + 2, lane))};
}

/// Asks for a copy, or for a fill, by the rules of the device runtime; gives the error code.
std::uint64_t transfer(Warp& warp, const CallSite& site, std::uint32_t lane) {
    constexpr std::uint64_t success = 0, invalid_value = 1, invalid_direction = 21;  // cudaError_t
    constexpr std::uint64_t device_to_device = 3, by_addresses = 4;                  // cudaMemcpyKind
    const auto given = [&](std::size_t i) { return argument(warp, site, i, lane); };
    const auto is_global = [](std::uint64_t address) {
        const std::uint64_t window = address & window_mask;
        return address != 0 && window != shared_window && window != local_window;
    };
    const bool copies = site.builtin == Builtin::copy;
    DeviceLaunches::Entry wanted;
    wanted.to = given(0);
    wanted.bytes = given(2);
    if (wanted.bytes == 0) return success;
    if (copies) {
        const std::uint64_t kind = given(3);
        if (kind != device_to_device && kind != by_addresses) return invalid_direction;
        wanted.from = given(1);
        if (!is_global(wanted.from)) return invalid_value;
    } else {
        wanted.value = static_cast<int>(given(1));
    }
    if (!is_global(wanted.to)) return invalid_value;
    transfer_from_device(warp, lane, wanted, given(copies ? 4 : 3));
    return success;
}

/// cudaMalloc in a kernel; gives the error code.
std::uint64_t allocate(Warp& warp, const Inst& inst, const CallSite& site, std::uint32_t lane) {
    constexpr std::uint64_t success = 0, invalid_value = 1, memory_allocation = 2;  // cudaError_t
    const std::uint64_t pointer = argument(warp, site, 0, lane), bytes = argument(warp, site, 1, lane);
    if (pointer == 0 || bytes == 0) return invalid_value;
    const void* made = warp.sm->launch->memory->allocate_in_kernel(bytes);
    if (made == nullptr) return memory_allocation;
    write(warp, inst, lane, pointer, &made, sizeof made);
    return success;
}

/// What the device runtime answers goes to where the first argument says; gives the error code.
std::uint64_t ask(Warp& warp, const Inst& inst, const CallSite& site, std::uint32_t lane) {
    constexpr std::uint64_t success = 0, invalid_value = 1, invalid_device_function = 98, invalid_device = 101,
                            not_supported = 801;  // cudaError_t
    const auto given = [&](std::size_t i) { return argument(warp, site, i, lane); };
    const auto answer = [&](int value) {
        write(warp, inst, lane, given(0), &value, sizeof value);
        return success;
    };
    if (site.builtin == Builtin::get_device) return answer(0);
    if (site.builtin == Builtin::device_count) return answer(1);
    const LaunchContext& launch = *warp.sm->launch;
    if (launch.questions == nullptr) return not_supported;
    if (site.builtin == Builtin::device_attribute) {
        const auto value = launch.questions->attribute(static_cast<int>(given(1)));
        if (!value) return invalid_value;
        return given(2) == 0 ? answer(*value) : invalid_device;
    }
    const Code* kernel = kernel_at(*launch.program, given(1));
    if (kernel == nullptr) return invalid_device_function;
    const auto threads = static_cast<int>(given(2));
    if (threads <= 0) {
        answer(0);
        return invalid_value;
    }
    const auto blocks = launch.questions->resident_blocks(kernel->info, threads, given(3));
    return blocks ? answer(*blocks) : not_supported;
}

}  // namespace

Builtin find_builtin(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, Builtin>, 34> builtins{
        {{"vprintf", Builtin::vprintf},
         {"malloc", Builtin::malloc},
         {"free", Builtin::free},
         {"__assertfail", Builtin::assertfail},
         {"cudaGraphSetConditional", Builtin::set_condition},
         {"__cudaCDP2GetParameterBufferV2", Builtin::parameter_buffer},
         {"__cudaCDP2LaunchDeviceV2", Builtin::launch},
         {"__cudaCDP2GetParameterBuffer", Builtin::buffer_of_bytes},
         {"__cudaCDP2LaunchDevice", Builtin::launch_kernel},
         {"__cudaCDP2LaunchDevice_ptsz", Builtin::launch_kernel},
         {"__cudaCDP2LaunchDeviceV2_ptsz", Builtin::launch},
         {"__cudaCDP2MemcpyAsync", Builtin::copy},
         {"__cudaCDP2MemcpyAsync_ptsz", Builtin::copy},
         {"__cudaCDP2MemsetAsync", Builtin::fill},
         {"__cudaCDP2MemsetAsync_ptsz", Builtin::fill},
         {"__cudaCDP2Malloc", Builtin::allocate},
         {"__cudaCDP2Free", Builtin::free},
         {"__cudaCDP2StreamWaitEvent_ptsz", Builtin::succeed},
         {"__cudaCDP2EventRecord_ptsz", Builtin::succeed},
         {"__cudaCDP2StreamCreateWithFlags", Builtin::make_handle},
         {"__cudaCDP2EventCreateWithFlags", Builtin::make_handle},
         {"__cudaCDP2GetDevice", Builtin::get_device},
         {"__cudaCDP2GetDeviceCount", Builtin::device_count},
         {"__cudaCDP2DeviceGetAttribute", Builtin::device_attribute},
         {"__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor", Builtin::resident_blocks},
         {"__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", Builtin::resident_blocks},
         {"__cudaCDP2StreamDestroy", Builtin::succeed},
         {"__cudaCDP2StreamWaitEvent", Builtin::succeed},
         {"__cudaCDP2EventRecord", Builtin::succeed},
         {"__cudaCDP2EventDestroy", Builtin::succeed},
         {"__cudaCDP2GetLastError", Builtin::last_error},
         {"__cudaCDP2PeekAtLastError", Builtin::peek_at_error},
         {"__cudaCDP2GetErrorName", Builtin::succeed},  // of an error that there is not
         {"__cudaCDP2GetErrorString", Builtin::succeed}}};
    // In the device runtime up to CUDA 11 they are called as those of the host.
    static constexpr std::string_view prefix = "__cudaCDP2", older_prefix = "cuda";
    const bool older = name.starts_with(older_prefix);
    const auto* const found = std::ranges::find_if(builtins, [&](const auto& row) {
        return row.first == name || (older && row.first.starts_with(prefix) &&
                                     row.first.substr(prefix.size()) == name.substr(older_prefix.size()));
    });
    return found == builtins.end() ? Builtin::none : found->second;
}

void call_builtin(Warp& warp, const Inst& inst, const CallSite& site) {
    warp.sm->repeatable = false;
    warp.sm->wrote_anywhere = true;
    DeviceMemory& memory = *warp.sm->launch->memory;
    for (std::uint32_t mask = warp.exec; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        switch (site.builtin) {
            case Builtin::vprintf: {
                const int printed = print(warp, lane, argument(warp, site, 0, lane), argument(warp, site, 1, lane));
                result(warp, site, lane, static_cast<std::uint64_t>(printed));
                break;
            }
            case Builtin::malloc:
                result(warp, site, lane,
                       reinterpret_cast<std::uint64_t>(memory.allocate_in_kernel(argument(warp, site, 0, lane))));
                break;
            case Builtin::free:
                if (const std::uint64_t pointer = argument(warp, site, 0, lane); pointer != 0)
                    memory.release_in_kernel(reinterpret_cast<void*>(pointer));  // NOLINT
                result(warp, site, lane, 0);
                break;
            case Builtin::assertfail: {
                // The line CUDA prints, on stderr as CUDA does.
                const BlockContext& block = *warp.block;
                const std::string line =
                    fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n",
                                text(warp, lane, argument(warp, site, 1, lane)),
                                static_cast<std::uint32_t>(argument(warp, site, 2, lane)),
                                text(warp, lane, argument(warp, site, 3, lane)), block.id[0], block.id[1], block.id[2],
                                (*warp.tid)[0][lane], (*warp.tid)[1][lane], (*warp.tid)[2][lane],
                                text(warp, lane, argument(warp, site, 0, lane)));
                std::fwrite(line.data(), 1, line.size(), stderr);
                fault(warp, inst, FaultKind::assertion, "assertion failed", static_cast<int>(lane));
            }
            case Builtin::set_condition: {
                const std::uint64_t value = argument(warp, site, 1, lane);
                write(warp, inst, lane, argument(warp, site, 0, lane), &value, sizeof(std::uint32_t));
                break;
            }
            case Builtin::parameter_buffer:
                result(warp, site, lane, parameter_buffer(warp, inst, lane, wanted_launch(warp, site, 1, lane)));
                break;
            case Builtin::buffer_of_bytes:
                result(warp, site, lane, parameter_buffer(warp, lane, argument(warp, site, 1, lane)));
                break;
            case Builtin::launch_kernel:
                result(warp, site, lane,
                       launch_from_device(warp, inst, lane, argument(warp, site, 1, lane),
                                          argument(warp, site, 5, lane), wanted_launch(warp, site, 2, lane)));
                break;
            case Builtin::launch:
                launch_from_device(warp, inst, lane, argument(warp, site, 0, lane), argument(warp, site, 1, lane));
                result(warp, site, lane, 0);
                break;
            case Builtin::copy:
            case Builtin::fill:
                result(warp, site, lane, remember_error(warp, lane, transfer(warp, site, lane)));
                break;
            case Builtin::allocate:
                result(warp, site, lane, remember_error(warp, lane, allocate(warp, inst, site, lane)));
                break;
            case Builtin::make_handle:
                write(warp, inst, lane, argument(warp, site, 0, lane), &some_handle, sizeof some_handle);
                result(warp, site, lane, 0);
                break;
            case Builtin::get_device:
            case Builtin::device_count:
            case Builtin::device_attribute:
            case Builtin::resident_blocks:
                result(warp, site, lane, remember_error(warp, lane, ask(warp, inst, site, lane)));
                break;
            case Builtin::last_error:
            case Builtin::peek_at_error:
                result(warp, site, lane, last_error(warp, lane, site.builtin == Builtin::last_error));
                break;
            case Builtin::succeed:
                result(warp, site, lane, 0);
                break;
            case Builtin::none:
                break;
        }
    }
    forget_old_ranges(*warp.sm);
}

}  // namespace gpuproj::simulate
