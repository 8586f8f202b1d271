# CUDA programs built with plain nvcc, as users build theirs; nvcc is not one of the project's languages.
#   gpuproj_cuda_program(NAME SOURCE DIRECTORY [OPTIONS for compiling] [LINK options for linking])
# builds DIRECTORY/NAME of SOURCE, a path relative to the current folder: a path that is the same in every checkout lets
# ccache share its results.
function(gpuproj_cuda_program name source directory)
    cmake_parse_arguments(arg "" "" "OPTIONS;LINK" ${ARGN})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/objects/${name}.o)
    add_custom_command(
        OUTPUT ${object}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/objects
        COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${GPUPROJ_NVCC} ${GPUPROJ_NVCC_FLAGS} -O3 -std=c++17 ${arg_OPTIONS} -MD -MF ${object}.d
                -c ${source}
                -o ${object}
        DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source}
        DEPFILE ${object}.d
        WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
        COMMENT "nvcc ${name}" VERBATIM)
    add_custom_command(
        OUTPUT ${directory}/${name}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${directory}
        COMMAND ${GPUPROJ_NVCC} ${GPUPROJ_NVCC_FLAGS} ${arg_OPTIONS} ${arg_LINK} ${object} -o ${directory}/${name}
        DEPENDS ${object}
        COMMENT "nvcc ${name} (link)" VERBATIM)
endfunction()
