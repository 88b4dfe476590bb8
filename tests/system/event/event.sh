#!/bin/sh
# event.sh - a thread and an interrupt log traceevents and records, mixed; checks that the decoded text has exactly
# these events, complete and in order, and that trace-cmd reads them and .kev files keep them.
# usage: event.sh BUILD BOARD
# Judges: check.py, which computes each event from its number; trace-cmd.
set -eu
build=$1
board=$2
dir=$build/test/event
rm -rf "$dir"
mkdir -p "$dir"
for slots in 16384 1000; do
    arm-none-eabi-gcc -std=c11 -mcpu=cortex-m3 -mthumb -O2 -g -ffreestanding -ffunction-sections -fdata-sections -Wall \
        -Wextra -Werror -Itarget -Iport "-I$build/$board" -include board.h -DTLOG_TRACEEVENTS=1 "-DTLOG_SLOTS=$slots" \
        tests/system/event/app.c target/*.c port/port_v7m.c port/out_semihost.c linker/startup_m.c linker/mem.c \
        -nostdlib -Wl,--gc-sections -Llinker -T "linker/$board.ld" -lgcc -o "$dir/app.elf"
    (cd "$dir" && timeout 120 qemu-system-arm -M "$board" -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=6 -kernel app.elf)
    "$build/tlog-decode" --map=native --format=text "$dir/dump.bin" >"$dir/$slots.txt"
    python3 tests/system/event/check.py "$dir/$slots.txt" "$slots"
    "$build/tlog-decode" -q "$dir/dump.bin" -o "$dir/$slots.dat"
    trace-cmd report -i "$dir/$slots.dat" 2>"$dir/err" >"$dir/report"
    [ ! -s "$dir/err" ]
    "$build/tlog-decode" -q --format=kev "$dir/dump.bin" -o "$dir/$slots.kev"
    "$build/tlog-decode" -q --map=native --format=text "$dir/$slots.kev" | grep -c 'qnx:user' >"$dir/count"
    [ "$(cat "$dir/count")" -ge "$(grep -c 'qnx:user' "$dir/$slots.txt")" ]
done
