// cuFFT against the sums that define the transforms: all kinds, dimensions, layouts and batches, in place and not, and
// in the order of a stream.
#include <cufft.h>
#include <cufftXt.h>

#include <array>
#include <complex>
#include <type_traits>

#include "../../programs/verify.hpp"

namespace {

using Complex = std::complex<double>;
constexpr double pi = 3.14159265358979323846;

struct Shape {
    std::array<int, 3> n;  // unused ones in front are 1
    int rank, batch;

    int size() const { return n[0] * n[1] * n[2]; }
    int half() const { return n[2] / 2 + 1; }
};

// Places of one side: of item b, (x, y, z).
struct Places {
    int item;
    std::array<int, 3> step;

    int at(int b, int x, int y, int z) const { return b * item + x * step[0] + y * step[1] + z * step[2]; }
};

Places rows(const Shape& shape, int row) {
    return {shape.n[0] * shape.n[1] * row, {shape.n[1] * row, row, 1}};
}

// By one axis after the other, each by its definition.
std::vector<Complex> transformed(const Shape& shape, std::vector<Complex> values, int sign) {
    std::array<int, 3> step{shape.n[1] * shape.n[2], shape.n[2], 1};
    for (int axis = 0; axis < 3; ++axis) {
        const int n = shape.n[axis];
        std::vector<Complex> turns(n), line(n);
        for (int k = 0; k < n; ++k) turns[k] = std::polar(1.0, sign * 2 * pi * k / n);
        for (int first = 0; first < shape.size(); ++first) {
            if (first / step[axis] % n != 0) continue;
            for (int k = 0; k < n; ++k) {
                line[k] = 0;
                for (int i = 0; i < n; ++i)
                    line[k] += values[first + i * step[axis]] * turns[static_cast<long long>(i) * k % n];
            }
            for (int k = 0; k < n; ++k) values[first + k * step[axis]] = line[k];
        }
    }
    return values;
}

// A case of one type: what is put in and must come out, with layouts that the caller chooses.
template <class Real>
class Case {
public:
    Case(const char* name, const Shape& shape) : name_(name), shape_(shape), random_(shape.size() * shape.batch) {
        Random random;
        for (Complex& value : random_) value = {random.uniform() - 0.5, random.uniform() - 0.5};
    }

    // Complex to complex; `plan` is destroyed.
    bool complex(cufftHandle plan, const Places& in, const Places& out, bool in_place, int sign) const {
        std::vector<Complex> expected;
        for (int b = 0; b < shape_.batch; ++b) append(expected, transformed(shape_, item(b), sign));
        return run<std::complex<Real>, std::complex<Real>>(plan, in, out, in_place, shape_.n[2], random_, shape_.n[2],
                                                           expected, sign);
    }

    bool from_real(cufftHandle plan, const Places& in, const Places& out, bool in_place) const {
        std::vector<Complex> reals, expected;
        for (int b = 0; b < shape_.batch; ++b) {
            std::vector<Complex> values = item(b);
            for (Complex& value : values) value = value.real();
            append(reals, values);
            append(expected, half(transformed(shape_, values, CUFFT_FORWARD)));
        }
        return run<Real, std::complex<Real>>(plan, in, out, in_place, shape_.n[2], reals, shape_.half(), expected,
                                             CUFFT_FORWARD);
    }

