// By what the one device is known: the same for the runtime, the driver API and NVML.
#pragma once

#include <array>
#include <charconv>
#include <string_view>
#include <system_error>

namespace gpuproj::simulate {

inline constexpr unsigned pci_domain = 0, pci_bus = 1, pci_device = 0;
inline constexpr const char* pci_bus_id = "0000:01:00.0";
inline constexpr std::array<unsigned char, 16> device_uuid{};

/// Does `text` name it? "domain:bus:device.function", hexadecimal with any number of digits (NVML writes eight for the
/// domain, CUDA four); domain and function may be left out.
inline bool is_pci_bus_id(std::string_view text) {
    std::array<unsigned, 3> parts{};
    std::size_t count = 0;
    for (bool more = true; more;) {
        if (count == parts.size()) return false;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parts.at(count++), 16);
        if (error != std::errc{}) return false;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        more = text.starts_with(':');
        if (more) text.remove_prefix(1);
    }
    if (!text.empty() && text != ".0") return false;
    if (count == 2) return parts[0] == pci_bus && parts[1] == pci_device;
    return count == 3 && parts[0] == pci_domain && parts[1] == pci_bus && parts[2] == pci_device;
}

}  // namespace gpuproj::simulate
