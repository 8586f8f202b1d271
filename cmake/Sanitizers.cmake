# GPUPROJ_SANITIZE=address,undefined or thread or fuzzer-no-link,...: for everything that is built. The first error ends
# the process.
set(GPUPROJ_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")
if(GPUPROJ_SANITIZE)
    add_compile_options(-fsanitize=${GPUPROJ_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        add_compile_options(-Wno-maybe-uninitialized)  # GCC 12 with sanitizers is wrong about std::regex
    endif()
    add_link_options(-fsanitize=${GPUPROJ_SANITIZE})
endif()
