#!/bin/sh
# demo.sh - runs the demo in QEMU, decodes its dump to every kind of file, and checks that trace-cmd reports the events
# that the firmware noted in expect.bin; that the demo's bug shows, and not after its repair; and that a ring too small
# for the run loses as many events as the decoder says.
# usage: demo.sh BUILD BOARD
# Judges: check.py, which reads expect.bin; picture.py, which computes from the same events what trace-cmd measures;
# stat.py, which computes from them what --stat tells;
# conform.sh, that is trace-cmd, libtracecmd, libkshark and tracedat.py.
set -eu
build=$1
. tests/lib/needs.sh
needs python3 trace-cmd "$build/check_tracedat" "$build/check_kshark"
board=$2
dir=$build/test/demo
. tests/lib/firmware.sh
[ -z "${FIRMWARE_OPT:-}" ] || FIRMWARE_OPT="-O2 -g0"
mkdir -p "$dir"

# run_demo NAME FLAGS...: build and run a variant; dump.bin and expect.bin are then in $dir/NAME
run_demo() {
    name=$1
    shift
    rm -rf "${dir:?}/$name"
    mkdir -p "$dir/$name"
    firmware "$board" "$dir/$name/firmware.elf" tests/system/demo/*.c -Itests/system/demo \
        -DTLOG_TRACEEVENTS=1 -DDEMO_EXPECT=1 "$@"
    emulate "$board" "$dir/$name/firmware.elf"
}

# decode NAME MODE: decode to $dir/NAME/MODE.dat; sets events, derived and lost from the decoder's summary
decode() {
    "$build/tlog-decode" --map="$2" --elf="$dir/$1/firmware.elf" "$dir/$1/dump.bin" -o "$dir/$1/$2.dat" \
        2>"$dir/$1/summary"
    cat "$dir/$1/summary"
    events=$(sed -n 's/.*: \([0-9]*\) events.*/\1/p' "$dir/$1/summary")
    derived=$(sed -n 's/.*(+\([0-9]*\) derived).*/\1/p' "$dir/$1/summary")
    lost=$(sed -n 's/.*lost \([0-9]*\).*/\1/p' "$dir/$1/summary")
}

grep -E '^ *X\(0x..,' target/tlog_wire.h | sed 's|^ *X(\(0x..\), *\([A-Za-z0-9_]*\),.*|\1 \2|' >"$dir/names"
# Own events have codes in the firmware's notes only.
sed -n 's/^ *NOTE_\([a-z_]*\) = \(0x[0-9a-f]*\),*$/\2 \1/p' tests/system/demo/notes.h >>"$dir/names"

run_demo whole -DTLOG_SLOTS=8192
decode whole native
[ "$lost" -eq 0 ]
trace-cmd report -t -R "$dir/whole/native.dat" >"$dir/whole/raw" 2>/dev/null
python3 tests/system/demo/check.py "$dir/whole/expect.bin" "$dir/whole/raw" "$dir/names" 0
sh tests/judges/conform.sh "$build" "$dir/whole/native.dat" "$events" 0
if [ "${TIER:-}" != quick ]; then
    decode whole exact
    sh tests/judges/conform.sh "$build" "$dir/whole/exact.dat" "$events" 0
fi
decode whole full
sh tests/judges/conform.sh "$build" "$dir/whole/full.dat" $((events + derived)) 0
total=$((events + derived))
python3 tests/system/demo/picture.py "$dir/whole/raw" "$dir/names" "$dir/whole/full.dat"
"$build/tlog-decode" -q --stat --json --elf="$dir/whole/firmware.elf" "$dir/whole/dump.bin" -o "$dir/whole/stat.json"
python3 tests/system/demo/stat.py "$dir/whole/raw" "$dir/names" "$dir/whole/full.dat" "$dir/whole/stat.json"

