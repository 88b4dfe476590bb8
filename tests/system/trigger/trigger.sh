#!/bin/sh
# trigger.sh - firmware sets a trigger in QEMU; the decoder shows the mark, exactly so many events behind it, and the
# ones that led there. usage: trigger.sh BUILD
set -eu
build=$1
dir=$build/test/trigger
rm -rf "$dir"
mkdir -p "$dir"
. tests/lib/firmware.sh

# try BOARD OLDER FLAG...: the events ahead of the mark are at least OLDER.
try() {
    board=$1 older=$2
    shift 2
    mkdir -p "$dir/$board"
    firmware "$board" "$dir/$board/app.elf" tests/system/trigger/app.c "$@"
    emulate "$board" "$dir/$board/app.elf"
    "$build/tlog-decode" --format=text-full "$dir/$board/dump.bin" >"$dir/$board/text" 2>"$dir/$board/messages"
    awk -v older="$older" '
        /trigger/ { marks++; mark = NR; next }
        /user_event_0/ { ahead += !marks }
        /user_event_[12]|qnx:|USER/ { behind += marks > 0 }
        END { print marks " mark, " ahead " events ahead of it, " behind " behind"
              exit !(marks == 1 && ahead >= older && behind == 10) }' "$dir/$board/text"
}
try mps2-an385 60 -DTLOG_SLOTS=80
try mps2-an385 40 -DTLOG_SLOTS=80 -DTLOG_TRACEEVENTS=1
try microbit 30 -DTLOG_SLOTS=40 -DTLOG_CHUNKS=2

# Two CPUs: each has its own mark, and 25 events behind it; urgent ones are none of them.
for before in 50 90 333; do
    timeout 600 make -s run APP=tests/system/trigger/cpus.c BOARD=virt CPUS=2 "BUILD=$build" \
        FLAGS="-DTLOG_SLOTS=120 -DTLOG_EMERGENCY_SLOTS=10 -DTEST_BEFORE=${before}u"
    "$build/tlog-decode" -q --map=native --format=text-full "$build/run/cpus/dump.bin" >"$dir/cpus.txt"
    for cpu in 0 1; do
        grep "\[00$cpu\]" "$dir/cpus.txt" | awk -v cpu="$cpu" '
            /trigger/ { marks++; next }
            /emergency slot/ { urgent += /user_event_2|tlog:fault_a/; next }
            /user_event_[01]/ { if (marks) behind++; else ahead++ }
            END { print "CPU " cpu ": " marks " mark, " ahead " events ahead of it, " behind " behind, urgent: " urgent
                  exit !(marks == 1 && behind == 25 && ahead > 40 && urgent == 2) }'
    done
done
