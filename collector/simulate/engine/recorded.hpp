// Accesses to memory in machine code: it moves the data itself, and leaves behind which addresses they were, for all
// lanes of the warp. What is counted is counted from that, behind the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collector/simulate/engine/warp.hpp"

namespace gpuproj::simulate {

/// How the lanes of an octet lie: their data side by side, or all in one place, or neither is known.
enum class OctetLie : std::uint8_t { apart, row, point };

/// One access of a run. Offsets are from the stack pointer of its code.
struct RecordedAccess {
    const Inst* inst = nullptr;
    Handler handler = nullptr;  // of the instruction
    std::uint32_t addresses =
        0;                     // of all lanes: 8 bytes each in device memory, without what is added to a base; else 4
    std::uint32_t lies = 0;    // a byte for each octet: its OctetLie, where all its lanes take part
    std::uint32_t lanes = 0;   // a byte for each octet: the lanes that take part; 0: all active ones
    std::uint32_t values = 0;  // what an octet loads or stores, element after element: element_bytes for each
    std::uint8_t register_bytes = 0;  // of a lane, in each of the registers that are loaded or stored
    bool shared = false, store = false;
    /// A load from what an earlier one of the run has as its base, as many bytes a lane, by the same lanes: addresses
    /// and lies are that one's.
    bool follows = false;
    /// Of shared memory: the first access of the run with the same base and as many bytes, some times these bytes away,
    /// by number; its own if there is none before. They take as many passes through the banks.
    std::uint32_t like = 0;
    std::uint16_t like_loads = 0, like_stores = 0;  // of the first: how many there are that are counted, it among them
};
/// Of an octet's element in RecordedAccess::values: eight lanes of up to 8 bytes; what is smaller than a word is one.
inline constexpr std::uint32_t element_bytes = 64;

/// Counts what a run has accessed, one after the other.
using CountAccesses = void (*)(Warp& warp, const RecordedAccess* first, std::size_t count, const std::byte* stack);
/// Does an octet's access by the instruction's handler, which knows all that memory can be, without counting it.
/// `number`: of the octet; `taking_part`: its lanes that do. False: it is at fault, SmContext::error says how, and the
/// warp goes no further.
using AccessOctet = bool (*)(Warp& warp, const RecordedAccess& access, std::byte* stack, std::uint32_t number,
                             std::uint32_t taking_part);

namespace baseline {
void count_accesses(Warp& warp, const RecordedAccess* first, std::size_t count, const std::byte* stack);
bool access_octet(Warp& warp, const RecordedAccess& access, std::byte* stack, std::uint32_t number,
                  std::uint32_t taking_part);
}  // namespace baseline
namespace avx2 {
void count_accesses(Warp& warp, const RecordedAccess* first, std::size_t count, const std::byte* stack);
bool access_octet(Warp& warp, const RecordedAccess& access, std::byte* stack, std::uint32_t number,
                  std::uint32_t taking_part);
}  // namespace avx2

}  // namespace gpuproj::simulate
