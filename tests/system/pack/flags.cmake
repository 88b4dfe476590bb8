# flags.cmake - prints the flags that toolchain file FILE gives the C compiler.
include(${FILE})
message("${CMAKE_C_FLAGS_INIT}")