# variant NAME EVENTS LOSSES WHAT OPTIONS...: decode to another layout, which must hold the same events as the first
# file; WHAT: further arguments of conform.sh
variant() {
    name=$1
    count=$2
    marks=$3
    what=$4
    shift 4
    "$build/tlog-decode" -q --elf="$dir/$name/firmware.elf" "$@" "$dir/$name/dump.bin" -o "$dir/$name/variant.dat"
    echo "$*"
    # shellcheck disable=SC2086
    sh tests/judges/conform.sh "$build" "$dir/$name/variant.dat" "$count" "$marks" "$dir/$name/$mode.dat" \
        $what
}

# variants NAME EVENTS LOSSES OPTIONS...: variant() with each layout of trace.dat; the quick tier has one
variants() {
    name=$1
    count=$2
    marks=$3
    shift 3
    no_split=
    [ "$marks" -eq 0 ] || no_split=no-split
    variant "$name" "$count" "$marks" "no-convert no-split" "$@" --endian=big --long-size=4 --compress=zstd \
        --page-size=8192
    [ "${TIER:-}" != quick ] || return 0
    variant "$name" "$count" "$marks" "" "$@" --format=trace.dat-v6
    variant "$name" "$count" "$marks" "" "$@" --compress=zstd
    variant "$name" "$count" "$marks" "" "$@" --long-size=4
    variant "$name" "$count" "$marks" "$no_split" "$@" --page-size=65536
    variant "$name" "$count" "$marks" "no-convert no-split" "$@" --endian=big
    variant "$name" "$count" "$marks" "no-convert no-split" "$@" --endian=big --format=trace.dat-v6
}

# The session for KernelShark has the file that it is for, and a row for every interrupt and task: interrupts first,
# then tasks by priority, as app.c has them. KernelShark's own library loads the file by it.
elf=--elf=$dir/whole/firmware.elf
"$build/tlog-decode" -q "$elf" "$dir/whole/dump.bin" -o "$dir/whole/rows.dat" --session="$dir/whole/rows.json"
python3 - "$dir/whole/rows.json" "$(realpath "$dir/whole/rows.dat")" <<'END'
import json, os, sys
session = json.load(open(sys.argv[1]))
(stream,) = session["data streams"]
assert session["type"] == "kshark.config.session"
assert os.path.realpath(stream["data"]["file"]) == sys.argv[2] and os.path.isabs(stream["data"]["file"])
assert stream["data"]["time"] == int(os.stat(sys.argv[2]).st_mtime)
assert stream["CPUPlots"] == [0]
assert stream["TaskPlots"] == [70025, 70026, 70047, 65536, 5, 1, 2, 3, 4, 0], stream["TaskPlots"]
END
"$build/check_kshark" --session "$dir/whole/rows.json" | tee "$dir/session"
grep -q "^entries $total marks 0 " "$dir/session"

mode=full
variants whole "$total" 0

# Debian's trace-cmd cannot read zlib, so tracedat.py judges this file.
"$build/tlog-decode" -q "$elf" --compress=zlib "$dir/whole/dump.bin" -o "$dir/whole/zlib.dat"
python3 tests/judges/tracedat.py events "$dir/whole/zlib.dat" >"$dir/whole/zlib"
python3 tests/judges/tracedat.py events "$dir/whole/full.dat" | cmp - "$dir/whole/zlib"

# Text output and both versions of trace.dat hold the same events.
"$build/tlog-decode" --format=text-full -q "$elf" --map=native "$dir/whole/dump.bin" -o "$dir/whole/native.txt"
"$build/tlog-decode" -q "$elf" --map=native --format=trace.dat-v6 "$dir/whole/dump.bin" -o "$dir/whole/native6.dat"
python3 tests/judges/tracedat.py text "$dir/whole/native.dat" "$dir/whole/native.txt"
python3 tests/judges/tracedat.py text "$dir/whole/native6.dat" "$dir/whole/native.txt"

