# SPDX-License-Identifier: MIT
# arm-none-eabi.cmake - an example of a toolchain file: GCC for ARM without an operating system.
#
#     cmake -B build -DCMAKE_TOOLCHAIN_FILE=tlog/port/cmake/arm-none-eabi.cmake -DARM_CPU=cortex-m4
#
# The core tells the FPU and the ABI of floats. A chip may differ:
#
#     without an FPU, though its core can have one      -DARM_FLOAT_ABI=soft, or -DARM_CPU=cortex-m4+nofp
#     Cortex-M7 that computes doubles, too              -DARM_FPU=fpv5-d16
#     libraries that pass floats in integer registers   -DARM_FLOAT_ABI=softfp
set(ARM_CPU cortex-m3 CACHE STRING "The core, as the compiler's option -mcpu calls it")
set(ARM_FPU "" CACHE STRING "The FPU, as the compiler's option -mfpu calls it; empty: that of the core")
set(ARM_FLOAT_ABI "" CACHE STRING "soft, softfp or hard; empty: hard if there is an FPU")

# What each chip with an FPU and that core has. Other cores have none, or it is off after a reset (Cortex-A).
set(tlog_fpu "${ARM_FPU}")
if(tlog_fpu STREQUAL "" AND NOT ARM_CPU MATCHES "[+]nofp")
    if(ARM_CPU MATCHES "^cortex-m4")
        set(tlog_fpu fpv4-sp-d16)
    elseif(ARM_CPU MATCHES "^cortex-m(7|33|35p)")
        set(tlog_fpu fpv5-sp-d16)
    elseif(ARM_CPU MATCHES "^cortex-m(52|55|85)")
        set(tlog_fpu auto)
    endif()
endif()
set(tlog_float "-mfloat-abi=soft")
if(ARM_FLOAT_ABI)
    set(tlog_float "-mfloat-abi=${ARM_FLOAT_ABI}")
elseif(tlog_fpu)
    set(tlog_float "-mfloat-abi=hard")
endif()
if(tlog_fpu AND NOT ARM_FLOAT_ABI STREQUAL "soft")
    string(PREPEND tlog_float "-mfpu=${tlog_fpu} ")
endif()
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
foreach(language IN ITEMS C ASM)
    set(CMAKE_${language}_COMPILER arm-none-eabi-gcc)
endforeach()
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
foreach(language IN ITEMS C CXX ASM)
    set(CMAKE_${language}_FLAGS_INIT "-mcpu=${ARM_CPU} -mthumb ${tlog_float} -ffunction-sections -fdata-sections")
    set(CMAKE_EXECUTABLE_SUFFIX_${language} .elf)
endforeach()
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--gc-sections")

# CMake tries the compiler on its own, without the project's linker script and start-up code.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ARM_CPU ARM_FPU ARM_FLOAT_ABI)
