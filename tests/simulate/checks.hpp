// What programs that check an API call by call need: counts what does not hold, and prints it.
#pragma once

#include <cstdio>

static int failures = 0;
#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) {                                     \
            ++failures;                                         \
            std::printf("line %d: %s\n", __LINE__, #condition); \
        }                                                       \
    } while (false)
