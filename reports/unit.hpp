// What the numbers of a column count.
#pragma once

#include <string_view>

namespace gpuproj {

/// Base units of report columns. Numbers are stored in these; prefixes exist only on the screen.
enum class Unit {
    none,    // text
    number,  // without a dimension
    count,
    seconds,
    bytes,
    capacity,  // bytes of a memory, printed with binary prefixes
    operations,
    operations_per_second,
    instructions_per_second,
    bytes_per_second,
    operations_per_byte,
    hertz,
    watts,
    cycles,
    fraction,  // 0.12, printed 12.0 %
    factor,    // 1.234, printed 1.23 x
};

/// The unit that a JSON or CSV key ends in: `dram_bandwidth_byte_per_s` is bytes per second. A key without one counts.
Unit unit_of_key(std::string_view key);

}  // namespace gpuproj
