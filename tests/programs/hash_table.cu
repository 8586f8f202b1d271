// A hash table with open addressing that threads fill by atomicCAS: how long each looks for a place depends on who was
// there first.
#include <cstdint>

#include "verify.hpp"

constexpr uint32_t nothing = ~0U;

__device__ uint32_t place_of(uint32_t key) {
    key = (key ^ key >> 16) * 0x85EBCA6BU;
    key = (key ^ key >> 13) * 0xC2B2AE35U;
    return key ^ key >> 16;
}

__global__ void insert(const uint32_t* keys, int n, uint32_t* table, uint32_t mask) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (uint32_t place = place_of(keys[i]) & mask;; place = (place + 1) & mask) {
        const uint32_t before = atomicCAS(&table[place], nothing, keys[i]);
        if (before == nothing || before == keys[i]) return;
    }
}

__global__ void find(const uint32_t* keys, int n, const uint32_t* table, uint32_t mask, int* found) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t place = place_of(keys[i]) & mask;
    while (table[place] != nothing && table[place] != keys[i]) place = (place + 1) & mask;
    found[i] = table[place] == keys[i] ? 1 : 0;
}

int main(int argc, char** argv) {
    const int n = static_cast<int>(option(argc, argv, "--keys", 4000));
    const int rounds = static_cast<int>(option(argc, argv, "--rounds", 3));
    uint32_t places = 1;
    while (places < 2U * static_cast<uint32_t>(n)) places *= 2;
    Random random;
    std::vector<uint32_t> keys(n), table(places, nothing);
    std::vector<int> expected(n);
    Device<uint32_t> d_table(table);
    Device<int> found(n);
    bool right = true;
    for (int round = 0; round < rounds; ++round) {
        for (auto& key : keys) key = random.next() % (2 * n);
        std::vector<char> in(2 * n);
        for (const uint32_t key : keys) in[key] = 1;
        const Device<uint32_t> d_keys(keys);
        cudaMemset(d_table, 0xFF, places * sizeof(uint32_t));
        insert<<<(n + 255) / 256, 256>>>(d_keys, n, d_table, places - 1);
        // Half of these are none of the table's.
        for (auto& key : keys) key = random.next() % (2 * n);
        for (int i = 0; i < n; ++i) expected[i] = in[keys[i]];
        const Device<uint32_t> d_wanted(keys);
        find<<<(n + 255) / 256, 256>>>(d_wanted, n, d_table, places - 1, found);
        right = agree("found", found.host(), expected, 0) && right;
    }
    return verdict(right);
}
