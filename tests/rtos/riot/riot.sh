#!/bin/sh
# riot.sh - port/rtos/riot, run by a stand-in for the kernel in its orders: trace-cmd shows every switch, state, reason,
# priority and name that the stand-in's application computed; every function that the port wraps is run.
# usage: riot.sh BUILD BOARD...
# Judges: the application, which notes what it did; trace-cmd.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd clang
build=$1
shift
here=tests/rtos/riot
port=port/rtos/riot
. tests/rtos/lib.sh
# The functions that the application's build wraps, as RIOT's make does.
printf 'comma := ,\ninclude %s/Makefile.include\nall:\n\t@echo $(LINKFLAGS)\n' $port >"$build/test/riot.mk"
wraps=$(make -s -f "$build/test/riot.mk")
for board in "$@"; do
    dir=$build/test/rtos/riot-$board
    # shellcheck disable=SC2086 # several words
    stand_in "$board" "$dir" -I$here -I$here/include -Iport/rtos $here/*.c $port/tlog_riot.c $wraps
    decoded "$dir"
    echo "$board"
    as_expected "$dir"
    ordered "$dir" lowest_first
done
# With TLOG_START=1 the first of the hooks starts, and nothing is lost that main creates before the kernel starts.
if [ "${TIER:-}" != quick ]; then
    # shellcheck disable=SC2086 # several words
    stand_in mps2-an385 "$dir-start" -DTLOG_START=1 -I$here -I$here/include -Iport/rtos $here/*.c \
        $port/tlog_riot.c $wraps
    started "$dir-start"
    as_expected "$dir-start"
    ordered "$dir-start" lowest_first
fi
{
    echo sched_register_cb
    sed -n 's/.*__wrap_\([a-z_]*\)(.*;/\1/p' $port/tlog_riot.c
} >"$dir/known"
echo "$wraps" | tr ' ' '\n' | sed 's/.*=//' | sort >"$dir/wrapped"
sed 1d "$dir/known" | sort | diff "$dir/wrapped" -
all_run "functions" "$dir/known" "$dir/ran.txt"
for compiler in arm-none-eabi-gcc "clang --target=arm-none-eabi"; do
    $compiler -std=c11 -mcpu=cortex-m0 -mthumb -O2 -ffreestanding -Wall -Wextra -Wpedantic -Werror -Wconversion \
        -Wshadow -Wundef -Itarget -Iport -I$here/include -Iport/rtos \
        -include linker/microbit.h -c $port/tlog_riot.c -o "$dir/on.o"
done
