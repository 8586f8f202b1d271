// The measurements, whatever the programming interface: a Backend allocates, copies, and runs kernels of kernels.h.
// Standard C++ only, so that nvcc and hipcc compile it too.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gpuproj::bench {

/// Something the user can put right: no device, out of memory, a kernel that does not build, a result that is wrong.
struct BenchError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct DeviceInfo {
    std::string name, vendor, driver, architecture;  // compute capability or gfx name, if known
    bool is_cpu = false;
    int units = 0;
    double clock_hz = 0;  // as reported, or counted under load
    bool clock_is_measured = false;
    double memory_byte = 0;
    double last_cache_byte = 0;
    double shared_per_group_byte = 0;
    int group_limit = 0;
    int ecc = -1;  // 1 on, 0 off, -1 not known
};

struct Argument {
    const void* value;
    std::size_t size;
};

template <class T>
Argument argument(const T& value) {
    return {&value, sizeof(T)};  // NOLINT(bugprone-sizeof-expression): a handle is passed as such
}

/// One figure, in the unit of its key in a GPU file.
struct Measurement {
    std::string parameter;
    double value = 0;
    double spread = 0;  // half the distance between the quartiles, relative to the median
    int repetitions = 0;
    bool settled = true;  // the spread came down to what was asked for
    std::string note;
};

struct SweepPoint {
    double at;     // loads per work-item, or operations per byte
    double value;  // bytes or operations per second
};
struct Sweep {
    std::string name;
    std::string at_key, value_key;
    std::vector<SweepPoint> points;
};

struct Results {
    std::vector<Measurement> measurements;
    std::vector<Sweep> sweeps;
};

struct Options {
    bool quick = false;
    std::function<void(const std::string&)> progress = [](const std::string&) {};
};

namespace detail {

inline double quantile(std::vector<double> sorted, double q) {
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(std::lround(q * static_cast<double>(sorted.size() - 1)))];
}

}  // namespace detail

template <class Backend>
class Suite {
public:
    Suite(Backend& backend, Options options) : device_(backend), info_(backend.info()), options_(std::move(options)) {
        group_ = info_.is_cpu ? 16 : std::min(256, info_.group_limit);
        groups_ = static_cast<std::size_t>(info_.units) * (info_.is_cpu ? 4 : 16);
        scratch_ = device_.allocate(items() * widest_result);
    }

    Results run() {
        arithmetic();
        memory();
        shared();
        if (!options_.quick) {
            tensor();
            caches();
            latencies();
            constant();
            sweeps();
        }
        host();
        return results_;
    }

private:
    using Buffer = typename Backend::Buffer;
    static constexpr std::size_t widest_result = 64;
    static constexpr double operations_per_turn = 128;

    std::size_t items() const { return groups_ * static_cast<std::size_t>(group_); }
    double least_seconds() const { return options_.quick ? 0.01 : 0.04; }

    double once(const char* kernel, std::initializer_list<Argument> arguments) {
        return device_.run(kernel, groups_, static_cast<std::size_t>(group_), arguments);
    }

    // The same over memory. A CPU's work-items each have a piece of their own, and a group of them would be made one
    // loop that goes from piece to piece.
    double over_memory(const char* kernel, std::initializer_list<Argument> arguments) {
        return info_.is_cpu ? device_.run(kernel, items(), 1, arguments) : once(kernel, arguments);
    }

    // A kernel over `count` vectors of four floats; for a CPU its form for vectors of 16, where the language has them.
    struct OverVectors {
        const char* kernel;
        std::uint64_t count;
    };
    OverVectors over_vectors(const char* kernel, const char* of_16, std::uint64_t count) const {
        return info_.is_cpu && device_.has(of_16) ? OverVectors{of_16, count / 4} : OverVectors{kernel, count};
    }

    // Repeats `rate` until its spread is 2 % or the patience ends; keeps the median.
    Measurement repeat(std::string parameter, const std::function<double()>& rate, std::string note = {}) {
        constexpr double wanted_spread = 0.02;
        const std::size_t least = options_.quick ? 5 : 9;
        const std::size_t most = options_.quick ? 15 : 40;
        options_.progress(parameter);
        rate();  // warm-up
        std::vector<double> rates;
        double spread = 1;
        while (rates.size() < least || (spread > wanted_spread && rates.size() < most)) {
            rates.push_back(rate());
            const double middle = detail::quantile(rates, 0.5);
            spread = (detail::quantile(rates, 0.75) - detail::quantile(rates, 0.25)) / 2 / middle;
        }
        return {std::move(parameter),           detail::quantile(rates, 0.5), spread,
                static_cast<int>(rates.size()), spread <= wanted_spread,      std::move(note)};
    }

