#!/bin/sh
# boards.sh - runs target/README.md's example by `make run` on every board, also with TLOG_MINIMAL; checks that the
# decoded text has the same hundred events, in order, none earlier than the one before. Equal times are allowed: the
# clock of lm3s6965evb counts milliseconds.
# usage: boards.sh BUILD BOARDS
# Judge: the awk program below.
set -eu
build=$1
boards=$2
dir=$build/test/boards
mkdir -p "$dir"
awk '/^```c$/ { if (!done) { on = 1; next } } /^```$/ { if (on) done = 1; on = 0 } on' target/README.md >"$dir/boards.c"
# hundred BOARD FLAGS: run it, and check the text
hundred() {
    make -s run "APP=$dir/boards.c" "BUILD=$build" "BOARD=$1" "FLAGS=$2"
    "$build/tlog-decode" --format=text-full -q "$build/run/boards/dump.bin" -o "$dir/$1.txt"
    # The third column of the text is the time in seconds, followed by a colon.
    awk '/user_event_0/ { at = $3 + 0; sub(/.*par1=/, "")
            if ($0 + 0 != n || $0 !~ " par2=" n * n "$" || at < before) exit 1
        before = at; n++ } END { exit n != 100 }' "$dir/$1.txt" ||
        { cat "$dir/$1.txt"; echo "$1: not the hundred events, in order and none earlier than the one before"; exit 1; }
    head -n 3 "$dir/$1.txt"
}
for board in $boards; do
    hundred "$board" ""
    [ "${TIER:-}" = quick ] || hundred "$board" -DTLOG_MINIMAL=1
done
