#!/bin/sh
# readme.sh - does what README's section on FreeRTOS, CMake and OpenOCD says, line by line, in a project of its own on
# mps2-an386. Every line is one that this script knows. Those of the kernel are done without it: tlog::tlog stands for
# tlog::freertos, the header is only looked for once it is there. A stand-in for openocd does what the line says to
# QEMU, by gdb. kernelshark is not started; the file that it is to open must name the trace.
# usage: readme.sh BUILD
# Judges: cmake, gdb, trace-cmd.
set -eu
build=$1
dir=$build/test/pack/readme
. tests/system/pack/lib.sh
needs cmake gdb-multiarch trace-cmd
rm -rf "$dir"
mkdir -p "$dir/bin" "$dir/project"
ln -s "$PWD" "$dir/project/tlog"

sed -n '/^## FreeRTOS, CMake and OpenOCD/,/^## Interrupts/s/^       //p' README.md >"$dir/lines"
[ "$(wc -l <"$dir/lines")" -ge 11 ]

# firmware of one's own, for a board that is not in the README: the first lines of its CMakeLists.txt, and a main().
cat >"$dir/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.18)
project(firmware LANGUAGES C)
add_library(freertos_config INTERFACE)
set(board $PWD/linker)
add_executable(firmware main.c \${board}/startup_m.c \${board}/mem.c)
target_include_directories(firmware PRIVATE \${CMAKE_BINARY_DIR} \${board})
target_compile_options(firmware PRIVATE -ffreestanding -include board.h)
target_link_options(firmware PRIVATE -nostdlib -T $dir/included.ld)
configure_file(\${board}/mps2-an386.h board.h COPYONLY)
END
vendor "$dir/included.ld" 'INCLUDE tlog.ld'
cp "$here/consumer/main.c" "$dir/project/"
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
timeout 120 qemu-system-arm -M mps2-an386 -display none -monitor none -serial none -icount shift=6 \\
    -semihosting-config enable=on,target=native -kernel build/firmware.elf -S \\
    -chardev socket,path=gdb.socket,server=on,wait=off,id=gdb -gdb chardev:gdb &
for try in \$(seq 50); do [ -S gdb.socket ] || sleep 0.2; done
gdb-multiarch -nx -batch build/firmware.elf -ex 'target remote gdb.socket' -ex 'break semihost_exit' -ex continue \\
    -ex "dump binary memory \$2 \$3 \$(printf '0x%x' \$((\$3 + \$4)))" -ex kill >gdb.log 2>&1 || [ -s "\$2" ]
wait \$! || true
END
chmod +x "$dir/bin/openocd"
PATH=$dir/bin:$build:$PATH

# now LINE: do what a line of README says
now() {
    case $1 in
    'make deps install')
        make -n deps install "BUILD=$build" >"$dir/log"
        return ;;
    'target_link_libraries('*tlog::freertos*)
        echo "$1" | sed 's/tlog::freertos/tlog::tlog/' >>"$dir/project/CMakeLists.txt" ;;
    add_subdirectory* | target_*) echo "$1" >>"$dir/project/CMakeLists.txt" ;;
    '#include "tlog_freertos.h"')
        [ ! -d port/rtos/freertos ] || [ -f port/rtos/freertos/tlog_freertos.h ] ;;
    'kernelshark -s '*) grep -q 'trace\.dat' "$dir/project/${1##* }" ;;
    'cmake -B '*)
        echo 'target_link_libraries(firmware PRIVATE freertos_config tlog::semihost gcc)' \
            >>"$dir/project/CMakeLists.txt"
        (cd "$dir/project" && eval "$1") >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; } ;;
    'trace-cmd report '*) (cd "$dir/project" && eval "$1") >"$dir/report" 2>"$dir/log" ;;
    cmake* | openocd* | tlog-decode*)
        (cd "$dir/project" && eval "$1") >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; } ;;
    *) echo "README has a line that is not known here: $1"; exit 1 ;;
    esac
    echo "$1"
}
while read -r line; do
    now "$line" </dev/null
done <"$dir/lines"
[ "$(grep -c 'blinky-1 .*user_event_0' "$dir/report")" -eq 100 ]
[ "$(wc -c <"$dir/project/dump.bin")" -eq 131072 ]
grep -q -e '-DTLOG_CLOCK_HZ=168000000 -DTLOG_SLOTS=4096' "$dir/project/build/CMakeFiles/firmware.dir/flags.make"
echo "100 events of blinky, from an image of the RAM"