    void keep(Measurement measurement) { results_.measurements.push_back(std::move(measurement)); }

    // Turns that make `run(turns)` last long enough to be timed.
    int turns_for(const std::function<double(int)>& run, int turns = 16) {
        for (double seconds = run(turns); turns < (1 << 26); turns *= 2) {
            seconds = run(turns);
            if (seconds >= least_seconds()) break;
            if (seconds < least_seconds() / 16) turns *= 4;
        }
        return turns;
    }

    template <class T>
    void check(const char* kernel, T expected) {
        std::vector<T> result(items());
        device_.read(scratch_, result.data(), result.size() * sizeof(T));
        // The first of every group has the same inputs.
        for (std::size_t i = 0; i < result.size(); i += static_cast<std::size_t>(group_)) {
            const double difference = std::abs(static_cast<double>(result[i]) - static_cast<double>(expected));
            const double tolerance = std::is_integral_v<T> ? 0.0 : 1e-3;
            if (!(difference <= tolerance * std::abs(static_cast<double>(expected)))) {
                throw BenchError(std::string(kernel) + " computed " + std::to_string(result[i]) + ", not " +
                                 std::to_string(expected) + ": the device or its driver is faulty");
            }
        }
    }

    // --- Arithmetic.

    // Rate of `kernel` whose values are `lanes` of T; each operation counts `weight`.
    template <class T>
    Measurement arithmetic_rate(const std::string& parameter, const char* kernel, T a, T b, int lanes, double weight,
                                const std::function<T(int)>& expected) {
        const std::vector<T> as(static_cast<std::size_t>(lanes), a);
        const std::vector<T> bs(static_cast<std::size_t>(lanes), b);
        const Argument first{as.data(), as.size() * sizeof(T)};
        const Argument second{bs.data(), bs.size() * sizeof(T)};
        const auto run = [&](int turns) { return once(kernel, {argument(scratch_), first, second, argument(turns)}); };
        const int turns = turns_for(run);
        const double work = weight * lanes * operations_per_turn * turns * static_cast<double>(items());
        auto measured = repeat(parameter, [&] { return work / run(turns); });
        if (lanes == 1) check<T>(kernel, expected(turns));
        return measured;
    }

    // The scalar kernel or, where vectors exist and are faster, the faster of those: of `lanes`, as wide as any machine
    // has them, or half of that, for which CPUs with fewer registers have enough.
    template <class T>
    void best_arithmetic(const std::string& parameter, const std::string& scalar, int lanes, T a, T b, double weight,
                         const std::function<T(int)>& expected) {
        if (!device_.has(scalar.c_str())) return;
        auto best = arithmetic_rate<T>(parameter, scalar.c_str(), a, b, 1, weight, expected);
        for (const int width : {lanes, lanes / 2}) {
            const std::string vector = scalar + '_' + std::to_string(width);
            if (!info_.is_cpu || !device_.has(vector.c_str())) continue;
            auto wide = arithmetic_rate<T>(parameter, vector.c_str(), a, b, width, weight, expected);
            if (wide.value > best.value) best = std::move(wide);
        }
        keep(std::move(best));
    }

    // What the first work-item of a group has to compute, when `operation` makes a chain's next value of it and of its
    // neighbour's.
    template <class Operation>
    static std::uint32_t emulate(int turns, std::uint32_t a, Operation operation) {
        std::uint32_t x[8];
        for (std::uint32_t k = 0; k < 8; ++k) x[k] = a * (k + 1);
        for (std::int64_t round = 0; round < std::int64_t{16} * turns; ++round) {
            for (int k = 0; k < 8; ++k) x[k] = operation(x[k], x[(k + 1) % 8], x[(k + 2) % 8]);
        }
        return std::accumulate(std::begin(x), std::end(x), std::uint32_t{0});
    }

