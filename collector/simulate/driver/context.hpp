// Contexts of the driver API, as far as others ask for them.
#pragma once

namespace gpuproj::simulate::driver {

/// The primary one, or made and not destroyed.
bool is_context(void* context);

}  // namespace gpuproj::simulate::driver
