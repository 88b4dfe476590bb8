#!/bin/sh
# readme.sh - does what port/rtos/README.md's section on FreeRTOS, CMake and OpenOCD says, line by line, in a project
# of its own on mps2-an386. Every line is one that this script knows. The kernel is a library that refuses to be
# compiled without hardware floating point, as FreeRTOS's port to this core does, and that has the headers of
# tests/rtos/freertos. A stand-in for openocd does what the line says to QEMU, by gdb. kernelshark is not started; the
# file that it is to open must name the trace. Then the same lines are for a kernel that an SDK has imported. For every
# core, the compiler must say that the toolchain file gives it the FPU that its chips have, and its ABI, or what the
# user says instead.
# usage: readme.sh BUILD
# Judges: cmake, the compiler, gdb, trace-cmd.
set -eu
build=$1
dir="$build/test/pack/a readme"
. tests/system/pack/lib.sh
needs cmake gdb-multiarch trace-cmd
rm -rf "$dir"
mkdir -p "$dir/bin" "$dir/project"
ln -s "$PWD" "$dir/project/tlog"

awk -v section='FreeRTOS, CMake and OpenOCD' -f tests/lib/blocks.awk port/rtos/README.md >"$dir/lines"
[ "$(wc -l <"$dir/lines")" -ge 13 ]

# has OPTIONS WANTED: whether the toolchain file, with these options, has the compiler say that about floats
has() (
    # shellcheck disable=SC2086
    flags=$(cmake $1 "-DFILE=$toolchain" -P "$here/flags.cmake" 2>&1)
    # shellcheck disable=SC2086
    got=$(arm-none-eabi-gcc $flags -dM -E -x c /dev/null | sed -n 's/#define \(__ARM_FP\|__ARM_PCS_VFP\) /\1=/p' | sort)
    # shellcheck disable=SC2086
    [ "$(echo $got)" = "$2" ] || { echo "$1: $flags:" $got; exit 1; }
)
for core in m0 m0plus m3 m23 m4+nofp m7+nofp m33+nofp; do
    has -DARM_CPU=cortex-$core ""
done
has "-DARM_CPU=cortex-m4 -DARM_FLOAT_ABI=soft" ""
for core in m4 m7 m33 m35p m33+nodsp; do
    has -DARM_CPU=cortex-$core "__ARM_FP=4 __ARM_PCS_VFP=1"
    has "-DARM_CPU=cortex-$core -DARM_FLOAT_ABI=softfp" "__ARM_FP=4"
done
has "-DARM_CPU=cortex-m7 -DARM_FPU=fpv5-d16" "__ARM_FP=14 __ARM_PCS_VFP=1"
has -DARM_CPU=cortex-m55 "__ARM_FP=14 __ARM_PCS_VFP=1"
echo "the toolchain file knows the FPU of each core"

# firmware of one's own, for a board that is not in that document: the first lines of its CMakeLists.txt, and a main().
# FreeRTOSConfig.h lacks only the line that the section adds.
cat >"$dir/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.18)
project(firmware LANGUAGES C)
add_library(freertos_config INTERFACE)
target_include_directories(freertos_config INTERFACE . $PWD/linker)
add_library(freertos_kernel STATIC port.c)
target_link_libraries(freertos_kernel PRIVATE freertos_config)
set(board $PWD/linker)
add_executable(firmware main.c \${board}/startup_m.c \${board}/mem.c)
target_include_directories(firmware PRIVATE \${CMAKE_BINARY_DIR} \${board})
target_compile_options(freertos_config INTERFACE -ffreestanding -include \${CMAKE_BINARY_DIR}/board.h)
target_link_libraries(firmware PRIVATE freertos_kernel)
target_link_options(firmware PRIVATE -nostdlib -Wl,--build-id "-T$dir/included.ld")
configure_file(\${board}/mps2-an386.h board.h COPYONLY)
END
vendor "$dir/included.ld" 'INCLUDE tlog.ld'
cp "$here/consumer/main.c" "$dir/project/"
cp tests/rtos/freertos/FreeRTOS.h tests/rtos/freertos/task.h "$dir/project/"
sed '/^#ifndef __ASSEMBLER__/,/^#endif/d' tests/rtos/freertos/FreeRTOSConfig.h | sed '$d' \
    >"$dir/project/FreeRTOSConfig.h"
cat >"$dir/project/port.c" <<END
#ifndef __ARM_FP
#error "this kernel needs hardware floating point"
#endif
#include "FreeRTOS.h"
#ifndef traceTASK_SWITCHED_IN
#error "FreeRTOSConfig.h does not include tlog_freertos.h"
#endif
float half(float value);
float half(float value)
{
    return value / 2;
}
END
sed -n '/log_library(void)$/,$p' "$here/consumer/library.c" >>"$dir/project/main.c"

