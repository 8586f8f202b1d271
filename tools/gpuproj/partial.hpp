// Profiles of applications that ended early.
#pragma once

#include <string>

#include "model/profile.hpp"

namespace gpuproj {

/// Why the profile is partial: the note that its collector wrote last.
std::string partial_reason(const Profile& profile);

}  // namespace gpuproj
