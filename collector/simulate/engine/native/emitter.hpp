// Machine code of one run: which values are in which vector register, and where they come from and go to.
#pragma once

#include <xbyak/xbyak.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "collector/simulate/engine/handlers/spec.hpp"
#include "collector/simulate/engine/program.hpp"
#include "collector/simulate/engine/recorded.hpp"

namespace gpuproj::simulate::native {

/// One instruction of a run: operands that it reads and writes beside its fields are in `reads` and `writes`.
struct Step {
    const Inst* inst = nullptr;
    const Spec* spec = nullptr;
    std::vector<Ref> reads, writes;  // a guarded write is in both
};

/// How a register lies in the frame: a bit, 2, 4 or 8 bytes per lane. Eight lanes of 8 bytes are two parts; halves are
/// worked on as words, zeros above.
enum class Kind : std::uint8_t { predicate, half, word, wide };

/// Which NaN a value of single precision may be: the one of the machine, or any, which arithmetic makes and takes.
enum class Nan : std::uint8_t { canonical, any };

/// What is known of a result, as a number of single precision.
struct Real {
    Nan nan = Nan::canonical;  // also of what is no number
    bool flushed = false;      // it is no subnormal number
};

/// What belongs to a run besides its steps.
struct Around {
    const Inst* behind = nullptr;  // where it goes on
    /// The entry of its block, which its code does as well where it is right in front and no paths meet there.
    const Inst* entry = nullptr;
    /// The branch that ends the block, right behind: taken by all lanes or by none it is part of the code.
    const Inst* branch = nullptr;
    const Inst* target = nullptr;
};

class Emitter : public Xbyak::CodeGenerator {
public:
    using Ymm = Xbyak::Ymm;
    using Emit = void (*)(Emitter&, const Step&);

    /// `lists`, `constant_pool`: of the function.
    Emitter(std::span<const Ref> lists, std::span<const std::byte> constant_pool);

    /// Says that a block will have code with its entry: what comes there goes on with it.
    void announce(const Inst* entry) { entries_[entry]; }
    /// The same of a run, whatever comes before it.
    void announce_run(const Inst* first) { starts_[first]; }
    /// Where the code of a run begins, in bytes from the first; with the entry of its block, if it has that.
    struct Begin {
        std::size_t run = 0, entry = 0;
    };
    /// The code of an entry alone, for a block that does not begin with a run. `entry_handler` does what it cannot.
    std::size_t make_entry(const Inst& entry, Handler entry_handler);
    /// The code of a run, a Handler. `alive`: what is read behind the run.
    Begin make(std::span<const Step> steps, std::span<const Emit> emits, const std::set<Ref>& alive,
               const Around& around, Handler entry_handler);
    /// After all runs: what they read besides registers. Then the code can be executed, from getCode() on.
    void finish();

    /// An access of eight lanes that its code cannot do: out of the way of the others.
    struct SlowWay {
        Xbyak::Label begin, done;
        const RecordedAccess* access = nullptr;
        std::optional<Ymm> lanes;  // that take part; none: all
        struct Value {
            Ymm ymm;
            std::uint32_t at;  // of RecordedAccess::values
        };
        std::vector<Value> stored, loaded;
    };
    /// Of the instruction that is being made.
    const RecordedAccess& recorded() const { return *recorded_at_.at(at_); }
    SlowWay& slow_way();
    /// All ones in the lanes that are active and whose guard holds; none: all lanes do.
    std::optional<Ymm> taking_part(const Step& step);

    /// A register that holds no value, for what is done before another one is asked for.
    static constexpr int helper = 14;

