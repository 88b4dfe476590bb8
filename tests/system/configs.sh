#!/bin/sh
# configs.sh - checks that the runtime and an application that calls everything public (every_call.c) compile and link
# without a warning: on several cores at three optimisation levels with gcc, on Cortex-M3 and at -O2 also with clang; at
# both ends of each option's range. Options and calls that must be refused must not compile.
# usage: configs.sh BUILD BOARD [soak]     (soak: with every option at every optimisation level)
# In the tier full the runtime is compiled as one file; each core at -O2, options at -O0.
# Judges: gcc and clang.
set -eu
. tests/lib/needs.sh
. tests/lib/one_file.sh
needs clang
build=$1
board=$2
tier=${3:-full}
all= # what soak takes besides
[ "$tier" != soak ] || all=1
flags="-std=c11 -mfloat-abi=soft -ffreestanding -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Wundef
    -Itarget -Iport -Ilinker -DNET_CLOCK_HZ=1000000u"
m3="-mcpu=cortex-m3 -mthumb -include $board.h"
out=$(mktemp -d)
mkdir "$out/objects"
sources="$(echo target/src/*.c) $(echo port/*_v[67]m.c) $(echo port/net_*.c)"
levels="-O0 -Os -O2 ${all:+-Og -O1 -O3}"
option_levels="-O2 ${all:+-O0}"
small=-Os counts_of_cpus="2 8"
if [ "${TIER:-}" = full ]; then
    # shellcheck disable=SC2086
    one_file $sources >"$out/runtime.c"
    sources=$out/runtime.c levels=-O2 option_levels=-O0 small=-O0 counts_of_cpus=2
fi
trap 'rm -rf "$out"' EXIT

# Symbols that the linker script defines otherwise.
symbols="-Wl,--no-enum-size-warning -Wl,--no-warn-execstack -Wl,--defsym=__tlog_arena_start=0x20010000
    -Wl,--defsym=__tlog_arena_end=0x20020000
    -Wl,--defsym=tlog_runs_above_1_need_INCLUDE_tlog.ld_in_the_linker_script=0x20020000
    -Wl,--defsym=__stop_tlog_chunks=0x20030000
    -Wl,--defsym=tlog_own_events_need_INCLUDE_tlog.ld_in_the_linker_script_or_TLOG_PORTABLE_EVENTS=1"

