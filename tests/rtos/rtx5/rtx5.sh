#!/bin/sh
# rtx5.sh - the hooks of port/rtos/rtx5, run by a stand-in for the kernel in its orders: trace-cmd shows every switch,
# state, reason and name that the stand-in's application computed; every hook that the port defines is run.
# usage: rtx5.sh BUILD BOARD...
# Judges: the application, which notes what it did; trace-cmd.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
shift
here=tests/rtos/rtx5
port=port/rtos/rtx5
. tests/rtos/lib.sh
for board in "$@"; do
    dir=$build/test/rtos/rtx5-$board
    stand_in "$board" "$dir" -I$here -Iport/rtos $here/*.c $port/tlog_rtx5.c
    decoded "$dir"
    echo "$board"
    as_expected "$dir"
    ordered "$dir" highest_first
done
# With TLOG_START=1 the first of the hooks starts, and nothing is lost that main creates before the kernel starts.
if [ "${TIER:-}" != quick ]; then
    stand_in mps2-an385 "$dir-start" -DTLOG_START=1 -I$here -Iport/rtos $here/*.c $port/tlog_rtx5.c
    started "$dir-start"
    as_expected "$dir-start"
    ordered "$dir-start" highest_first
fi
arm-none-eabi-gcc -std=c11 -mcpu=cortex-m3 -mthumb -ffreestanding -I$here -Itarget -Iport -include linker/mps2-an385.h \
    -c $port/tlog_rtx5.c -o "$dir/hooks.o"
arm-none-eabi-nm "$dir/hooks.o" | sed -n 's/.* T \(EvrRtx.*\)/\1/p' >"$dir/defined"
all_run "hooks are defined" "$dir/defined" "$dir/ran.txt"
