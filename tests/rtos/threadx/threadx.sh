#!/bin/sh
# threadx.sh - the hooks of port/rtos/threadx, run by a stand-in for the kernel in its orders: trace-cmd shows every
# switch, state, reason and name that the stand-in's application computed; every event and state that the port knows is
# run; each tier builds.
# usage: threadx.sh BUILD BOARD...
# Judges: the application, which notes what it did; trace-cmd.
set -eu
build=$1
shift
here=tests/rtos/threadx
port=port/rtos/threadx
. tests/lib/firmware.sh
for board in "$@"; do
    dir=$build/test/rtos/threadx-$board
    rm -rf "$dir"
    mkdir -p "$dir"
    slots=2048
    case $board in microbit) slots=400 ;; esac
    firmware "$board" "$dir/app.elf" -Itests/rtos -I$here -I$port "-DTLOG_SLOTS=$slots" $here/*.c tests/rtos/expect.c \
        $port/tlog_threadx.c
    emulate "$board" "$dir/app.elf"
    "$build/tlog-decode" -q "$dir/dump.bin" -o "$dir/trace.dat"
    trace-cmd report -i "$dir/trace.dat" 2>"$dir/err" >"$dir/report"
    [ ! -s "$dir/err" ]
    echo "$board"
    python3 tests/rtos/freertos/freertos.py "$dir/report" "$dir/expected.txt"
done
for compiler in arm-none-eabi-gcc "clang --target=arm-none-eabi"; do
    for option in TIER=0 TIER=1 TIER=2 TIER=3 ISR=0; do
        $compiler -std=c11 -mcpu=cortex-m3 -mthumb -ffreestanding -Wall -Wextra -Wpedantic -Werror -Wconversion \
            -Wshadow -Wundef -I$here -I$port -Itarget -Iport -include linker/mps2-an385.h \
            "-DTLOG_THREADX_$option" -fsyntax-only $port/tlog_threadx.c
    done
done
arm-none-eabi-gcc -x assembler-with-cpp -mcpu=cortex-m3 -mthumb -I$here -I$port -c $here/tx_user.h -o "$dir/asm.o"
echo "each tier: compiles, and the header assembles"
{
    grep -o 'TX_TRACE_[A-Z_]*' $port/tlog_threadx.c | grep -v ISR_ENTER
    grep -o '_tx_execution_[a-z_]*' $port/tlog_threadx.c
    grep -o 'TX_[A-Z_]*_EXTENSION' $port/tlog_threadx.h
    sed -n '/^enum/,/^}/s/.*\(TX_[A-Z_]*\).*/\1/p' $here/tx_api.h
} | sort -u >"$dir/known"
sort -u "$dir/ran.txt" >"$dir/ran"
missing=$(comm -23 "$dir/known" "$dir/ran")
[ -z "$missing" ] || { echo "hooks that the stand-in does not run:" "$missing"; exit 1; }
echo "$(wc -l <"$dir/known") events, states and functions are known, and all are run"
