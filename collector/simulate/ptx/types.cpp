#include <array>
#include <utility>

#include "collector/simulate/ptx/ast.hpp"

namespace gpuproj::simulate::ptx {

namespace {

struct TypeRow {
    Type type;
    std::string_view name;
    std::uint32_t bytes;
    bool is_signed, is_float;
};

constexpr std::array rows{
    TypeRow{Type::none, "", 0, false, false},       TypeRow{Type::pred, "pred", 0, false, false},
    TypeRow{Type::b8, "b8", 1, false, false},       TypeRow{Type::b16, "b16", 2, false, false},
    TypeRow{Type::b32, "b32", 4, false, false},     TypeRow{Type::b64, "b64", 8, false, false},
    TypeRow{Type::b128, "b128", 16, false, false},  TypeRow{Type::u8, "u8", 1, false, false},
    TypeRow{Type::u16, "u16", 2, false, false},     TypeRow{Type::u32, "u32", 4, false, false},
    TypeRow{Type::u64, "u64", 8, false, false},     TypeRow{Type::s8, "s8", 1, true, false},
    TypeRow{Type::s16, "s16", 2, true, false},      TypeRow{Type::s32, "s32", 4, true, false},
    TypeRow{Type::s64, "s64", 8, true, false},      TypeRow{Type::f16, "f16", 2, true, true},
    TypeRow{Type::f16x2, "f16x2", 4, true, true},   TypeRow{Type::bf16, "bf16", 2, true, true},
    TypeRow{Type::bf16x2, "bf16x2", 4, true, true}, TypeRow{Type::tf32, "tf32", 4, true, true},
    TypeRow{Type::f32, "f32", 4, true, true},       TypeRow{Type::f64, "f64", 8, true, true},
    TypeRow{Type::u16x2, "u16x2", 4, false, false}, TypeRow{Type::s16x2, "s16x2", 4, true, false},
    TypeRow{Type::f32x2, "f32x2", 8, true, true},   TypeRow{Type::e4m3, "e4m3", 1, true, true},
    TypeRow{Type::e5m2, "e5m2", 1, true, true},     TypeRow{Type::e2m3, "e2m3", 1, true, true},
    TypeRow{Type::e3m2, "e3m2", 1, true, true},     TypeRow{Type::e2m1, "e2m1", 1, true, true},
    TypeRow{Type::e4m3x2, "e4m3x2", 2, true, true}, TypeRow{Type::e5m2x2, "e5m2x2", 2, true, true},
    TypeRow{Type::e2m3x2, "e2m3x2", 2, true, true}, TypeRow{Type::e3m2x2, "e3m2x2", 2, true, true},
    TypeRow{Type::e2m1x2, "e2m1x2", 1, true, true}, TypeRow{Type::ue8m0x2, "ue8m0x2", 2, false, true},
    TypeRow{Type::s4, "s4", 1, true, false},        TypeRow{Type::u4, "u4", 1, false, false},
    TypeRow{Type::b1, "b1", 1, false, false},
};

constexpr bool in_order() {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].type != static_cast<Type>(i)) return false;
    }
    return true;
}
static_assert(in_order(), "rows are indexed by Type");

const TypeRow& row(Type type) {
    return rows[static_cast<std::size_t>(type)];
}

}  // namespace

std::uint32_t size_of(Type type) {
    return row(type).bytes;
}
std::uint32_t bit_count(Type type) {
    return type == Type::s4 || type == Type::u4 ? 4 : type == Type::b1 ? 1 : 8 * row(type).bytes;
}
bool is_signed(Type type) {
    return row(type).is_signed;
}
bool is_float(Type type) {
    return row(type).is_float;
}
std::string_view name_of(Type type) {
    return type == Type::none ? "none" : row(type).name;
}

Type parse_type(std::string_view name) {
    if (!name.empty() && name.front() == '.') name.remove_prefix(1);
    for (const TypeRow& candidate : rows) {
        if (candidate.name == name) return candidate.type;
    }
    return Type::none;
}

}  // namespace gpuproj::simulate::ptx
