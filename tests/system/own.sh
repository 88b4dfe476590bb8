#!/bin/sh
# own.sh - events that a firmware defines itself, from a dump and the firmware's ELF file to what viewers show of them:
# names, typed fields, spans, filters; the file that --save-events writes; firmware found by its build id.
# usage: own.sh BUILD
# Judges: tests/gen/own.py, which makes the dumps and tells what must be shown, and trace-cmd.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
dir=$build/test/own
decoder=$build/tlog-decode
rm -rf "$dir"
mkdir -p "$dir"

# make_dump NAME OPTION...: dump, firmware and what is expected, in $dir/NAME
make_dump() {
    name=$1
    shift
    mkdir -p "$dir/$name"
    python3 tests/gen/own.py "$dir/$name" "$@"
    arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -Wl,-Ttext=0x8000 \
        -Wl,--section-start=.note.gnu.build-id=0x1000 -Wl,--build-id=0x4142434445464748494a4b4c4d4e4f5051525354 \
        "$dir/$name/firmware.s" -o "$dir/$name/fw.elf"
}

# shown FILE: the events of a text, without task, CPU and time
shown() {
    sed -n 's/^.*\] *[0-9.]*: *\([a-z_0-9]*\): *\(.*\)$/\1: \2/p' "$1"
}

# expected NAME: the same without systems
expected() {
    sed 's/^[a-z]*://' "$dir/$1/expected.txt"
}

# reported FILE: what trace-cmd reports, without the offset 0 that it shows behind a symbol
reported() {
    trace-cmd report -t "$1" | sed 's/+0x0\( \|$\)/\1/'
}

# check NAME DUMP OPTION...: text and trace-cmd show what is expected, and each other's lines
check() {
    at=$dir/$1
    of=$1
    input=$2
    shift 2
    "$decoder" -q "$@" "$input" -o "$at/t.txt"
    shown "$at/t.txt" >"$at/shown"
    expected "$of" | diff - "$at/shown"
    "$decoder" -q "$@" "$input" -o "$at/t.dat"
    reported "$at/t.dat" 2>"$at/err" | diff - "$at/t.txt"
    [ ! -s "$at/err" ] || grep -v opening "$at/err" | diff /dev/null -
}

# ---- names and fields ------------------------------------------------------------------------------------------------

make_dump events
make_dump records --records
make_dump portable --portable
make_dump texts --texts
for name in events records portable; do
    check $name "$dir/$name/dump.bin" "--elf=$dir/$name/fw.elf"
done
check texts "$dir/texts/dump.bin" "--elf=$dir/texts/fw.elf" --typed-text
"$decoder" -q "--elf=$dir/texts/fw.elf" "$dir/texts/dump.bin" -o "$dir/texts/plain.txt"
[ "$(shown "$dir/texts/plain.txt" | grep -c '^print: ')" -eq 7 ]
elf=--elf=$dir/events/fw.elf
dump=$dir/events/dump.bin
for map in exact native; do
    check events "$dump" "$elf" --map=$map
done
for option in --endian=big --long-size=4; do
    "$decoder" -q "$elf" "$dump" $option -o "$dir/other.dat"
    reported "$dir/other.dat" 2>/dev/null | diff - "$dir/events/t.txt"
done
check events "$dump" "$elf"
cp "$dir/events/t.dat" "$dir/copy.dat"
check events "$dir/copy.dat" # what was written is read
"$decoder" -q "$elf" "$dump" --format=lttng -o "$dir/lttng"
"$decoder" -q "$elf" "$dump" --format=text-full |
    sed 's/owner=main/owner=0x8000/; s/owner=other+0x3/owner=0x8007/' >"$dir/full.txt"
