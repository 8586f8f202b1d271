// Functions of a library that its stand-in does not have: they say so by name, instead of being missing when the loader
// looks for them. Weak, so that whatever is implemented takes their place.
#pragma once

#include "collector/simulate/libraries/host_library.hpp"

/// GPUPROJ_REFUSED_LIBRARY: its name, GPUPROJ_REFUSED_STATUS: what such a function gives back.
#define GPUPROJ_REFUSED(name)                                            \
    extern "C" __attribute__((weak, visibility("default"))) int name() { \
        gpuproj_library_refuses(GPUPROJ_REFUSED_LIBRARY, #name);         \
        return GPUPROJ_REFUSED_STATUS;                                   \
    }
