#!/bin/sh
# threadx.sh - does what port/rtos/README.md says for ThreadX with CMake, line by line. The kernel is the stand-in of
# tests/rtos/threadx, with a CMakeLists.txt that copies tx_user.h as the kernel's does. The application has an
# assembler file of its own that does not read tx_user.h, as its tx_initialize_low_level.S: there, too, the handler of
# SysTick must have its calls.
# usage: threadx.sh BUILD
# Judges: cmake; trace-cmd and the stand-in's application, as in tests/rtos.
set -eu
build=$1
dir=$build/test/pack/threadx
. tests/system/pack/lib.sh
. tests/rtos/lib.sh
needs cmake trace-cmd
kernel=$PWD/tests/rtos/threadx
rm -rf "$dir"
mkdir -p "$dir/threadx"
ln -s "$PWD" "$dir/tlog"
awk -v section=ThreadX -f tests/lib/blocks.awk port/rtos/README.md >"$dir/lines"
lines=$(grep -c . "$dir/lines")
[ "$lines" -eq 5 ] || { echo "port/rtos/README.md has $lines lines for ThreadX, 5 are known here"; exit 1; }

cat >"$dir/threadx/CMakeLists.txt" <<END
add_library(threadx $kernel/thread.c $kernel/object.c $kernel/pool.c)
configure_file(\${TX_USER_FILE} custom_inc/tx_user.h COPYONLY)
file(COPY $kernel/ DESTINATION custom_inc FILES_MATCHING PATTERN "*.h" PATTERN tx_user.h EXCLUDE)
target_include_directories(threadx PUBLIC \${CMAKE_CURRENT_BINARY_DIR}/custom_inc)
target_compile_definitions(threadx PUBLIC TX_INCLUDE_USER_DEFINE_FILE)
END
cat >"$dir/tx_initialize_low_level.S" <<END
#ifndef TX_ENABLE_EXECUTION_CHANGE_NOTIFY
#error "SysTick's handler does not call the kernel's hooks"
#endif
END
sed '/^#include "tlog_threadx.h"/,$d' "$kernel/tx_user.h" >"$dir/tx_user.h"
printf '%s\n#endif\n' "$(sed -n 1p "$dir/lines")" >>"$dir/tx_user.h"
{
    cat <<END
cmake_minimum_required(VERSION 3.18)
project(firmware LANGUAGES C ASM)
set(board $PWD/linker)
configure_file(\${board}/mps2-an385.h board.h COPYONLY)
add_compile_options(-ffreestanding -DTLOG_RTOS_IDLE_TELLS=1 \$<\$<COMPILE_LANGUAGE:C>:-includeboard.h>)
include_directories(\${CMAKE_BINARY_DIR} \${board} $PWD/tests/rtos)
END
    sed -n 2p "$dir/lines"
    cat <<END
add_subdirectory(threadx)
add_executable(firmware $kernel/app.c $PWD/tests/rtos/expect.c tx_initialize_low_level.S
    \${board}/startup_m.c \${board}/mem.c)
target_link_options(firmware PRIVATE -nostdlib -Wl,--wrap=tlog_rtos_quiescent -T \${board}/mps2-an385.ld)
target_link_libraries(firmware PRIVATE threadx tlog::semihost gcc)
END
    sed -n '3,$p' "$dir/lines" | sed 's/168000000/25000000/; s/4096/2048/'
} >"$dir/CMakeLists.txt"
cmake -S "$dir" -B "$dir/build" "-DCMAKE_TOOLCHAIN_FILE=$toolchain" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
cmake --build "$dir/build" >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
emulate mps2-an385 "$dir/build/firmware.elf"
decoded "$dir/build"
as_expected "$dir/build"
echo "port/rtos/README.md's lines for ThreadX: built by CMake, run, decoded"
