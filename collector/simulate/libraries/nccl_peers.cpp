// NCCL: what a rank sends to itself, the only peer that it has, and groups of calls. What is sent in a group is
// received in it, in the same order.
#include <algorithm>
#include <utility>
#include <vector>

#include "collector/simulate/libraries/nccl_types.hpp"

namespace gpuproj::simulate::libraries::nccl {

namespace {

struct Transfer {
    void* communicator;
    void* memory;
    std::size_t count;
    int type;
    void* stream;
};

/// Of a thread, as groups are.
struct Group {
    int depth = 0;
    std::vector<Transfer> sent, received;
};
thread_local Group group;

int transfer(const Transfer& from, const Transfer& to) noexcept {
    if (from.count != to.count || from.type != to.type) return invalid_usage;
    if (from.stream != to.stream && cudaStreamSynchronize(from.stream) != 0) return unhandled_cuda_error;
    return move(to.memory, from.memory, from.count, from.type, to.stream);
}

/// What is sent without being received, or the other way round, would wait for ever.
int end_group() noexcept {
    const std::vector<Transfer> sent = std::exchange(group.sent, {});
    std::vector<Transfer> received = std::exchange(group.received, {});
    for (const Transfer& from : sent) {
        const auto to = std::ranges::find(received, from.communicator, &Transfer::communicator);
        if (to == received.end()) return invalid_usage;
        if (const int status = transfer(from, *to); status != success) return status;
        received.erase(to);
    }
    return received.empty() ? success : invalid_usage;
}

int add(std::vector<Transfer>& to, int peer, const Transfer& transfer) noexcept {
    return with_communicator(transfer.communicator, [&](const Communicator&) -> int {
        if (peer != 0 || bytes_of(transfer.type) == 0) return invalid_argument;
        try {
            to.push_back(transfer);
        } catch (const std::bad_alloc&) {
            return system_error;
        }
        return group.depth == 0 ? end_group() : success;
    });
}

}  // namespace

GPUPROJ_LIBRARY_API int ncclGroupStart() {
    ++group.depth;
    return success;
}
GPUPROJ_LIBRARY_API int ncclGroupEnd() {
    if (group.depth == 0) return invalid_usage;
    return --group.depth == 0 ? end_group() : success;
}

GPUPROJ_LIBRARY_API int ncclSend(const void* memory, std::size_t count, int type, int peer, void* communicator,
                                 void* stream) {
    return add(group.sent, peer, {communicator, const_cast<void*>(memory), count, type, stream});
}
GPUPROJ_LIBRARY_API int ncclRecv(void* memory, std::size_t count, int type, int peer, void* communicator,
                                 void* stream) {
    return add(group.received, peer, {communicator, memory, count, type, stream});
}

}  // namespace gpuproj::simulate::libraries::nccl
