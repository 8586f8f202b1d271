#include "tools/gpuproj/partial.hpp"

namespace gpuproj {

std::string partial_reason(const Profile& profile) {
    return profile.notes.empty() ? "the application ended early" : profile.notes.back();
}

}  // namespace gpuproj
