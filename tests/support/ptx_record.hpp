// Writes launches of the engine to a file, so that tools/dev/ptx_replay can repeat them on a GPU.
#pragma once

#include <string_view>

#include "tests/support/ptx_runner.hpp"

namespace gpuproj::test {

/// Is GPUPROJ_RECORD_DIR set?
bool recording();

/// What a kernel found in memory; end() adds what it left there and appends the launch to the file
/// $GPUPROJ_RECORD_DIR/records-PID.bin. One record per different launch; a buffer's contents are written once.
class LaunchRecord {
public:
    LaunchRecord(std::string_view ptx, const simulate::LaunchRequest& request,
                 const std::vector<std::span<const std::byte>>& buffers);
    void end(const simulate::LaunchReport& report);

private:
    struct Buffer {
        std::string_view bytes;
        u32 before = 0;  // number of its contents in the file
    };
    std::string head_;
    std::vector<Buffer> buffers_;
    bool too_large_ = false;
};

/// Goes with the records that follow: "f32", "f64", "f16", "f16x2", "bf16" or "bf16x2" where their results are
/// approximate numbers of that type, stored side by side in the last buffer; "" where they are exact.
void record_results_as(std::string_view type);
/// Where it is not empty, the name of the records that follow.
void record_name(std::string_view name);

}  // namespace gpuproj::test
