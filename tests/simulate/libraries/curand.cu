// cuRAND: what is random has the moments it should have and comes again for the same seed and offset; what is
// quasi-random is the sequence that it should be; all in the order of a stream.
#include <curand.h>

#include <algorithm>
#include <set>

#include "../../programs/verify.hpp"

namespace {

constexpr size_t many = 40000;

bool fine(curandStatus_t status, const char* what) {
    return holds(status == CURAND_STATUS_SUCCESS, what);
}

// A generator that is there as long as this.
class Generator {
public:
    explicit Generator(curandRngType_t type, bool on_host = false) {
        made_ = fine(on_host ? curandCreateGeneratorHost(&handle_, type) : curandCreateGenerator(&handle_, type),
                     "creating a generator");
    }
    Generator(const Generator&) = delete;
    ~Generator() {
        if (made_) fine(curandDestroyGenerator(handle_), "destroying a generator");
    }
    operator curandGenerator_t() const { return handle_; }

    std::vector<unsigned> bits(size_t n) const {
        Device<unsigned> out(n);
        fine(curandGenerate(handle_, out, n), "bits");
        return out.host();
    }

private:
    curandGenerator_t handle_ = nullptr;
    bool made_ = false;
};

// Mean and standard deviation within six standard errors; `fourth`: the fourth central moment in variances squared.
template <class T>
bool moments(const char* what, const std::vector<T>& values, double mean, double deviation, double fourth) {
    const double n = static_cast<double>(values.size());
    double sum = 0, squares = 0;
    for (const T value : values) sum += static_cast<double>(value);
    for (const T value : values) squares += std::pow(static_cast<double>(value) - sum / n, 2);
    const double got = std::sqrt(squares / (n - 1));
    const double error = 6 * deviation / std::sqrt(n), error_of_deviation = error / 2 * std::sqrt(fourth - 1);
    if (std::abs(sum / n - mean) <= error && std::abs(got - deviation) <= error_of_deviation) return true;
    std::printf("%s: mean %g and deviation %g instead of %g and %g\n", what, sum / n, got, mean, deviation);
    return false;
}

template <class T>
bool are_independent(const std::vector<T>& values, double mean, double deviation) {
    double products = 0;
    for (size_t i = 1; i < values.size(); ++i) products += (values[i] - mean) * (values[i - 1] - mean);
    return std::abs(products) < 6 * deviation * deviation * std::sqrt(static_cast<double>(values.size()));
}

template <class T>
bool distributions(curandGenerator_t generator, curandStatus_t (*uniform)(curandGenerator_t, T*, size_t),
                   curandStatus_t (*normal)(curandGenerator_t, T*, size_t, T, T),
                   curandStatus_t (*log_normal)(curandGenerator_t, T*, size_t, T, T)) {
    Device<T> out(many);
    bool right = fine(uniform(generator, out, many), "uniform");
    const std::vector<T> uniforms = out.host();
    right &= moments("uniform", uniforms, 0.5, std::sqrt(1 / 12.0), 1.8);
    right &= holds(*std::min_element(uniforms.begin(), uniforms.end()) > 0 &&
                       *std::max_element(uniforms.begin(), uniforms.end()) <= 1,
                   "uniform from 0 to 1");
    right &= holds(are_independent(uniforms, 0.5, std::sqrt(1 / 12.0)), "uniform neighbours are independent");

    right &= fine(normal(generator, out, many, 3, 2), "normal");
    const std::vector<T> normals = out.host();
    right &= moments("normal", normals, 3, 2, 3);
    right &= holds(are_independent(normals, 3, 2), "normal neighbours are independent");
    const auto within = std::count_if(normals.begin(), normals.end(), [](T x) { return std::abs(x - 3) < 2; });
    right &= holds(std::abs(static_cast<double>(within) / many - 0.6827) < 0.015, "normal within one deviation");

    right &= fine(log_normal(generator, out, many, 1, 0.5), "log-normal");
    std::vector<T> logarithms = out.host();
    for (T& value : logarithms) value = std::log(value);
    return right & moments("log-normal", logarithms, 1, 0.5, 3);
}

bool poisson(curandGenerator_t generator) {
    bool right = true;
    for (const double mean : {0.3, 4.0, 250.0, 399999.0}) {
        Device<unsigned> out(many);
        right &= fine(curandGeneratePoisson(generator, out, many, mean), "Poisson");
        right &= moments("Poisson", out.host(), mean, std::sqrt(mean), 3 + 1 / mean);
    }
    return right;
}

bool repeats(curandRngType_t type) {
    const Generator first(type), second(type), other(type), later(type);
    bool right = fine(curandSetPseudoRandomGeneratorSeed(first, 42), "a seed");
    right &= fine(curandSetPseudoRandomGeneratorSeed(second, 42), "a seed");
    right &= fine(curandSetPseudoRandomGeneratorSeed(later, 42), "a seed");
    right &= fine(curandSetPseudoRandomGeneratorSeed(other, 43), "a seed");
    right &= fine(curandGenerateSeeds(first), "making states");
    const std::vector<unsigned> whole = first.bits(4096);
    std::vector<unsigned> parts = second.bits(1024);
    const std::vector<unsigned> more = second.bits(3072);
    parts.insert(parts.end(), more.begin(), more.end());
    right &= holds(whole == parts, "one call and two");
    right &= holds(whole != other.bits(4096), "another seed");
    right &= holds(std::set<unsigned>(whole.begin(), whole.end()).size() > 4090, "different numbers");
    const bool has_offset = type != CURAND_RNG_PSEUDO_MTGP32 && type != CURAND_RNG_PSEUDO_MT19937;
    const curandStatus_t code = curandSetGeneratorOffset(later, 1001);
    if (!has_offset) return right & holds(code == CURAND_STATUS_TYPE_ERROR, "no offset");
    right &= holds(code == CURAND_STATUS_SUCCESS, "an offset");
    return right & holds(later.bits(3095) == std::vector<unsigned>(whole.begin() + 1001, whole.end()), "the offset");
}

bool pseudo() {
    bool right = true;
    for (const auto type : {CURAND_RNG_PSEUDO_DEFAULT, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_MTGP32,
                            CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_PHILOX4_32_10}) {
        const Generator generator(type);
        bool of_type = fine(curandSetPseudoRandomGeneratorSeed(generator, 1234), "a seed");
        of_type &=
            distributions<float>(generator, curandGenerateUniform, curandGenerateNormal, curandGenerateLogNormal);
        of_type &= distributions<double>(generator, curandGenerateUniformDouble, curandGenerateNormalDouble,
                                         curandGenerateLogNormalDouble);
        of_type &= poisson(generator);
        of_type &= repeats(type);
        if (!of_type) std::printf("of type %d\n", type);
        right &= of_type;
    }
    return right;
}

// Of every 2^k points from the first on, each dimension has one in every interval of 2^-k.
template <class Word>
bool is_spread(const std::vector<Word>& points, int dimensions) {
    const size_t n = points.size() / dimensions;
    for (int d = 0; d < dimensions; ++d) {
        std::set<Word> intervals;
        for (size_t i = 0; i < n; ++i) intervals.insert(points[d * n + i] / (~Word{0} / n + 1));
        if (intervals.size() != n) return false;
    }
    return true;
}

bool quasi() {
    const Generator sobol(CURAND_RNG_QUASI_DEFAULT), wide(CURAND_RNG_QUASI_SOBOL64);
    bool right = fine(curandSetQuasiRandomGeneratorDimensions(sobol, 3), "three dimensions");
    right &= fine(curandSetGeneratorOffset(sobol, 2), "an offset");
    // As libcurand 10.4 has them for a generator on the host.
    const std::vector<unsigned> expected{0xc0000000, 0x40000000, 0x60000000, 0xe0000000, 0x40000000, 0xc0000000,
                                         0x60000000, 0xe0000000, 0x40000000, 0xc0000000, 0xa0000000, 0x20000000};
    right &= holds(sobol.bits(12) == expected, "points of Sobol's sequence");
    const std::vector<unsigned> next{0xa0000000, 0x20000000, 0x30000000, 0xb0000000, 0x20000000, 0xa0000000,
                                     0x50000000, 0xd0000000, 0xe0000000, 0x60000000, 0xf0000000, 0x70000000};
    right &= holds(sobol.bits(12) == next, "the points behind them");

    constexpr int dimensions = 20, points = 1024;
    right &= fine(curandSetQuasiRandomGeneratorDimensions(sobol, dimensions), "20 dimensions");
    right &= fine(curandSetGeneratorOffset(sobol, 0), "no offset");
    right &= holds(is_spread(sobol.bits(dimensions * points), dimensions), "evenly spread");
    right &= fine(curandSetQuasiRandomGeneratorDimensions(wide, dimensions), "20 dimensions");
    Device<unsigned long long> words(dimensions * points);
    right &= fine(curandGenerateLongLong(wide, words, dimensions * points), "words of 64 bits");
    right &= holds(is_spread(words.host(), dimensions), "evenly spread words");

    Device<float> singles(8);
    Device<double> doubles(many);
    right &= fine(curandSetQuasiRandomGeneratorDimensions(sobol, 1), "one dimension");
    right &= fine(curandSetGeneratorOffset(sobol, 0), "no offset");
    right &= fine(curandGenerateUniform(sobol, singles, 4), "quasi-random fractions");
    const std::vector<float> fractions = singles.host();
    right &= agree("fractions", std::vector<float>(fractions.begin(), fractions.begin() + 4),
                   std::vector<float>{1.16415e-10F, 0.5F, 0.75F, 0.25F}, 1e-15);
    right &= fine(curandSetGeneratorOffset(sobol, 1), "an offset");
    right &= fine(curandGenerateNormal(sobol, singles, 4, 0, 1), "quasi-random normals");
    const std::vector<float> normals = singles.host();
    // Quartiles and octiles of the normal distribution.
    right &= agree("normals", std::vector<float>(normals.begin(), normals.begin() + 4),
                   std::vector<float>{0, 0.6744898F, -0.6744898F, -0.3186394F}, 1e-6);
    right &= fine(curandGenerateNormalDouble(sobol, doubles, many, 3, 2), "many quasi-random normals");
    return right & moments("quasi-random normals", doubles.host(), 3, 2, 3);
}

__global__ void add(float* sums, const float* values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sums[i] += values[i];
}

// Kernels read what was generated before them in the stream; a graph generates other numbers each time.
bool in_a_stream() {
    const int n = 1024;
    const Generator generator(CURAND_RNG_PSEUDO_DEFAULT), again(CURAND_RNG_PSEUDO_DEFAULT);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    Device<float> values(n), sums(std::vector<float>(n, 0)), expected(4 * n);
    bool right = fine(curandSetStream(generator, stream), "setting a stream");
    const auto twice = [&] {
        for (int i = 0; i < 2; ++i) {
            right &= fine(curandGenerateUniform(generator, values, n), "in a stream");
            add<<<n / 256, 256, 0, stream>>>(sums, values, n);
        }
    };
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    twice();
    check(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t executable = nullptr;
    check(cudaGraphInstantiate(&executable, graph, 0));
    twice();
    check(cudaGraphLaunch(executable, stream));
    check(cudaStreamSynchronize(stream));

    right &= fine(curandGenerateUniform(again, expected, 4 * n), "at once");
    const std::vector<float> all = expected.host();
    std::vector<float> sum(n, 0);
    for (int i = 0; i < 4 * n; ++i) sum[i % n] += all[i];
    right &= agree("sums", sums.host(), sum, 1e-6);
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
    check(cudaStreamDestroy(stream));
    return right;
}

bool on_the_host() {
    const Generator host(CURAND_RNG_PSEUDO_DEFAULT, true), device(CURAND_RNG_PSEUDO_DEFAULT);
    std::vector<unsigned> out(1000);
    bool right = fine(curandGenerate(host, out.data(), out.size()), "on the host");
    return right & holds(out == device.bits(out.size()), "the same as on the device");
}

bool mistakes_and_questions() {
    const Generator generator(CURAND_RNG_PSEUDO_DEFAULT), sobol(CURAND_RNG_QUASI_SOBOL32),
        wide(CURAND_RNG_QUASI_SOBOL64);
    Device<float> out(16);
    Device<unsigned> bits(16);
    Device<unsigned long long> words(16);
    curandGenerator_t none = nullptr;
    int version = 0, major = 0;
    bool right =
        holds(curandCreateGenerator(&none, static_cast<curandRngType_t>(55)) == CURAND_STATUS_TYPE_ERROR, "type");
    right &= holds(curandGenerateNormal(generator, out, 7, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE, "odd normals");
    right &= fine(curandGenerateUniform(generator, out, 7), "odd uniforms");
    right &= fine(curandGenerateUniform(generator, out, 0), "no uniforms");
    right &= holds(curandGenerateUniform(nullptr, out, 7) == CURAND_STATUS_NOT_INITIALIZED, "no generator");
    right &= holds(curandDestroyGenerator(nullptr) == CURAND_STATUS_NOT_INITIALIZED, "destroying no generator");
    right &= holds(curandGeneratePoisson(generator, bits, 7, 0) == CURAND_STATUS_OUT_OF_RANGE, "no mean");
    right &= holds(curandGenerateLongLong(generator, words, 7) == CURAND_STATUS_TYPE_ERROR, "no words");
    right &= holds(curandGenerate(wide, bits, 7) == CURAND_STATUS_TYPE_ERROR, "only words");
    right &= holds(curandSetQuasiRandomGeneratorDimensions(generator, 2) == CURAND_STATUS_TYPE_ERROR, "no dimensions");
    right &= holds(curandSetQuasiRandomGeneratorDimensions(sobol, 0) == CURAND_STATUS_OUT_OF_RANGE, "0 dimensions");
    right &= fine(curandSetQuasiRandomGeneratorDimensions(sobol, 3), "3 dimensions");
    right &= holds(curandGenerate(sobol, bits, 7) == CURAND_STATUS_LENGTH_NOT_MULTIPLE, "7 of 3 dimensions");
    right &= holds(curandSetPseudoRandomGeneratorSeed(sobol, 1) == CURAND_STATUS_TYPE_ERROR, "no seed");
    right &= holds(curandSetGeneratorOrdering(generator, CURAND_ORDERING_QUASI_DEFAULT) == CURAND_STATUS_OUT_OF_RANGE,
                   "no such ordering");
    right &= fine(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_BEST), "an ordering");
    right &= fine(curandGetVersion(&version), "the version");
    right &= fine(curandGetProperty(MAJOR_VERSION, &major), "a property");
    return right & holds(major == CURAND_VER_MAJOR && version / 1000 == major, "the number of the version");
}

}  // namespace

int main() {
    bool right = pseudo();
    right &= quasi();
    right &= in_a_stream();
    right &= on_the_host();
    right &= mistakes_and_questions();
    return verdict(right);
}