    // The spectrum of real numbers, so that they must come back times their number.
    bool to_real(cufftHandle plan, const Places& in, const Places& out, bool in_place) const {
        std::vector<Complex> spectra, expected;
        for (int b = 0; b < shape_.batch; ++b) {
            std::vector<Complex> values = item(b);
            for (Complex& value : values) value = value.real();
            append(spectra, half(transformed(shape_, values, CUFFT_FORWARD)));
            for (Complex& value : values) value *= shape_.size();
            append(expected, values);
        }
        return run<std::complex<Real>, Real>(plan, in, out, in_place, shape_.half(), spectra, shape_.n[2], expected,
                                             CUFFT_INVERSE);
    }

private:
    std::vector<Complex> item(int b) const {
        return {random_.begin() + b * shape_.size(), random_.begin() + (b + 1) * shape_.size()};
    }
    static void append(std::vector<Complex>& all, const std::vector<Complex>& more) {
        all.insert(all.end(), more.begin(), more.end());
    }
    std::vector<Complex> half(const std::vector<Complex>& values) const {
        std::vector<Complex> kept;
        for (int i = 0; i < shape_.size(); ++i)
            if (i % shape_.n[2] < shape_.half()) kept.push_back(values[i]);
        return kept;
    }
    template <class Use>
    void for_all(int last, Use&& use) const {
        int i = 0;
        for (int b = 0; b < shape_.batch; ++b)
            for (int x = 0; x < shape_.n[0]; ++x)
                for (int y = 0; y < shape_.n[1]; ++y)
                    for (int z = 0; z < last; ++z) use(i++, b, x, y, z);
    }
    static void set(std::complex<Real>& to, const Complex& value) { to = std::complex<Real>(value); }
    static void set(Real& to, const Complex& value) { to = static_cast<Real>(value.real()); }

    static cufftResult execute(cufftHandle plan, std::complex<float>* in, std::complex<float>* out, int sign) {
        return cufftExecC2C(plan, reinterpret_cast<cufftComplex*>(in), reinterpret_cast<cufftComplex*>(out), sign);
    }
    static cufftResult execute(cufftHandle plan, std::complex<double>* in, std::complex<double>* out, int sign) {
        return cufftExecZ2Z(plan, reinterpret_cast<cufftDoubleComplex*>(in), reinterpret_cast<cufftDoubleComplex*>(out),
                            sign);
    }
    static cufftResult execute(cufftHandle plan, float* in, std::complex<float>* out, int) {
        return cufftExecR2C(plan, in, reinterpret_cast<cufftComplex*>(out));
    }
    static cufftResult execute(cufftHandle plan, double* in, std::complex<double>* out, int) {
        return cufftExecD2Z(plan, in, reinterpret_cast<cufftDoubleComplex*>(out));
    }
    static cufftResult execute(cufftHandle plan, std::complex<float>* in, float* out, int) {
        return cufftExecC2R(plan, reinterpret_cast<cufftComplex*>(in), out);
    }
    static cufftResult execute(cufftHandle plan, std::complex<double>* in, double* out, int) {
        return cufftExecZ2D(plan, reinterpret_cast<cufftDoubleComplex*>(in), out);
    }

    template <class In, class Out>
    bool run(cufftHandle plan, const Places& in, const Places& out, bool in_place, int in_last,
             const std::vector<Complex>& given, int out_last, const std::vector<Complex>& expected, int sign) const {
        // Enough of both for every layout here; what is written where nothing should be is noticed.
        const std::size_t room = 8 * random_.size() + 64;
        const Real untouched = 77;
        std::vector<In> source(room, In(untouched));
        for_all(in_last, [&](int i, int b, int x, int y, int z) { set(source[in.at(b, x, y, z)], given[i]); });
        Device<In> device_in(source);
        Device<Out> device_out(std::vector<Out>(room, Out(untouched)));
        Out* const to = in_place ? reinterpret_cast<Out*>(static_cast<In*>(device_in)) : static_cast<Out*>(device_out);
        bool right = holds(execute(plan, device_in, to, sign) == CUFFT_SUCCESS, name_);
        right &= holds(cufftDestroy(plan) == CUFFT_SUCCESS, "destroying a plan");
        check(cudaDeviceSynchronize());

        std::vector<Out> result(room * std::min(sizeof(In), sizeof(Out)) / sizeof(Out));
        check(cudaMemcpy(result.data(), to, result.size() * sizeof(Out), cudaMemcpyDeviceToHost));
        const double tolerance = (std::is_same_v<Real, float> ? 2e-6 : 1e-14) * shape_.size();
        std::vector<bool> written(result.size());
        bool close = true;
        for_all(out_last, [&](int i, int b, int x, int y, int z) {
            const int place = out.at(b, x, y, z);
            written[place] = true;
            if (std::abs(Complex(result[place]) - expected[i]) <= tolerance || !close) return;
            close = false;
            const Complex got(result[place]);
            std::printf("%s: item %d (%d, %d, %d): %.9g%+.9gi instead of %.9g%+.9gi\n", name_, b, x, y, z, got.real(),
                        got.imag(), expected[i].real(), expected[i].imag());
        });
        for (std::size_t i = 0; i < result.size() && !in_place; ++i)
            if (!written[i] && result[i] != Out(untouched)) close = holds(false, "what lies between the results");
        return right && close;
    }

