# SPDX-License-Identifier: MIT
# tlog.cmake - the targets tlog::tlog, tlog::freertos and so on, for CMakeLists.txt and tlogConfig.cmake beside it.
#
# A target here is a list of sources, folders of headers, and nothing that is compiled before. Its sources are compiled
# as part of each executable that is linked with it, with the flags and definitions of that executable, because all
# files that log and tlog's own ones must be compiled for the same core and options (target/tlog_config.h).
# A library of the project that is linked with a target gets the headers only. So the sources are compiled once; an
# executable that is linked with that library by PUBLIC gets them, too.
#
# Options are definitions: of the executable, if it alone logs, or for all that log:
#
#     target_compile_definitions(tlog INTERFACE TLOG_SLOTS=4096 TLOG_CLOCK_HZ=168000000)
#
# A linker script finds linker/tlog.ld by `INCLUDE tlog.ld`; property TLOG_LINKER_DIR of target tlog has the folder.
if(TARGET tlog)
    return()
endif()
get_property(tlog_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT "C" IN_LIST tlog_languages)
    message(FATAL_ERROR "tlog is compiled with the project, in C: add language C to its project()")
endif()
get_filename_component(tlog_root "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

# tlog_target(NAME PATTERN... FOLDERS FOLDER... [USES TARGET]): define target NAME, also called tlog::NAME, with the
# sources that match, and these folders of headers. Without the last folder there is no target.
function(tlog_target name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "USES" "FOLDERS")
    list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND "${tlog_root}/")
    list(TRANSFORM arg_FOLDERS PREPEND "${tlog_root}/")
    file(GLOB sources ${arg_UNPARSED_ARGUMENTS})
    list(GET arg_FOLDERS -1 folder)
    if(NOT IS_DIRECTORY "${folder}")
        return()
    endif()
    string(REGEX REPLACE "^tlog_tlog$" "tlog" target tlog_${name})
    add_library(${target} INTERFACE)
    add_library(tlog::${name} ALIAS ${target})
    target_include_directories(${target} INTERFACE ${arg_FOLDERS})
    foreach(source IN LISTS sources)
        target_sources(${target} INTERFACE "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${source}>")
    endforeach()
    if(TARGET "${arg_USES}")
        target_link_libraries(${target} INTERFACE ${arg_USES})
    endif()
endfunction()

# Files of other cores compile to nothing; ARMv7-A has no source.
tlog_target(tlog target/src/*.c port/port_v6m.c port/port_v7m.c port/irq_v7m.c FOLDERS target port)
tlog_target(irq_flash port/irq_flash.c FOLDERS port USES tlog)
tlog_target(semihost port/out_semihost.c FOLDERS port USES tlog)
tlog_target(rtos port/rtos/*.c FOLDERS port/rtos USES tlog)
foreach(tlog_kernel IN ITEMS freertos threadx rtx5)
    tlog_target(${tlog_kernel} port/rtos/${tlog_kernel}/*.c FOLDERS port/rtos/${tlog_kernel} USES tlog_rtos)
endforeach()

# A FreeRTOS that the project builds as a library: its FreeRTOSConfig.h includes tlog_freertos.h. The kernel of an SDK
# cannot be seen here; its sources are compiled as part of the executable, whose folders they have.
if(TARGET freertos_config AND TARGET tlog_freertos)
    target_link_libraries(freertos_config INTERFACE tlog_freertos)
endif()

# The application's tx_initialize_low_level.S has the handler of SysTick, and need not read tx_user.h.
if(TARGET tlog_threadx)
    target_compile_definitions(tlog_threadx INTERFACE TX_ENABLE_EXECUTION_CHANGE_NOTIFY)
endif()

set_property(TARGET tlog PROPERTY TLOG_LINKER_DIR "${tlog_root}/linker")
target_link_directories(tlog INTERFACE "${tlog_root}/linker")
if(CMAKE_C_COMPILE_FEATURES)
    target_compile_features(tlog INTERFACE c_std_11)
endif()
