#include "model/counted_gpu.hpp"

namespace gpuproj {

Gpu as_counted(Gpu gpu, const Provenance& provenance) {
    if (provenance.counters == "simulated")
        gpu.ecc = Known<bool>{false, Quality::derived, "simulated counters hold no ECC traffic", {}};
    else if (provenance.ecc)
        gpu.ecc = Known<bool>{*provenance.ecc, Quality::measured, "the profile", {}};
    return gpu;
}

}  // namespace gpuproj
