#!/bin/sh
# demo.sh - runs the demo in QEMU, decodes its dump to every kind of file, and checks that trace-cmd reports the events
# that the firmware noted in expect.bin; that the demo's bug shows, and not after its repair; and that a ring too small
# for the run loses as many events as the decoder says.
# usage: demo.sh BUILD BOARD
# Judges: check.py, which reads expect.bin; conform.sh, that is trace-cmd, libtracecmd, libkshark and tracedat.py.
set -eu
build=$1
board=$2
dir=$build/test/demo
. tests/lib/firmware.sh
mkdir -p "$dir"

# run_demo NAME FLAGS...: build and run a variant; dump.bin and expect.bin are then in $dir/NAME
run_demo() {
    name=$1
    shift
    rm -rf "${dir:?}/$name"
    mkdir -p "$dir/$name"
    firmware "$board" "$dir/$name/firmware.elf" tests/system/demo/*.c -Itests/system/demo -DDEMO_EXPECT=1 "$@"
    emulate "$board" "$dir/$name/firmware.elf"
}

# decode NAME MODE: decode to $dir/NAME/MODE.dat; sets events, derived and lost from the decoder's summary
decode() {
    "$build/tlog-decode" --map="$2" "$dir/$1/dump.bin" -o "$dir/$1/$2.dat" 2>"$dir/$1/summary"
    cat "$dir/$1/summary"
    events=$(sed -n 's/.*: \([0-9]*\) events.*/\1/p' "$dir/$1/summary")
    derived=$(sed -n 's/.*(+\([0-9]*\) derived).*/\1/p' "$dir/$1/summary")
    lost=$(sed -n 's/.*lost \([0-9]*\).*/\1/p' "$dir/$1/summary")
}

grep -E '^ *X\(0x..,' target/tlog_wire.h | sed 's|^ *X(\(0x..\), *\([A-Za-z0-9_]*\),.*|\1 \2|' >"$dir/names"
# User events are shown by the names that the firmware gave them with tlog_name().
sed -n 's/.*tlog_name(TLOG_NAME_EVENT, *\([A-Z_]*\), "\(.*\)").*/\1 \2/p' tests/system/demo/app.c |
    while read -r constant name; do
    event=$(sed -n "s/.*$constant = FTrace_EVT_\([a-z0-9_]*\).*/\1/p" tests/system/demo/app.c)
    sed -n "s/ $event\$/ $name/p" "$dir/names"
done >"$dir/given"
cat "$dir/given" >>"$dir/names"

run_demo whole -DTLOG_SLOTS=8192
decode whole native
[ "$lost" -eq 0 ]
trace-cmd report -t -R "$dir/whole/native.dat" >"$dir/whole/raw" 2>/dev/null
python3 tests/system/demo/check.py "$dir/whole/expect.bin" "$dir/whole/raw" "$dir/names" 0
sh tests/judges/conform.sh "$build" "$dir/whole/native.dat" "$events" 0
decode whole exact
sh tests/judges/conform.sh "$build" "$dir/whole/exact.dat" "$events" 0
decode whole full
sh tests/judges/conform.sh "$build" "$dir/whole/full.dat" $((events + derived)) 0
total=$((events + derived))

# variant NAME EVENTS LOSSES WHAT OPTIONS...: decode to another layout, which must hold the same events as the first
# file; WHAT: further arguments of conform.sh
variant() {
    name=$1
    count=$2
    marks=$3
    what=$4
    shift 4
    "$build/tlog-decode" -q "$@" "$dir/$name/dump.bin" -o "$dir/$name/variant.dat"
    echo "$*"
    # shellcheck disable=SC2086
    sh tests/judges/conform.sh "$build" "$dir/$name/variant.dat" "$count" "$marks" "$dir/$name/$mode.dat" no-valgrind \
        $what
}

# variants NAME EVENTS LOSSES OPTIONS...: variant() with each layout of trace.dat
variants() {
    name=$1
    count=$2
    marks=$3
    shift 3
    no_split=
    [ "$marks" -eq 0 ] || no_split=no-split
    variant "$name" "$count" "$marks" "" "$@" --format=trace.dat-v6
    variant "$name" "$count" "$marks" "" "$@" --long-size=4
    variant "$name" "$count" "$marks" "" "$@" --compress=zstd
    variant "$name" "$count" "$marks" "$no_split" "$@" --page-size=65536
    variant "$name" "$count" "$marks" "no-convert no-split" "$@" --endian=big
    variant "$name" "$count" "$marks" "no-convert no-split" "$@" --endian=big --long-size=4 --compress=zstd \
        --page-size=8192
    variant "$name" "$count" "$marks" "no-convert no-split" "$@" --endian=big --format=trace.dat-v6
}

