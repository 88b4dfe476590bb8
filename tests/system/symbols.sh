#!/bin/sh
# symbols.sh - checks that the runtime needs no library: its objects, linked together, leave undefined only the two
# bounds of the chunks' section, which the linker defines itself; the two bounds of the arena, if there is one; and the
# build id, which may stay undefined. So there are no calls of memcpy() or memset(), nor of the compiler's helpers for
# division, shifts, switches or atomics. For every core, at -O0, -Os, -O2 and -O3.
# usage: symbols.sh BUILD BOARD
# Judge: nm.
set -eu
build=$1
board=$2

# check OBJECT UNDEFINED...: OBJECT must leave undefined these symbols and no others
check() {
    object=$1
    shift
    arm-none-eabi-nm --undefined-only "$object" | awk '{ print $2 }' | sort >"$object.undefined"
    printf '%s\n' "$@" | sort | diff - "$object.undefined" || { echo "in $object"; exit 1; }
}

arm-none-eabi-ld -r "$build/$board"/target/*.o "$build/$board"/port/*.o -o "$build/$board/runtime.o"
check "$build/$board/runtime.o" __start_tlog_chunks __stop_tlog_chunks tlog_build_id
arm-none-eabi-nm "$build/$board/runtime.o" | grep -q " w tlog_build_id"
echo "undefined: only the bounds of the chunks' section and, weak, the build id"

# level OPTIMISATION: check the runtime with all of its options at that level, on every core
level() {
    for each in cortex-m0:microbit cortex-m3:mps2-an385 cortex-m4:mps2-an386 cortex-m7:mps2-an500 \
        cortex-m33:mps2-an505 cortex-m55:mps3-an547 cortex-a15:virt; do
        object=$build/symbols/${each%:*}$1.o
        arm-none-eabi-gcc -std=c11 "-mcpu=${each%:*}" -mthumb -mfloat-abi=soft "$1" -ffreestanding -Itarget -Iport \
            -Ilinker -include "linker/${each#*:}.h" -DTLOG_ARENA=1 -DTLOG_TRACEEVENTS=1 -r -nostdlib target/*.c \
            port/port_v6m.c port/port_v7m.c -o "$object"
        check "$object" __start_tlog_chunks __stop_tlog_chunks __tlog_arena_start __tlog_arena_end tlog_build_id
    done
    echo "and with everything switched on at $1, those of the arena"
}
mkdir -p "$build/symbols"
{ level -O0; level -O3; } &
level -Os
level -O2
wait $!
