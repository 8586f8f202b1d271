// Votes, shuffles and matches of a warp, whole and divergent.
#include "verify.hpp"

constexpr int results = 12;

__global__ void warp(const int* in, unsigned* out) {
    const int lane = threadIdx.x, value = in[lane];
    unsigned* const own = out + lane * results;
    own[0] = __ballot_sync(~0U, value > 50);
    own[1] = __any_sync(~0U, value == in[5]);
    own[2] = __all_sync(~0U, value >= 0);
    own[3] = __shfl_sync(~0U, value, (lane * 7) % 32);
    own[4] = __shfl_up_sync(~0U, value, 3);
    own[5] = __shfl_down_sync(~0U, value, 5, 16);
    own[6] = __shfl_xor_sync(~0U, value, 9);
    own[7] = __shfl_sync(~0U, value, 2, 8);
    own[8] = __match_any_sync(~0U, value % 4);
    int same = 0;
    __match_all_sync(~0U, value / 1000, &same);
    own[9] = same;
    if (lane % 3 == 0) {
        own[10] = __activemask();
        own[11] = __popc(__ballot_sync(0x49249249, value > 50));
    } else {
        own[10] = __reduce_add_sync(0xB6DB6DB6, value);
        own[11] = __reduce_max_sync(0xB6DB6DB6, value);
    }
}

int main() {
    Random random;
    std::vector<int> in(32);
    for (int& value : in) value = static_cast<int>(random.next() % 100);
    std::vector<unsigned> expected(32 * results);
    unsigned above = 0, sum = 0, most = 0, above_third = 0;
    for (int lane = 0; lane < 32; ++lane) {
        above |= unsigned{in[lane] > 50} << lane;
        if (lane % 3 == 0) {
            above_third += in[lane] > 50;
        } else {
            sum += in[lane];
            most = std::max<unsigned>(most, in[lane]);
        }
    }
    for (int lane = 0; lane < 32; ++lane) {
        unsigned* const e = &expected[lane * results];
        e[0] = above;
        e[1] = e[2] = e[9] = 1;
        e[3] = in[lane * 7 % 32];
        e[4] = in[lane < 3 ? lane : lane - 3];
        e[5] = in[lane % 16 < 11 ? lane + 5 : lane];
        e[6] = in[lane ^ 9];
        e[7] = in[lane / 8 * 8 + 2];
        for (int other = 0; other < 32; ++other) e[8] |= unsigned{in[other] % 4 == in[lane] % 4} << other;
        e[10] = lane % 3 == 0 ? 0x49249249 : sum;
        e[11] = lane % 3 == 0 ? above_third : most;
    }
    const Device<int> d_in(in);
    Device<unsigned> out(expected.size());
    warp<<<1, 32>>>(d_in, out);
    return verdict(agree("warp", out.host(), expected));
}