    // For what emits an instruction. Values stay where they are until it is done; a result is set once.
    Ymm predicate(Ref ref) { return read(ref, Kind::predicate, 0, Nan::any); }
    Ymm half(Ref ref) { return read(ref, Kind::half, 0, Nan::any); }
    Ymm word(Ref ref, Nan nan = Nan::canonical) { return read(ref, Kind::word, 0, nan); }
    Ymm wide(Ref ref, int part) { return read(ref, Kind::wide, part, Nan::any); }
    /// A word of single precision in a register of its own, which may be written.
    Ymm own_word(const Step& step, Ref ref);
    Ymm own_wide(const Step& step, Ref ref, int part);
    /// A word whose subnormal numbers are zeros.
    Ymm flushed(Ref ref);
    void flush(const Ymm& to, const Ymm& from);
    bool has_any_nan(Ref ref) const;
    Ymm scratch();
    /// What every lane finds in one place, behind a pointer of RunningWarp (its offset there).
    Ymm word_behind(std::size_t pointer, std::size_t offset, bool by_lane = false);
    Ymm wide_behind(std::size_t pointer, std::size_t offset);
    /// Call parameters lie in the frame like registers, but are no operands.
    Ymm from_frame(Kind kind, std::uint32_t offset, int part);
    void to_frame(Kind kind, std::uint32_t offset, int part, const Ymm& value);
    void set_predicate(Ref ref, const Ymm& value) { set(ref, Kind::predicate, 0, value, {}); }
    /// What is above 16 bits is cut off.
    void set_half(Ref ref, const Ymm& value);
    void set_word(Ref ref, const Ymm& value, Real known = {}) { set(ref, Kind::word, 0, value, known); }
    void set_wide(Ref ref, int part, const Ymm& value) { set(ref, Kind::wide, part, value, {}); }
    /// The four lanes of a word that belong to a part; the upper ones are brought into `spare`.
    Xbyak::Xmm four_lanes(const Ymm& spare, const Ymm& from, int part);
    /// Four lanes of 4 bytes as lanes of 8, and two such as eight lanes of 4.
    void widen(const Ymm& to, const Ymm& from, int part, bool is_signed);
    void narrow(const Ymm& to, const Ymm& low, const Ymm& high);
    /// The upper words of eight lanes of 8 bytes, of which `narrow` takes the lower; `to` may be one of the others.
    void narrow_upper(const Ymm& to, const Ymm& low, const Ymm& high);
    /// Eight halves side by side in the lower part, from lanes that have one each and nothing above it.
    void pack_halves(const Ymm& to, const Ymm& from);
    /// Four words as numbers of double precision, exactly.
    void to_double(const Ymm& to, const Ymm& from, int part, bool is_signed);
    /// Two times four words, or numbers of single precision, as eight: `low` gets them.
    void join(const Ymm& low, const Ymm& high) { vinsertf128(low, low, Xbyak::Xmm(high.getIdx()), 1); }

    /// Counts the lanes that take part and are not `ordinary` (is_slow_way).
    void count_slow(const Step& step, const Ymm& ordinary);

    /// In each byte.
    void count_ones_of_bytes(const Ymm& to, const Ymm& from);
    void invert(const Ymm& to, const Ymm& from) { vpxor(to, from, all(~0U)); }

    Xbyak::Address all(std::uint32_t word);        // eight times
    Xbyak::Address all_wide(std::uint64_t value);  // four times
    Xbyak::Address vector(const std::array<std::uint8_t, 32>& bytes);
    /// The word that an operand is in all lanes, if it is a constant.
    std::optional<std::uint32_t> constant(Ref ref) const;
    Ref element(const Inst& inst, std::uint32_t i) const { return lists_[inst.list + i]; }

private:
    struct Place {  // one vector register
        Ref ref = no_ref;
        Kind kind = Kind::word;
        std::uint8_t part = 0;
        bool dirty = false, busy = false;  // busy: by the instruction that is being made
        Real known;
    };
    struct Event {
        std::uint32_t step;
        bool reads, writes;
    };
    struct Result {
        Ref ref;
        Kind kind;
        std::uint8_t part;
        int place;
        Real known;
    };
    static constexpr std::uint32_t never = ~0U;
    static constexpr int idle_lanes = 15;  // holds no value, as helper