    void arithmetic() {
        const auto converged = [](int) { return 16.0F; };  // 8 chains at 2 b
        best_arithmetic<float>("fp32_op_per_s", "mad_float", 16, 0.5F, 1.0F, 2, converged);
        best_arithmetic<double>("fp64_op_per_s", "mad_double", 8, 0.5, 1.0, 2, [](int) { return 16.0; });
        best_arithmetic<std::uint32_t>("int_mad_op_per_s", "mad_int", 16, 7, 3, 2, [](int turns) {
            return emulate(turns, 7, [](std::uint32_t x, std::uint32_t, std::uint32_t) { return x * 7 + 3; });
        });
        best_arithmetic<std::uint32_t>("int_add_op_per_s", "add_int", 16, 7, 3, 1, [](int turns) {
            return emulate(turns, 7, [](std::uint32_t x, std::uint32_t y, std::uint32_t) { return x + y; });
        });
        if (options_.quick) return;
        integer_kinds();
        best_arithmetic<float>("special_op_per_s", "special_float", 16, 0.5F, 1.0F, 1, [](int) { return 8.0F; });
        if (device_.has("mad_half")) {
            // Pairs: a and b hold two halves each (0.5 and 1 are 0x3800 and 0x3c00).
            const std::uint32_t a = 0x38003800U;
            const std::uint32_t b = 0x3c003c00U;
            const auto run = [&](int turns) {
                return once("mad_half", {argument(scratch_), argument(a), argument(b), argument(turns)});
            };
            const int turns = turns_for(run);
            const double work = 4 * operations_per_turn * turns * static_cast<double>(items());
            keep(repeat("fp16_op_per_s", [&] { return work / run(turns); }));
            std::vector<std::uint32_t> result(items());
            device_.read(scratch_, result.data(), result.size() * sizeof(std::uint32_t));
            if (result[0] != 0x4c004c00U)
                throw BenchError("mad_half computed a wrong sum: the device or its driver is faulty");
        }
    }

    // Integer operations other than additions and multiplications.
    void integer_kinds() {
        const std::uint32_t b = 3;
        best_arithmetic<std::uint32_t>("int_logic_op_per_s", "logic_int", 16, 7, b, 1, [](int turns) {
            return emulate(turns, 7,
                           [](std::uint32_t x, std::uint32_t y, std::uint32_t z) { return (x & ~z) | (y & z); });
        });
        best_arithmetic<std::uint32_t>("int_shift_op_per_s", "shift_int", 16, 1, b, 1, [](int) { return 0U; });
        best_arithmetic<std::uint32_t>("int_compare_op_per_s", "min_int", 16, 7, b, 1, [](int) { return 8 * 7U; });
        best_arithmetic<std::uint32_t>("bit_count_op_per_s", "count_bits", 16, 7, b, 1, [](int) { return 8U; });
    }

    // Dense matrix products in registers, one warp each; `operations` of one product of all its accumulators.
    void tensor() {
        struct Type {
            const char* parameter;
            const char* kernel;
            double operations;
        };
        constexpr double accumulators = 4;
        constexpr double square = 2.0 * 16 * 16 * 16;
        for (const Type& type :
             {Type{"tensor_fp16_op_per_s", "tensor_fp16", square}, Type{"tensor_bf16_op_per_s", "tensor_bf16", square},
              Type{"tensor_tf32_op_per_s", "tensor_tf32", square / 2},
              Type{"tensor_fp64_op_per_s", "tensor_fp64", 2.0 * 8 * 8 * 4},
              Type{"tensor_int8_op_per_s", "tensor_int8", square}}) {
            if (!device_.has(type.kernel)) continue;
            const auto run = [&](int turns) { return once(type.kernel, {argument(scratch_), argument(turns)}); };
            const int turns = turns_for(run);
            const double warps = static_cast<double>(items()) / 32;
            const double work = accumulators * type.operations * turns * warps;
            keep(repeat(
                type.parameter, [&] { return work / run(turns); },
                "by warp-wide products (mma); wider instructions can be faster"));
            check<float>(type.kernel, static_cast<float>(accumulators * turns));
        }
    }

    // --- Memory.