# For --format=trace.dat-text trace-cmd prints the lines of the text output, and an empty line at the end.
"$build/tlog-decode" -q "$elf" --map=native --format=trace.dat-text "$dir/whole/dump.bin" -o "$dir/whole/text.dat"
"$build/tlog-decode" -q "$elf" --map=native --format=text "$dir/whole/dump.bin" -o "$dir/whole/lines.txt"
trace-cmd report "$dir/whole/text.dat" 2>&1 | sed '$d' | cmp - "$dir/whole/lines.txt"
trace-cmd dump --all "$dir/whole/text.dat" >/dev/null

# Every section has a name; the maps of tasks have the real path of the firmware's file, wherever the decoder ran.
decoder=$(realpath "$build/tlog-decode")
(cd "$dir/whole" && ln -sf firmware.elf link.elf && "$decoder" -q --elf=./link.elf dump.bin -o map.dat)
for file in text full map; do
    trace-cmd dump --sections "$dir/whole/$file.dat" >"$dir/whole/sections"
    [ "$(grep -c '^.\[Section' "$dir/whole/sections")" -ge 9 ] || exit 1
    if grep Unknown "$dir/whole/sections"; then exit 1; fi
done
[ "$(trace-cmd dump --sections "$dir/whole/text.dat" | grep -c '@.*"padding"')" -eq 1 ]
maps=$(trace-cmd dump --options "$dir/whole/map.dat" | grep -c " $(realpath "$dir/whole/firmware.elf")\$")
[ "$maps" -ge 8 ] || { echo "demo.sh: $maps segments by their real path" && exit 1; }

# flip OFFSET WHAT: flip a bit of the byte at OFFSET; conform.sh must refuse the file
flip() {
    cp "$dir/whole/full.dat" "$dir/whole/flipped.dat"
    byte=$(od -An -tu1 -j"$1" -N1 "$dir/whole/full.dat")
    # shellcheck disable=SC2059
    printf "\\$(printf %03o $((byte ^ 64)))" |
        dd of="$dir/whole/flipped.dat" bs=1 seek="$1" conv=notrunc 2>/dev/null
    if sh tests/judges/conform.sh "$build" "$dir/whole/flipped.dat" "$total" 0 "$dir/whole/full.dat" \
        >"$dir/flipped" 2>&1; then
        echo "conform.sh takes a file with another $2"
        exit 1
    fi
    echo "another $2: $(grep '^conform' "$dir/flipped" | sed 's/.*dat: //')"
}

flip 4096 "time of a page"
if [ "${TIER:-}" != quick ]; then
    flip $((4096 + 16 + 4)) "event id"
    flip $((4096 + 16)) "time of an event"
    flip $((4096 + 16 + 12)) "byte of a field"
    flip $((4096 + 8)) "commit"
fi

# typed NAME: own events show units and names of values; sets longest to the longest step of control in microseconds
typed() {
    trace-cmd report -t "$dir/$1/full.dat" 2>/dev/null >"$dir/$1/typed"
    for each in 'adc_sample: *channel=0 value=[0-9]*mV' 'filtered: *channel=0 value=[0-9]*mV' \
        'control_output: *setpoint=[0-9]*mV output=[0-9]*' \
        'motor_state: *motor=0 state=\(HOLD\|SPEED_UP\|SLOW_DOWN\)' \
        'flash_write: *page=[0-9]* address=0x[0-9a-f]*' 'queue_depth: *value=[0-9]*'; do
        shown=$(grep -c " $each\$" "$dir/$1/typed") || true
        [ "$shown" -gt 0 ] && [ "$shown" -eq "$(grep -c " ${each%%:*}:" "$dir/$1/typed")" ] || {
            echo "demo.sh: $shown events are $each"
            exit 1
        }
    done
    longest=$(sed -n 's/.* control_step_end: *duration=\([0-9]*\)ns depth=0$/\1/p' "$dir/$1/typed" | sort -n |
        tail -n 1)
    longest=$((longest / 1000))
}

