// The generators that the application has made, and putting what they generate into their streams.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "collector/simulate/libraries/curand_distribution.hpp"
#include "collector/simulate/libraries/curand_types.hpp"
#include "collector/simulate/libraries/handles_of_library.hpp"

namespace gpuproj::simulate::libraries::curand {

/// Places in a sequence. Taken when results are generated, which may be after the call, and more than once in a graph.
using Position = std::atomic<std::uint64_t>;

struct Generator {
    int type = xorwow;
    bool on_host = false;  // writes ordinary memory, at once
    std::uint64_t seed = 0;
    unsigned dimensions = 1;
    void* stream = nullptr;
    std::shared_ptr<Position> position = std::make_shared<Position>(0);

    bool is_quasi() const { return has_32_bits() || has_64_bits(); }
    bool has_32_bits() const { return type == sobol32 || type == scrambled_sobol32; }
    bool has_64_bits() const { return type == sobol64 || type == scrambled_sobol64; }
    bool is_scrambled() const { return type == scrambled_sobol32 || type == scrambled_sobol64; }
};

/// All live generators; a curandGenerator_t is the number.
HandlesOfLibrary<Generator>& generators();

/// Calls `use` with the generator, and gives what that gives; not_initialized if there is none.
template <class Use>
int with_generator(void* handle, Use&& use) noexcept {
    try {
        int code = not_initialized;
        generators().with(reinterpret_cast<std::uintptr_t>(handle),
                          [&](Generator& generator) { code = std::forward<Use>(use)(generator); });
        return code;
    } catch (const std::bad_alloc&) {
        return allocation_failed;
    } catch (const std::exception&) {
        return internal_error;
    }
}

/// All dimensions of a generator.
template <class Word>
std::vector<Dimension<Word>> dimensions_of(const Generator& generator) {
    std::vector<Dimension<Word>> all;
    for (unsigned d = 0; d < generator.dimensions; ++d)
        if (generator.is_scrambled())
            all.push_back({scrambled(directions<Word>(d), d), scramble_constant<Word>(d)});
        else
            all.push_back({directions<Word>(d), Word{0}});
    return all;
}

/// `n` results of one call. Has all it needs when it is made: what is done in a stream cannot fail.
template <class T, class Distribution>
class Generation {
public:
    /// `places`: of the sequence that it takes.
    Generation(Generator generator, Distribution distribution, T* out, std::size_t n, std::uint64_t places)
        : generator_(std::move(generator)), distribution_(std::move(distribution)), out_(out), n_(n), places_(places) {
        if (generator_.has_32_bits()) dimensions32_ = dimensions_of<std::uint32_t>(generator_);
        if (generator_.has_64_bits()) dimensions64_ = dimensions_of<std::uint64_t>(generator_);
    }

    void operator()() const noexcept {
        const std::uint64_t start = generator_.position->fetch_add(places_);
        if (generator_.has_32_bits())
            fill(SobolSource<std::uint32_t>(dimensions32_, start, n_));
        else if (generator_.has_64_bits())
            fill(SobolSource<std::uint64_t>(dimensions64_, start, n_));
        else
            fill(PseudoSource(generator_.type, generator_.seed, start));
        if (!generator_.on_host) gpuproj_library_wrote(out_, n_ * sizeof(T));
    }

private:
    template <class Source>
    void fill(Source source) const {
        distribution_.fill(source, out_, n_);
    }

    Generator generator_;
    Distribution distribution_;
    T* out_;
    std::size_t n_;
    std::uint64_t places_;
    std::vector<Dimension<std::uint32_t>> dimensions32_;
    std::vector<Dimension<std::uint64_t>> dimensions64_;
};

/// Whether `n` results are as many as the generator can give; `in_pairs`: of a distribution that makes two of two.
inline Status check_length(const Generator& generator, std::size_t n, bool in_pairs) {
    if (generator.is_quasi()) return n % generator.dimensions == 0 ? success : length_not_multiple;
    const bool any_number = generator.type == philox;  // as libcurand 10.4 has it; the manual says even for all
    return in_pairs && n % 2 != 0 && !any_number ? length_not_multiple : success;
}

/// Puts `n` results of `distribution` into `out`, in the order of the generator's stream. Gives a status.
template <class T, class Distribution>
int generate(const char* function, void* handle, T* out, std::size_t n, const Distribution& distribution,
             bool in_pairs = false) noexcept {
    std::optional<Generation<T, Distribution>> made;
    void* stream = nullptr;
    bool at_once = false;
    const int code = with_generator(handle, [&](const Generator& generator) -> int {
        if (const Status status = check_length(generator, n, in_pairs); status != success) return status;
        if (n == 0) return success;
        if (out == nullptr) return launch_failure;
        std::uint64_t places = in_pairs ? n + n % 2 : n;
        if (generator.is_quasi()) places = n / generator.dimensions;
        made.emplace(generator, distribution, out, n, places);
        stream = generator.stream;
        at_once = generator.on_host;
        return success;
    });
    if (code != success || !made) return code;
    if (!at_once) return do_in_stream(statuses, library, function, stream, std::move(*made));
    (*made)();
    return success;
}

}  // namespace gpuproj::simulate::libraries::curand
