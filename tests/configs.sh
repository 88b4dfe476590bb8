#!/bin/sh
# The runtime compiles at every optimisation level, at the ends of every option's range, with gcc and clang, without a warning.
set -eu
build=$1
board=$2
flags="-std=c11 -mfloat-abi=soft -ffreestanding -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Wundef -Itarget -Iport
    -Ilinker"
m3="-mcpu=cortex-m3 -mthumb -include $board.h"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cat >"$out/use.c" <<'C'
#include "tlog.h"
void use(uint32_t a, uint32_t b);
void use(uint32_t a, uint32_t b)
{
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, a, b);
    TRACER_LOGEVENT(a, a, b);
    tlog_disable();
    tlog_enable();
    tlog_filter(FTrace_filter_user, true);
    tlog_stop_when_full(true);
    tlog_tick();
    tlog_start();
    tlog_name(TLOG_NAME_TASK, a, "a");
    (void)tlog_dropped();
}
#define FOUR(f)    f f f f
#define SIXTEEN(f) FOUR(f) FOUR(f) FOUR(f) FOUR(f)
void many(uint32_t a, uint32_t b);
void many(uint32_t a, uint32_t b)
{
    FOUR(SIXTEEN(TRACER_LOGEVENT(FTrace_EVT_user_event_1, a, b);))
}
C
# try COMPILER CORE_AND_BOARD FLAG...
try() {
    compiler="$1 $2"
    shift 2
    for source in target/*.c port/port_v[67]m.c port/out_semihost.c "$out/use.c"; do
        # shellcheck disable=SC2086
        $compiler $flags "$@" -c "$source" -o "$out/object.o" || { echo "failed: $compiler $* $source"; exit 1; }
    done
    echo "built: $compiler $*"
}
for level in -O0 -Og -O1 -Os -O2 -O3; do
    for core in "$m3" "-mcpu=cortex-m0 -mthumb -include microbit.h" "-mcpu=cortex-m33 -mthumb -include mps2-an505.h" \
        "-mcpu=cortex-a15 -mthumb -include virt.h" "-mcpu=cortex-a9 -marm -DTLOG_CLOCK_ADDRESS=0x1E000200u -include virt.h" \
        "-mcpu=cortex-m0plus -mthumb -fno-omit-frame-pointer -DTLOG_FRAME_POINTER=1 -include mps2-an385.h"; do
        try arm-none-eabi-gcc "$core" "$level"
        case "$core$level" in "$m3"* | *-O2)
            try "clang --target=arm-none-eabi -Wno-unused-command-line-argument" "$core" "$level" ;;
        esac
    done
done
for option in TLOG_ENABLE=0 TLOG_SLOTS=1 TLOG_SLOTS=65534 TLOG_CHUNKS=2 TLOG_CHUNKS=255 TLOG_STOP_WHEN_FULL=1 \
    TLOG_NAME_SLOTS=1 TLOG_RUNS=2 TLOG_RUNS=255 TLOG_CLOCK_HZ=0 TLOG_CLOCK_HZ=4294967295 TLOG_ARENA=1 TLOG_TRACEEVENTS=1 \
    TLOG_CONTEXT=1; do
    try arm-none-eabi-gcc "$m3" -O2 "-D$option"
done
for core in "$m3" "-mcpu=cortex-m0 -mthumb -include microbit.h" "-mcpu=cortex-a15 -mthumb -include virt.h" \
    "-mcpu=cortex-a9 -marm -DTLOG_CLOCK_ADDRESS=0x1E000200u -include virt.h"; do
    for level in -O0 -O2; do
        try arm-none-eabi-gcc "$core" "$level" -DTLOG_UNIQUE_STAMPS=1
        try arm-none-eabi-gcc "$core" "$level" -DTLOG_UNIQUE_STAMPS=1 -DTLOG_TRACEEVENTS=1 -DTLOG_ARENA=1 -DTLOG_RUNS=2 \
            -DTLOG_EMERGENCY_SLOTS=2
    done
done
for cpus in 2 8; do
    try arm-none-eabi-gcc "-mcpu=cortex-a15 -mthumb -include virt.h" -O2 "-DTLOG_CPUS=$cpus" -DTLOG_TRACEEVENTS=1
    try arm-none-eabi-gcc "-mcpu=cortex-a7 -marm -include virt.h" -O2 "-DTLOG_CPUS=$cpus" -DTLOG_CHUNKS=3
    try arm-none-eabi-gcc "-mcpu=cortex-a15 -mthumb -include virt.h" -O2 "-DTLOG_CPUS=$cpus" -DTLOG_RUNS=2 -DTLOG_TRACEEVENTS=1
    try arm-none-eabi-gcc "-mcpu=cortex-m33 -mthumb -include mps2-an521.h" -Os "-DTLOG_CPUS=$cpus" -DTLOG_TRACEEVENTS=1
    try "clang --target=arm-none-eabi -Wno-unused-command-line-argument" "-mcpu=cortex-a15 -mthumb -include virt.h" -O2 \
        "-DTLOG_CPUS=$cpus"
done

# Switched off, nothing is left of it.
# shellcheck disable=SC2086
arm-none-eabi-gcc $flags $m3 -O2 -DTLOG_ENABLE=0 -c "$out/use.c" -o "$out/off.o"
arm-none-eabi-nm --undefined-only "$out/off.o" | { ! grep .; }

# What the API refuses does not compile.
for bad in 'TRACER_LOGEVENT(0, 1, 2)' 'TRACER_LOGEVENT(0xFF, 1, 2)' 'TRACER_LOGEVENT(0x109, 1, 2)' 'TRACER_LOGEVENT(0x8009, 1, 2)'; do
    printf '#include "tlog.h"\nvoid f(void);\nvoid f(void) { %s; }\n' "$bad" >"$out/bad.c"
    # shellcheck disable=SC2086
    if arm-none-eabi-gcc $flags $m3 -O2 -c "$out/bad.c" -o "$out/object.o" 2>"$out/errors"; then
        echo "compiled: $bad"
        exit 1
    fi
    grep -q 'an event code is 0x01..0xFE' "$out/errors"
    echo "refused: $bad"
done
for bad in TLOG_SLOTS=0 TLOG_SLOTS=65535 TLOG_CHUNKS=0 TLOG_CHUNKS=256 TLOG_RUNS=0 TLOG_RUNS=256 TLOG_CPUS=0 TLOG_CPUS=9; do
    # shellcheck disable=SC2086
    if arm-none-eabi-gcc $flags $m3 -O2 "-D$bad" -c target/tlog.c -o "$out/object.o" 2>"$out/errors"; then
        echo "compiled: $bad"
        exit 1
    fi
    echo "refused: $bad"
done

# Several CPUs: chunks at run time, cores without exclusives, boards that do not tell a CPU's number, clocks of each its own.
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
