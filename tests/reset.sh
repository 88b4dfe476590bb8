#!/bin/sh
# What was logged before a reset: it is there after a reset at any instruction, of three kinds; memory that holds anything is
# started in; a fault is logged, and seen after the reset by tlog-decode and trace-cmd, with its function.
# usage: reset.sh BUILD [pairs]: with pairs a second reset everywhere in the start after the first; takes long
set -eu
build=$1
what=${2:-}
dir=$build/test/reset
here=$(pwd)
rm -rf "$dir"
mkdir -p "$dir"

# firmware OUTPUT SOURCES FLAG...
firmware() {
    output=$1
    sources=$2
    shift 2
    # shellcheck disable=SC2086
    arm-none-eabi-gcc -std=c11 -mcpu=cortex-m3 -mthumb -O2 -g -ffreestanding -ffunction-sections -fdata-sections \
        -mfloat-abi=soft -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Itests/reset -Itarget -Iport -Ilinker \
        "-I$build/mps2-an385" -include board.h "$@" $sources target/*.c port/port_v7m.c port/out_semihost.c \
        linker/startup_m.c linker/mem.c -nostdlib -Wl,--gc-sections -Wl,--build-id -Llinker -T linker/mps2-an385.ld -lgcc \
        -o "$output"
}

# script ARGUMENT...: reset.py in the directory of the test
script() {
    (cd "$dir" && timeout 7200 python3 "$here/tests/reset/reset.py" reset.elf "$@")
}

mkdir -p "$build/mps2-an385"
cp linker/mps2-an385.h "$build/mps2-an385/board.h"
test_sources="tests/reset/main.c tests/reset/check.c tests/reset/noise.c"
small="-DTLOG_RUNS=3 -DTLOG_CHUNKS=2 -DTLOG_SLOTS=4 -DTLOG_NAME_SLOTS=4"
if [ "$what" = pairs ]; then
    # shellcheck disable=SC2086
    firmware "$dir/reset.elf" "$test_sources" $small
    script pairs 1
    exit 0
fi
# shellcheck disable=SC2086
firmware "$dir/reset.elf" "$test_sources" $small -DRESET_PAIR_FIRST=3u -DRESET_PAIR_EACH=20u
script sweep
script cover
script pairs 1
script noise

# fault FLAG...: a run that faults and one after it; the fault as text in $dir/fault, last.bin decoded like it
fault() {
    firmware "$dir/fault.elf" tests/reset/fault.c -DTLOG_RUNS=2 "$@"
    (cd "$dir" && timeout 60 qemu-system-arm -M mps2-an385 -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=6 -kernel fault.elf)
    "$build/tlog-decode" --run=-1 "--elf=$dir/fault.elf" "$dir/dump.bin" -o "$dir/old.dat" 2>"$dir/err"
    "$build/tlog-decode" -q --run=-1 "--elf=$dir/fault.elf" "$dir/dump.bin" -o "$dir/old.txt"
    "$build/tlog-decode" -q "--elf=$dir/fault.elf" "$dir/last.bin" -o "$dir/last.txt"
    "$build/tlog-decode" "--elf=$dir/fault.elf" "$dir/dump.bin" -o "$dir/new.txt" 2>"$dir/err.new"
    trace-cmd report -i "$dir/old.dat" >"$dir/report" 2>"$dir/err.report"
    [ ! -s "$dir/err.report" ]
    cmp "$dir/old.txt" "$dir/last.txt"
    grep -q 'run 2 of the firmware is left out (. chunks); decoding run 1' "$dir/err"
    grep -q 'run 1 of the firmware is left out (. chunks); decoding run 2' "$dir/err.new"
    tail -n 1 "$dir/report" | tee "$dir/fault"
    grep -q 'motor-7 .* fault: ' "$dir/fault"
    grep -q 'pump-7 .* shark:user_event_3: par1=0 par2=1' "$dir/new.txt"
    ! grep -q motor "$dir/new.txt"
    ! grep -q pump "$dir/report"
    at=$(arm-none-eabi-nm "$dir/fault.elf" | awk '$3 == "fault_is_here" { here = $1 } $3 == "read_sensor" { f = $1 }
        END { print here, f }')
    # shellcheck disable=SC2086
    offset=$(printf '0x%x' $((0x${at% *} - 0x${at#* })))
    grep -q "exception=3 pc=read_sensor+$offset lr=main+0x" "$dir/fault"
    grep -q "r0=0x60000004 r1=.* r2=0x22222222 r3=0x33333333" "$dir/fault"
    grep -q "cfsr=0x8200 hfsr=0x40000000 .*bfar=0x60000004" "$dir/fault" # BFARVALID, PRECISERR; FORCED
}
fault -DTLOG_SLOTS=32
grep -q "exc_return=0xfffffff9" "$dir/fault"
fault -DTLOG_SLOTS=32 -DTLOG_CHUNKS=2 -DEVENTS=23u -DON_PSP # eight slots are left: the event is in the next chunk
grep -q "exc_return=0xfffffffd" "$dir/fault"
fault -DTLOG_SLOTS=32 -DTLOG_TRACEEVENTS=1 -O0
fault -DTLOG_SLOTS=16 -DTLOG_STOP_WHEN_FULL=1 -DTLOG_EMERGENCY_SLOTS=9 -DEVENTS=15u
