#!/bin/sh
# rtx5.sh - the hooks of port/rtos/rtx5, run by a stand-in for the kernel in its orders: trace-cmd shows every switch,
# state, reason and name that the stand-in's application computed; every hook that the port defines is run; each tier
# builds, and defines no hook that the stand-in's header does not declare.
# usage: rtx5.sh BUILD BOARD...
# Judges: the application, which notes what it did; trace-cmd.
set -eu
build=$1
shift
here=tests/rtos/rtx5
port=port/rtos/rtx5
. tests/lib/firmware.sh
for board in "$@"; do
    dir=$build/test/rtos/rtx5-$board
    rm -rf "$dir"
    mkdir -p "$dir"
    slots=2048
    case $board in microbit) slots=400 ;; esac
    firmware "$board" "$dir/app.elf" -Itests/rtos -I$here "-DTLOG_SLOTS=$slots" $here/*.c tests/rtos/expect.c \
        $port/tlog_rtx5.c
    emulate "$board" "$dir/app.elf"
    "$build/tlog-decode" -q "$dir/dump.bin" -o "$dir/trace.dat"
    trace-cmd report -i "$dir/trace.dat" 2>"$dir/err" >"$dir/report"
    [ ! -s "$dir/err" ]
    echo "$board"
    python3 tests/rtos/freertos/freertos.py "$dir/report" "$dir/expected.txt"
done
for compiler in arm-none-eabi-gcc "clang --target=arm-none-eabi"; do
    for tier in 0 1 2 3; do
        $compiler -std=c11 -mcpu=cortex-m3 -mthumb -ffreestanding -Wall -Wextra -Wpedantic -Werror -Wconversion \
            -Wshadow -Wundef -Wmissing-prototypes -I$here -Itarget -Iport -include linker/mps2-an385.h \
            "-DTLOG_RTX5_TIER=$tier" -fsyntax-only $port/tlog_rtx5.c
    done
done
echo "each tier: compiles"
sort -u "$dir/ran.txt" >"$dir/ran"
arm-none-eabi-gcc -std=c11 -mcpu=cortex-m3 -mthumb -ffreestanding -I$here -Itarget -Iport -include linker/mps2-an385.h \
    -c $port/tlog_rtx5.c -o "$dir/hooks.o"
arm-none-eabi-nm "$dir/hooks.o" | sed -n 's/.* T \(EvrRtx.*\)/\1/p' | sort -u >"$dir/defined"
missing=$(comm -23 "$dir/defined" "$dir/ran")
[ -z "$missing" ] || { echo "hooks that the stand-in does not run:" "$missing"; exit 1; }
echo "$(wc -l <"$dir/defined") hooks are defined, and all are run"