mode=full
variants whole "$total" 0

# Debian's trace-cmd cannot read zlib, so tracedat.py judges this file.
"$build/tlog-decode" -q --compress=zlib "$dir/whole/dump.bin" -o "$dir/whole/zlib.dat"
python3 tests/judges/tracedat.py events "$dir/whole/zlib.dat" >"$dir/whole/zlib"
python3 tests/judges/tracedat.py events "$dir/whole/full.dat" | cmp - "$dir/whole/zlib"

# Text output and both versions of trace.dat hold the same events.
"$build/tlog-decode" -q --map=native "$dir/whole/dump.bin" -o "$dir/whole/native.txt"
"$build/tlog-decode" -q --map=native --format=trace.dat-v6 "$dir/whole/dump.bin" -o "$dir/whole/native6.dat"
python3 tests/judges/tracedat.py text "$dir/whole/native.dat" "$dir/whole/native.txt"
python3 tests/judges/tracedat.py text "$dir/whole/native6.dat" "$dir/whole/native.txt"

# For --format=trace.dat-text trace-cmd prints the lines of the text output, and an empty line at the end.
"$build/tlog-decode" -q --map=native --format=trace.dat-text "$dir/whole/dump.bin" -o "$dir/whole/text.dat"
trace-cmd report "$dir/whole/text.dat" 2>&1 | sed '$d' | cmp - "$dir/whole/native.txt"
trace-cmd dump --all "$dir/whole/text.dat" >/dev/null

# flip OFFSET WHAT: flip a bit of the byte at OFFSET; conform.sh must refuse the file
flip() {
    cp "$dir/whole/full.dat" "$dir/whole/flipped.dat"
    byte=$(od -An -tu1 -j"$1" -N1 "$dir/whole/full.dat")
    # shellcheck disable=SC2059
    printf "\\$(printf %03o $((byte ^ 64)))" |
        dd of="$dir/whole/flipped.dat" bs=1 seek="$1" conv=notrunc 2>/dev/null
    if sh tests/judges/conform.sh "$build" "$dir/whole/flipped.dat" "$total" 0 "$dir/whole/full.dat" no-valgrind \
        >"$dir/flipped" 2>&1; then
        echo "conform.sh takes a file with another $2"
        exit 1
    fi
    echo "another $2: $(grep '^conform' "$dir/flipped" | sed 's/.*dat: //')"
}

flip 4096 "time of a page"
flip $((4096 + 16 + 4)) "event id"
flip $((4096 + 16)) "time of an event"
flip $((4096 + 16 + 12)) "byte of a field"
flip $((4096 + 8)) "commit"
misses=$(trace-cmd report "$dir/whole/full.dat" 2>/dev/null | grep -c task_deadline_miss)
[ "$misses" -ge 2 ]
echo "the bug: $misses deadlines missed"

run_demo fixed -DTLOG_SLOTS=8192 -DDEMO_FIXED=1
decode fixed full
[ "$(trace-cmd report "$dir/fixed/full.dat" 2>/dev/null | grep -c task_deadline_miss)" -eq 0 ]
echo "repaired: none"

# A flight recorder of three chunks keeps the newest events, and the file says how many it overwrote.
run_demo small -DTLOG_SLOTS=300 -DTLOG_CHUNKS=3
decode small native
[ "$events" -eq 900 ] || [ "$events" -gt 600 ]
trace-cmd report -t -R "$dir/small/native.dat" >"$dir/small/raw" 2>/dev/null
grep -q "\[$lost EVENTS DROPPED\]" "$dir/small/raw"
python3 tests/system/demo/check.py "$dir/small/expect.bin" "$dir/small/raw" "$dir/names" "$lost"
sh tests/judges/conform.sh "$build" "$dir/small/native.dat" "$events" 1
mode=native
variants small "$events" 1 --map=native

# A ring that stops when full keeps the oldest events; the mark of the loss comes last.
run_demo stop -DTLOG_SLOTS=500 -DTLOG_STOP_WHEN_FULL=1
decode stop native
[ "$events" -eq 500 ]
trace-cmd report -t -R "$dir/stop/native.dat" 2>/dev/null | grep -v end_of_trace >"$dir/stop/raw"
tail -n 1 "$dir/stop/raw" | grep -q "\[$lost EVENTS DROPPED\]"
python3 tests/system/demo/check.py "$dir/stop/expect.bin" "$dir/stop/raw" "$dir/names" "$lost"
