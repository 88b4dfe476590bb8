#!/bin/sh
# rtx5.sh - the hooks of port/rtos/rtx5, run by a stand-in for the kernel in its orders: trace-cmd shows every switch,
# state, reason and name that the stand-in's application computed; every hook that the port defines is run; each tier
# builds, and defines no hook that the stand-in's header does not declare.
# usage: rtx5.sh BUILD BOARD...
# Judges: the application, which notes what it did; trace-cmd.
set -eu
build=$1
shift
here=tests/rtos/rtx5
port=port/rtos/rtx5
. tests/rtos/lib.sh
for board in "$@"; do
    dir=$build/test/rtos/rtx5-$board
    stand_in "$board" "$dir" -I$here $here/*.c $port/tlog_rtx5.c
    decoded "$dir"
    echo "$board"
    as_expected "$dir"
done
for tier in 0 1 2 3; do
    compiles -I$here -Wmissing-prototypes "-DTLOG_RTX5_TIER=$tier" $port/tlog_rtx5.c
done
echo "each tier: compiles"
arm-none-eabi-gcc -std=c11 -mcpu=cortex-m3 -mthumb -ffreestanding -I$here -Itarget -Iport -include linker/mps2-an385.h \
    -c $port/tlog_rtx5.c -o "$dir/hooks.o"
arm-none-eabi-nm "$dir/hooks.o" | sed -n 's/.* T \(EvrRtx.*\)/\1/p' >"$dir/defined"
all_run "hooks are defined" "$dir/defined" "$dir/ran.txt"
