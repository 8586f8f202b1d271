#include "reports/kernel_names.hpp"

#include <catch2/catch.hpp>

using namespace gpuproj;

TEST_CASE("Kernel names are shortened to what tells them apart") {
    CHECK(short_kernel_name("vector_add(float const*, float*, int)") == "vector_add");
    CHECK(short_kernel_name("vector_add") == "vector_add");
    CHECK(short_kernel_name("void multiply<32>(float const*, float*)") == "multiply<32>");
    CHECK(short_kernel_name("void ns::(anonymous namespace)::tile<float, (int)32>(float*)") == "tile<float, (int)32>");
    CHECK(short_kernel_name("void tile<ns::policy>(std::vector<int>)") == "tile<policy>");
    CHECK(short_kernel_name("void a::b<c>::apply<int>(int (*)(int))") == "apply<int>");
    CHECK(short_kernel_name("void reduce<std::integral_constant<int, 7>, std::tuple<float, double>>(int)") ==
          "reduce<...>");
    CHECK(short_kernel_name("Fan1(float*, float*, int, int) [clone .1]") == "Fan1");
    CHECK(short_kernel_name("reduce [clone .constprop.0]") == "reduce");
    CHECK(short_kernel_name("main::{lambda(int)#1}") == "{lambda(int)#1}");
    CHECK(short_kernel_name("main::{lambda(int)#1}::operator()(int) const") == "operator()");
    CHECK(short_kernel_name("void (anonymous namespace)::k<(anonymous namespace)::A, ns::B>(float*)") == "k<A, B>");
    CHECK(short_kernel_name("") == "");
}

TEST_CASE("The base name is the function alone") {
    CHECK(base_kernel_name("void ns::(anonymous namespace)::tile<float, 32>(float*, int)") == "tile");
    CHECK(base_kernel_name("(anonymous namespace)::tile(int)") == "tile");
    CHECK(base_kernel_name("_Z4tilePf") == "_Z4tilePf");
}

TEST_CASE("Different kernels keep different names") {
    const std::vector<std::string> names = {"f(int)", "f(float)", "g(int)", "f(int)"};
    CHECK(short_kernel_names(names) == std::vector<std::string>{"f(int)", "f(float)", "g", "f(int)"});
    const std::string a = "void reduce<std::integral_constant<int, 7>, std::tuple<float>>(int)";
    const std::string b = "void reduce<std::integral_constant<int, 8>, std::tuple<float>>(int)";
    CHECK(short_kernel_names(std::vector{a, b}) ==
          std::vector<std::string>{"reduce<std::integral_constant<int, 7>, std::tuple<float>>",
                                   "reduce<std::integral_constant<int, 8>, std::tuple<float>>"});
}

TEST_CASE("Of long template arguments different kernels keep what tells them apart") {
    const auto launched = [](const std::string& functor) {
        return "void Kokkos::Impl::cuda_parallel_launch<Kokkos::Impl::ParallelFor<" + functor +
               ", Kokkos::RangePolicy<Kokkos::Cuda>, Kokkos::Cuda>, 1024u, 1u>(Kokkos::Impl::ParallelFor<>)";
    };
    const auto names = [](std::initializer_list<std::string> kernels) {
        return short_kernel_names(std::vector<std::string>(kernels));
    };
    CHECK(names({launched("advance_positions(float*)::{lambda(int)#2}"), launched("apply(float*)::{lambda(int)#1}")}) ==
          std::vector<std::string>{"cuda_parallel_launch<...advance_positions(float*)::{lambda(int)#2...>",
                                   "cuda_parallel_launch<...apply(float*)::{lambda(int)#1...>"});
    // Words stay whole; one list may be the beginning of another.
    CHECK(names({launched("Sum21"), launched("Sum2"), "h"}) ==
          std::vector<std::string>{"cuda_parallel_launch<...Sum21...>", "cuda_parallel_launch<...Sum2...>", "h"});
    CHECK(names({launched("A, A"), launched("A")}) ==
          std::vector<std::string>{"cuda_parallel_launch<...A, Kokkos...>", "cuda_parallel_launch<...Kokkos...>"});
    CHECK(names({launched("Sum<int>"), launched("Sum<>")}) ==
          std::vector<std::string>{"cuda_parallel_launch<...Sum<int...>", "cuda_parallel_launch<...Sum<...>"});
    // The same arguments: other parameters.
    const auto a = launched("A"), b = launched("A") + " const";
    CHECK(names({a, b}) == std::vector<std::string>{a, b});
}
