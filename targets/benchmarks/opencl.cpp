// gpuproj-bench-opencl: the micro-benchmarks through OpenCL, on GPUs of every maker, and on CPUs (PoCL).
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <chrono>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "program.hpp"
#include "sources.hpp"

namespace gpuproj::bench {
namespace {

// CL_DEVICE_COMPUTE_CAPABILITY_{MAJOR,MINOR}_NV, of cl_nv_device_attribute_query.
constexpr cl_device_info capability_major = 0x4000;
constexpr cl_device_info capability_minor = 0x4001;
// CL_DEVICE_BOARD_NAME_AMD, of cl_amd_device_attribute_query: CL_DEVICE_NAME is the chip's.
constexpr cl_device_info board_name = 0x4038;

void check(cl_int status, const char* call) {
    if (status == CL_SUCCESS) return;
    if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES ||
        status == CL_OUT_OF_HOST_MEMORY) {
        throw BenchError(joined({call, ": the device is out of memory or busy with another program"}));
    }
    throw BenchError(joined({call, " failed with OpenCL error ", std::to_string(status)}));
}

std::string text_of(cl_device_id device, cl_device_info what) {
    std::size_t size = 0;
    if (clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
    std::string text(size, '\0');
    clGetDeviceInfo(device, what, size, text.data(), nullptr);
    text.resize(std::strlen(text.c_str()));  // the size counts the end
    return text;
}

template <class T>
T value_of(cl_device_id device, cl_device_info what, T otherwise = {}) {
    T value{};
    return clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

std::vector<cl_device_id> all_devices() {
    cl_uint count = 0;
    if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
    std::vector<cl_platform_id> platforms(count);
    clGetPlatformIDs(count, platforms.data(), nullptr);
    std::vector<cl_device_id> devices;
    for (cl_platform_id platform : platforms) {
        cl_uint found = 0;
        if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &found) != CL_SUCCESS) continue;
        std::vector<cl_device_id> of_platform(found);
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, found, of_platform.data(), nullptr);
        devices.insert(devices.end(), of_platform.begin(), of_platform.end());
    }
    return devices;
}

DeviceInfo info_of(cl_device_id device) {
    constexpr double mega = 1e6;
    DeviceInfo info;
    info.name = text_of(device, CL_DEVICE_NAME);
    info.vendor = text_of(device, CL_DEVICE_VENDOR);
    info.driver = text_of(device, CL_DRIVER_VERSION);
    info.is_cpu = (value_of<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
    info.units = static_cast<int>(value_of<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS, 1));
    info.clock_hz = mega * value_of<cl_uint>(device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    info.memory_byte = static_cast<double>(value_of<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE));
    info.last_cache_byte = static_cast<double>(value_of<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE));
    info.shared_per_group_byte = static_cast<double>(value_of<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE));
    info.group_limit = static_cast<int>(value_of<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1));
    const auto major = value_of<cl_uint>(device, capability_major);
    if (major > 0)
        info.architecture =
            joined({std::to_string(major), ".", std::to_string(value_of<cl_uint>(device, capability_minor))});
    if (info.name.starts_with("gfx")) info.architecture = info.name.substr(0, info.name.find(':'));
    if (std::string board = text_of(device, board_name); !board.empty()) info.name = std::move(board);
    const auto ecc = value_of<cl_bool>(device, CL_DEVICE_ERROR_CORRECTION_SUPPORT);
    if (!info.is_cpu) info.ecc = ecc != 0 ? 1 : 0;
    return info;
}

// OpenCL objects, released with the scope.
template <class T, cl_int (*release)(T)>
struct Owned {
    T handle = nullptr;
    Owned() = default;
    explicit Owned(T h) : handle(h) {}
    Owned(Owned&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    Owned& operator=(Owned&& other) noexcept {
        std::swap(handle, other.handle);
        return *this;
    }
    ~Owned() {
        if (handle != nullptr) release(handle);
    }
};

class OpenClDevice {
public:
    using Buffer = cl_mem;

    static std::vector<DeviceInfo> devices() {
        std::vector<DeviceInfo> infos;
        for (cl_device_id device : all_devices()) infos.push_back(info_of(device));
        return infos;
    }

    explicit OpenClDevice(std::size_t index) : device_(all_devices().at(index)), info_(info_of(device_)) {
        cl_int status = CL_SUCCESS;
        context_ =
            Owned<cl_context, clReleaseContext>(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status));
        check(status, "clCreateContext");
        queue_ = Owned<cl_command_queue, clReleaseCommandQueue>(
            clCreateCommandQueue(context_.handle, device_, CL_QUEUE_PROFILING_ENABLE, &status));
        check(status, "clCreateCommandQueue");
        build();
        const std::vector<std::uint32_t> zeros(constant_words, 0);
        constant_ = allocate(zeros.size() * 4);
        write(constant_, zeros.data(), zeros.size() * 4);
    }
    ~OpenClDevice() {
        clFinish(queue_.handle);
        for (cl_mem buffer : buffers_) clReleaseMemObject(buffer);
    }
    OpenClDevice(const OpenClDevice&) = delete;
    OpenClDevice& operator=(const OpenClDevice&) = delete;

    const DeviceInfo& info() const { return info_; }
    bool has(const char* kernel) const { return kernels_.contains(kernel); }

