// opencl_twins FILE.cl: runs both kernels on the first OpenCL device and prints "NAME WORK SECONDS" of each, the work
// in multiply-adds or points. Started by oclgrind.py under Oclgrind, which is that device then.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

void check(cl_int status, const char* what) {
    if (status == CL_SUCCESS) return;
    std::fprintf(stderr, "opencl_twins: %s gives OpenCL error %d\n", what, status);
    std::exit(EXIT_FAILURE);
}

struct Queue {
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    cl_program program = nullptr;
};

Queue open(const char* file) {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    cl_int status = CL_SUCCESS;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
    Queue queue;
    queue.context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue.queue = clCreateCommandQueue(queue.context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const char* source = text.c_str();
    queue.program = clCreateProgramWithSource(queue.context, 1, &source, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(queue.program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    return queue;
}

template <class T>
cl_mem buffer(const Queue& queue, std::size_t count, T value) {
    std::vector<T> values(count, value);
    cl_int status = CL_SUCCESS;
    const cl_mem memory = clCreateBuffer(queue.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof(T),
                                         values.data(), &status);
    check(status, "clCreateBuffer");
    return memory;
}

template <class... T>
double seconds(const Queue& queue, const char* name, std::array<std::size_t, 2> global,
               std::array<std::size_t, 2> local, const T&... arguments) {
    cl_int status = CL_SUCCESS;
    const cl_kernel kernel = clCreateKernel(queue.program, name, &status);
    check(status, "clCreateKernel");
    cl_uint i = 0;
    (check(clSetKernelArg(kernel, i++, sizeof(T), &arguments), "clSetKernelArg"), ...);
    const std::clock_t begin = std::clock();
    check(clEnqueueNDRangeKernel(queue.queue, kernel, 2, nullptr, global.data(), local.data(), 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue.queue), "clFinish");
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: opencl_twins FILE.cl\n");
        return EXIT_FAILURE;
    }
    const Queue queue = open(argv[1]);
    constexpr cl_int n = 96;
    const cl_mem a = buffer(queue, std::size_t{n} * n, 0.5F), b = buffer(queue, std::size_t{n} * n, 0.5F),
                 c = buffer(queue, std::size_t{n} * n, 0.0F);
    std::printf("sgemm %g %g\n", double{n} * n * n, seconds(queue, "sgemm", {n, n}, {16, 16}, a, b, c, n, n));
    constexpr cl_int side = 512, points = side + 2;
    const cl_mem own = buffer(queue, std::size_t{points} * points / 2, 0.5),
                 other = buffer(queue, std::size_t{points} * points / 2, 0.25);
    const cl_int columns = points / 2;
    const double omega = 1.5;
    std::printf("sor %g %g\n", double{side} * side / 2,
                seconds(queue, "sor", {side / 2, side}, {32, 8}, own, other, columns, omega));
    return EXIT_SUCCESS;
}
