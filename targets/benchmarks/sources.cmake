# cmake -DDIRECTORY=... -DOUTPUT=... -P sources.cmake: the kernels as text, for OpenCL, which compiles them when it runs.
file(READ ${DIRECTORY}/dialect.h dialect)
file(READ ${DIRECTORY}/kernels.h kernels)
file(WRITE ${OUTPUT} "// Written by targets/benchmarks/sources.cmake.\n#pragma once\n"
    "inline constexpr char dialect_source[] = R\"cl(${dialect})cl\";\n"
    "inline constexpr char kernels_source[] = R\"cl(${kernels})cl\";\n")
