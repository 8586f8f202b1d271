// The command line and the output of a benchmark program, whatever its programming interface:
//   program --list | [--device N] [--quick] [--quiet] [--output FILE]
// JSON on stdout or in FILE (schema gpuproj.bench, version 1), what is being measured on stderr. Nothing is printed on
// stdout before everything is measured. Exit codes: 0, 1 (an error, one line on stderr), 2 (usage).
#pragma once

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "suite.hpp"

namespace gpuproj::bench {

inline std::string joined(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const std::string_view part : parts) text += part;
    return text;
}

inline std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (static_cast<unsigned char>(c) >= 0x20) result += c;
    }
    result += '"';
    return result;
}

inline std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return std::isfinite(value) ? text : "null";
}

inline std::string_view flag(bool value) {
    return value ? "true" : "false";
}

inline std::string to_json(const DeviceInfo& info) {
    return joined({"{\"name\":",
                   quoted(info.name),
                   ",\"vendor\":",
                   quoted(info.vendor),
                   ",\"driver\":",
                   quoted(info.driver),
                   ",\"architecture\":",
                   quoted(info.architecture),
                   ",\"cpu\":",
                   flag(info.is_cpu),
                   ",\"units\":",
                   std::to_string(info.units),
                   ",\"clock_hz\":",
                   number(info.clock_hz),
                   ",\"clock_measured\":",
                   flag(info.clock_is_measured),
                   ",\"memory_byte\":",
                   number(info.memory_byte),
                   ",\"last_cache_byte\":",
                   number(info.last_cache_byte),
                   ",\"shared_per_group_byte\":",
                   number(info.shared_per_group_byte),
                   info.ecc >= 0 ? ",\"ecc\":" : "",
                   info.ecc >= 0 ? flag(info.ecc == 1) : "",
                   "}"});
}

inline std::string to_json(const Measurement& m) {
    return joined({"{\"parameter\":", quoted(m.parameter), ",\"value\":", number(m.value),
                   ",\"spread\":", number(m.spread), ",\"repetitions\":", std::to_string(m.repetitions),
                   ",\"settled\":", flag(m.settled), ",\"note\":", quoted(m.note), "}"});
}

inline std::string to_json(const Sweep& sweep) {
    std::string points;
    for (const SweepPoint& point : sweep.points) {
        points += joined({points.empty() ? "" : ",", "{", quoted(sweep.at_key), ":", number(point.at), ",",
                          quoted(sweep.value_key), ":", number(point.value), "}"});
    }
    return joined({"{\"name\":", quoted(sweep.name), ",\"points\":[", points, "]}"});
}

template <class T>
std::string to_json(const std::vector<T>& values) {
    std::string text;
    for (const T& value : values) text += joined({text.empty() ? "\n" : ",\n", to_json(value)});
    return joined({"[", text, "]"});
}

inline std::string to_json(std::string_view interface, const DeviceInfo& info, const Results& results, bool quick) {
    char date[32];
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    return joined({R"({"schema":"gpuproj.bench","version":1,"interface":)", quoted(interface),
                   ",\"date\":", quoted(date), ",\"quick\":", flag(quick), ",\n\"device\":", to_json(info),
                   ",\n\"measurements\":", to_json(results.measurements), ",\n\"sweeps\":", to_json(results.sweeps),
                   "}\n"});
}

// To a file, or to stdout; all or nothing is the caller's to see to.
inline void put(const std::string& text, const char* output) {
    std::FILE* const file = output == nullptr ? stdout : std::fopen(output, "w");
    if (file == nullptr) throw BenchError(joined({output, ": cannot be written"}));
    const bool written = std::fputs(text.c_str(), file) >= 0;
    const bool closed = output == nullptr ? std::fflush(file) == 0 : std::fclose(file) == 0;
    if (!written || !closed) throw BenchError("the results cannot be written");
}

/// `Backend` gives devices() and is constructed from an index into them.
template <class Backend>
int run_program(const char* interface, int argc, char** argv) {
    bool list = false;
    bool quiet = false;
    const char* output = nullptr;
    Options options;
    std::size_t index = 0;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--list") == 0) {
            list = true;
        } else if (std::strcmp(argv[i], "--quick") == 0) {
            options.quick = true;
        } else if (std::strcmp(argv[i], "--quiet") == 0) {
            quiet = true;
        } else if (std::strcmp(argv[i], "--output") == 0 && i + 1 < argc) {
            output = argv[++i];
        } else if (std::strcmp(argv[i], "--device") == 0 && i + 1 < argc &&
                   std::strspn(argv[i + 1], "0123456789") == std::strlen(argv[i + 1])) {
            index = static_cast<std::size_t>(std::strtoul(argv[++i], nullptr, 10));
        } else {
            std::fprintf(stderr, "usage: %s --list | [--device N] [--quick] [--quiet] [--output FILE]\n", argv[0]);
            return 2;
        }
    }
    try {
        const std::vector<DeviceInfo> devices = Backend::devices();
        if (list) {
            put(to_json(devices) + "\n", output);
            return 0;
        }
        if (devices.empty())
            throw BenchError(joined({"no ", interface, " device; is its driver installed and may this user use it?"}));
        if (index >= devices.size()) {
            throw BenchError(joined({"no device ", std::to_string(index), "; there are ",
                                     std::to_string(devices.size()), ", counted from 0"}));
        }
        if (!quiet) options.progress = [](const std::string& what) { std::fprintf(stderr, "# %s\n", what.c_str()); };
        Backend backend(index);
        Suite<Backend> suite(backend, options);
        const Results results = suite.run();
        put(to_json(interface, backend.info(), results, options.quick), output);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

}  // namespace gpuproj::bench
