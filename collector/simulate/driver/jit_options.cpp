#include "collector/simulate/driver/jit_options.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

namespace gpuproj::simulate::driver {

namespace {

// CUjit_option
constexpr int wall_time = 2, info_log = 3, info_log_bytes = 4, error_log = 5, error_log_bytes = 6;

}  // namespace

JitOptions::JitOptions(unsigned count, const int* keys, void** values) {
    if (keys == nullptr || values == nullptr) return;
    for (const int key : std::span(keys, count)) {
        switch (key) {
            case wall_time:
                wall_time_ = values;
                break;
            case info_log:
                info_.text = values;
                break;
            case info_log_bytes:
                info_.bytes = values;
                break;
            case error_log:
                error_.text = values;
                break;
            case error_log_bytes:
                error_.bytes = values;
                break;
            default:
                break;
        }
        ++values;
    }
}

void JitOptions::write(const Log& log, std::string_view message) {
    if (log.bytes == nullptr) return;
    unsigned room = 0;
    std::memcpy(&room, log.bytes, sizeof room);
    char* const text = log.text == nullptr ? nullptr : static_cast<char*>(*log.text);
    std::size_t written = 0;
    if (text != nullptr && room > 0) {
        written = std::min<std::size_t>(message.size(), room - 1);
        message.copy(text, written);
        text[written] = '\0';
    }
    *log.bytes = nullptr;
    std::memcpy(log.bytes, &written, sizeof room);
}

void JitOptions::tell(std::string_view info, std::string_view error, float milliseconds) const {
    write(info_, info);
    write(error_, error);
    if (wall_time_ != nullptr) std::memcpy(wall_time_, &milliseconds, sizeof milliseconds);
}

}  // namespace gpuproj::simulate::driver
