#!/bin/sh
# calls.sh - the seven calls of tlog_rtos.h: each record is shown as FORMAT.md, section 5.1, says, by trace-cmd and as
# text, and is a record again in a S.Ha.R.K. file.
# usage: calls.sh BUILD BOARD
# Judges: tests/judges/native_rtos.py, written from FORMAT.md alone; trace-cmd.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
board=$2
dir=$build/test/rtos/calls
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"
firmware "$board" "$dir/app.elf" tests/rtos/calls.c -DTLOG_SLOTS=4096 -DTLOG_NAME_SLOTS=64
emulate "$board" "$dir/app.elf"
"$build/tlog-decode" -q "$dir/dump.bin" -o "$dir/trace.dat"
"$build/tlog-decode" -q "$dir/dump.bin" --format=text >"$dir/text"
trace-cmd report -i "$dir/trace.dat" 2>"$dir/err" >"$dir/report"
[ ! -s "$dir/err" ]

# The states in which task 1 leaves, by what it waits for: lock, mutex, pipe, suspended, a time, nothing after all; a
# mutex that it holds itself, one that a handler unlocked, nothing, one that task 2 holds;
# nothing, as the scheduler knows, then a queue, a mutex, a time, suspended, for what is not told.
states() {
    sed -n 's/.*worker:1 \[[-0-9]*\] \([RSD]\) ==> .*/\1/p' "$1" | tr -d '\n'
}
[ "$(states "$dir/report")" = DDSSSRSSRDRSDSSS ] || { echo "states of worker: $(states "$dir/report")"; exit 1; }
echo "states S and D by what is waited for"

# A mutex that a handler unlocks is not counted as one. The other one is: held and waited for.
for input in dump.bin trace.dat; do
    "$build/tlog-decode" -q --stat "$dir/$input" >"$dir/stat"
    "$build/tlog-decode" -q --stat --json "$dir/$input" >"$dir/stat.json"
    python3 tests/rtos/calls_stat.py "$dir/stat" "$dir/stat.json" "$dir/$input"
done
"$build/tlog-decode" --stat "$dir/dump.bin" 2>&1 >"$dir/stat" | grep -q 'Idle_Thread.*context 0'
# What is known of it from before the part that the user wants counts there, too: one row, for both waits.
time=$(sed -n 's/.* \([0-9.]*\): set_mutex_wait: *task=worker mutex=sleep$/\1/p' "$dir/text" | head -1)
"$build/tlog-decode" -q --stat "--time=$time.." "$dir/dump.bin" | grep -q 'set_mutex_wait *sleep *2 '
# Waveforms, Perfetto and .kev follow, from a trace.dat, too, but that tells no reasons.
for input in dump.bin trace.dat; do
    case $input in dump.bin) vcd='' perfetto='' ;; *) vcd=--no-reasons perfetto=--mapped ;; esac
    for format in vcd perfetto jsonl text-full kev; do
        "$build/tlog-decode" -q "$dir/$input" --format=$format --event='set_mutex_*,sched:*' -o "$dir/out.$format"
    done
    python3 tests/judges/vcd.py rows "$dir/out.vcd" "$dir/out.jsonl" $vcd
    python3 tests/judges/perfetto.py "$dir/out.perfetto" "$dir/out.text-full" $perfetto
    "$build/tlog-decode" -q "$dir/out.kev" --format=text | grep -c 'set_mutex.* mutex=[^ ]* signal=1$' | grep -q -x 4 ||
        { echo "$input: the signal is a mutex in .kev"; exit 1; }
done
reasons=$(sed -n 's/.*: \(set_mutex_wait\|delay\|task_disable\|[a-z_]*_block\): */\1 /p' "$dir/report" | tail -5 |
    tr -s '\n ' ', ')
[ "$reasons" = "queue_receive_block queue=0x20003020,set_mutex_wait task=worker mutex=0x20003020,delay ticks=77,\
task_disable task=worker level=0,object_wait_block object=0x0," ] || { echo "reasons of waits: $reasons"; exit 1; }
grep -q 'set_mutex_unlock: *task=- mutex=sleep$' "$dir/report"
# README.md tells what each operation means, and no other one.
sed -n '/^#define TLOG_RTOS_EVENTS/,/^\/\* clang-format on/s/^ *X([0-9a-zA-Z]*, \([a-z_]*\).*/\1/p' target/tlog_wire.h |
    grep -v -x 'fail\|block\|other' | sort >"$dir/operations"
sed -n '/^### Operations/,/^##* [^O]/s/^| \(`[^|]*\) |.*/\1/p' port/rtos/README.md | grep -o '[a-z_]*' | grep . | sort |
    diff "$dir/operations" - || { echo "port/rtos/README.md: operations"; exit 1; }
python3 tests/rtos/calls.py "$dir/dump.bin" "$dir/report" "$dir/text"
"$build/tlog-decode" -q "$dir/dump.bin" --format=shark -o "$dir/shark"
[ "$(($(wc -c <"$dir/shark") / 16))" = "$("$build/tlog-decode" -q "$dir/dump.bin" --map=native --format=text |
    grep -c ': ')" ]
