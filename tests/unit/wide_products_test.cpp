#include "tests/unit/wide_products.hpp"

#include <catch2/catch.hpp>
#include <cstdio>

using gpuproj::test::wide_products_agree;

TEST_CASE("products in wide vectors are those in narrow ones", "[engine][matrix]") {
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx2")) {
        std::puts("SKIPPED: no AVX-512");
        return;
    }
    for (const std::uint32_t depth : {4, 8, 16, 32}) {
        CAPTURE(depth);
        CHECK(wide_products_agree(8, 8, depth));
        CHECK(wide_products_agree(16, 8, depth));
        CHECK(wide_products_agree(16, 16, depth));
        CHECK(wide_products_agree(8, 32, depth));
    }
}