    std::size_t array_bytes() const {
        // Far beyond every cache, but no more than an eighth of the memory each.
        const double wanted =
            options_.quick ? std::max(128e6, info_.last_cache_byte) : std::max(512e6, 2 * info_.last_cache_byte);
        const double bytes = std::min(wanted, info_.memory_byte / 8);
        const double unit = 4 * 64.0 * static_cast<double>(items());  // four of the widest vectors each
        return static_cast<std::size_t>(std::floor(bytes / unit) * unit);
    }

    void memory() {
        const std::size_t bytes = array_bytes();
        const std::uint64_t count = bytes / 16;
        const int blocked = info_.is_cpu ? 1 : 0;
        const float value = 0.25F;
        const Buffer in = device_.allocate(bytes);
        const Buffer out = device_.allocate(bytes);
        const auto write = [&](const Buffer& to) {
            return over_memory("write_all", {argument(to), argument(value), argument(count), argument(blocked)});
        };
        write(in);
        const auto size = static_cast<double>(bytes);
        const OverVectors reading = over_vectors("read_all", "read_all_16", count);
        const auto reads = repeat("read", [&] {
            return size / over_memory(reading.kernel,
                                      {argument(in), argument(scratch_), argument(reading.count), argument(blocked)});
        });
        check<float>(reading.kernel,
                     static_cast<float>(static_cast<double>(bytes) / 4 / static_cast<double>(items()) * value));
        const auto writes = repeat("write", [&] { return size / write(out); });
        const auto copies = repeat("copy", [&] {
            return 2 * size /
                   over_memory("copy_all", {argument(in), argument(out), argument(count), argument(blocked)});
        });
        std::vector<float> tail(64);
        device_.read(out, tail.data(), tail.size() * sizeof(float));
        if (tail != std::vector<float>(64, value))
            throw BenchError("copy_all copied wrong values: the device or its driver is faulty");
        Measurement mean{"dram_bandwidth_byte_per_s",
                         (reads.value + writes.value + copies.value) / 3,
                         std::max({reads.spread, writes.spread, copies.spread}),
                         reads.repetitions,
                         reads.settled && writes.settled && copies.settled,
                         {}};
        const auto giga = [](double x) {
            return std::to_string(static_cast<double>(std::lround(x / 1e8)) / 10).substr(0, 6);
        };
        mean.note =
            "GB/s: read " + giga(reads.value) + ", write " + giga(writes.value) + ", copy " + giga(copies.value);
        keep(std::move(mean));
        if (!options_.quick) mixed(in, count, blocked);
        device_.release(in);
        device_.release(out);
    }

    // The measured roofline: multiply-adds per float read from 0 to 256.
    void mixed(const Buffer& in, std::uint64_t count, int blocked) {
        Sweep sweep{"mixed intensity", "op_per_byte", "op_per_s", {}};
        const float a = 0.5F;
        const float b = 0.125F;
        const OverVectors mixing = over_vectors("mixed", "mixed_16", count);
        for (const int work : {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256}) {
            const double operations = 2.0 * work * 4 * static_cast<double>(count);
            const auto point = repeat("mixed intensity " + std::to_string(work), [&] {
                return operations /
                       over_memory(mixing.kernel, {argument(in), argument(scratch_), argument(a), argument(b),
                                                   argument(work), argument(mixing.count), argument(blocked)});
            });
            sweep.points.push_back({work * 2.0 / 4.0, point.value});
        }
        results_.sweeps.push_back(std::move(sweep));
    }

    // --- Caches: windows that fit.

    void window_rate(const char* kernel, const Buffer& in, std::uint32_t mask, std::uint32_t offset,
                     const char* parameter) {
        const auto run = [&](int turns) {
            return once(kernel, {argument(in), argument(scratch_), argument(mask), argument(offset), argument(turns)});
        };
        const int turns = turns_for(run);
        keep(repeat(parameter, [&] { return 32.0 * turns * static_cast<double>(items()) / run(turns); }));
    }

    void caches() {
        constexpr std::uint32_t small_window = 8192 / 16;
        const Buffer in = device_.allocate(
            std::max<std::size_t>(static_cast<std::size_t>(info_.last_cache_byte), std::size_t{small_window} * 16));
        window_rate("read_window", in, small_window - 1, 0, "l1_bandwidth_byte_per_s");
        if (!info_.is_cpu && info_.last_cache_byte > 0) {
            std::uint32_t window = 1;
            while (window * 2 * 16.0 <= info_.last_cache_byte / 2) window *= 2;
            const auto apart = static_cast<std::uint32_t>(window / groups_);
            window_rate("read_window_of_l2", in, window - 1, apart, "l2_bandwidth_byte_per_s");
        }
        device_.release(in);
    }

