#include "tools/dev/fit_simt_cache/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "model/clocks.hpp"
#include "model/error.hpp"

namespace gpuproj::fit {

namespace {

constexpr double wanted_absolute = 0.13, wanted_scaling = 0.02;
constexpr double smoothing = 0.02;   // of |e| near 0
using Vector = std::vector<double>;  // logarithms of the constants

SimtCacheConstants constants_at(const Vector& logarithms) {
    SimtCacheConstants c;
    std::size_t i = 0;
    for (const auto& constant : simt_cache_constant_table) c.*constant.member = std::exp(logarithms[i++]);
    return c;
}

Vector prior_vector() {
    Vector v;
    for (const auto& constant : simt_cache_constant_table) v.push_back(std::log(constant.prior));
    return v;
}

double loss(std::span<const ClockedKernel> kernels, const Vector& v) {
    const SimtCacheConstants c = constants_at(v);
    double sum = 0;
    for (const auto& kernel : kernels) {
        Vector e;
        for (const auto& point : kernel.points) {
            if (point.fitted) e.push_back(std::log(predicted_s(point, c) / point.measured_s));
        }
        double mean = 0, spread = 0;
        for (const double x : e) mean += x / static_cast<double>(e.size());
        for (const double x : e) spread += std::abs(x - mean) / static_cast<double>(e.size());
        sum += std::hypot(mean, smoothing) / wanted_absolute + 0.5 * spread / wanted_scaling;
    }
    std::size_t i = 0;
    for (const auto& constant : simt_cache_constant_table) {
        const double distance = (v[i++] - std::log(constant.prior)) / constant.spread;
        sum += 0.5 * distance * distance;
    }
    return sum;
}

/// Nelder & Mead 1965, from `start` with edges of `edge`.
Vector minimum(const std::function<double(const Vector&)>& f, const Vector& start, double edge, int steps) {
    const std::size_t n = start.size();
    struct Corner {
        Vector at;
        double value;
    };
    std::vector<Corner> simplex{{start, f(start)}};
    for (std::size_t i = 0; i < n; ++i) {
        Vector at = start;
        at[i] += edge;
        simplex.push_back({at, f(at)});
    }
    const auto better = [](const Corner& a, const Corner& b) { return a.value < b.value; };
    for (int step = 0; step < steps; ++step) {
        std::sort(simplex.begin(), simplex.end(), better);
        if (simplex.back().value - simplex.front().value < 1e-6) break;
        Vector centre(n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) centre[j] += simplex[i].at[j] / static_cast<double>(n);
        }
        const auto along = [&](double by) {
            Vector at(n);
            for (std::size_t j = 0; j < n; ++j) at[j] = centre[j] + by * (centre[j] - simplex.back().at[j]);
            const double value = f(at);
            return Corner{std::move(at), value};
        };
        Corner reflected = along(1);
        if (reflected.value < simplex.front().value) {
            Corner expanded = along(2);
            simplex.back() = better(expanded, reflected) ? std::move(expanded) : std::move(reflected);
        } else if (reflected.value < simplex[n - 1].value) {
            simplex.back() = std::move(reflected);
        } else if (Corner contracted = along(-0.5); contracted.value < simplex.back().value) {
            simplex.back() = std::move(contracted);
        } else {
            for (std::size_t i = 1; i <= n; ++i) {
                for (std::size_t j = 0; j < n; ++j) {
                    simplex[i].at[j] = (simplex[i].at[j] + simplex.front().at[j]) / 2;
                }
                simplex[i].value = f(simplex[i].at);
            }
        }
    }
    return std::min_element(simplex.begin(), simplex.end(), better)->at;
}

/// Errors of a prediction given at every clock.
KernelErrors errors_of(const ClockedKernel& kernel, const Vector& predicted) {
    KernelErrors e;
    const auto& points = kernel.points;
    const auto n = static_cast<double>(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double factor = predicted[i] / points[i].measured_s;
        e.absolute += std::abs(factor - 1) / n;
        e.bias_ln += std::log(factor) / n;
        for (std::size_t j = 0; j < points.size(); ++j) {
            if (i == j) continue;
            e.scaling += std::abs(predicted[j] / points[j].measured_s / factor - 1) / n / (n - 1);
        }
    }
    return e;
}

}  // namespace