typed whole
[ "$longest" -gt 10000 ]
misses=$(trace-cmd report "$dir/whole/full.dat" 2>/dev/null | grep -c task_deadline_miss)
[ "$misses" -ge 2 ]
echo "the bug: $misses deadlines missed, the longest step takes $longest us"

# same_lines NAME MAP...: text and trace-cmd's report of trace.dat are the same lines in each mapping
same_lines() {
    at=$dir/$1
    shift
    for map in "$@"; do
        "$build/tlog-decode" -q "--elf=$at/firmware.elf" "--map=$map" "$at/dump.bin" -o "$at/lines.dat"
        "$build/tlog-decode" -q "--elf=$at/firmware.elf" "--map=$map" "$at/dump.bin" -o "$at/lines.txt"
        trace-cmd report -t "$at/lines.dat" 2>/dev/null | cmp - "$at/lines.txt"
        if grep -n ' $' "$at/lines.txt"; then echo "a blank at the end of a line"; exit 1; fi
    done
}

same_lines whole full
# Interrupts have names in every mapping.
if grep -n '<\.\.\.>-7' "$dir/whole/raw"; then echo "an interrupt without a name"; exit 1; fi
[ "${TIER:-}" != quick ] || exit 0
same_lines whole exact native

run_demo fixed -DTLOG_SLOTS=8192 -DDEMO_FIXED=1
decode fixed full
[ "$(trace-cmd report "$dir/fixed/full.dat" 2>/dev/null | grep -c task_deadline_miss)" -eq 0 ]
"$build/tlog-decode" -q --stat --json "$dir/fixed/dump.bin" -o "$dir/fixed/stat.json"
python3 - "$dir/whole/stat.json" "$dir/fixed/stat.json" <<'END'
import json, sys
bug, fixed = ([each["waited"] for each in json.load(open(path))[0]["inversions"] if each["mutex"] == "bus"]
              for path in sys.argv[1:])
assert len(bug) >= 4 and bug[0] > 10**7 and not fixed, (bug, fixed)
print("--stat: %d inversions of the bus, the longest of %d us; repaired: none" % (len(bug), bug[0] / 1000))
END
typed fixed
[ "$longest" -lt 10000 ]
echo "repaired: none, $longest us"

# A ring that stops when full keeps the oldest events; the mark of the loss comes last.
run_demo stop -DTLOG_SLOTS=500 -DTLOG_STOP_WHEN_FULL=1
decode stop native
[ "$events" -eq 498 ]
trace-cmd report -t -R "$dir/stop/native.dat" 2>/dev/null | grep -v end_of_trace >"$dir/stop/raw"
tail -n 1 "$dir/stop/raw" | grep -q "\[$lost EVENTS DROPPED\]"
"$build/check_kshark" --list "$dir/stop/native.dat" >"$dir/stop/shown"
[ "$(tail -n 2 "$dir/stop/shown" | cut -d " " -f 5 | tr "\n" " ")" = "lost tlog/end_of_trace " ]
python3 tests/system/demo/check.py "$dir/stop/expect.bin" "$dir/stop/raw" "$dir/names" "$lost"
same_lines stop full exact native

# A flight recorder of three chunks keeps the newest events, and the file says how many it overwrote. In each lap the
# first two slots tell its number and its time.
run_demo small -DTLOG_SLOTS=300 -DTLOG_CHUNKS=3
decode small native
[ "$events" -eq 894 ] || [ "$events" -gt 600 ]
trace-cmd report -t -R "$dir/small/native.dat" >"$dir/small/raw" 2>/dev/null
grep -q "\[$lost EVENTS DROPPED\]" "$dir/small/raw"
python3 tests/system/demo/check.py "$dir/small/expect.bin" "$dir/small/raw" "$dir/names" "$lost"
sh tests/judges/conform.sh "$build" "$dir/small/native.dat" "$events" 1
mode=native
variants small "$events" 1 --map=native
same_lines small full exact native