# try COMPILER CORE_AND_BOARD FLAG...: compile all of the runtime and every_call.c, and link them without a library but
# libgcc
try() {
    compiler="$1 $2"
    core=$2
    shift 2
    rm -f "$out"/objects/*
    for source in $sources port/out_*.c linker/mem.c tests/system/every_call.c; do
        object=$out/objects/$(basename "$source").o
        # shellcheck disable=SC2086
        $compiler $flags "$@" -c "$source" -o "$object" || { echo "failed: $compiler $* $source"; exit 1; }
    done
    # shellcheck disable=SC2086
    arm-none-eabi-gcc ${core%% -include*} -mfloat-abi=soft -nostdlib -Wl,-e,entry $symbols "$out"/objects/*.o -lgcc \
        -o "$out/firmware" || { echo "not linked: $compiler $*"; exit 1; }
    echo "built: $compiler $*"
}
for level in $levels; do
    for core in "$m3" "-mcpu=cortex-m0 -mthumb -include microbit.h" "-mcpu=cortex-m33 -mthumb -include mps2-an505.h" \
        "-mcpu=cortex-a15 -mthumb -include virt.h" \
        "-mcpu=cortex-a9 -marm -DTLOG_CLOCK_ADDRESS=0x1E000200u -include virt.h" \
        "-mcpu=cortex-m0plus -mthumb -fno-omit-frame-pointer -include mps2-an385.h"; do
        try arm-none-eabi-gcc "$core" "$level"
        case "$core$level" in "$m3"* | *-O2)
            try "clang --target=arm-none-eabi -Wno-unused-command-line-argument" "$core" "$level" ;;
        esac
    done
done
for option in TLOG_ENABLE=0 TLOG_SLOTS=1 TLOG_SLOTS=65534 TLOG_CHUNKS=2 TLOG_CHUNKS=255 TLOG_STOP_WHEN_FULL=1 \
    TLOG_NAME_SLOTS=1 TLOG_RUNS=2 TLOG_RUNS=255 TLOG_CLOCK_HZ=0 TLOG_CLOCK_HZ=4294967295 TLOG_ARENA=1 \
    TLOG_TRACEEVENTS=1 TLOG_CONTEXT=1 TLOG_MINIMAL=1 TLOG_CLOCK_CHANGES=1 TLOG_START=1 TLOG_START=2; do
    for level in $option_levels; do
        try arm-none-eabi-gcc "$m3" $level "-D$option"
    done
done
for core in "-mcpu=cortex-m0 -mthumb -include microbit.h" "-mcpu=cortex-a15 -mthumb -include virt.h" \
    "-mcpu=cortex-a15 -marm -include virt.h"; do
    for level in $option_levels; do
        try arm-none-eabi-gcc "$core" $level -DTLOG_ENABLE=0
        try arm-none-eabi-gcc "$core" $level -DTLOG_MINIMAL=1
        try arm-none-eabi-gcc "$core" $level -DTLOG_ARENA=1 -DTLOG_TRACEEVENTS=1
    done
done
try "clang --target=arm-none-eabi -Wno-unused-command-line-argument" "$m3" -O0 -DTLOG_ENABLE=0
for core in "$m3" "-mcpu=cortex-m0 -mthumb -include microbit.h" "-mcpu=cortex-a15 -mthumb -include virt.h" \
    "-mcpu=cortex-a9 -marm -DTLOG_CLOCK_ADDRESS=0x1E000200u -include virt.h"; do
    for level in $option_levels; do
        try arm-none-eabi-gcc "$core" "$level" -DTLOG_UNIQUE_STAMPS=1
        try arm-none-eabi-gcc "$core" "$level" -DTLOG_UNIQUE_STAMPS=1 -DTLOG_TRACEEVENTS=1 -DTLOG_ARENA=1 \
            -DTLOG_RUNS=2 -DTLOG_EMERGENCY_SLOTS=2
    done
done
for option in TLOG_TRACEEVENTS=1 TLOG_RUNS=2 TLOG_ARENA=1 TLOG_MINIMAL=1; do
    try arm-none-eabi-gcc "$m3" "${option_levels%% *}" -DTLOG_START=1 "-D$option"
    try arm-none-eabi-gcc "-mcpu=cortex-m0 -mthumb -include microbit.h" "${option_levels%% *}" -DTLOG_START=2 \
        "-D$option"
done
for cpus in $counts_of_cpus; do
    level=${option_levels%% *}
    try arm-none-eabi-gcc "-mcpu=cortex-a15 -mthumb -include virt.h" $level "-DTLOG_CPUS=$cpus" -DTLOG_TRACEEVENTS=1
    try arm-none-eabi-gcc "-mcpu=cortex-a7 -marm -include virt.h" $level "-DTLOG_CPUS=$cpus" -DTLOG_CHUNKS=3
    try arm-none-eabi-gcc "-mcpu=cortex-a15 -mthumb -include virt.h" $level "-DTLOG_CPUS=$cpus" -DTLOG_RUNS=2 \
        -DTLOG_TRACEEVENTS=1
    try arm-none-eabi-gcc "-mcpu=cortex-a15 -mthumb -include virt.h" $level "-DTLOG_CPUS=$cpus" -DTLOG_START=1 \
        -DTLOG_TRACEEVENTS=1
    try arm-none-eabi-gcc "-mcpu=cortex-m33 -mthumb -include mps2-an521.h" $small "-DTLOG_CPUS=$cpus" \
        -DTLOG_TRACEEVENTS=1
    try "clang --target=arm-none-eabi -Wno-unused-command-line-argument" "-mcpu=cortex-a15 -mthumb -include virt.h" \
        $level "-DTLOG_CPUS=$cpus"
done

# With TLOG_ENABLE=0 each function that only logs is a return, and the runtime takes no memory. An absolute symbol (A)
# is a mark of the linker script.
for core in "$m3" "-mcpu=cortex-m0 -mthumb -include microbit.h"; do
    try arm-none-eabi-gcc "$core" -O2 -DTLOG_ENABLE=0
    arm-none-eabi-nm -S "$out/firmware" >"$out/symbols"
    [ "$(grep -c ' T use_' "$out/symbols")" -ge 12 ]
    grep -E ' (T use_|T many)' "$out/symbols" | { ! grep -v ' 00000002 '; }
    arm-none-eabi-readelf -SW "$out/firmware" | { ! grep tlog_; }
    grep -E ' [^A] (tlog|FTrace|trace)_' "$out/symbols" |
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
# A constant par1 that a record has no room for, at each level; a variable with such a value compiles.
for compiler in arm-none-eabi-gcc "clang --target=arm-none-eabi"; do
    for level in -O0 -Os -O2; do
        for bad in 65536 0x12345u 0xFFFFFFFFu; do
            for call in TRACER_LOGEVENT FAST_TRACER_LOGEVENT; do
                printf '#include "tlog.h"\nvoid f(void);\nvoid f(void) { %s(1, %s, 2); }\n' $call $bad >"$out/bad.c"
                # shellcheck disable=SC2086
                if $compiler $flags $m3 $level -c "$out/bad.c" -o "$out/object.o" 2>"$out/errors"; then
                    echo "compiled: $call(1, $bad, 2)"
                    exit 1
                fi
                grep -q 'par1 is 0..65535' "$out/errors"
            done
        done
        printf '#include "tlog.h"\nvoid f(uint32_t a);\nvoid f(uint32_t a)\n{\n' >"$out/good.c"
        printf '    const uint32_t b = 65535;\n' >>"$out/good.c"
        printf '    for (uint32_t i = 65535; i < 65537; i++)\n        TRACER_LOGEVENT(1, i, 2);\n' >>"$out/good.c"
        printf '    TRACER_LOGEVENT(1, a > 5 ? 65536u : 1u, 2);\n    TRACER_LOGEVENT(1, b, a);\n}\n' >>"$out/good.c"
        # shellcheck disable=SC2086
        $compiler $flags $m3 $level -c "$out/good.c" -o "$out/object.o"
    done
done
echo "refused: par1 above 65535"

# Big-endian code, by name.
for core in cortex-m3 cortex-m0 cortex-a15; do
    if arm-none-eabi-gcc -std=c11 -mcpu=$core -mthumb -mbig-endian -ffreestanding -Itarget -Iport \
        -DTLOG_CLOCK_ADDRESS=0x40000004u -c target/src/tlog.c -o "$out/object.o" 2>"$out/errors"; then
        echo "compiled: -mbig-endian, $core"
        exit 1
    fi
    grep -q 'tlog: big-endian' "$out/errors"
done
echo "refused: -mbig-endian"

for bad in TLOG_SLOTS=0 TLOG_SLOTS=65535 TLOG_CHUNKS=0 TLOG_CHUNKS=256 TLOG_RUNS=0 TLOG_RUNS=256 TLOG_CPUS=0 \
    TLOG_CPUS=9; do
    # shellcheck disable=SC2086
    if arm-none-eabi-gcc $flags $m3 -O2 "-D$bad" -c target/src/tlog.c -o "$out/object.o" 2>"$out/errors"; then
        echo "compiled: $bad"
        exit 1
    fi
    echo "refused: $bad"
done

# What the minimal runtime leaves out, by name.
for bad in TLOG_CHUNKS=2 TLOG_RUNS=2 TLOG_EMERGENCY_SLOTS=1 TLOG_ARENA=1 TLOG_TRACEEVENTS=1 TLOG_UNIQUE_STAMPS=1 \
    "TLOG_COARSE_HZ=1000 -DTLOG_PORT_COARSE_NOW=0u"; do
    # shellcheck disable=SC2086
    if arm-none-eabi-gcc $flags $m3 -O2 -DTLOG_MINIMAL=1 -D$bad -c target/src/tlog.c -o "$out/object.o" \
        2>"$out/errors"; then
        echo "compiled: TLOG_MINIMAL=1 $bad"
        exit 1
    fi
    grep -q 'TLOG_MINIMAL = 1 is for one CPU' "$out/errors"
done
for option in TLOG_ARENA TLOG_MINIMAL; do
    printf '#include "tlog.h"\nvoid f(void);\nvoid f(void) { tlog_trigger(3); }\n' >"$out/bad.c"
    # shellcheck disable=SC2086
    if arm-none-eabi-gcc $flags $m3 -O2 -D$option=1 -c "$out/bad.c" -o "$out/object.o" 2>"$out/errors"; then
        echo "compiled: tlog_trigger() with $option"
        exit 1
    fi
    grep -q "tlog_trigger() is not for .*$option = 1" "$out/errors"
done
echo "refused: what TLOG_MINIMAL leaves out"

# refused TEXT FLAG...: several CPUs must be refused with an error that matches TEXT: with chunks made at run time, on
# cores without exclusive accesses, on boards that do not give the CPU's number, with a clock of its own in each CPU
refused() {
    text=$1
    shift
    # shellcheck disable=SC2086
    if arm-none-eabi-gcc $flags "$@" -O2 -DTLOG_CPUS=2 -c target/src/tlog.c -o "$out/object.o" 2>"$out/errors"; then
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
        if $compiler $flags "$@" -c target/src/tlog_ring.c -o "$out/object.o" 2>"$out/errors"; then
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
        $compiler $flags -mcpu=cortex-$core -marm -include virt.h -c target/src/tlog.c -o "$out/object.o"
    done
done
# Each core reads a clock as the board says, and has one of fewer bits; a store or a call there, and a rate that does
# not fit, are refused.
other="-DTLOG_CLOCK_ADDRESS=0x40000004u -DTLOG_CLOCK_HZ=32768"
m3_alone="-mcpu=cortex-m3 -mthumb"
for core in "$m3_alone" "-mcpu=cortex-m0 -mthumb" "-mcpu=cortex-a15 -mthumb" "-mcpu=cortex-a15 -marm"; do
    for compiler in arm-none-eabi-gcc "clang --target=arm-none-eabi"; do
        # shellcheck disable=SC2086
        $compiler $flags $core $other -O2 -DTLOG_TRACEEVENTS=1 -DTLOG_CLOCK_BITS=16 \
            '-DTLOG_CLOCK_READ="ldrh %[low], [%[low]]\n\tmovs %[free], #1\n\tadds %[low], %[low], %[free]"' \
            -c target/src/tlog_event.c -o "$out/object.o"
    done
done
for wrong in 'str %[low], [%[low]]' 'strh %[free], [%[low]]' 'push {%[low]}' 'bl f'; do
    # shellcheck disable=SC2086
    wrong_clock 'must not store or call' $m3_alone $other "-DTLOG_CLOCK_READ=\"$wrong\""
done
for hz in 65536 1000000; do
    wrong_clock 'at most 65535 Hz with 16 bits' $m3_alone -DTLOG_CLOCK_ADDRESS=0x40000004u -DTLOG_CLOCK_BITS=16 \
        -DTLOG_CLOCK_HZ=$hz
done
# shellcheck disable=SC2086
wrong_clock 'TLOG_CLOCK_BITS: 16..32' $m3_alone $other -DTLOG_CLOCK_BITS=15
wrong_clock 'give TLOG_CLOCK_HZ' $m3_alone -DTLOG_CLOCK_ADDRESS=0x40000004u -DTLOG_CLOCK_BITS=24
wrong_clock 'give TLOG_CLOCK_ADDRESS' $m3_alone -DTLOG_CLOCK_HZ=32768 -DTLOG_CLOCK_BITS=24
# shellcheck disable=SC2086
wrong_clock 'is not read' $m3_alone $other '-DTLOG_CLOCK_READ_C(a)=0u'
