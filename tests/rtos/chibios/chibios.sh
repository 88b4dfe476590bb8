#!/bin/sh
# chibios.sh - the hooks of port/rtos/chibios, run by a stand-in for the kernel in its orders: trace-cmd shows every
# switch, state, reason, priority and name that the stand-in's application computed; every hook is run.
# usage: chibios.sh BUILD BOARD...
# Judges: the application, which notes what it did; trace-cmd.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
shift
here=tests/rtos/chibios
port=port/rtos/chibios
. tests/rtos/lib.sh
for board in "$@"; do
    dir=$build/test/rtos/chibios-$board
    stand_in "$board" "$dir" -I$here -Iport/rtos -I$port $here/app.c $port/tlog_chibios.c
    decoded "$dir"
    echo "$board"
    as_expected "$dir"
    ordered "$dir" highest_first
done
# With TLOG_START=1 the first of the hooks starts, and nothing is lost that main creates before the kernel starts.
if [ "${TIER:-}" != quick ]; then
    stand_in mps2-an385 "$dir-start" -DTLOG_START=1 -I$here -Iport/rtos -I$port $here/app.c $port/tlog_chibios.c
    started "$dir-start"
    as_expected "$dir-start"
    ordered "$dir-start" highest_first
fi
sed -n 's/^#define \(CH_CFG_[A-Z_]*_HOOK\|__trace_ready\)(.*/\1/p' $port/tlog_chibios.h >"$dir/known"
all_run "hooks" "$dir/known" "$dir/ran.txt"
# Without tlog none of its hooks is left.
for compiler in arm-none-eabi-gcc "clang --target=arm-none-eabi"; do
    $compiler -mcpu=cortex-m3 -mthumb -O2 -ffreestanding -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow \
        -Wundef \
        -Itarget -Iport -I$here -Iport/rtos -I$port -include linker/mps2-an385.h -c $port/tlog_chibios.c -o "$dir/on.o"
done
arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2 -ffreestanding -Itarget -Iport -I$here -Iport/rtos -I$port \
    -DTLOG_ENABLE=0 \
    -include linker/mps2-an385.h -c $port/tlog_chibios.c -o "$dir/off.o"
[ -z "$(arm-none-eabi-nm "$dir/off.o" | grep ' [A-Z] ')" ]
