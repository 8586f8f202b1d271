// The one GPU that a profile is of, where a program or a file has kernels of several.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gpuproj {

/// Whether a GPU, by the name that a file or driver gives it, is the one asked for. One that nobody knows may be: where
/// only yes or no counts, that is a yes.
class NameMatch {
public:
    constexpr NameMatch(bool is_it) : possible_(is_it), certain_(is_it) {}
    static constexpr NameMatch unknown() {
        NameMatch match(true);
        match.certain_ = false;
        return match;
    }
    constexpr operator bool() const { return possible_; }
    constexpr bool certain() const { return certain_; }

private:
    bool possible_, certain_;
};

/// Is a GPU, as a file or driver names it, the reference? Empty: none is asked for, and any is.
using IsReference = std::function<NameMatch(const std::string&)>;

namespace records {

/// The GPU that is chosen.
struct ChosenGpu {
    std::vector<std::string> names;  // its spellings, none where nobody named any GPU
    bool takes_unnamed = true;       // what nobody said the GPU of is its too

    std::string name() const { return names.empty() ? std::string() : names.front(); }
    bool takes(const std::string& gpu) const {
        return gpu.empty() ? takes_unnamed : std::ranges::find(names, gpu) != names.end();
    }
};

/// Of the GPUs `names`, one of each kernel and empty where nobody said: those known to be the reference, else the only
/// one that may be it; the first that is named where no reference is asked for. Kernels of GPUs that nobody named are
/// its only where no other is named. Throws Error that begins with `where`, the file or program: none is the reference,
/// or which of several is not known.
ChosenGpu choose_gpu(std::span<const std::string> names, const IsReference& is_reference, const std::string& where);

}  // namespace records

}  // namespace gpuproj
