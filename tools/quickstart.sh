#!/usr/bin/env bash
# From a fresh clone to a prediction: installs what is missing, builds, and does the main job on an example.
set -euo pipefail
source "$(dirname "$0")/dev/common.sh"

install_packages build
install_web_packages
say "Building (build/)"
# On Debian 12 the flags are those of check.sh, so that nothing is built twice; elsewhere a newer compiler's warnings
# must not stand in the way.
werror=ON
[[ $(. /etc/os-release && echo "$ID $VERSION_ID") == "debian 12" ]] || werror=OFF
configure release -DGPUPROJ_TESTS=OFF -DGPUPROJ_WERROR=$werror
cmake --build build --parallel "$(jobs)" -- --quiet

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}
if [[ -x build/examples/matrix_multiply ]]; then
    say "Running an example under the simulated GTX 480, predicting for a Tesla K20c"
    show build/gpuproj run build/examples/matrix_multiply --ref GTX480 --target K20c
else
    say "No CUDA compiler, so no example program to run: predicting from a stored profile instead"
    show build/gpuproj predict examples/profiles/sgemm_32x32.json --target K20c
    printf '\nTo run CUDA programs, get a toolkit first:\n%s\n' "$(cat build/get_cuda.txt)"
fi
