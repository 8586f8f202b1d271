// gpuproj targets ACTION: one function per action, as verbs have.
#pragma once

#include "tools/gpuproj/words.hpp"

namespace gpuproj {

int targets_derive(const Words& words);
int targets_add(const Words& words);
int targets_bench(const Words& words);
int targets_import(const Words& words);

}  // namespace gpuproj
