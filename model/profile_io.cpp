#include "model/profile_io.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "model/file_io.hpp"
#include "model/json_fields.hpp"
#include "model/schema.hpp"

namespace gpuproj {

namespace {

constexpr std::string_view schema = "gpuproj.profile";
constexpr std::array<std::string_view, 2> envelope{"schema", "version"};
constexpr std::array<std::string_view, 4> counter_kinds{"measured", "simulated", "derived", "unknown"};
constexpr std::array<std::string_view, 5> directions{"host_to_device", "device_to_host", "device_to_device",
                                                     "host_to_host", "memset"};
// From version i + 1 to i + 2. One fixture per past version is in tests/fixtures.
constexpr std::span<const Migration> migrations;
static_assert(profile_version == migrations.size() + 1);

void check_one_of(const std::string& value, std::span<const std::string_view> names, const JsonPath& path) {
    for (const auto name : names) {
        if (name == value) return;
    }
    reject_name(path, value, names);
}

void check_dimensions(const std::optional<Dim3>& size, const JsonPath& path) {
    if (!size) return;
    for (const auto n : *size) {
        if (n == 0) reject(path, "has a 0; a launch has at least one in x, y and z");
    }
}

void check_duration(const Duration& duration, std::uint64_t launches, const JsonPath& path) {
    if (duration.count == 0) reject(path, "count is 0; leave the duration out where nothing was timed");
    if (duration.count > launches) reject(path, "count is above the launches; correct one of them");
    const Seconds shortest = duration.min.value_or(Seconds{});
    const Seconds longest = duration.max.value_or(duration.sum);
    if (shortest > longest || longest > duration.sum) {
        reject(path, "must have min_s <= max_s <= sum_s; measure again");
    }
    if (duration.sum.value == 0) reject(path, "sum_s is 0; leave the duration out where it was not measured");
}

/// What the types alone do not say of one record.
void check_kernel(const KernelRecord& kernel, const JsonPath& path) {
    if (kernel.kernel.empty()) reject(JsonPath{&path, "kernel"}, "is empty; give the kernel's name");
    if (kernel.launches == 0) reject(JsonPath{&path, "launches"}, "is 0; leave out kernels that were not launched");
    check_dimensions(kernel.grid, JsonPath{&path, "grid"});
    check_dimensions(kernel.block, JsonPath{&path, "block"});
    if (kernel.duration) check_duration(*kernel.duration, kernel.launches, JsonPath{&path, "duration"});
    const JsonPath metrics{&path, "metrics"};
    if (kernel.metrics.warp_inst && kernel.metrics.warp_inst->value == 0) {
        reject(JsonPath{&metrics, "warp_inst"}, "is 0, but a kernel that ran executed instructions; profile it again");
    }
    if (kernel.sampled_fraction && (*kernel.sampled_fraction <= 0 || *kernel.sampled_fraction > 1)) {
        reject(JsonPath{&path, "sampled_fraction"}, "must be above 0 and at most 1");
    }
}

}  // namespace

Profile profile_from_json(nlohmann::json json, const std::string& where) {
    migrate(json, schema, migrations, where);
    const JsonPath root{nullptr, where};
    if (!json.contains("kernels")) reject(JsonPath{&root, "kernels"}, "is missing; a profile lists its kernels");
    Profile profile;
    read_table(profile, Profile::fields, json, root, envelope);

    if (profile.gpu.empty()) reject(JsonPath{&root, "gpu"}, "is empty; name the GPU the counters come from");
    const JsonPath provenance{&root, "provenance"};
    check_one_of(profile.provenance.counters, counter_kinds, JsonPath{&provenance, "counters"});
    const JsonPath kernels{&root, "kernels"};
    for (std::size_t i = 0; i < profile.kernels.size(); ++i)
        check_kernel(profile.kernels[i], JsonPath{&kernels, {}, i});
    const JsonPath transfers{&root, "transfers"};
    for (std::size_t i = 0; i < profile.transfers.size(); ++i) {
        const JsonPath here{&transfers, {}, i};
        check_one_of(profile.transfers[i].direction, directions, JsonPath{&here, "direction"});
    }
    return profile;
}

nlohmann::ordered_json profile_to_json(const Profile& profile) {
    nlohmann::ordered_json json{{"schema", schema}, {"version", profile_version}};
    write_table(json, profile, Profile::fields);
    if (profile.kernels.empty()) json["kernels"] = nlohmann::ordered_json::array();  // the one list that is required
    return json;
}

Profile read_profile(const std::filesystem::path& file) {
    return profile_from_json(read_json(file), file.string());
}

void write_profile(const Profile& profile, const std::filesystem::path& file, bool overwrite) {
    write_file(file, json_text(profile_to_json(profile)), overwrite);
}

}  // namespace gpuproj
