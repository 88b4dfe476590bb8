#!/bin/sh
# boards.sh - runs README's example by `make run` on every board; checks that the decoded text has the same hundred
# events, in order, none earlier than the one before. Equal times are allowed: the clock of lm3s6965evb counts
# milliseconds.
# usage: boards.sh BUILD BOARDS
# Judge: the awk program below.
set -eu
build=$1
boards=$2
dir=$build/test/boards
mkdir -p "$dir"
awk '/^```c$/ { if (!done) { on = 1; next } } /^```$/ { if (on) done = 1; on = 0 } on' README.md >"$dir/boards.c"
for board in $boards; do
    make -s run "APP=$dir/boards.c" "BUILD=$build" "BOARD=$board"
    "$build/tlog-decode" --format=text-full -q "$build/run/boards/dump.bin" -o "$dir/$board.txt"
    # The third column of the text is the time in seconds, followed by a colon.
    awk '/user_event_0/ { at = $3 + 0; sub(/.*par1=/, "")
            if ($0 + 0 != n || $0 !~ " par2=" n * n "$" || at < before) exit 1
        before = at; n++ } END { exit n != 100 }' "$dir/$board.txt" ||
        { cat "$dir/$board.txt"; echo "$board: not the hundred events, in order and none earlier than the one before";
            exit 1; }
    head -n 3 "$dir/$board.txt"
done
