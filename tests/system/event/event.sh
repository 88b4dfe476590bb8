#!/bin/sh
# event.sh - a thread and an interrupt log traceevents and records, mixed; checks that the decoded text has exactly
# these events, complete and in order, and that trace-cmd reads them and .kev files keep them.
# usage: event.sh BUILD BOARD
# Judges: check.py, which computes each event from its number; trace-cmd.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
board=$2
dir=$build/test/event
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"
# The quick tier has the dump with losses only.
sizes="16384 1000"
[ "${TIER:-}" != quick ] || sizes=1000
for slots in $sizes; do
    firmware "$board" "$dir/app.elf" tests/system/event/app.c -DTLOG_TRACEEVENTS=1 "-DTLOG_SLOTS=$slots"
    emulate "$board" "$dir/app.elf"
    "$build/tlog-decode" --map=native --format=text-full "$dir/dump.bin" >"$dir/$slots.txt"
    python3 tests/system/event/check.py "$dir/$slots.txt" "$slots"
    "$build/tlog-decode" -q "$dir/dump.bin" -o "$dir/$slots.dat"
    trace-cmd report -i "$dir/$slots.dat" 2>"$dir/err" >"$dir/report"
    [ ! -s "$dir/err" ]
    "$build/tlog-decode" -q --format=kev "$dir/dump.bin" -o "$dir/$slots.kev"
    "$build/tlog-decode" -q --map=native --format=text-full "$dir/$slots.kev" | grep -c 'qnx:user' >"$dir/count"
    [ "$(cat "$dir/count")" -ge "$(grep -c 'qnx:user' "$dir/$slots.txt")" ]
done
