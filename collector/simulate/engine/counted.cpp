#include "collector/simulate/engine/counted.hpp"

#include <cmath>
#include <tuple>
#include <utility>

namespace gpuproj::simulate {

namespace {

void scale(Maybe<double>&, double) {}  // shares stay what they are
template <Dimension D>
void scale(Maybe<Quantity<D>>& value, double factor) {
    if (value) value = Quantity<D>{std::round(value->value * factor)};
}

}  // namespace

KernelMetrics scaled(KernelMetrics metrics, double factor) {
    std::apply([&](const auto&... field) { (scale(metrics.*field.member, factor), ...); }, KernelMetrics::fields);
    return metrics;
}

Counted scaled(Counted counted, double factor) {
    return {scaled(counted.metrics, factor), scaled(std::move(counted.other_gpus), factor)};
}

}  // namespace gpuproj::simulate
