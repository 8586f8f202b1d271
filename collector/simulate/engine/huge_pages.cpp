#include "collector/simulate/engine/huge_pages.hpp"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace gpuproj::simulate {

void prefer_huge_pages(void* begin, std::size_t bytes) {
    constexpr std::size_t huge_page = std::size_t{2} << 20;
    if (bytes >= huge_page) madvise(begin, bytes, MADV_HUGEPAGE);  // only a wish
}

HugePages::HugePages(HugePages&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

HugePages& HugePages::operator=(HugePages&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

HugePages::~HugePages() {
    if (begin_ != nullptr) munmap(begin_, bytes_);
}

std::byte* HugePages::reserve(std::size_t bytes) {
    if (bytes <= bytes_) return begin_;
    void* const made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) throw std::bad_alloc();
    prefer_huge_pages(made, bytes);
    if (begin_ != nullptr) munmap(begin_, bytes_);
    begin_ = static_cast<std::byte*>(made);
    bytes_ = bytes;
    return begin_;
}

}  // namespace gpuproj::simulate
