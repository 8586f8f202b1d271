// When two spellings name the same GPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuproj {

/// What stands between separators, without empty parts.
std::vector<std::string> split(std::string_view text, char separator);

/// Lower case, letters, digits and '+' only: "GeForce GTX-480" -> "geforcegtx480".
std::string canonical_name(std::string_view name);

/// The canonical name without the words that users leave out: maker and brand in front ("nvidia", "geforce", "tesla",
/// ...).
std::string bare_name(std::string_view name);

/// A name split into what it is and which variant of it: "NVIDIA A100 80GB PCIe" -> family "a100", variants
/// {"80gb", "pcie"}. Variants are memory sizes and form factors.
struct NameParts {
    std::string family;
    std::vector<std::string> variants;
};
NameParts name_parts(std::string_view name);

/// The name as people say it, without the maker and brand in front: "NVIDIA GeForce GTX 480" -> "GTX 480".
std::string spoken_name(std::string_view name);

}  // namespace gpuproj
