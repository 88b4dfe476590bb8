# pico_sdk_import.cmake - a stand-in for the Pico SDK: its targets and functions that the example names, on QEMU's
# microbit, whose core has the instructions of RP2040's.
set(CMAKE_TOOLCHAIN_FILE ${CMAKE_CURRENT_LIST_DIR}/tlog/port/cmake/arm-none-eabi.cmake)
set(ARM_CPU cortex-m0plus CACHE STRING "")
set(PICO_STAND_IN ${CMAKE_CURRENT_LIST_DIR})

function(pico_sdk_init)
    set(CMAKE_EXECUTABLE_SUFFIX .elf PARENT_SCOPE)
    add_library(pico_stdlib INTERFACE)
    target_sources(pico_stdlib INTERFACE ${PICO_STAND_IN}/sdk.c ${PICO_STAND_IN}/startup.c)
    target_include_directories(pico_stdlib INTERFACE ${PICO_STAND_IN})
    target_link_options(pico_stdlib INTERFACE -T ${PICO_STAND_IN}/memmap.ld -nostartfiles --specs=nano.specs
        --specs=nosys.specs -Wl,--gc-sections)
    add_library(hardware_adc INTERFACE)
endfunction()
function(pico_enable_stdio_uart target enabled)
    target_compile_definitions(${target} PRIVATE LIB_PICO_STDIO_UART=${enabled})
endfunction()
function(pico_add_extra_outputs target)
endfunction()