    // --- Shared memory.

    double shared_rate(const char* kernel, std::uint32_t stride, const std::string& parameter, bool stored,
                       const std::string& note) {
        const std::uint32_t zero = 0;
        const auto run = [&](int turns) {
            return once(kernel, {argument(scratch_), argument(zero), argument(stride), argument(turns)});
        };
        const int turns = turns_for(run);
        auto measured = repeat(
            parameter, [&] { return 4.0 * turns * static_cast<double>(items()) / run(turns); }, note);
        const double rate = measured.value;
        if (stored) keep(std::move(measured));
        return rate;
    }

    void shared() {
        shared_rate("shared_32", 1, "shared_inst_per_s", true, "32-bit loads without bank conflicts");
        if (options_.quick || info_.is_cpu) return;
        Sweep widths{"shared memory by width of access", "byte", "byte_per_s", {}};
        const std::string wide = "loads without bank conflicts";
        widths.points.push_back({4, 4 * shared_rate("shared_32", 1, "shared memory, 32 bits", false, {})});
        widths.points.push_back({8, 8 * shared_rate("shared_64", 1, "shared_64bit_inst_per_s", true, wide)});
        widths.points.push_back({16, 16 * shared_rate("shared_128", 1, "shared_128bit_inst_per_s", true, wide)});
        results_.sweeps.push_back(std::move(widths));
        Sweep conflicts{"shared memory by stride", "word", "inst_per_s", {}};
        for (std::uint32_t stride = 1; stride <= 32; stride *= 2) {
            conflicts.points.push_back(
                {static_cast<double>(stride),
                 shared_rate("shared_32", stride, "shared memory, stride " + std::to_string(stride), false, {})});
        }
        results_.sweeps.push_back(std::move(conflicts));
    }

    void constant() {
        const std::uint32_t start = 0;
        const auto run = [&](int turns) {
            return device_.run_constant(groups_, static_cast<std::size_t>(group_), scratch_, start, turns);
        };
        const int turns = turns_for(run);
        keep(repeat("constant_bandwidth_byte_per_s",
                    [&] { return 16.0 * turns * static_cast<double>(items()) / run(turns); }));
    }

    // --- Latencies, by one work-item, in cycles of the reported clock.

    // A random cycle through `lines` lines of 128 bytes.
    static std::vector<std::uint32_t> cycle(std::size_t lines, std::uint32_t words_per_line) {
        std::vector<std::uint32_t> order(lines);
        std::iota(order.begin(), order.end(), 0U);
        std::mt19937 random(20170101);
        std::shuffle(order.begin() + 1, order.end(), random);
        std::vector<std::uint32_t> next(lines * words_per_line);
        for (std::size_t i = 0; i < lines; ++i) {
            const std::uint32_t to = order[(i + 1) % lines] * words_per_line;
            for (std::uint32_t word = 0; word < words_per_line; ++word) next[order[i] * words_per_line + word] = to;
        }
        return next;
    }

    double chase_seconds(const char* kernel, const Buffer& next, int steps) {
        const std::uint32_t start = 0;
        return device_.run(kernel, 1, 1, {argument(next), argument(scratch_), argument(start), argument(steps)});
    }

    void latency(const char* parameter, const char* kernel, double bytes, const std::string& note) {
        constexpr std::uint32_t line_words = 32;
        const auto lines = static_cast<std::size_t>(bytes / (4 * line_words));
        const std::vector<std::uint32_t> next = cycle(std::max<std::size_t>(lines, 2), line_words);
        const Buffer buffer = device_.allocate(next.size() * 4);
        device_.write(buffer, next.data(), next.size() * 4);
        const int once_around = static_cast<int>(next.size() / line_words);
        const int steps = std::max(4096, std::min(once_around, 1 << 18));
        // Two lengths: what a launch costs drops out.
        const auto cycles = [&] {
            return (chase_seconds(kernel, buffer, 2 * steps) - chase_seconds(kernel, buffer, steps)) / steps *
                   info_.clock_hz;
        };
        keep(repeat(parameter, cycles, note));
        device_.release(buffer);
    }

