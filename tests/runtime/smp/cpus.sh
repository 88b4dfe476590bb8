#!/bin/sh
# cpus.sh - two CPUs log into one dump, on both boards with two CPUs, by `make run`; checks that the decoder puts the
# events of both on one timeline, and that trace-cmd shows them by CPU.
# usage: cpus.sh BUILD
# Judges: baton.py, which reads the dump itself; trace-cmd.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
dir=$build/test/cpus
rm -rf "$dir"
mkdir -p "$dir"
for board in virt mps2-an521; do
    for slots in 16000 600; do
        case ${TIER:-}-$board-$slots in quick-virt-* | quick-mps2-an521-16000) continue ;; esac
        flags="-DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=$slots"
        timeout 600 make -s run APP=tests/runtime/smp/baton.c "BOARD=$board" CPUS=2 "BUILD=$build" "FLAGS=$flags"
        cp "$build/run/baton/dump.bin" "$dir/$board-$slots.bin"
        "$build/tlog-decode" -q --map=native --format=text-full "$dir/$board-$slots.bin" -o "$dir/$board-$slots.txt"
        python3 tests/runtime/smp/baton.py "$dir/$board-$slots.bin" "$dir/$board-$slots.txt" 2 "$board"
        "$build/tlog-decode" -q --map=native "$dir/$board-$slots.bin" -o "$dir/trace.dat"
        trace-cmd report -i "$dir/trace.dat" 2>"$dir/err" >"$dir/report"
        [ ! -s "$dir/err" ]
        [ "$(sed -n 's/.*user_event_0:.*par2=\([0-9]*\).*/\1/p' "$dir/report" | sort -nc 2>&1)" = "" ]
        for cpu in 0 1; do
            trace-cmd report -i "$dir/trace.dat" --cpu "$cpu" 2>"$dir/err" | grep -c "user_event_[01]:" >"$dir/reported"
            grep "\[00$cpu\]" "$dir/$board-$slots.txt" | grep -c "user_event_[01]:" | diff - "$dir/reported"
        done
    done
done