    const char* name_;
    Shape shape_;
    std::vector<Complex> random_;
};

template <class Real>
constexpr bool is_single = std::is_same_v<Real, float>;
template <class Real>
constexpr cufftType complex_type = is_single<Real> ? CUFFT_C2C : CUFFT_Z2Z;
template <class Real>
constexpr cufftType from_real_type = is_single<Real> ? CUFFT_R2C : CUFFT_D2Z;
template <class Real>
constexpr cufftType to_real_type = is_single<Real> ? CUFFT_C2R : CUFFT_Z2D;

cufftHandle basic(const Shape& shape, cufftType type) {
    cufftHandle plan = 0;
    cufftResult code = CUFFT_SUCCESS;
    const auto& n = shape.n;
    if (shape.batch > 1) {
        code = cufftPlanMany(&plan, shape.rank, const_cast<int*>(n.data()) + 3 - shape.rank, nullptr, 1, 0, nullptr, 1,
                             0, type, shape.batch);
    } else if (shape.rank == 1) {
        code = cufftPlan1d(&plan, n[2], type, 1);
    } else if (shape.rank == 2) {
        code = cufftPlan2d(&plan, n[1], n[2], type);
    } else {
        code = cufftPlan3d(&plan, n[0], n[1], n[2], type);
    }
    return code == CUFFT_SUCCESS ? plan : 0;
}

template <class Real>
bool basic_layouts(const Shape& shape) {
    const Places whole = rows(shape, shape.n[2]), half = rows(shape, shape.half()),
                 padded = rows(shape, 2 * shape.half());
    const Case<Real> complex("complex", shape), from_real("from real", shape), to_real("to real", shape);
    bool right = true;
    for (const bool in_place : {false, true}) {
        for (const int sign : {CUFFT_FORWARD, CUFFT_INVERSE})
            right &= complex.complex(basic(shape, complex_type<Real>), whole, whole, in_place, sign);
        const Places reals = in_place ? padded : whole;
        right &= from_real.from_real(basic(shape, from_real_type<Real>), reals, half, in_place);
        right &= to_real.to_real(basic(shape, to_real_type<Real>), half, reals, in_place);
    }
    if (!right)
        std::printf("of %d x %d x %d, %d items, %s\n", shape.n[0], shape.n[1], shape.n[2], shape.batch,
                    is_single<Real> ? "single" : "double");
    return right;
}

// Rows with room behind them, elements with room between them, items interleaved or far apart.
template <class Real>
bool advanced_layouts() {
    const Shape shape{{1, 4, 6}, 2, 3};
    bool right = true;
    std::array<int, 2> n{4, 6};
    const auto plan = [&](std::array<int, 2> in_embed, int in_step, int in_item, std::array<int, 2> out_embed,
                          int out_step, int out_item, cufftType type) {
        cufftHandle handle = 0;
        if (cufftCreate(&handle) != CUFFT_SUCCESS) return cufftHandle{0};
        std::size_t bytes = 1;
        const cufftResult code = cufftMakePlanMany(handle, 2, n.data(), in_embed.data(), in_step, in_item,
                                                   out_embed.data(), out_step, out_item, type, shape.batch, &bytes);
        return code == CUFFT_SUCCESS ? handle : cufftHandle{0};
    };
    const Places interleaved{1, {0, 3 * 7, 3}}, apart{70, {0, 2 * 8, 2}};
    const Case<Real> cases("advanced layout", shape);
    const auto complex = plan({0, 7}, 3, 1, {0, 8}, 2, 70, complex_type<Real>);
    right &= cases.complex(complex, interleaved, apart, false, CUFFT_FORWARD);
    right &= cases.from_real(plan({4, 7}, 3, 1, {4, 8}, 2, 70, from_real_type<Real>), interleaved, apart, false);
    right &= cases.to_real(plan({4, 8}, 2, 70, {4, 7}, 3, 1, to_real_type<Real>), apart, interleaved, false);
    return right;
}

__global__ void scale(cufftComplex* values, int n, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = {values[i].x * factor, values[i].y * factor};
}

// Kernels before, between and behind two transforms, in a stream and in a graph made of it.
bool in_a_stream() {
    const int n = 256;
    std::vector<float> numbers = random_floats(2 * n, -1, 1), doubled(2 * n);
    for (int i = 0; i < 2 * n; ++i) doubled[i] = 2 * numbers[i];
    Device<float> values(numbers);
    auto* const data = reinterpret_cast<cufftComplex*>(static_cast<float*>(values));
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cufftHandle plan = 0;
    bool right = holds(cufftPlan1d(&plan, n, CUFFT_C2C, 1) == CUFFT_SUCCESS, "a plan");
    right &= holds(cufftSetStream(plan, stream) == CUFFT_SUCCESS, "setting a stream");
    const auto there_and_back = [&] {
        scale<<<2, 128, 0, stream>>>(data, n, 2);
        right &= holds(cufftExecC2C(plan, data, data, CUFFT_FORWARD) == CUFFT_SUCCESS, "forward");
        scale<<<2, 128, 0, stream>>>(data, n, 1.0F / n);
        right &= holds(cufftExecC2C(plan, data, data, CUFFT_INVERSE) == CUFFT_SUCCESS, "back");
    };
    there_and_back();
    check(cudaStreamSynchronize(stream));
    right &= agree("there and back", values.host(), doubled, 1e-5);

    values = numbers;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    there_and_back();
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream, &graph));
    right &= agree("while it is captured", values.host(), numbers);
    cudaGraphExec_t executable = nullptr;
    check(cudaGraphInstantiate(&executable, graph, 0));
    check(cudaGraphLaunch(executable, stream));
    check(cudaGraphLaunch(executable, stream));
    check(cudaStreamSynchronize(stream));
    for (float& value : doubled) value *= 2;
    right &= agree("two launches of the graph", values.host(), doubled, 1e-5);
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
    right &= holds(cufftDestroy(plan) == CUFFT_SUCCESS, "destroying a plan");
    check(cudaStreamDestroy(stream));
    return right;
}

