// What PCI ids and lspci's lines say of a GPU. The ids are those of the PCI ID database (pci-ids.ucw.cz), revisions
// those of libdrm's amdgpu.ids.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuproj {

/// A vendor's number of a device, and the revision by which AMD tells boards with one number apart.
struct PciId {
    std::string device;    // "1002:744c"
    std::string revision;  // "c8", or empty: not said, or told apart by the number alone
};

/// The last id in `name`, in lower case: "10de:13c2", "1002:744C:C8", or lspci's "... [1002:744c] (rev c8)".
std::optional<PciId> pci_id(std::string_view name);

/// The revision in lspci's "(rev c8)"; empty where there is none.
std::string pci_revision(std::string_view text);

/// What stands between brackets without brackets inside, last first: lspci names boards so, behind their chip.
/// "GM204 [GeForce GTX 970] [10de:13c2]" -> "10de:13c2", "GeForce GTX 970".
std::vector<std::string_view> bracketed(std::string_view text);

/// The boards that lspci names together, each in the ways it may be meant: "Radeon RX 470/480" -> {"Radeon RX 470",
/// ...}, {"480", "Radeon 480", "Radeon RX 480"}. One board, one way, where there is no '/'.
std::vector<std::vector<std::string>> boards_named(std::string_view text);

}  // namespace gpuproj
