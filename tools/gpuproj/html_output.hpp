// HTML pages as files.
#pragma once

#include <string>

#include "model/profile.hpp"

namespace gpuproj {

/// How a page names what was profiled: its command without folders, else its source, else the name of the profile's
/// file, `file`, which may be empty.
std::string report_title(const Profile& profile, const std::string& file);

/// Writes the page, and says where and what it lacks.
void write_html(const std::string& page, const std::string& file, bool overwrite);

}  // namespace gpuproj
