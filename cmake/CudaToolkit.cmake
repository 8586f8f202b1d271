# Finds nvcc and CUPTI, both optional. Nothing is left out silently: gpuproj_left_out(WHAT WHY) collects,
# gpuproj_report_left_out() prints at the end of the configuration. The one command that gets a toolkit is
# ${GPUPROJ_GET_CUDA}, also in build/get_cuda.txt.
set(GPUPROJ_GET_CUDA "echo 'deb http://deb.debian.org/debian bookworm contrib non-free' | sudo tee /etc/apt/sources.list.d/cuda.list && sudo apt-get update && sudo apt-get install -y nvidia-cuda-toolkit")
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
find_path(GPUPROJ_CUPTI_INCLUDE cupti_range_profiler.h
    HINTS $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda PATH_SUFFIXES include extras/CUPTI/include)
find_library(GPUPROJ_CUPTI_LIBRARY cupti
    HINTS $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda PATH_SUFFIXES lib lib64 extras/CUPTI/lib64)
mark_as_advanced(GPUPROJ_NVCC GPUPROJ_CUPTI_INCLUDE GPUPROJ_CUPTI_LIBRARY)
