// Thrown inside the stand-in where the application asks for what cannot be done here; api.hpp writes it down for
// gpuproj to report and answers with the code.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "collector/records/log.hpp"
#include "collector/simulate/runtime/abi.hpp"

namespace gpuproj::simulate {

class Refused : public std::runtime_error {
public:
    Refused(cuda::CudaError code, const std::string& what, std::string advice,
            std::string_view kind = records::unsupported)
        : std::runtime_error(what), code_(code), advice_(std::move(advice)), kind_(kind) {}
    cuda::CudaError code() const { return code_; }
    const std::string& advice() const { return advice_; }
    std::string_view kind() const { return kind_; }

private:
    cuda::CudaError code_;
    std::string advice_;
    std::string_view kind_;  // of a constant
};

}  // namespace gpuproj::simulate
