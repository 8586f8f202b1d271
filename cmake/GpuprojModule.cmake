# One static library per module, made of every .cpp in its folder (tests excluded): add a file, get it built.
# A module sees only the modules it USES; tests/layering.cmake checks the includes.
#   gpuproj_module(model SOURCES a.cpp ... USES model DEPENDS fmt::fmt)
option(GPUPROJ_WERROR "Treat warnings as errors" OFF)

add_library(gpuproj_warnings INTERFACE)
target_compile_options(gpuproj_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
if(GPUPROJ_WERROR)
    target_compile_options(gpuproj_warnings INTERFACE -Werror)
endif()

function(gpuproj_module name)
    cmake_parse_arguments(arg "" "" "SOURCES;USES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
    if(NOT arg_SOURCES)
        file(GLOB arg_SOURCES CONFIGURE_DEPENDS *.cpp)
    endif()
    if(NOT arg_SOURCES)  # headers only
        add_library(gpuproj_${name} INTERFACE)
        target_include_directories(gpuproj_${name} INTERFACE ${CMAKE_SOURCE_DIR})
        return()
    endif()
    add_library(gpuproj_${name} STATIC ${arg_SOURCES})
    target_include_directories(gpuproj_${name} PUBLIC ${CMAKE_SOURCE_DIR})
    target_compile_features(gpuproj_${name} PUBLIC cxx_std_20)
    set_target_properties(gpuproj_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
    list(TRANSFORM arg_USES PREPEND gpuproj_)
    target_link_libraries(gpuproj_${name} PUBLIC ${arg_USES} ${arg_DEPENDS} PRIVATE gpuproj_warnings ${arg_PRIVATE_DEPENDS})
endfunction()
