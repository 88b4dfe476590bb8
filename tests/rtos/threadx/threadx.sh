#!/bin/sh
# threadx.sh - the hooks of port/rtos/threadx, run by a stand-in for the kernel in its orders: trace-cmd shows every
# switch, state, reason and name that the stand-in's application computed; every event and state that the port knows is
# run.
# usage: threadx.sh BUILD BOARD...
# Judges: the application, which notes what it did; trace-cmd.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
shift
here=tests/rtos/threadx
port=port/rtos/threadx
. tests/rtos/lib.sh
for board in "$@"; do
    dir=$build/test/rtos/threadx-$board
    stand_in "$board" "$dir" -I$here -I$port $here/*.c $port/tlog_threadx.c port/irq_v7m.c
    # The hooks ask for tlog_irq_trace(), and do not bring its tables along.
    arm-none-eabi-nm "$dir/app.elf" >"$dir/symbols"
    if grep -E ' (changed|handlers|enter)$' "$dir/symbols"; then exit 1; fi
    decoded "$dir"
    echo "$board"
    as_expected "$dir"
    ordered "$dir" lowest_first
done
# With TLOG_START=1 the first of the hooks starts, and nothing is lost that main creates before the kernel starts.
if [ "${TIER:-}" != quick ]; then
    stand_in mps2-an385 "$dir-start" -DTLOG_START=1 -I$here -I$port $here/*.c $port/tlog_threadx.c port/irq_v7m.c
    started "$dir-start"
    as_expected "$dir-start"
    ordered "$dir-start" lowest_first
fi
# What tlog_irq_trace() or tlog_irq_any() logs is not logged a second time.
if [ "${TIER:-}" != quick ]; then
    case " $* " in
    *" mps2-an385 "*)
        stand_in mps2-an385 "$dir-traced" -I$here -I$port $here/*.c $port/tlog_threadx.c port/irq_v7m.c -DTRACED
        decoded "$dir-traced"
        as_expected "$dir-traced" ;;
    esac
    dir=$build/test/rtos/threadx-flash
    stand_in microbit "$dir" -I$here -I$port $here/*.c $port/tlog_threadx.c port/irq_flash.c -DTRACED=2 \
        -Wl,--defsym=systick_handler=tlog_irq_any -Wl,--defsym=irq_20_handler=tlog_irq_any
    decoded "$dir"
    as_expected "$dir"
fi
{
    grep -o 'TX_TRACE_[A-Z_]*' $port/tlog_threadx.c | grep -v ISR_ENTER
    grep -o '_tx_execution_[a-z_]*' $port/tlog_threadx.c
    grep -o 'TX_[A-Z_]*_EXTENSION' $port/tlog_threadx.h
    sed -n '/^enum/,/^}/s/.*\(TX_[A-Z_]*\).*/\1/p' $here/tx_api.h
} >"$dir/known"
all_run "events, states and functions are known" "$dir/known" "$dir/ran.txt"