    Buffer allocate(std::size_t bytes) {
        cl_int status = CL_SUCCESS;
        cl_mem buffer = clCreateBuffer(context_.handle, CL_MEM_READ_WRITE, bytes, nullptr, &status);
        check(status, "clCreateBuffer");
        // Memory that was never written may be no memory yet.
        const cl_uint zero = 0;
        check(clEnqueueFillBuffer(queue_.handle, buffer, &zero, sizeof zero, 0, bytes / 4 * 4, 0, nullptr, nullptr),
              "clEnqueueFillBuffer");
        check(clFinish(queue_.handle), "clFinish");
        buffers_.push_back(buffer);
        return buffer;
    }
    void release(Buffer buffer) {
        std::erase(buffers_, buffer);
        clReleaseMemObject(buffer);
    }
    void write(Buffer buffer, const void* data, std::size_t bytes) const {
        check(clEnqueueWriteBuffer(queue_.handle, buffer, CL_TRUE, 0, bytes, data, 0, nullptr, nullptr),
              "clEnqueueWriteBuffer");
    }
    void read(Buffer buffer, void* data, std::size_t bytes) const {
        check(clEnqueueReadBuffer(queue_.handle, buffer, CL_TRUE, 0, bytes, data, 0, nullptr, nullptr),
              "clEnqueueReadBuffer");
    }

    // Seconds by the device's own clock.
    double run(const char* name, std::size_t groups, std::size_t group, std::initializer_list<Argument> arguments) {
        cl_kernel kernel = kernels_.at(name).handle;
        cl_uint at = 0;
        for (const Argument& a : arguments) check(clSetKernelArg(kernel, at++, a.size, a.value), "clSetKernelArg");
        const std::size_t items = groups * group;
        cl_event event = nullptr;
        check(clEnqueueNDRangeKernel(queue_.handle, kernel, 1, nullptr, &items, &group, 0, nullptr, &event), name);
        const Owned<cl_event, clReleaseEvent> owned(event);
        check(clWaitForEvents(1, &event), name);
        cl_ulong from = 0;
        cl_ulong to = 0;
        check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof from, &from, nullptr),
              "clGetEventProfilingInfo");
        check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof to, &to, nullptr),
              "clGetEventProfilingInfo");
        constexpr double nano = 1e-9;
        return static_cast<double>(to - from) * nano;
    }

    double run_constant(std::size_t groups, std::size_t group, Buffer out, std::uint32_t start, int turns) {
        return run("read_constant", groups, group,
                   {argument(constant_), argument(out), argument(start), argument(turns)});
    }

    double empty_launches(int count) {
        cl_kernel kernel = kernels_.at("empty").handle;
        check(clSetKernelArg(kernel, 0, sizeof(cl_mem), &constant_), "clSetKernelArg");
        const std::size_t items = 32;
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < count; ++i) {
            check(clEnqueueNDRangeKernel(queue_.handle, kernel, 1, nullptr, &items, &items, 0, nullptr, nullptr),
                  "empty");
        }
        check(clFinish(queue_.handle), "clFinish");
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    double upload_seconds(std::size_t bytes) {
        if (upload_ == nullptr) {
            cl_int status = CL_SUCCESS;
            upload_ = allocate(bytes);
            cl_mem pinned =
                clCreateBuffer(context_.handle, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &status);
            check(status, "clCreateBuffer");
            buffers_.push_back(pinned);
            host_ = clEnqueueMapBuffer(queue_.handle, pinned, CL_TRUE, CL_MAP_WRITE, 0, bytes, 0, nullptr, nullptr,
                                       &status);
            check(status, "clEnqueueMapBuffer");
            std::memset(host_, 1, bytes);
        }
        const auto start = std::chrono::steady_clock::now();
        write(upload_, host_, bytes);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

private:
    static constexpr std::size_t constant_words = 4096;

    void build() {
        std::string options = "-cl-std=CL1.2";
        const std::string extensions = joined({" ", text_of(device_, CL_DEVICE_EXTENSIONS), " "});
        if (extensions.find(" cl_khr_fp64 ") != std::string::npos) options += " -DHAS_DOUBLE";
        if (extensions.find(" cl_khr_fp16 ") != std::string::npos && !info_.is_cpu) options += " -DHAS_HALF";
        const std::string source = std::string(dialect_source) + kernels_source;
        const char* text = source.c_str();
        cl_int status = CL_SUCCESS;
        program_ =
            Owned<cl_program, clReleaseProgram>(clCreateProgramWithSource(context_.handle, 1, &text, nullptr, &status));
        check(status, "clCreateProgramWithSource");
        if (clBuildProgram(program_.handle, 1, &device_, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
            std::size_t size = 0;
            clGetProgramBuildInfo(program_.handle, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
            std::string log(size, '\0');
            clGetProgramBuildInfo(program_.handle, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
            throw BenchError(joined({"the kernels do not build on this device: ", log}));
        }
        cl_uint count = 0;
        check(clCreateKernelsInProgram(program_.handle, 0, nullptr, &count), "clCreateKernelsInProgram");
        std::vector<cl_kernel> kernels(count);
        check(clCreateKernelsInProgram(program_.handle, count, kernels.data(), nullptr), "clCreateKernelsInProgram");
        for (cl_kernel kernel : kernels) {
            char name[64] = {};
            clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
            kernels_.emplace(name, Owned<cl_kernel, clReleaseKernel>(kernel));
        }
    }

    cl_device_id device_;
    DeviceInfo info_;
    Owned<cl_context, clReleaseContext> context_;
    Owned<cl_command_queue, clReleaseCommandQueue> queue_;
    Owned<cl_program, clReleaseProgram> program_;
    std::map<std::string, Owned<cl_kernel, clReleaseKernel>, std::less<>> kernels_;
    std::vector<cl_mem> buffers_;
    Buffer constant_ = nullptr;
    Buffer upload_ = nullptr;
    void* host_ = nullptr;
};

}  // namespace
}  // namespace gpuproj::bench

int main(int argc, char** argv) {
    return gpuproj::bench::run_program<gpuproj::bench::OpenClDevice>("OpenCL", argc, argv);
}
