// Memory in pages of 2 MiB where the system has them: what is spread over many megabytes costs fewer look-ups of pages.
#pragma once

#include <cstddef>

namespace gpuproj::simulate {

/// Tells the system that large pages are welcome in [begin, begin + bytes).
void prefer_huge_pages(void* begin, std::size_t bytes);

/// A stretch of zeros that only grows.
class HugePages {
public:
    HugePages() = default;
    HugePages(HugePages&& other) noexcept;
    HugePages& operator=(HugePages&& other) noexcept;
    ~HugePages();

    /// `bytes` of it, aligned to a page; what was there is lost where there was less. Throws std::bad_alloc.
    std::byte* reserve(std::size_t bytes);

private:
    std::byte* begin_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace gpuproj::simulate