bool mistakes_and_questions() {
    cufftHandle plan = 0;
    int n = 16, version = 0, major = 0;
    std::size_t bytes = 1;
    bool right = holds(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE, "no elements");
    right &= holds(cufftPlan1d(&plan, 8, CUFFT_C2C, 0) == CUFFT_INVALID_SIZE, "no items");
    right &= holds(cufftPlan1d(&plan, 8, static_cast<cufftType>(1), 1) == CUFFT_INVALID_TYPE, "no type");
    right &= holds(cufftPlanMany(&plan, 4, &n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1) != CUFFT_SUCCESS, "rank 4");
    right &= holds(cufftDestroy(-1) == CUFFT_SUCCESS, "destroying the null plan");
    right &= holds(cufftDestroy(12345) == CUFFT_INVALID_PLAN, "destroying no plan");
    right &= holds(cufftExecC2C(12345, nullptr, nullptr, CUFFT_FORWARD) == CUFFT_INVALID_PLAN, "executing no plan");

    Device<cufftComplex> data(16);
    right &= holds(cufftCreate(&plan) == CUFFT_SUCCESS, "creating");
    right &= holds(cufftExecC2C(plan, data, data, CUFFT_FORWARD) == CUFFT_INVALID_PLAN, "executing an empty plan");
    right &= holds(cufftSetAutoAllocation(plan, 0) == CUFFT_SUCCESS, "allocating oneself");
    right &= holds(cufftGetSize1d(plan, n, CUFFT_C2C, 1, &bytes) == CUFFT_SUCCESS, "the size of a plan to be");
    right &= holds(cufftMakePlan1d(plan, n, CUFFT_C2C, 1, &bytes) == CUFFT_SUCCESS, "making");
    right &= holds(cufftGetSize(plan, &bytes) == CUFFT_SUCCESS, "the size of a plan");
    right &= holds(bytes > 0, "a size that can be allocated");
    Device<char> work(bytes);
    right &= holds(cufftSetWorkArea(plan, work) == CUFFT_SUCCESS, "giving a work area");
    right &= holds(cufftExecC2C(plan, data, data, CUFFT_INVERSE) == CUFFT_SUCCESS, "executing in it");
    right &= holds(cufftDestroy(plan) == CUFFT_SUCCESS, "destroying");
    right &= holds(cufftDestroy(plan) == CUFFT_INVALID_PLAN, "destroying again");
    right &= holds(cufftEstimate2d(n, n, CUFFT_R2C, &bytes) == CUFFT_SUCCESS, "an estimate");
    right &=
        holds(cufftGetVersion(&version) == CUFFT_SUCCESS && cufftGetProperty(MAJOR_VERSION, &major) == CUFFT_SUCCESS,
              "the version");
    right &= holds(major >= 10 && version / 1000 == major && major == CUFFT_VER_MAJOR, "the number of the version");
    return right;
}

