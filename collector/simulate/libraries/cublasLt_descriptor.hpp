// cuBLASLt's descriptors: plain structs whose members are set and read by the numbers of attributes. The application
// may provide their memory, of the size that its own version of the header knows, and may drop it without a word, so
// that nothing but the struct itself can hold what was set. Where that memory is shorter, its beginning is what there
// is.
//
// A State begins with a `DescriptorHead head`, is trivially copyable, and has
//   kind        a number that no other kind of descriptor has
//   least_bytes the size in the oldest header
//   attributes  a table of Attribute
#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <type_traits>

#include "collector/simulate/libraries/cublasLt_types.hpp"

namespace gpuproj::simulate::libraries::cublas_lt {

struct DescriptorHead {
    std::uint16_t kind = 0;
    std::uint8_t words = 0;    // of 8 bytes: how much of the struct there is
    std::uint8_t created = 0;  // by the library, and not in memory of the application's
};

struct Attribute {
    std::size_t offset, bytes;
    int number;
    bool read_only = false;
};
#define GPUPROJ_ATTRIBUTE(number, State, member)                              \
    Attribute {                                                               \
        offsetof(State, member), sizeof(std::declval<State>().member), number \
    }

/// Is this, whatever it points to, a descriptor of the kind?
template <class State>
bool is_descriptor(const void* at) noexcept {
    if (at == nullptr) return false;
    DescriptorHead head;
    std::memcpy(&head, at, sizeof head);
    return head.kind == State::kind;
}
/// What was set, and the rest as it is by itself. `at` is a descriptor.
template <class State>
State state_of(const void* at) noexcept {
    DescriptorHead head;
    std::memcpy(&head, at, sizeof head);
    State state;
    std::memcpy(&state, at, std::min(sizeof state, std::size_t{head.words} * 8));
    return state;
}

template <class State>
int init_descriptor(void* at, std::size_t bytes, State state) noexcept {
    static_assert(std::is_trivially_copyable_v<State> && sizeof(State) % 8 == 0 && sizeof(State) >= State::least_bytes);
    if (at == nullptr) return invalid_value;
    if (bytes < State::least_bytes) return allocation_failed;
    state.head = {State::kind, static_cast<std::uint8_t>(std::min(bytes, sizeof state) / 8), 0};
    std::memcpy(at, &state, std::size_t{state.head.words} * 8);
    return success;
}
template <class State>
int create_descriptor(void** at, State state) noexcept {
    if (at == nullptr) return invalid_value;
    auto* const made = new (std::nothrow) State(state);
    if (made == nullptr) return allocation_failed;
    made->head = {State::kind, sizeof(State) / 8, 1};
    *at = made;
    return success;
}
template <class State>
int destroy_descriptor(void* at) noexcept {
    if (at == nullptr) return success;
    if (!is_descriptor<State>(at)) return invalid_value;
    auto* const known = static_cast<State*>(at);
    known->head.kind = 0;
    if (known->head.created != 0) delete known;
    return success;
}

template <class State>
const Attribute* attribute_of(const void* at, int number) noexcept {
    if (!is_descriptor<State>(at)) return nullptr;
    DescriptorHead head;
    std::memcpy(&head, at, sizeof head);
    const auto* const found = std::find_if(std::begin(State::attributes), std::end(State::attributes),
                                           [&](const Attribute& a) { return a.number == number; });
    if (found == std::end(State::attributes) || found->offset + found->bytes > std::size_t{head.words} * 8)
        return nullptr;
    return found;
}
template <class State>
int set_attribute(void* at, int number, const void* value, std::size_t bytes) noexcept {
    const Attribute* const attribute = attribute_of<State>(at, number);
    if (attribute == nullptr || attribute->read_only || value == nullptr || bytes != attribute->bytes)
        return invalid_value;
    std::memcpy(static_cast<char*>(at) + attribute->offset, value, bytes);
    return success;
}

/// Gives `bytes_known` bytes at `known` as the functions GetAttribute do: with no room, only how much there is.
inline int give_attribute(const void* known, std::size_t bytes_known, void* value, std::size_t bytes,
                          std::size_t* written) noexcept {
    if (bytes == 0 ? written == nullptr : (value == nullptr || bytes != bytes_known)) return invalid_value;
    if (bytes > 0) std::memcpy(value, known, bytes);
    if (written != nullptr) *written = bytes_known;
    return success;
}
template <class State>
int get_attribute(const void* at, int number, void* value, std::size_t bytes, std::size_t* written) noexcept {
    const Attribute* const attribute = attribute_of<State>(at, number);
    if (attribute == nullptr) return invalid_value;
    return give_attribute(static_cast<const char*>(at) + attribute->offset, attribute->bytes, value, bytes, written);
}

}  // namespace gpuproj::simulate::libraries::cublas_lt

/// The functions Destroy, SetAttribute and GetAttribute of a kind of descriptor.
#define GPUPROJ_DESCRIPTOR_API(name, State)                                                                  \
    GPUPROJ_LIBRARY_API int name##Destroy(void* at) {                                                        \
        return destroy_descriptor<State>(at);                                                                \
    }                                                                                                        \
    GPUPROJ_LIBRARY_API int name##SetAttribute(void* at, int number, const void* value, std::size_t bytes) { \
        return set_attribute<State>(at, number, value, bytes);                                               \
    }                                                                                                        \
    GPUPROJ_LIBRARY_API int name##GetAttribute(const void* at, int number, void* value, std::size_t bytes,   \
                                               std::size_t* written) {                                       \
        return get_attribute<State>(at, number, value, bytes, written);                                      \
    }