"$decoder" -q "$dir/lttng" --format=text-full | diff - "$dir/full.txt"
# What tlog-decode added to the LTTng trace is refused where it makes no sense, and the events stay.
for change in 's/__print_symbolic/__print_symbolik/' 's/REC->state/REC->statx/' 's/%hdmV/%qdmV/' 's/hdmV/hdm\x01/' \
    's/\x00address\x00/\x00adress_\x00/'; do
    rm -rf "$dir/bad"
    cp -r "$dir/lttng" "$dir/bad"
    sed -i "$change" "$dir/bad/control/modules_0"
    cmp -s "$dir/lttng/control/modules_0" "$dir/bad/control/modules_0" && exit 1
    code=0
    "$decoder" "$dir/bad" --format=text-full -o "$dir/t.txt" 2>"$dir/err" || code=$?
    [ $code -eq 2 ] && grep -q 'control/modules_0: .*: ignored$' "$dir/err" && diff "$dir/full.txt" "$dir/t.txt" || {
        echo "$change: $code $(cat "$dir/err")"
        exit 1
    }
done
"$decoder" -q "$elf" "$dump" --merge "$dir/records/dump.bin" -o "$dir/merged.txt"
[ "$(grep -c 'adc_sample: *ch=3 mv=-120mV' "$dir/merged.txt")" -eq 2 ]
"$decoder" "$elf" "$dump" -o "$dir/t.txt" 2>"$dir/err"
grep -q 'spans: 0 without an end, 1 without a beginning$' "$dir/err"
echo "names and fields"

# ---- filters ---------------------------------------------------------------------------------------------------------

# left EXPECTED INPUT FILTER: how many events of the input are left
left() {
    # shellcheck disable=SC2086
    "$decoder" -q $2 --filter="$3" -o "$dir/f.txt"
    [ "$(shown "$dir/f.txt" | wc -l)" -eq "$1" ] || { echo "$2 $3: not $1 events"; cat "$dir/f.txt"; exit 1; }
}

for each in "$elf $dump" "$dir/events/t.dat"; do
    left 1 "$each" 'adc_sample.mv < -100 && ch == 3'
    left 1 "$each" 'rpm > 624.4'
    left 1 "$each" 'motor_state.state == STALL'
    left 2 "$each" 'value < 0 || temp < 0'
    left 5 "$each" 'user:control_*'
    left 22 "$each" '!(path ~ "log*")'
    left 1 "$each" 'bits & TX'
done
left 1 "$dir/lttng" 'rpm < 0'
left 1 "$dir/lttng" 'mv == -120'
"$decoder" "$elf" --filter='stat == 1 || state == STALLED' "$dump" -o "$dir/f.txt" 2>"$dir/err"
grep -q 'dump.bin: --filter: 0 of 23 events are left$' "$dir/err"
grep -q 'no event is or has stat$' "$dir/err"
grep -q 'no field state has a value that is called STALLED$' "$dir/err"
grep -q 'f.txt: 0 events, 1 CPU' "$dir/err"
if "$decoder" --filter='mv < ' "$dump" >"$dir/out" 2>"$dir/err"; then exit 1; fi
[ "$(head -n 1 "$dir/err")" = "tlog-decode: --filter=mv < : column 6: \
a value is missing: a number, \"a text\" or a name" ]

# What the manual says of trace-cmd's own filters.
tracecmd() {
    n=$(trace-cmd report -t -F "$2" "$dir/events/t.dat" 2>/dev/null | grep -c "$3") || true
    [ "$n" -eq "$1" ] || { echo "trace-cmd -F '$2': $n events"; exit 1; }
}
tracecmd 2 'adc_sample: mv > 100' mv=
tracecmd 1 'adc_sample: mv > 100 && mv < 0x8000000000000000' mv=
tracecmd 1 'adc_sample: mv > 0x7fffffffffffffff' mv=-120
tracecmd 1 'adc_sample: mv > 0x7fffffffffffffff && mv < 0xffffffffffffff9c' mv=-120
tracecmd 0 'adc_sample: mv > 0x7fffffffffffffff && mv < 0xffffffffffffff88' mv=
tracecmd 1 'motor/motor_state: rpm > 600' rpm=624.5
tracecmd 1 'user/opened: path == "log.txt"' path=log.txt
tracecmd 1 'motor/motor_state: state == 7' STALL
echo "filters"

