#!/bin/sh
# context.sh - logs events with their context (TLOG_CONTEXT) from every kind of exception that the core has; checks the
# contexts in the dump, in text and in trace-cmd's columns.
# usage: context.sh BUILD
# Judges: check.py, which reads the dump as FORMAT.md says; trace-cmd.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
dir=$build/test/context
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"

# try BOARD LEAST FLAG...: build, run and check the firmware; it must log at least LEAST events
try() {
    board=$1 least=$2
    shift 2
    contexts=tests/runtime/context/context_m.c
    case $board in virt) contexts=tests/runtime/context/context_a.c ;; esac
    firmware "$board" "$dir/app.elf" -Itests/runtime/context -DTLOG_CONTEXT=1 -DTLOG_STOP_WHEN_FULL=1 "$@" \
        tests/runtime/context/app.c "$contexts"
    emulate "$board" "$dir/app.elf"
    "$build/tlog-decode" -q --map=native --format=text-full "$dir/dump.bin" >"$dir/text"
    echo "$board $*: $(python3 tests/runtime/context/check.py "$dir/dump.bin" "$dir/text" "$least")"
}

ring="-DTLOG_SLOTS=48 -DTLOG_EMERGENCY_SLOTS=4"
for board in mps2-an385 mps2-an386 mps2-an505 mps3-an547; do
    # shellcheck disable=SC2086 # several words
    try "$board" 13 $ring
done
# shellcheck disable=SC2086 # several words
try microbit 12 $ring
# shellcheck disable=SC2086 # several words
try virt 9 $ring

# Events in a chunk made at run time, also compressed, and traceevents.
try mps2-an385 36 -DTLOG_SLOTS=64 -DTLOG_TRACEEVENTS=1 -DTLOG_ARENA=1 -Wl,--defsym=TLOG_ARENA_SIZE=8192

python3 -c '
import struct, sys
records = list(struct.iter_unpack("<4I", open(sys.argv[1], "rb").read()))
assert len(records) == 12 and all(r[1] == 0 for r in records), records
print("%d records in a S.Ha.R.K. file, without their contexts" % len(records))' "$dir/0context.shark"

# trace-cmd's latency columns show h (hard interrupt) for exactly the events logged in an exception.
"$build/tlog-decode" -q --map=native "$dir/dump.bin" -o "$dir/trace.dat"
trace-cmd report -l -i "$dir/trace.dat" 2>/dev/null | grep user_event_0 >"$dir/report"
awk '{ inside = $0 !~ /par1=0 /; hard = $2 ~ /h/ || $1 ~ /h[.0-9]*$/ }
     inside != hard { print "wrong: " $0; bad = 1 }
    END { if (NR < 36) { print NR " events"; bad = 1 } exit bad }' "$dir/report"
# A S.Ha.R.K. file made by the decoder holds the events, without their contexts.
"$build/tlog-decode" -q --format=shark "$dir/dump.bin" -o "$dir/shark"
"$build/tlog-decode" -q --map=native --format=text-full "$dir/shark" | grep -c user_event_0
