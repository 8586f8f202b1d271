// Ends a program that waits for what never comes.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "verify.hpp"

/// The program fails after `--limit` seconds.
inline void limit_time(int argc, char** argv) {
    const auto limit = std::chrono::seconds(option(argc, argv, "--limit", 200));
    std::thread([limit] {
        std::this_thread::sleep_for(limit);
        std::puts("still waiting: wrong\nFAILED");
        std::fflush(stdout);
        std::_Exit(EXIT_FAILURE);
    }).detach();
}
