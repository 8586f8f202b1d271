#include "collector/simulate/runtime/cut_off.hpp"

#include <unistd.h>

#include <array>
#include <csignal>

namespace gpuproj::simulate {

namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};

// What a signal handler may touch.
std::atomic<bool> asked{false};
std::atomic<int> received{0};
std::atomic<pid_t> process{0};

void end_by(int signal) {
    std::signal(signal, SIG_DFL);
    raise(signal);
}

void note(int signal) {
    // A forked child has no kernel, and a second signal means it.
    if (getpid() != process || received.exchange(signal) != 0) return end_by(signal);
    asked = true;
}

bool has_handler(int signal, void (*handler)(int)) {
    struct sigaction now {};
    return sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == handler;
}

}  // namespace

CutOff::CutOff() {
    process = getpid();
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;  // the host's threads go on
    for (const int signal : signals)
        if (has_handler(signal, SIG_DFL)) sigaction(signal, &action, nullptr);
}

CutOff::~CutOff() {
    for (const int signal : signals)
        if (has_handler(signal, note)) std::signal(signal, SIG_DFL);
    if (const int signal = received; signal != 0) end_by(signal);
}

const std::atomic<bool>& CutOff::flag() {
    return asked;
}

}  // namespace gpuproj::simulate
