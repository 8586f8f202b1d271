// Breadth-first search, level by level: one kernel expands the frontier, one makes the next (Harish and Narayanan
// 2007).
#include <queue>

#include "verify.hpp"

__global__ void expand(const int* start, const int* edge, const bool* frontier, bool* next, const bool* visited,
                       int* distance, int nodes) {
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || !frontier[node]) return;
    for (int i = start[node]; i < start[node + 1]; ++i) {
        const int neighbour = edge[i];
        if (visited[neighbour]) continue;
        distance[neighbour] = distance[node] + 1;
        next[neighbour] = true;
    }
}

__global__ void advance(bool* frontier, bool* next, bool* visited, bool* more, int nodes) {
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes) return;
    frontier[node] = next[node];
    if (!next[node]) return;
    visited[node] = true;
    next[node] = false;
    *more = true;
}

int main(int argc, char** argv) {
    const int nodes = static_cast<int>(option(argc, argv, "--nodes", 20000));
    Random random;
    std::vector<int> start{0}, edge;
    for (int node = 0; node < nodes; ++node) {
        const int degree = 1 + static_cast<int>(random.next() % 8);
        for (int i = 0; i < degree; ++i) edge.push_back(static_cast<int>(random.next() % nodes));
        start.push_back(static_cast<int>(edge.size()));
    }
    std::vector<int> expected(nodes, -1);
    std::queue<int> queue;
    expected[0] = 0;
    for (queue.push(0); !queue.empty(); queue.pop())
        for (int i = start[queue.front()]; i < start[queue.front() + 1]; ++i)
            if (expected[edge[i]] < 0) {
                expected[edge[i]] = expected[queue.front()] + 1;
                queue.push(edge[i]);
            }

    const Device<int> d_start(start), d_edge(edge);
    std::vector<int> initial(nodes, -1);
    initial[0] = 0;
    Device<int> distance(initial);
    Device<bool> frontier(nodes), next(nodes), visited(nodes), more(1);
    for (bool* flags : {static_cast<bool*>(frontier), static_cast<bool*>(next), static_cast<bool*>(visited)})
        check(cudaMemset(flags, 0, nodes));
    check(cudaMemset(frontier, 1, 1));
    check(cudaMemset(visited, 1, 1));
    const int blocks = (nodes + 255) / 256;
    bool again = true;
    while (again) {
        check(cudaMemset(more, 0, 1));
        expand<<<blocks, 256>>>(d_start, d_edge, frontier, next, visited, distance, nodes);
        advance<<<blocks, 256>>>(frontier, next, visited, more, nodes);
        check(cudaMemcpy(&again, more, 1, cudaMemcpyDeviceToHost));
    }
    return verdict(agree("distance", distance.host(), expected));
}
