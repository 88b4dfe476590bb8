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
    stand_in "$board" "$dir" -I$here -I$port $here/*.c $port/tlog_threadx.c
    decoded "$dir"
    echo "$board"
    as_expected "$dir"
    ordered "$dir" lowest_first
done
{
    grep -o 'TX_TRACE_[A-Z_]*' $port/tlog_threadx.c | grep -v ISR_ENTER
    grep -o '_tx_execution_[a-z_]*' $port/tlog_threadx.c
    grep -o 'TX_[A-Z_]*_EXTENSION' $port/tlog_threadx.h
    sed -n '/^enum/,/^}/s/.*\(TX_[A-Z_]*\).*/\1/p' $here/tx_api.h
} >"$dir/known"
all_run "events, states and functions are known" "$dir/known" "$dir/ran.txt"