    Ymm read(Ref ref, Kind kind, int part, Nan nan);
    Ymm own(const Step& step, Ref ref, Kind kind, int part, Nan nan);
    void set(Ref ref, Kind kind, int part, const Ymm& value, Real known);
    void enter_block(const Inst& entry, Handler otherwise);
    void leave(const Around& around);
    void go_to(const Inst* pc);
    void load_pointers();
    std::uint32_t place_accesses(std::span<const Step> steps, std::uint32_t stack);
    void count_accesses();
    void slow_ways(const Xbyak::Label& fault);
    void make_slow_access();
    void body(std::span<const Step> steps, std::span<const Emit> emits);
    std::uint32_t end_of_pass(std::uint32_t first, std::uint32_t last) const;
    void pass(std::span<const Step> steps, std::span<const Emit> emits, std::uint32_t first, std::uint32_t end);
    void step(const Step& step, Emit emit);
    void count_guarded(const Step& step, const Ymm& guard);
    int find(Ref ref, int part) const;
    int take_place();
    void load(int number);
    void store(int number);
    void keep_idle(const Ymm& to, const Ymm& value, const Place& place);
    void make_canonical(int number);
    void expand_bits(const Ymm& to, const Xbyak::Reg32& bits);
    void gather_predicates();
    void gather_slow();
    std::uint32_t needed(Ref ref, std::uint32_t from) const;
    std::uint32_t slot_of(Ref ref);
    Xbyak::Address home(const Place& place);

    std::span<const Ref> lists_;
    std::span<const std::byte> constants_;
    std::map<std::array<std::uint8_t, 32>, Xbyak::Label> vectors_;
    std::map<const Inst*, Xbyak::Label> entries_, starts_;
    std::deque<std::vector<RecordedAccess>> recorded_;  // of each run that has any
    Xbyak::Label slow_access_;
    // Of the run:
    std::map<std::uint32_t, const RecordedAccess*> recorded_at_;  // by step
    bool moves_ = false;                                          // some of them in device memory
    std::deque<SlowWay> slow_ways_;
    std::map<Ref, std::vector<Event>> events_;
    const std::set<Ref>* alive_ = nullptr;
    std::map<Ref, std::uint32_t> slots_;  // of predicates that the run writes: their lanes as numbers, on the stack
    std::map<const Inst*, std::uint32_t> slow_at_;  // what counts slow ways: its lanes as bits, on the stack
    std::array<Place, 16> places_;
    std::vector<Result> results_;
    std::set<Ref> spilled_;  // predicates whose value is in their slot
    std::uint32_t at_ = 0;   // the step that is being made
    bool all_lanes_ = true;  // no lane is idle
};

/// What vcmpps and vcmppd have for a comparison: quiet, and with NaN as PTX wants it.
std::uint8_t condition(Compare compare);

/// What makes the code of an instruction; nullptr: only its handler can do it.
Emitter::Emit find_integer(const Spec& spec, const Inst& inst, const Emitter& emitter);
Emitter::Emit find_half_integer(const Spec& spec);
Emitter::Emit find_wide_integer(const Spec& spec);
Emitter::Emit find_floating(const Spec& spec, const Inst& inst);
Emitter::Emit find_slow_way(const Spec& spec);
Emitter::Emit find_half_conversion(const Spec& spec, const Inst& inst);
Emitter::Emit find_move(const Spec& spec, const Inst& inst);
Emitter::Emit find_conversion(const Spec& spec, const Inst& inst);
Emitter::Emit find_parameter(const Spec& spec, const Inst& inst);
Emitter::Emit find_memory(const Spec& spec, const Inst& inst);

/// Whether an instruction accesses memory that can be written, and how.
struct Accesses {
    bool any = false, shared = false, store = false;
};
Accesses accesses_of(const Spec& spec, const Inst& inst);

}  // namespace gpuproj::simulate::native