# openocd -f CONFIG -c 'init; halt; dump_image FILE ADDRESS SIZE; shutdown'
cat >"$dir/bin/openocd" <<END
#!/bin/sh
set -eu
[ "\$1 \$3" = "-f -c" ]
commands=\$(echo "\$4" | sed 's/; /;/g')
case \$commands in "init;halt;dump_image "*";shutdown") ;; *) echo "openocd: \$commands"; exit 1 ;; esac
set -- \$(echo "\$commands" | cut -d';' -f3)
rm -f gdb.socket
timeout 600 qemu-system-arm -M mps2-an386 -display none -monitor none -serial none -icount shift=6 \\
    -semihosting-config enable=on,target=native -kernel build/firmware.elf -S \\
    -chardev socket,path=gdb.socket,server=on,wait=off,id=gdb -gdb chardev:gdb &
for try in \$(seq 600); do [ -S gdb.socket ] || sleep 0.2; done
gdb-multiarch -nx -batch build/firmware.elf -ex 'target remote gdb.socket' -ex 'break semihost_exit' -ex continue \\
    -ex "dump binary memory \$2 \$3 \$(printf '0x%x' \$((\$3 + \$4)))" -ex kill >gdb.log 2>&1 || [ -s "\$2" ]
wait \$! || true
END
chmod +x "$dir/bin/openocd"
PATH=$dir/bin:$build:$PATH

# now LINE: do what a line of the section says
now() {
    case $1 in
    'make deps install')
        make -n deps install "BUILD=$build" >"$dir/log"
        return ;;
    add_subdirectory* | target_*) echo "$1" >>"$dir/project/CMakeLists.txt" ;;
    '#include "tlog_freertos.h"') printf '%s\n#endif\n' "$1" >>"$dir/project/FreeRTOSConfig.h" ;;
    'kernelshark -s '*) grep -q 'trace\.dat' "$dir/project/${1##* }" ;;
    'cmake -B '*)
        echo 'target_link_libraries(firmware PRIVATE freertos_config tlog::semihost gcc)' \
            >>"$dir/project/CMakeLists.txt"
        (cd "$dir/project" && eval "$1") >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; } ;;
    'trace-cmd report '*) (cd "$dir/project" && eval "$1") >"$dir/report" 2>"$dir/log" ;;
    cmake* | openocd* | tlog-decode*)
        (cd "$dir/project" && eval "$1") >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; } ;;
    *) echo "port/rtos/README.md has a line that is not known here: $1"; exit 1 ;;
    esac
    echo "$1"
}
while read -r line; do
    now "$line" </dev/null
done <"$dir/lines"
[ "$(grep -c 'blinky-1 .*user_event_0' "$dir/report")" -eq 100 ]
[ "$(wc -c <"$dir/project/dump.bin")" -eq 131072 ]
grep -q -e '-DTLOG_CLOCK_HZ=168000000 -DTLOG_SLOTS=4096' "$dir/project/build/CMakeFiles/firmware.dir/flags.make"

# The kernel of an SDK: its sources are compiled with the firmware, and no other target of it can be seen.
mkdir "$dir/project/sdk"
cat >"$dir/project/sdk/CMakeLists.txt" <<END
add_library(freertos_config INTERFACE IMPORTED)
set_target_properties(freertos_config PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "\${CMAKE_SOURCE_DIR};$PWD/linker")
add_library(freertos_kernel INTERFACE)
target_sources(freertos_kernel INTERFACE \${CMAKE_SOURCE_DIR}/port.c)
target_include_directories(freertos_kernel INTERFACE \${CMAKE_SOURCE_DIR} $PWD/linker)
target_compile_options(freertos_kernel INTERFACE -ffreestanding -include \${CMAKE_BINARY_DIR}/board.h)
END
sed -i 's/^add_library(freertos_config.*/add_subdirectory(sdk)/; /^[a-z_]*(freertos_/d
    s/ freertos_config tlog::semi/ tlog::semi/' "$dir/project/CMakeLists.txt"
grep '^cmake -' "$dir/lines" | sed 's/ build$/ sdk-build/; s/-B build/-B sdk-build/' >"$dir/sdk-lines"
(cd "$dir/project" && sh -e ../sdk-lines) >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
find "$dir/project/sdk-build" -name tlog_freertos.c.obj | grep -q .
echo "the same for a kernel that an SDK has imported"
echo "100 events of blinky, from an image of the RAM"
