#!/bin/sh
# ctf.sh - CTF of inputs of every kind, event by event as babeltrace2 shows it, and the packets' headers as a script
# reads them.
# usage: ctf.sh BUILD quick|full
# Judges: babeltrace2; tests/judges/ctf.py, which compares what it shows with rows of JSON lines.
set -eu
. tests/lib/needs.sh
needs python3 babeltrace2
build=$1
tier=$2
dir=$build/test/ctf
decoder=$build/tlog-decode
script=$build/test/tlog-decode-script
rm -rf "$dir"
mkdir -p "$dir"

fail() {
    echo "ctf: $*"
    exit 1
}

# agree EXPECTED DECODER ARGUMENT...: babeltrace2 shows the events of the input; what agrees holds EXPECTED
agree() {
    expected=$1
    by=$2
    shift 2
    said=$(python3 tests/judges/ctf.py "$by" "$dir/trace" "$@") || fail "$*: $said"
    case $said in
    *"$expected"*) echo "$said: $*" ;;
    *) fail "$*: $said, expected $expected" ;;
    esac
}

# ---- dumps -----------------------------------------------------------------------------------------------------------

agree ' 0 lost' "$decoder" --elf="$build/demo/firmware.elf" "$build/demo/dump.bin"
"$build/gen_dump" --drops=20 --cpus=3 --names=5 --events=300 -o "$dir/cpus.bin"
"$build/gen_dump" --traceevents=60 --longest=6 --user --texts --unknown --events=500 --drops=10 -o "$dir/events.bin"
"$build/gen_dump" --hz=0 --events=300 --drops=20 -o "$dir/ticks.bin"
"$build/gen_dump" --events=0 -o "$dir/empty.bin"
agree ' in 11 places' "$decoder" "$dir/cpus.bin"
agree ' agree' "$decoder" "$dir/events.bin"
agree ' agree' "$decoder" "$dir/ticks.bin"
agree '0 events in 1 packets agree, 0 lost in 0 places' "$decoder" "$dir/empty.bin"
for dump in cpus events; do
    head -c 3000 "$dir/$dump.bin" >"$dir/damaged.bin"
    tail -c +3050 "$dir/$dump.bin" >>"$dir/damaged.bin"
    agree ' agree' "$decoder" "$dir/damaged.bin"
    babeltrace2 "$dir/trace" 2>/dev/null | grep -q 'tlog:damage: ' || fail "$dump: no damage"
done
python3 tests/gen/own.py "$dir"
arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -Wl,-Ttext=0x8000 -Wl,--section-start=.note.gnu.build-id=0x1000 \
    -Wl,--build-id=0x4142434445464748494a4b4c4d4e4f5051525354 "$dir/firmware.s" -o "$dir/firmware.elf"
agree '23 events' "$decoder" --elf="$dir/firmware.elf" "$dir/dump.bin"
babeltrace2 "$dir/trace" >"$dir/own.txt"
for shown in '{ motor = 1, state = ( "STALL" : container = 7 ), braked = 0, rpm = 624.5 }' \
    'owner = ( "main" : container = 0x8000 ), mask = 0xBEEF, ratio = 0.142857 }' \
    '{ bits = ( "RX|TX" : container = 0x3 ) }' \
    '{ handle = 77, path = "log.txt" }' 'mode = ( "mode::NEVER" : container = 4294967295 ) }'; do
    grep -qF "$shown" "$dir/own.txt" || fail "not shown: $shown"
done
echo "dumps"

# ---- losses, and names of all kinds ----------------------------------------------------------------------------------

cat >"$dir/losses.txt" <<'SCRIPT'
#script
cpus 4
clock 1000000000
name 1 worker
name 2 worker
name 3 a"b\c*/ //
name 4 struct
loss 0 1000 7
loss 0 1000 0
switch 0 1000 1
switch 0 2000 2
loss 0 2500 0
damage 0 2600 16 4 3 words
damage 0 2600 20 4 0 words
wake 0 5000000000 3
entry 0 5000000001 9
switch 0 5000000002 3
exit 0 5000000002 9
loss 0 5000000003 18446744073709551615
loss 1 900 1
event 2 1500 1 2
event 2 20000000000 3 4
SCRIPT
agree '15 events in 11 packets agree, 4294967308 lost in 6 places' "$script" "$dir/losses.txt"
babeltrace2 "$dir/trace" >"$dir/shown.txt" 2>"$dir/warnings"
[ "$(grep -c 'Tracer discarded' "$dir/warnings")" -eq 6 ] || fail "$(cat "$dir/warnings")"
echo "losses"

# ---- other formats ---------------------------------------------------------------------------------------------------

for form in shark kev lttng trace.dat; do
    "$decoder" -q "$dir/cpus.bin" --format="$form" -o "$dir/again" 2>/dev/null
    agree ' agree' "$decoder" "$dir/again"
    rm -rf "$dir/again"
done
python3 tests/gen/lttng.py "$dir/lttng" 2.4 >"$dir/expected.txt"
agree ' agree' "$decoder" "$dir/lttng"
python3 tests/gen/tracedat.py "$dir/in.dat" "$dir/expected.txt" loss=2 instances=2
agree ' agree' "$decoder" "$dir/in.dat"
echo "other formats"

# ---- the directory ---------------------------------------------------------------------------------------------------

"$decoder" -q "$dir/cpus.bin" --format=ctf -o "$dir/twice"
"$decoder" -q "$dir/cpus.bin" --format=ctf -o "$dir/once"
"$decoder" -q "$dir/cpus.bin" --format=ctf -o "$dir/twice"
diff -r "$dir/once" "$dir/twice" || fail "other bytes the second time"
"$decoder" -q "$dir/cpus.bin" --format=ctf --start-time='2024-05-06 07:08:09.123456789' -o "$dir/twice"
[ "$(babeltrace2 --clock-gmt --clock-date "$dir/twice" 2>/dev/null | head -n 1 | cut -c 1-31)" = \
    "[2024-05-06 07:08:09.123456789]" ] || fail "$(babeltrace2 --clock-gmt --clock-date "$dir/twice" 2>&1 | head -n 1)"
echo mine >"$dir/twice/notes"
code=0
"$decoder" -q "$dir/cpus.bin" --format=ctf -o "$dir/twice" 2>"$dir/err" || code=$?
[ "$code" -eq 1 ] && grep -q 'holds something else' "$dir/err" || fail "code $code: $(cat "$dir/err")"
[ "$(ls "$dir")" = "$(ls "$dir" | grep -v tmp)" ] || fail "files are left behind"
echo "the directory"
[ "$tier" = full ] || exit 0
"$build/gen_dump" --cpus=8 --drops=3 --names=40 --events=20000 -o "$dir/large.bin"
agree ' agree' "$decoder" "$dir/large.bin"
agree ' agree' "$decoder" --map=native "$dir/large.bin"
