# Finds nvcc and CUPTI, both optional. Nothing is left out silently: gpuproj_left_out(WHAT WHY) collects,
# gpuproj_report_left_out() prints at the end of the configuration. The one command that gets a toolkit is
# ${GPUPROJ_GET_CUDA}, also in build/get_cuda.txt; it changes apt's sources, so nothing here runs it.
set(GPUPROJ_GET_CUDA "echo 'deb http://deb.debian.org/debian bookworm contrib non-free' | sudo tee /etc/apt/sources.list.d/cuda.list && sudo apt-get update && sudo apt-get install -y --no-install-recommends nvidia-cuda-toolkit nvidia-cuda-toolkit-gcc")
find_program(GPUPROJ_SUDO sudo)
mark_as_advanced(GPUPROJ_SUDO)
if(NOT GPUPROJ_SUDO)
    string(REPLACE "sudo " "" GPUPROJ_GET_CUDA "${GPUPROJ_GET_CUDA}")
endif()
file(WRITE ${CMAKE_BINARY_DIR}/get_cuda.txt "${GPUPROJ_GET_CUDA}\n")

set_property(GLOBAL PROPERTY GPUPROJ_LEFT_OUT "")
function(gpuproj_left_out what why)
    set_property(GLOBAL APPEND PROPERTY GPUPROJ_LEFT_OUT "${what}: ${why}")
endfunction()
function(gpuproj_report_left_out)
    get_property(rows GLOBAL PROPERTY GPUPROJ_LEFT_OUT)
    foreach(row IN LISTS rows)
        message(STATUS "left out: ${row}")
    endforeach()
    if(rows AND NOT GPUPROJ_NVCC)
        message(STATUS "CUDA 11.8 from Debian 12, in one command: ${GPUPROJ_GET_CUDA}")
    endif()
    # gpuproj doctor prints the same.
    list(TRANSFORM rows REPLACE "(.+)" "    R\"~(\\1)~\",\n" OUTPUT_VARIABLE GPUPROJ_LEFT_OUT_ROWS)
    list(JOIN GPUPROJ_LEFT_OUT_ROWS "" GPUPROJ_LEFT_OUT_ROWS)
    configure_file(${CMAKE_SOURCE_DIR}/cmake/build_info.cpp.in ${CMAKE_BINARY_DIR}/generated/build_info.cpp @ONLY)
endfunction()

find_program(GPUPROJ_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)

# nvcc takes no host compiler newer than itself: GPUPROJ_NVCC_FLAGS names the first that it takes, the default if it can.
# An nvcc that takes none is as good as no nvcc.
if(GPUPROJ_NVCC AND NOT DEFINED GPUPROJ_NVCC_FLAGS)
    file(WRITE ${CMAKE_BINARY_DIR}/nvcc_probe.cu "#include <vector>\n__global__ void kernel() {}\nstd::vector<int> host;\n")
    foreach(host default g++-13 g++-12 g++-11 g++-10)
        set(flags "")
        if(NOT host STREQUAL default)
            set(flags -ccbin ${host})
        endif()
        execute_process(COMMAND ${GPUPROJ_NVCC} ${flags} -c nvcc_probe.cu -o nvcc_probe.o
            WORKING_DIRECTORY ${CMAKE_BINARY_DIR} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
        if(status EQUAL 0)
            set(GPUPROJ_NVCC_FLAGS "${flags}" CACHE INTERNAL "Host compiler that nvcc takes")
            break()
        endif()
        if(host STREQUAL default)
            string(REGEX MATCH "[^\n]*error[^\n]*|[^\n]*fatal[^\n]*|[^\n]+" first_error "${errors}")
        endif()
    endforeach()
    if(NOT status EQUAL 0)
        gpuproj_left_out("CUDA" "${GPUPROJ_NVCC} compiles nothing: ${first_error}")
        set(GPUPROJ_NVCC GPUPROJ_NVCC-NOTFOUND)
    endif()
endif()

find_path(GPUPROJ_CUPTI_INCLUDE cupti_range_profiler.h
    HINTS $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda PATH_SUFFIXES include extras/CUPTI/include)
find_library(GPUPROJ_CUPTI_LIBRARY cupti
    HINTS $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda PATH_SUFFIXES lib lib64 extras/CUPTI/lib64)
mark_as_advanced(GPUPROJ_NVCC GPUPROJ_CUPTI_INCLUDE GPUPROJ_CUPTI_LIBRARY)