    void latencies() {
        if (info_.clock_hz <= 0) return;
        const double l2 = info_.last_cache_byte;
        latency("l1_latency_cycle", "chase", 8192, "8 kB, first-level cache where loads use it");
        if (l2 > 0 && !info_.is_cpu) latency("l2_latency_cycle", "chase", l2 / 4, "a quarter of the last cache");
        latency("dram_latency_cycle", "chase", std::min(std::max(2 * l2, 64e6), info_.memory_byte / 8),
                "beyond all caches");
        latency("shared_latency_cycle", "chase_shared", 16384, "shared memory");
        if (info_.is_cpu) return;
        constant_latency();
        departures();
    }

    // Four loads a turn, each address from the one before.
    void constant_latency() {
        const std::uint32_t start = 0;
        constexpr int turns = 4096;
        const auto seconds = [&](int n) { return device_.run_constant(1, 1, scratch_, start, n); };
        keep(repeat(
            "constant_latency_cycle",
            [&] { return (seconds(2 * turns) - seconds(turns)) / (4 * turns) * info_.clock_hz; },
            "constant cache, with the addition between two loads"));
    }

    // Hong & Kim 2009: cycles between the accesses of different warps of one multiprocessor, together and apart.
    void departures() {
        constexpr std::uint32_t lines = 1U << 19;  // 64 MB
        const std::vector<std::uint32_t> next = cycle(lines, 32);
        const Buffer buffer = device_.allocate(next.size() * 4);
        device_.write(buffer, next.data(), next.size() * 4);
        const std::uint32_t mask = lines - 1;
        const int steps = 256;
        const int few = 1;
        const int many = std::min(16, info_.group_limit / 32);
        for (const bool apart : {false, true}) {
            const std::uint32_t lane_step = apart ? 977 : 0;
            const std::uint32_t warp_step = 65537;
            const auto seconds = [&](int warps) {
                return device_.run("chase_warps", 1, static_cast<std::size_t>(warps) * 32,
                                   {argument(buffer), argument(scratch_), argument(warp_step), argument(lane_step),
                                    argument(mask), argument(steps)});
            };
            const auto slope = [&] {
                const double transactions = apart ? 32 : 1;
                return std::max(0.1,
                                (seconds(many) - seconds(few)) / (many - few) / steps / transactions * info_.clock_hz);
            };
            keep(repeat(apart ? "departure_delay_uncoalesced_cycle" : "departure_delay_coalesced_cycle", slope));
        }
        device_.release(buffer);
    }

    // --- Zhang 2024: bandwidth against the loads of a work-item.

    void sweeps() {
        Sweep sweep{"loads per work-item", "loads", "byte_per_s", {}};
        const std::size_t groups = static_cast<std::size_t>(array_bytes() / 4 / 64) / static_cast<std::size_t>(group_);
        const std::size_t all = groups * static_cast<std::size_t>(group_);
        const Buffer in = device_.allocate(all * 64 * 4);
        const Buffer out = device_.allocate(all * 4);
        for (int loads = 1; loads <= 64; loads *= 2) {
            const auto point = repeat("loads per work-item " + std::to_string(loads), [&] {
                return 4.0 * loads * static_cast<double>(all) /
                       device_.run("read_some", groups, static_cast<std::size_t>(group_),
                                   {argument(in), argument(out), argument(loads)});
            });
            sweep.points.push_back({static_cast<double>(loads), point.value});
        }
        device_.release(in);
        device_.release(out);
        results_.sweeps.push_back(std::move(sweep));
    }

    // --- The host's side.

    void host() {
        const int launches = 200;
        keep(repeat(
            "launch_overhead_s", [&] { return device_.empty_launches(launches) / launches; },
            "one after the other, host time"));
        if (options_.quick) return;
        const std::size_t bytes = 64U << 20;
        keep(repeat(
            "link_bandwidth_byte_per_s", [&] { return static_cast<double>(bytes) / device_.upload_seconds(bytes); },
            "64 MiB, page-locked where the interface offers it"));
    }

    Backend& device_;
    DeviceInfo info_;
    Options options_;
    int group_ = 256;
    std::size_t groups_ = 1;
    Buffer scratch_{};
    Results results_;
};

}  // namespace gpuproj::bench
