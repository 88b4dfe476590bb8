#!/bin/sh
# configs.sh - checks that the runtime and an application that calls everything public (every_call.c) compile and link
# without a warning: on several cores at every optimisation level with gcc, on Cortex-M3 and at -O2 also with clang; at
# both ends of each option's range. Options and calls that must be refused must not compile.
# usage: configs.sh BUILD BOARD
# Judges: gcc and clang.
set -eu
build=$1
board=$2
flags="-std=c11 -mfloat-abi=soft -ffreestanding -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Wundef
    -Itarget -Iport -Ilinker -DNET_CLOCK_HZ=1000000u"
m3="-mcpu=cortex-m3 -mthumb -include $board.h"
out=$(mktemp -d)
mkdir "$out/objects"
trap 'rm -rf "$out"' EXIT

# Symbols that the linker script defines otherwise.
symbols="-Wl,--no-enum-size-warning -Wl,--no-warn-execstack -Wl,--defsym=__tlog_arena_start=0x20010000
    -Wl,--defsym=__tlog_arena_end=0x20020000"

# try COMPILER CORE_AND_BOARD FLAG...: compile all of the runtime and every_call.c, and link them without a library but
# libgcc
try() {
    compiler="$1 $2"
    core=$2
    shift 2
    rm -f "$out"/objects/*
    for source in target/*.c port/port_v[67]m.c port/out_*.c port/net_*.c linker/mem.c tests/system/every_call.c; do
        object=$out/objects/$(basename "$source").o
        # shellcheck disable=SC2086
        $compiler $flags "$@" -c "$source" -o "$object" || { echo "failed: $compiler $* $source"; exit 1; }
    done
    # shellcheck disable=SC2086
    arm-none-eabi-gcc ${core%% -include*} -mfloat-abi=soft -nostdlib -Wl,-e,entry $symbols "$out"/objects/*.o -lgcc \
        -o "$out/firmware" || { echo "not linked: $compiler $*"; exit 1; }
    echo "built: $compiler $*"
}
for level in -O0 -Og -O1 -Os -O2 -O3; do
    for core in "$m3" "-mcpu=cortex-m0 -mthumb -include microbit.h" "-mcpu=cortex-m33 -mthumb -include mps2-an505.h" \
        "-mcpu=cortex-a15 -mthumb -include virt.h" \
        "-mcpu=cortex-a9 -marm -DTLOG_CLOCK_ADDRESS=0x1E000200u -include virt.h" \
        "-mcpu=cortex-m0plus -mthumb -fno-omit-frame-pointer -DTLOG_FRAME_POINTER=1 -include mps2-an385.h"; do
        try arm-none-eabi-gcc "$core" "$level"
        case "$core$level" in "$m3"* | *-O2)
            try "clang --target=arm-none-eabi -Wno-unused-command-line-argument" "$core" "$level" ;;
        esac
    done
done
for option in TLOG_ENABLE=0 TLOG_SLOTS=1 TLOG_SLOTS=65534 TLOG_CHUNKS=2 TLOG_CHUNKS=255 TLOG_STOP_WHEN_FULL=1 \
    TLOG_NAME_SLOTS=1 TLOG_RUNS=2 TLOG_RUNS=255 TLOG_CLOCK_HZ=0 TLOG_CLOCK_HZ=4294967295 TLOG_ARENA=1 \
    TLOG_TRACEEVENTS=1 TLOG_CONTEXT=1; do
    for level in -O0 -O2; do
        try arm-none-eabi-gcc "$m3" $level "-D$option"
    done
done
for core in "-mcpu=cortex-m0 -mthumb -include microbit.h" "-mcpu=cortex-a15 -mthumb -include virt.h" \
    "-mcpu=cortex-a15 -marm -include virt.h"; do
    for level in -O0 -O2; do
        try arm-none-eabi-gcc "$core" $level -DTLOG_ENABLE=0
        try arm-none-eabi-gcc "$core" $level -DTLOG_ARENA=1 -DTLOG_TRACEEVENTS=1
    done
done
try "clang --target=arm-none-eabi -Wno-unused-command-line-argument" "$m3" -O0 -DTLOG_ENABLE=0
for core in "$m3" "-mcpu=cortex-m0 -mthumb -include microbit.h" "-mcpu=cortex-a15 -mthumb -include virt.h" \
    "-mcpu=cortex-a9 -marm -DTLOG_CLOCK_ADDRESS=0x1E000200u -include virt.h"; do
    for level in -O0 -O2; do
        try arm-none-eabi-gcc "$core" "$level" -DTLOG_UNIQUE_STAMPS=1
        try arm-none-eabi-gcc "$core" "$level" -DTLOG_UNIQUE_STAMPS=1 -DTLOG_TRACEEVENTS=1 -DTLOG_ARENA=1 \
            -DTLOG_RUNS=2 -DTLOG_EMERGENCY_SLOTS=2
    done
done
for cpus in 2 8; do
    try arm-none-eabi-gcc "-mcpu=cortex-a15 -mthumb -include virt.h" -O2 "-DTLOG_CPUS=$cpus" -DTLOG_TRACEEVENTS=1
    try arm-none-eabi-gcc "-mcpu=cortex-a7 -marm -include virt.h" -O2 "-DTLOG_CPUS=$cpus" -DTLOG_CHUNKS=3
    try arm-none-eabi-gcc "-mcpu=cortex-a15 -mthumb -include virt.h" -O2 "-DTLOG_CPUS=$cpus" -DTLOG_RUNS=2 \
        -DTLOG_TRACEEVENTS=1
    try arm-none-eabi-gcc "-mcpu=cortex-m33 -mthumb -include mps2-an521.h" -Os "-DTLOG_CPUS=$cpus" -DTLOG_TRACEEVENTS=1
    try "clang --target=arm-none-eabi -Wno-unused-command-line-argument" "-mcpu=cortex-a15 -mthumb -include virt.h" \
        -O2 "-DTLOG_CPUS=$cpus"
done

# With TLOG_ENABLE=0 each function that only logs is a return, and the runtime takes no memory.
for core in "$m3" "-mcpu=cortex-m0 -mthumb -include microbit.h"; do
    try arm-none-eabi-gcc "$core" -O2 -DTLOG_ENABLE=0
    arm-none-eabi-nm -S "$out/firmware" >"$out/symbols"
    [ "$(grep -c ' T use_' "$out/symbols")" -ge 12 ]
    grep -E ' (T use_|T many)' "$out/symbols" | { ! grep -v ' 00000002 '; }
    arm-none-eabi-readelf -SW "$out/firmware" | { ! grep tlog_; }
    grep -E ' (tlog|FTrace|trace)_' "$out/symbols" |
        { ! grep -v -E ' tlog_(semihost_save|disk_write_queued|port_.*)$'; }
done

# What the API refuses does not compile.
for bad in 'TRACER_LOGEVENT(0, 1, 2)' 'TRACER_LOGEVENT(0xFF, 1, 2)' 'TRACER_LOGEVENT(0x109, 1, 2)' \
    'TRACER_LOGEVENT(0x8009, 1, 2)'; do
    printf '#include "tlog.h"\nvoid f(void);\nvoid f(void) { %s; }\n' "$bad" >"$out/bad.c"
    # shellcheck disable=SC2086
    if arm-none-eabi-gcc $flags $m3 -O2 -c "$out/bad.c" -o "$out/object.o" 2>"$out/errors"; then
        echo "compiled: $bad"
        exit 1
    fi
    grep -q 'an event code is 0x01..0xFE' "$out/errors"
    echo "refused: $bad"
done
for bad in TLOG_SLOTS=0 TLOG_SLOTS=65535 TLOG_CHUNKS=0 TLOG_CHUNKS=256 TLOG_RUNS=0 TLOG_RUNS=256 TLOG_CPUS=0 \
    TLOG_CPUS=9; do
    # shellcheck disable=SC2086
    if arm-none-eabi-gcc $flags $m3 -O2 "-D$bad" -c target/tlog.c -o "$out/object.o" 2>"$out/errors"; then
        echo "compiled: $bad"
        exit 1
    fi
    echo "refused: $bad"
done

# refused TEXT FLAG...: several CPUs must be refused with an error that matches TEXT: with chunks made at run time, on
# cores without exclusive accesses, on boards that do not give the CPU's number, with a clock of its own in each CPU
refused() {
    text=$1
    shift
    # shellcheck disable=SC2086
    if arm-none-eabi-gcc $flags "$@" -O2 -DTLOG_CPUS=2 -c target/tlog.c -o "$out/object.o" 2>"$out/errors"; then
        echo "compiled: $*"
        exit 1
    fi
    grep -q "$text" "$out/errors"
    echo "refused: $*"
}
refused 'TLOG_ARENA = 1 is for a single CPU' -mcpu=cortex-a15 -mthumb -include virt.h -DTLOG_ARENA=1
refused 'no exclusive loads and stores' -mcpu=cortex-m0 -mthumb -include microbit.h
refused 'must give TLOG_CPU_ADDRESS' -mcpu=cortex-m3 -mthumb -include mps2-an385.h
refused 'a CYCCNT of its own' -mcpu=cortex-m33 -mthumb -include mps2-an505.h -DTLOG_CPU_ADDRESS=0x5001F000u

# wrong_clock TEXT FLAG...: a clock must be refused with an error that matches TEXT: the generic timer on a core without
# one, and a way of reading the clock that the port does not support
wrong_clock() {
    text=$1
    shift
    for compiler in arm-none-eabi-gcc "clang --target=arm-none-eabi"; do
        # shellcheck disable=SC2086
        if $compiler $flags "$@" -c target/tlog.c -o "$out/object.o" 2>"$out/errors"; then
            echo "compiled: $compiler $*"
            exit 1
        fi
        grep -q "$text" "$out/errors"
        echo "refused: $compiler $*"
    done
}
for core in a5 a8 a9; do
    wrong_clock 'no generic timer on this core' -mcpu=cortex-$core -mthumb -include virt.h
    wrong_clock 'no generic timer on this core' -mcpu=cortex-$core -marm -include virt.h
done
for core in a7 a12 a15 a17; do
    for compiler in arm-none-eabi-gcc "clang --target=arm-none-eabi"; do
        # shellcheck disable=SC2086
        $compiler $flags -mcpu=cortex-$core -marm -include virt.h -c target/tlog.c -o "$out/object.o"
    done
done
for core in "-mcpu=cortex-m3 -mthumb -include mps2-an385.h" "-mcpu=cortex-a15 -mthumb -include virt.h"; do
    # shellcheck disable=SC2086
    wrong_clock 'TLOG_CLOCK_READ is for ARMv6-M' $core '-DTLOG_CLOCK_READ=""'
    # shellcheck disable=SC2086
    wrong_clock 'TLOG_CLOCK_READ is for ARMv6-M' $core '-DTLOG_CLOCK_READ_C(a)=0u'
done
wrong_clock 'go together' -mcpu=cortex-m0 -mthumb -DTLOG_CLOCK_ADDRESS=0x40000004u '-DTLOG_CLOCK_READ=""'
wrong_clock 'go together' -mcpu=cortex-m0 -mthumb -DTLOG_CLOCK_ADDRESS=0x40000004u '-DTLOG_CLOCK_READ_C(a)=0u'