std::vector<ClockedKernel> clocked_kernels(const ObservationTable& table, const Gpu& gpu) {
    std::set<double> core, memory;
    for (const auto& o : table.observations) {
        if (!o.clocks.core || !o.clocks.memory) {
            throw Error(fmt::format("line {}: no core_mhz or mem_mhz; fit on kernels at several clocks", o.line));
        }
        core.insert(o.clocks.core->value);
        memory.insert(o.clocks.memory->value);
    }
    const auto middle = [](const std::set<double>& values) {
        return *std::next(values.begin(), static_cast<std::ptrdiff_t>(values.size() / 2));
    };
    const auto at_end = [](const std::set<double>& values, double value) {
        return value == *values.begin() || value == *values.rbegin();
    };
    std::map<std::string, ClockedKernel> by_name;
    for (const auto& o : table.observations) {
        ClockPoint point;
        point.gpu = at_clocks(gpu, o.clocks);
        const auto kernel = simt_cache_kernel({o.record, point.gpu, &point.gpu, {}});
        if (const auto* no = std::get_if<Inapplicable>(&kernel)) {
            throw Error(fmt::format("line {}: {}: {}", o.line, o.kernel, no->reason));
        }
        point.kernel = std::get<SimtCacheKernel>(kernel);
        point.measured_s = o.record.duration->sum.value;
        const double c = o.clocks.core->value, m = o.clocks.memory->value;
        point.fitted = (at_end(core, c) && at_end(memory, m)) || (c == middle(core) && m == middle(memory));
        auto& clocked = by_name[o.what];
        clocked.name = o.kernel;
        clocked.points.push_back(std::move(point));
    }
    std::vector<ClockedKernel> kernels;
    for (auto& [what, kernel] : by_name) kernels.push_back(std::move(kernel));
    return kernels;
}

double predicted_s(const ClockPoint& point, const SimtCacheConstants& constants) {
    const auto machine = std::get<SimtCacheMachine>(simt_cache_machine(point.gpu, constants));
    return simt_cache(point.kernel, machine, constants).cycles / machine.clock_hz;
}

SimtCacheConstants prior_constants() {
    return constants_at(prior_vector());
}

SimtCacheConstants fit_constants(std::span<const ClockedKernel> kernels) {
    Vector v = prior_vector();
    for (const double edge : {0.15, 0.1, 0.05}) {
        v = minimum([&](const Vector& at) { return loss(kernels, at); }, v, edge, 1500);
    }
    return constants_at(v);
}

KernelErrors errors(const ClockedKernel& kernel, const SimtCacheConstants& constants) {
    Vector predicted;
    for (const auto& point : kernel.points) predicted.push_back(predicted_s(point, constants));
    return errors_of(kernel, predicted);
}

KernelErrors square_root_errors(const ClockedKernel& kernel) {
    Vector predicted;
    for (const auto& point : kernel.points) {
        predicted.push_back(1 / std::sqrt(point.gpu.core_clock->value.value * point.gpu.memory_clock->value.value));
    }
    return errors_of(kernel, predicted);
}

KernelErrors published_errors(const ClockedKernel& kernel) {
    // Wang & Chu, NV-DVFS-Benchmark, utils/gpu_info.py, GTX 1080 Ti; clocks in MHz.
    constexpr double a_l = 178.22, b_l = 396.72, a_d = 7208.57, b_d = 10.0305, l_l2 = 220, d_l2 = 1.3, l_inst = 4,
                     d_inst = 1.2, l_sh = 28, d_sh = 0.95, d_dp = 20, few = 0.3, warps_max = 64;
    Vector predicted;
    for (const auto& point : kernel.points) {
        const SimtCacheKernel& k = point.kernel;
        const double core = point.gpu.core_clock->value.value / 1e6;
        const double memory = stated_memory_clock(point.gpu, Hertz{4e9}).value / 1e6;
        const double l_dm = a_l * core / memory + b_l, d_dm = (a_d / memory + b_d) * core / memory;
        const double h = std::clamp(1 - (k.dram_read + k.dram_write) / k.l2, 0.0, 1.0);
        const double a = k.active_warps, d = d_dm * (1 - h) + d_l2 * h, l = (l_dm + d_dm) * (1 - h) + l_l2 * h;
        const double n_i = std::max(k.instructions - k.l2 - k.shared, 0.0);
        const double sms = point.gpu.sm_count->value;
        const double sm = d_inst * n_i * a * threads_per_warp / point.gpu.lanes_per_sm->value + l_inst +
                          d_sh * k.shared * a + l_sh + k.fp64 * a * d_dp;
        double cycles = std::max(sm, k.l2 * d * a) + l_dm;
        if (a / warps_max < few) {
            const double o = n_i * l_inst / k.l2, n_g = std::max(k.l2, 4.0);
            cycles = std::max(l + o + d * a + (o + l) * (n_g - 1) / 4, o * (a - 1) + (o + l) * n_g / 4);
        }
        predicted.push_back(cycles * k.warps / (a * sms) / core / 1e6);
    }
    return errors_of(kernel, predicted);
}

}  // namespace gpuproj::fit
