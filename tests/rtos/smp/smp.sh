#!/bin/sh
# smp.sh - the hooks of port/rtos/freertos on two cores that run at the same time: each core's switches, states and
# reasons are those that the application computes.
# usage: smp.sh BUILD
# Judges: smp.py, which computes them again; trace-cmd.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
dir=$build/test/rtos/smp
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"
firmware mps2-an521 "$dir/app.elf" -std=gnu11 -DTLOG_CPUS=2 -DTLOG_SLOTS=2048 -Itests/rtos/smp -Itests/rtos/freertos \
    -Iport/rtos -Iport/rtos/freertos tests/rtos/smp/app.c port/rtos/freertos/tlog_freertos.c
for run in 1 2 3; do
    (cd "$dir" && timeout 600 qemu-system-arm -M mps2-an521 -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -accel tcg,thread=multi -kernel app.elf)
    "$build/tlog-decode" -q -f "$dir/dump.bin" -o "$dir/trace.dat"
    trace-cmd report -i "$dir/trace.dat" 2>"$dir/err" >"$dir/report"
    [ ! -s "$dir/err" ]
    echo "run $run"
    python3 tests/rtos/smp/smp.py "$dir/report"
done
