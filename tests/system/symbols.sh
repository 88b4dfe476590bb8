#!/bin/sh
# symbols.sh - checks that the runtime needs no library: its objects, linked together, leave undefined only the two
# bounds of the chunks' section, the build id and names of groups, all of which may stay undefined; and the two bounds
# of the arena, if there is one. So there are no calls of memcpy() or memset(), nor of the compiler's helpers for
# division, shifts, switches or atomics. For every core, at -O0, -Os, -O2 and -O3; in the tier full at -O0,
# where it is compiled as at -O2 and calls for copies and clearing are likeliest.
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

arm-none-eabi-ld -r "$build/$board"/target/src/*.o "$build/$board"/port/*.o -o "$build/$board/runtime.o"
groups="tlog_group_name_0 tlog_group_name_1 tlog_group_name_2 tlog_group_name_3"
# shellcheck disable=SC2086 # several words
check "$build/$board/runtime.o" __start_tlog_chunks __stop_tlog_chunks tlog_build_id $groups
[ "$(arm-none-eabi-nm --undefined-only "$build/$board/runtime.o" | grep -c ' w ')" -eq 7 ]
echo "undefined, and weak: the bounds of the chunks' section, the build id, and names of groups"

# level OPTIMISATION: check the runtime with all of its options at that level, on every core
level() {
    for each in cortex-m0:microbit cortex-m3:mps2-an385 cortex-m4:mps2-an386 cortex-m7:mps2-an500 \
        cortex-m33:mps2-an505 cortex-m55:mps3-an547 cortex-a15:virt; do
        object=$build/symbols/${each%:*}$1.o
        arm-none-eabi-gcc -std=c11 "-mcpu=${each%:*}" -mthumb -mfloat-abi=soft "$1" -ffreestanding -Itarget -Iport \
            -Ilinker -include "linker/${each#*:}.h" -DTLOG_ARENA=1 -DTLOG_TRACEEVENTS=1 -r -nostdlib target/src/*.c \
            port/port_v6m.c port/port_v7m.c port/irq_v7m.c -o "$object"
        # shellcheck disable=SC2086 # several words
        check "$object" __start_tlog_chunks __stop_tlog_chunks __tlog_arena_start __tlog_arena_end tlog_build_id $groups
    done
    echo "and with everything switched on at $1, those of the arena"
}
mkdir -p "$build/symbols"
level -O0
[ "${TIER:-}" != full ] || exit 0
level -O2
level -Os
level -O3
