#!/bin/sh
# reset.sh - checks that events logged before a reset are there after it: for a reset at any instruction, for three
# kinds of reset; that the runtime starts in memory with any content; and that a fault is logged, and shown after the
# reset by tlog-decode and trace-cmd with its function.
# usage: reset.sh BUILD [pairs]
# Judges: check.c on the target, reset.py, trace-cmd, nm.
#
# pairs: only pairs of resets, the second one at any instruction of the start after the first; takes long.
# In the tier full one kind of reset is tried.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
what=${2:-}
dir=$build/test/reset
here=$(pwd)
rm -rf "$dir"
mkdir -p "$dir"

# firmware OUTPUT SOURCES FLAG...: build these sources for mps2-an385 as OUTPUT
firmware() {
    output=$1
    sources=$2
    shift 2
    # shellcheck disable=SC2086
    arm-none-eabi-gcc -std=c11 -mcpu=cortex-m3 -mthumb -O2 -g -ffreestanding -ffunction-sections -fdata-sections \
        -mfloat-abi=soft -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Itests/runtime/reset -Itarget -Iport \
        -Ilinker "-I$build/mps2-an385" -include board.h "$@" $sources target/src/*.c port/port_v7m.c \
        port/out_semihost.c linker/startup_m.c linker/mem.c -nostdlib -Wl,--gc-sections -Wl,--build-id -Llinker \
        -T linker/mps2-an385.ld -lgcc -o "$output"
}

# script ARGUMENT...: run reset.py in the directory of the test
script() {
    (cd "$dir" && timeout 7200 python3 "$here/tests/runtime/reset/reset.py" reset.elf "$@")
}

mkdir -p "$build/mps2-an385"
cp linker/mps2-an385.h "$build/mps2-an385/board.h"
test_sources="tests/runtime/reset/main.c tests/runtime/reset/check.c tests/runtime/reset/noise.c"
small="-DTLOG_RUNS=3 -DTLOG_CHUNKS=2 -DTLOG_SLOTS=4 -DTLOG_NAME_SLOTS=4"
if [ "$what" = pairs ]; then
    # shellcheck disable=SC2086
    firmware "$dir/reset.elf" "$test_sources" $small
    script pairs 1
    exit 0
fi
# shellcheck disable=SC2086
firmware "$dir/reset.elf" "$test_sources" $small -DRESET_PAIR_FIRST=3u -DRESET_PAIR_EACH=20u
kinds=3
[ "${TIER:-}" != full ] || kinds=1
script sweep $kinds
script cover $kinds
script pairs 1
script noise

# boot_loop RUNS LONG SHORT BOOTS: after so many long runs and so many short ones, memory must have the runs of these
# boots, the newest first; the firmware logs the number of its boot
boot_loop() {
    firmware "$dir/loop.elf" tests/runtime/reset/loop.c "-DTLOG_RUNS=$1" -DTLOG_SLOTS=100 -DTLOG_NAME_SLOTS=4 \
        "-DLONG=$2u" "-DSHORT=$3u"
    (cd "$dir" && timeout 600 qemu-system-arm -M mps2-an385 -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=6 -kernel loop.elf)
    set -- "$1 banks, $2 long runs, $3 short ones: boots" "$4" 0 ""
    while "$build/tlog-decode" --format=text -q --run=$(($3 - 1)) "$dir/dump.bin" -o "$dir/run.txt" 2>/dev/null; do
        set -- "$1" "$2" $(($3 - 1)) "$4 $(sed -n 's/.*user_event_1: .* par1=\([0-9]*\) .*/\1/p' "$dir/run.txt" | uniq)"
    done
    "$build/tlog-decode" --format=text -q "$dir/dump.bin" -o "$dir/run.txt"
    set -- "$1" "$2" "$(sed -n 's/.*user_event_1: .* par1=\([0-9]*\) .*/\1/p' "$dir/run.txt" | uniq)$4"
    echo "$1 $3"
    [ "$2" = "$3" ]
}
boot_loop 2 2 60 "62 2"
boot_loop 3 1 60 "61 2 1"
boot_loop 3 3 100 "103 4 3"
boot_loop 4 3 60 "63 4 3 2"
boot_loop 3 0 40 "40 2 1"

