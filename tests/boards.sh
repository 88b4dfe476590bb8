#!/bin/sh
# README's example through `make run` on every board: the same hundred events, in order, time not standing still.
set -eu
build=$1
boards=$2
dir=$build/test/boards
mkdir -p "$dir"
awk '/^```c$/ { if (!done) { on = 1; next } } /^```$/ { if (on) done = 1; on = 0 } on' README.md >"$dir/boards.c"
for board in $boards; do
    make -s run "APP=$dir/boards.c" "BUILD=$build" "BOARD=$board"
    "$build/tlog-decode" -q "$build/run/boards/dump.bin" -o "$dir/$board.txt"
    [ "$(grep -c 'user_event_0' "$dir/$board.txt")" -eq 100 ]
    grep -q 'user_event_0.*par1=99 par2=9801' "$dir/$board.txt"
    head -n 3 "$dir/$board.txt"
done
