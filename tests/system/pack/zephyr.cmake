# zephyr.cmake - a stand-in for Zephyr's build: the commands of its that the module calls, which compile and link what
# they are given. MODULE: the unpacked module, whose module.yml says zephyr is its folder for CMake. REGION: what the
# kernel's linker script calls the memory for data.
cmake_minimum_required(VERSION 3.18)
project(zephyr LANGUAGES C)
add_library(zephyr_interface INTERFACE)

macro(zephyr_library_named name)
    set(ZEPHYR_CURRENT_LIBRARY ${name})
    add_library(${name} STATIC)
    target_link_libraries(${name} PRIVATE zephyr_interface)
endmacro()
function(zephyr_library_sources)
    target_sources(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})
endfunction()
function(zephyr_include_directories)
    target_include_directories(zephyr_interface INTERFACE ${ARGN})
endfunction()
function(zephyr_compile_definitions)
    target_compile_definitions(zephyr_interface INTERFACE ${ARGN})
endfunction()
function(zephyr_link_libraries)
    target_link_libraries(zephyr_interface INTERFACE ${ARGN})
endfunction()
function(zephyr_linker_sources place)
    if(NOT place STREQUAL "RAM_SECTIONS")
        message(FATAL_ERROR "no such place: ${place}")
    endif()
    set_property(GLOBAL APPEND PROPERTY SNIPPETS "${CMAKE_CURRENT_LIST_DIR}/${ARGN}")
endfunction()

include(${CMAKE_CURRENT_BINARY_DIR}/config.cmake)
set(SNIPPETS_FILE ${CMAKE_CURRENT_BINARY_DIR}/snippets.ld)
add_subdirectory(${MODULE}/zephyr modules/tlog)
if(CONFIG_TLOG)
    get_property(snippets GLOBAL PROPERTY SNIPPETS)
    list(TRANSFORM snippets REPLACE "(.+)" "#include \"\\1\"\n")
    string(REPLACE ";" "" snippets "${snippets}")
    file(WRITE ${SNIPPETS_FILE} "${snippets}")
    execute_process(COMMAND ${CMAKE_C_COMPILER} -E -P -x assembler-with-cpp "-DRAMABLE_REGION=${REGION}"
        "-DSNIPPETS=\"${SNIPPETS_FILE}\"" ${CMAKE_CURRENT_LIST_DIR}/linker.ld -o ${CMAKE_CURRENT_BINARY_DIR}/linker.cmd
        COMMAND_ERROR_IS_FATAL ANY)
    target_compile_options(zephyr_interface INTERFACE -ffreestanding -Wall -Wextra -Wpedantic -Werror
        -ffunction-sections -fdata-sections)
    add_executable(application ${MAIN})
    target_link_libraries(application PRIVATE tlog zephyr_interface -nostartfiles -Wl,--gc-sections
        -Wl,--orphan-handling=error -Wl,--fatal-warnings -Wl,--build-id=none -T${CMAKE_CURRENT_BINARY_DIR}/linker.cmd)
endif()
