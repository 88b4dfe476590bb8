# arm-none-eabi.cmake - an example of a toolchain file: GCC for ARM without an operating system.
#
#     cmake -B build -DCMAKE_TOOLCHAIN_FILE=tlog/port/cmake/arm-none-eabi.cmake -DARM_CPU=cortex-m4
set(ARM_CPU cortex-m3 CACHE STRING "The core, as the compiler's option -mcpu calls it")
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
foreach(language IN ITEMS C ASM)
    set(CMAKE_${language}_COMPILER arm-none-eabi-gcc)
endforeach()
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
foreach(language IN ITEMS C CXX ASM)
    set(CMAKE_${language}_FLAGS_INIT "-mcpu=${ARM_CPU} -mthumb -ffunction-sections -fdata-sections")
    set(CMAKE_EXECUTABLE_SUFFIX_${language} .elf)
endforeach()
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--gc-sections")

# CMake tries the compiler on its own, without the project's linker script and start-up code.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ARM_CPU)
