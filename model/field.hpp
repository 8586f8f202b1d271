// One line per field: the JSON key (with its unit), the member, what it means.
#pragma once

#include <string_view>

namespace gpuproj {

/// A struct lists its fields once, in a constexpr tuple named `fields`; readers, writers, checks and help texts all
/// walk that table (json_fields.hpp).
template <class T, class V>
struct Field {
    std::string_view key;
    V T::*member;
    std::string_view meaning;
};

template <class T, class V>
Field(std::string_view, V T::*, std::string_view) -> Field<T, V>;

}  // namespace gpuproj
