#include "collector/cupti/process_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <exception>

namespace gpuproj::cupti {

void ProcessLog::write(const records::Line& line) noexcept {
    try {
        const std::string text = records::to_text(line);
        const std::string file = session_ + "/" + std::to_string(getpid()) + ".jsonl";
        // One write of a whole line: the system keeps those of several threads apart.
        const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (descriptor < 0) return;
        // A full disk: the line is cut off, which the reader understands.
        if (::write(descriptor, text.data(), text.size()) < 0) {
            close(descriptor);
            return;
        }
        close(descriptor);
    } catch (const std::exception&) {
        return;
    }
}

void ProcessLog::failure(const std::string& what, const std::string& advice) noexcept {
    try {
        write({.failure = records::Failure{std::string(records::internal), what, std::nullopt, advice}});
    } catch (const std::exception&) {
        return;
    }
}

void ProcessLog::note(const std::string& text) noexcept {
    try {
        write({.note = text});
    } catch (const std::exception&) {
        return;
    }
}

}  // namespace gpuproj::cupti
