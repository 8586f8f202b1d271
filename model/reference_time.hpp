// Correcting a prediction by what the reference GPU measured.
#pragma once

#include "model/model.hpp"

namespace gpuproj {

/// A model without the correction.
using PlainPredict = Outcome (*)(const ModelInput&);

/// What `predict` says of the target; where the options ask for the reference time, every time in it x measured /
/// predicted on the reference GPU (Konstantinidis 2017, (5.13)). Inapplicable then if the profile has no measured time,
/// the reference GPU is not known, or the model does not apply there.
Outcome with_reference_time(const ModelInput& input, PlainPredict predict);

}  // namespace gpuproj