template <class Real>
bool all_kinds() {
    bool right = true;
    for (const int n : {1, 2, 3, 7, 8, 12, 30, 64, 97, 105, 211, 422, 1009})
        right &= basic_layouts<Real>({{1, 1, n}, 1, 1});
    for (const int n : {8, 15}) right &= basic_layouts<Real>({{1, 1, n}, 1, 5});
    right &= basic_layouts<Real>({{1, 8, 12}, 2, 1}) & basic_layouts<Real>({{1, 5, 9}, 2, 4});
    right &= basic_layouts<Real>({{4, 6, 10}, 3, 1}) & basic_layouts<Real>({{3, 5, 7}, 3, 2});
    right &= basic_layouts<Real>({{1, 1, 6}, 2, 1}) & basic_layouts<Real>({{6, 1, 1}, 3, 1});
    return right & advanced_layouts<Real>();
}

}  // namespace

// Plans by the types of their elements do what those by the kind of the transform do; halves are not there.
bool by_element_types() {
    constexpr int n = 60, batch = 3;
    std::vector<double> numbers(2 * n * batch);
    Random random;
    for (double& number : numbers) number = random.uniform() - 0.5;
    Device<double> in(numbers), expected(numbers.size()), got(numbers.size());
    cufftHandle plan = 0, by_types = 0;
    bool right = holds(cufftPlan1d(&plan, n, CUFFT_Z2Z, batch) == CUFFT_SUCCESS, "a plan") &&
                 holds(cufftCreate(&by_types) == CUFFT_SUCCESS, "an empty plan");
    long long size = n;
    std::size_t bytes = 1;
    right &= holds(cufftXtMakePlanMany(by_types, 1, &size, nullptr, 1, n, CUDA_C_64F, nullptr, 1, n, CUDA_C_64F, batch,
                                       &bytes, CUDA_C_64F) == CUFFT_SUCCESS,
                   "a plan by types");
    auto* const from = reinterpret_cast<cufftDoubleComplex*>(static_cast<double*>(in));
    auto* const to = reinterpret_cast<cufftDoubleComplex*>(static_cast<double*>(expected));
    for (const int direction : {CUFFT_FORWARD, CUFFT_INVERSE}) {
        right &= holds(cufftExecZ2Z(plan, from, to, direction) == CUFFT_SUCCESS, "by kind");
        right &= holds(cufftXtExec(by_types, in, got, direction) == CUFFT_SUCCESS, "by types");
        right &= agree("by types", got.host(), expected.host());
    }
    cufftHandle halves = 0;
    right &= holds(cufftCreate(&halves) == CUFFT_SUCCESS, "an empty plan");
    right &= holds(cufftXtMakePlanMany(halves, 1, &size, nullptr, 1, n, CUDA_C_16F, nullptr, 1, n, CUDA_C_16F, batch,
                                       &bytes, CUDA_C_16F) == CUFFT_NOT_SUPPORTED,
                   "halves");
    for (const cufftHandle made : {plan, by_types, halves})
        right &= holds(cufftDestroy(made) == CUFFT_SUCCESS, "destroy");
    return right;
}

int main() {
    bool right = all_kinds<float>();
    right &= all_kinds<double>();
    right &= in_a_stream();
    right &= by_element_types();
    right &= mistakes_and_questions();
    return verdict(right);
}