# last RUNS SHORT [FLAG]: after a long run and so many short ones, the next one sends the last one, whole
last() {
    firmware "$dir/last.elf" tests/runtime/reset/last.c "-DTLOG_RUNS=$1" -DTLOG_SLOTS=200 -DTLOG_NAME_SLOTS=4 \
        "-DSHORT=$2u" ${3:+"$3"}
    (cd "$dir" && timeout 600 qemu-system-arm -M mps2-an385 -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=6 -kernel last.elf)
    "$build/tlog-decode" --format=text -q "$dir/last.bin" -o "$dir/last.txt"
    grep -c "user_event_1: .* par1=$(($2 + 1)) par2=" "$dir/last.txt" | grep -qx 62 || { echo "last run: $*"; exit 1; }
    if grep -q "user_event_1: .* par1=[^$(($2 + 1))]" "$dir/last.txt"; then exit 1; fi
}
for logs in "" -DLOGS; do
    last 2 1 $logs
    last 3 2 $logs
done
echo "the last run is sent whole ahead of this run's first event, and while it begins"

# fault FLAG...: run firmware that faults, resets and runs once more; the fault's line of text is then in $dir/fault
fault() {
    firmware "$dir/fault.elf" tests/runtime/reset/fault.c -DTLOG_RUNS=2 "$@"
    (cd "$dir" && timeout 600 qemu-system-arm -M mps2-an385 -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=6 -kernel fault.elf)
    "$build/tlog-decode" --run=-1 "--elf=$dir/fault.elf" "$dir/dump.bin" -o "$dir/old.dat" 2>"$dir/err"
    "$build/tlog-decode" --format=text-full -q --run=-1 "--elf=$dir/fault.elf" "$dir/dump.bin" -o "$dir/old.txt"
    "$build/tlog-decode" --format=text-full -q "--elf=$dir/fault.elf" "$dir/last.bin" -o "$dir/last.txt"
    "$build/tlog-decode" --format=text-full "--elf=$dir/fault.elf" "$dir/dump.bin" -o "$dir/new.txt" 2>"$dir/err.new"
    trace-cmd report -i "$dir/old.dat" >"$dir/report" 2>"$dir/err.report"
    [ ! -s "$dir/err.report" ]
    cmp "$dir/old.txt" "$dir/last.txt"
    grep -q 'run 2 of the firmware is left out (. chunks); decoding run 1' "$dir/err"
    grep -q 'run 1 of the firmware is left out (. chunks); decoding run 2' "$dir/err.new"
    tail -n 1 "$dir/report" | tee "$dir/fault"
    grep -q 'motor-7 .* fault: ' "$dir/fault"
    grep -q 'pump-7 .* shark:user_event_3: par1=0 par2=1' "$dir/new.txt"
    if grep -q motor "$dir/new.txt"; then exit 1; fi
    if grep -q pump "$dir/report"; then exit 1; fi
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
fault -DTLOG_SLOTS=32 -DTLOG_CHUNKS=2 -DEVENTS=23u -DON_PSP # 8 slots are free, too few: the event is in the next chunk
grep -q "exc_return=0xfffffffd" "$dir/fault"
fault -DTLOG_SLOTS=32 -DTLOG_TRACEEVENTS=1 -O0
fault -DTLOG_SLOTS=16 -DTLOG_STOP_WHEN_FULL=1 -DTLOG_EMERGENCY_SLOTS=9 -DEVENTS=15u

# Numbers of runs wrap: 0xFFFFFFFF is the run before run 1. The script finds and changes the headers as FORMAT.md
# describes them.
python3 - "$dir/dump.bin" "$dir/wrapped.bin" <<'P'
import struct
import sys

data = bytearray(open(sys.argv[1], "rb").read())
at = data.find(b"\xed\xb7\xd6\x00TLOG")
while at >= 0:
    boot = struct.unpack_from("<I", data, at + 48)[0]
    struct.pack_into("<I", data, at + 48, {1: 0xFFFFFFFF, 2: 1}[boot])
    words = struct.unpack_from("<15I", data, at)
    check = sum((w ^ w >> 16) * pow(0x9E3779B1, i + 1, 2**32) for i, w in enumerate(words))
    struct.pack_into("<I", data, at + 60, check % 2**32)
    at = data.find(b"\xed\xb7\xd6\x00TLOG", at + 128)
open(sys.argv[2], "wb").write(data)
P
"$build/tlog-decode" --format=text-full "--elf=$dir/fault.elf" "$dir/wrapped.bin" -o "$dir/wrapped.txt" 2>"$dir/err"
grep -q 'run 4294967295 of the firmware is left out (. chunks); decoding run 1$' "$dir/err"
cmp "$dir/new.txt" "$dir/wrapped.txt"
for run in -1 4294967295; do
    "$build/tlog-decode" --format=text-full -q "--run=$run" "--elf=$dir/fault.elf" "$dir/wrapped.bin" \
        -o "$dir/wrapped.txt"
    cmp "$dir/old.txt" "$dir/wrapped.txt"
done
for run in -2 2 4294967294; do
    if "$build/tlog-decode" --format=text-full -q "--run=$run" "$dir/wrapped.bin" -o "$dir/none.txt" 2>"$dir/err"; then
        exit 1
    fi
    grep -q 'there is no such run; the newest is run 1$' "$dir/err"
    [ ! -e "$dir/none.txt" ]
done
for run in 0 -0 x 4294967296 1x; do
    if "$build/tlog-decode" "--run=$run" "$dir/wrapped.bin" >"$dir/out" 2>"$dir/err"; then exit 1; fi
    grep -q 'not the number of a run' "$dir/err"
done
echo "numbers that wrap: the newest run is decoded, and the one before with --run"

# other BOARD CORE PORT SOURCE QEMU_OPTION...: run a firmware on another board; the last fault of the run before the
# newest, or of the only run, is then in $dir/fault
other() {
    board=$1 core=$2 port=$3 app=$4
    shift 4
    mkdir -p "$build/$board"
    cp "linker/$board.h" "$build/$board/board.h"
    # shellcheck disable=SC2086
    arm-none-eabi-gcc -std=c11 -mcpu=$core -mthumb -O2 -g -ffreestanding -ffunction-sections -fdata-sections \
        -mfloat-abi=soft -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Itarget -Iport -Ilinker \
        "-I$build/$board" -include board.h -DTLOG_RUNS=2 -DTLOG_SLOTS=32 "$app" target/src/*.c $port \
        port/out_semihost.c linker/mem.c -nostdlib -Wl,--gc-sections -Llinker -T "linker/$board.ld" -lgcc \
        -o "$dir/other.elf"
    (cd "$dir" && timeout 600 qemu-system-arm -M "$board" "$@" -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=6 -kernel other.elf)
    "$build/tlog-decode" --format=text-full "--elf=$dir/other.elf" "$dir/dump.bin" -o "$dir/other.txt" 2>"$dir/err"
    if grep -q 'left out' "$dir/err"; then
        "$build/tlog-decode" --format=text-full -q --run=1 "--elf=$dir/other.elf" "$dir/dump.bin" -o "$dir/other.txt"
    fi
    grep 'tlog:fault' "$dir/other.txt" | tail -n 1 | tee "$dir/fault"
}
# ARMv6-M has no registers for the cause of a fault.
other microbit cortex-m0 "port/port_v6m.c linker/startup_m.c" tests/runtime/reset/fault.c
grep -Eq "fault: exception=3 pc=read_sensor\+0x[0-9a-f]+ lr=main.* cfsr=0x0 .* r0=0x60000004 .* r3=0x33333333" \
    "$dir/fault"

# ARMv7-A: the firmware's own handler passes the words of the fault to tlog_fault_log().
cat >"$dir/words.c" <<'C'
#include "tlog_fault.h"
int main(void);
int main(void)
{
    const uint32_t words[TLOG_FAULT_WORDS] = {TLOG_FAULT_V7A << 16 |
        4u, 0x1D7, 10, 11, 12, 13, 22, 0x44, (uint32_t)(uintptr_t)main,
                                              0x1F, 0x55, 0x805, 0x1001, 0x60000004, 0x66, 0};
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, 1, 2);
    return tlog_fault_log(words) ? 0 : 1;
}
C
other virt cortex-a15 linker/startup_a.c "$dir/words.c" -cpu cortex-a15 -m 64 -nic none
grep -q "fault_a: vector=4 pc=main.* lr=0x44 spsr=0x1f sp=0x55 dfsr=0x805 ifsr=0x1001 dfar=0x60000004 ifar=0x66 \
cpsr=0x1d7 r0=0xa r1=0xb r2=0xc r3=0xd r12=0x16 cause=data abort: translation, on a write" "$dir/fault"