# ---- the firmware's file ---------------------------------------------------------------------------------------------

mkdir "$dir/fleet"
for name in events portable; do
    "$decoder" "--save-events=$dir/$name/fw.elf" -o "$dir/$name/fw.events" 2>"$dir/err"
    [ ! -s "$dir/err" ]
    check $name "$dir/$name/dump.bin" "--elf=$dir/$name/fw.events"
done
"$decoder" "--save-events=$dir/texts/fw.elf" -o "$dir/texts/fw.events"
check texts "$dir/texts/dump.bin" "--elf=$dir/texts/fw.events" --typed-text
[ "$(wc -c <"$dir/events/fw.events")" -lt 4096 ]
cp "$dir/events/fw.events" "$dir/fleet/b.events"
cp "$dump" "$dir/fleet/a"
check events "$dump" "--elf-dir=/nonexistent:$dir/fleet"
TLOG_ELF_PATH=$dir/fleet check events "$dump"
cp "$dir/events/fw.elf" "$dir/fleet/a.elf"
TLOG_ELF_PATH=$dir/fleet check events "$dump"

# told CODE LINE...: exit code and messages of the last run; the events are numbers
told() {
    [ "$code" -eq "$1" ]
    shift
    printf 'tlog-decode: %s\n' "$@" "$dir/t.txt: 23 events, 1 CPU, 0.000 s, lost 0, damaged 0" | diff - "$dir/err"
    [ "$(grep -c ' unknown' "$dir/t.txt")" -eq 23 ]
}
decode() {
    code=0
    "$decoder" "$@" "$dump" -o "$dir/t.txt" 2>"$dir/err" || code=$?
}
decode
told 0 "$dump: events that the firmware defines stay numbers: --elf=FILE tells what they are"
decode --elf-dir=/nonexistent
told 0 "$dump: no firmware with build id 4142434445464748 in /nonexistent"
sed 's/main/niam/' "$dir/events/firmware.s" >"$dir/other.s"
arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -Wl,--build-id=0x0102030405060708 "$dir/other.s" -o "$dir/other.elf"
decode "--elf=$dir/other.elf"
told 2 "$dir/other.elf is not the firmware of this dump: build id 0102030405060708, dump has 4142434445464748; \
names may be wrong"
arm-none-eabi-objcopy -R tlog_event "$dir/events/fw.elf" "$dir/bare.elf" 2>/dev/null
decode "--elf=$dir/bare.elf"
told 0 "$dir/bare.elf: no descriptions of events in it: those that the firmware defines stay numbers"
make_dump foreign --foreign
"$decoder" "--elf=$dir/foreign/fw.elf" "$dir/foreign/dump.bin" -o "$dir/t.txt" 2>"$dir/err"
[ "$(grep -c ' unknown' "$dir/t.txt")" -eq 4 ]
grep -q 'dump.bin: 4 events that the firmware defines stayed numbers: not as described in .*fw.elf$' "$dir/err"
echo "the firmware's file"

# A saved file that was cut or changed anywhere is refused, whatever it holds.
python3 - "$decoder" "$dir/events/fw.events" "$dump" "$dir/bad.events" <<'PYTHON'
import subprocess
import sys
decoder, good, dump, bad = sys.argv[1:]
data = open(good, "rb").read()
cases = [data[:n] for n in range(0, len(data), 97)] + [data[:i] + bytes([data[i] ^ 1]) + data[i + 1:]
                                                       for i in range(0, len(data), 101)]
for case in cases:
    open(bad, "wb").write(case)
    run = subprocess.run([decoder, "-q", "--elf=" + bad, dump], capture_output=True)
    assert run.returncode == 1 and b"damaged" in run.stderr or b"not an ELF file" in run.stderr, (case[-40:], run)
print("damaged files of events:", len(cases))
PYTHON
