#!/bin/sh
# merge.sh - checks several buffers and several boards: chunks as instances of a trace.dat; and the dumps of two boards
# of different kinds, whose clocks differ, on one timeline.
# usage: merge.sh BUILD
# Judges: trace-cmd, libtracecmd, libkshark; merge.py, which computes the times from the dumps.
set -eu
build=$(realpath "$1")
. tests/lib/needs.sh
needs python3 trace-cmd valgrind "$build/check_tracedat" "$build/check_kshark"
dir=$build/test/merge
decoder=$build/tlog-decode
script=$build/test/tlog-decode-script
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"

fail() {
    echo "FAILED: $*"
    exit 1
}

# run_board NAME BOARD SOURCE FLAGS...: build SOURCE, run it, and keep its dump as $dir/NAME.bin
run_board() {
    name=$1 board=$2
    shift 2
    mkdir -p "$dir/$name"
    firmware "$board" "$dir/$name/firmware.elf" "$@"
    emulate "$board" "$dir/$name/firmware.elf"
    mv "$dir/$name/dump.bin" "$dir/$name.bin"
}

run_board chunks mps2-an385 tests/system/merge/chunks.c -DTLOG_ARENA=1 -Wl,--defsym=TLOG_ARENA_SIZE=65536
run_board a mps2-an385 tests/system/merge/board.c -DREAL_HZ=25000000 -DBEGIN=10 -DN=240 -DPARITY=0 \
    -DTLOG_SLOTS=2000
run_board b microbit tests/system/merge/board.c -DREAL_HZ=16000000 -DTLOG_CLOCK_HZ=16000800 -DBEGIN=2500 \
    -DN=240 -DPARITY=1 -DTLOG_SLOTS=520
for each in "a 0 left" "b 1 right"; do
    # shellcheck disable=SC2086
    set -- $each
    run_board "say-$1" mps2-an385 tests/system/merge/board.c -DREAL_HZ=25000000 -DBEGIN=10 -DN=10 \
        "-DPARITY=$2" -DTLOG_TRACEEVENTS=1 "-DSAY=\"$3 %u\""
done
cd "$dir"

# ---- instances -----------------------------------------------------------------------------------------------------

# What chunks.c logs: 1 switch and 50 events in the ring; 20 turns of 1 switch and 25 events in chunk 0, which keeps all
# 520; as many in chunk 1, and the mark of the dump: its 100 slots keep the last 100, behind a switch to the unknown
# task.
expected_instances="top 51 chunk-0 520 chunk-1 101 dropped 421"

# instances FILE: print how many lines of trace-cmd's report each instance has. Where there is the mark of a loss,
# trace-cmd prints the name of the instance before the mark and not before the event.
instances() {
    trace-cmd report -t "$1" 2>err | sed '/EVENTS DROPPED/{N;s/CPU:.*\[\([0-9]*\) EVENTS.*\n\(.*\)$/\2 after \1/}' |
        awk '
        / after / { dropped += $NF }
        /^cpus=/ { next }
        { name = $1 ~ /^chunk-/ ? $1 : "top"; n[name]++ }
        /user_event_1/ { split($0, part, "par1="); where = part[2] + 0
            if ((where == 0 && name != "top") || (where > 0 && name != "chunk-" where - 1 ":")) print "astray: " $0 }
        END { printf "top %d chunk-0 %d chunk-1 %d dropped %d\n", n["top"], n["chunk-0:"], n["chunk-1:"], dropped }'
    [ ! -s err ] || fail "trace-cmd report $1: $(cat err)"
}

"$decoder" -q chunks.bin -o plain.dat
trace-cmd report -t plain.dat 2>/dev/null | grep -v DROPPED >plain.txt
for options in "" --compress=zstd --endian=big --long-size=4 --page-size=65536 "--page-size=16384 --compress=zstd" \
    --raw-tsc; do
    # shellcheck disable=SC2086
    "$decoder" -q --instances $options chunks.bin -o chunks.dat
    trace-cmd dump --all chunks.dat >dump.txt || fail "dump $options"
    grep -q 'buffer flyrecord chunk-1' dump.txt || fail "the name of a section, $options"
    [ "$(instances chunks.dat)" = "$expected_instances" ] || fail "instances $options: $(instances chunks.dat)"
    trace-cmd report -t chunks.dat 2>/dev/null | sed 's/^chunk-.: //' | grep -v DROPPED |
        diff -b - plain.txt >/dev/null || fail "the same lines without instances, $options"
    "$build/check_tracedat" chunks.dat | grep -q '^events 672 lost 421 .* unknown 0 disordered 0$' ||
        fail "libtracecmd $options"
    [ "$("$build/check_kshark" chunks.dat)" = "entries 672 marks 1 tasks 8 disordered 0 untold 0" ] ||
        fail "libkshark $options"
done
"$decoder" -q --instances chunks.bin -o chunks.dat
trace-cmd report --stat chunks.dat >stat.txt
[ "$(sed -n '/^Buffer: chunk-1/,$s/^overrun: //p' stat.txt)" = 421 ] || fail "overrun of chunk-1"
[ "$(sed -n '/^CPU: 0/,/^$/s/^overrun: //p' stat.txt | head -n 1)" = 0 ] || fail "overrun of the ring"
[ "$(sed -n 's/^read events: //p' stat.txt | tr '\n' ' ')" = "51 671 520 101 " ] || fail "read events"
valgrind -q --error-exitcode=9 trace-cmd report chunks.dat >/dev/null 2>err || fail "valgrind: $(cat err)"
mkdir nothing
code=0
TMPDIR=/dev/null "$decoder" -q --instances chunks.bin -o nothing/t.dat 2>err || code=$?
[ "$code" = 1 ] && [ -z "$(ls -A nothing)" ] || fail "no room for temporary files"
[ "$(cat err)" = "tlog-decode: nothing/t.dat: cannot make a temporary file in /dev/null: Not a directory" ] ||
    fail "$(cat err)"
"$decoder" -q --instances a.bin -o none.dat
"$decoder" -q a.bin -o a.dat
cmp none.dat a.dat || fail "a dump without chunks of its own has no instances"

# ---- two boards ----------------------------------------------------------------------------------------------------

# lines FILE...: print trace-cmd's report as lines for merge.py; each board is a CPU of one file, or one of two files
lines() {
    files=
    for file; do files="$files -i $file"; done
    # shellcheck disable=SC2086
    trace-cmd report -t $files 2>err | sed -n 's/^ *host-guest\.dat:/[001]/;s/^ *host\.dat:/[000]/
        s/: *par1=\([0-9]*\) par2=\([0-9]*\)$/ \1 \2/
        s/^[^[]*\[00\([01]\)\].* \([0-9]*\)\.\([0-9]*\): \(user_event_[01] [0-9]* [0-9]*\)$/\2\3 \1 \4/p'
    [ ! -s err ] || fail "trace-cmd report: $(cat err)"
}

# kshark_lines FILE...: print lines for merge.py from libkshark
kshark_lines() {
    "$build/check_kshark" --list "$@" |
        sed -n 's/^\([01]\) \([0-9]*\) .* shark.\(user_event_[01]\) par1=\([0-9]*\) par2=\([0-9]*\)$/\2 \1 \3 \4 \5/p'
}

# judge LINES: merge.py's verdict about the two boards' events
judge() {
    python3 "$OLDPWD/tests/system/merge/merge.py" a.bin b.bin 10 240 -2490 50 <"$1"
}

"$decoder" --merge a.bin b.bin --sync=user_event_0 -o merged.dat 2>merged.err
tied='12 pairs of user_event_0 with a.bin: times -[0-9]* ns, drift +[0-9.]* ppm, off by [0-9]* ns at most'
grep -q "^tlog-decode: b.bin: $tied$" merged.err || fail "$(cat merged.err)"
lines merged.dat >merged.lines
judge merged.lines
trace-cmd dump --all merged.dat >/dev/null
[ "$(trace-cmd report -t merged.dat | grep -c '2:ISR:timer-170009 .001. .*user_event_1')" = 120 ] ||
    fail "tasks of the second board"
[ "$(trace-cmd report -t merged.dat | grep -c '1:ISR:timer-70009 .000. .*user_event_1')" = 120 ] ||
    fail "tasks of the first board"
"$build/check_kshark" merged.dat | grep -q '^entries 1466 marks 0 tasks 8 disordered 0 untold 0$' ||
    fail "libkshark, merged"

"$decoder" -q a.bin --guest=guest:b.bin --sync=user_event_0:par2 -o host.dat
lines host.dat host-guest.dat >host.lines
judge host.lines
kshark_lines host.dat host-guest.dat >kshark.lines
judge kshark.lines
kshark_lines host-guest.dat host.dat | sed 's/ 0 user/ 2 user/;s/ 1 user/ 0 user/;s/ 2 user/ 1 user/' >kshark.lines
judge kshark.lines
for file in host.dat host-guest.dat; do
    trace-cmd dump --all $file >/dev/null
    trace-cmd report --verbose=warning --check-events -i $file >/dev/null 2>err
    [ ! -s err ] || fail "$file: $(cat err)"
    valgrind -q --error-exitcode=9 trace-cmd report -i $file >/dev/null 2>err || fail "valgrind $file: $(cat err)"
done
id() { trace-cmd dump --options "$1" | sed -n '/Option TRACEID/{n;p}'; }
trace-cmd dump --options host.dat | grep -A2 'Option GUEST' | tr '\n' ' ' |
    grep -q "guest .Guest name. $(id host-guest.dat) " || fail "the host names the guest"
trace-cmd dump --options host-guest.dat | grep -q "^$(id host.dat) .peer's trace id" || fail "the guest names the host"
[ "$(id host.dat)" != "$(id host-guest.dat)" ] || fail "two ids"

# With the boards' roles exchanged, so that the offset has the other sign; and compressed.
"$decoder" -q b.bin --guest=x:a.bin --sync=shark:user_event_0:par2 --compress=zstd -o other.dat
[ "$(trace-cmd report -t -i other.dat -i other-x.dat | grep -o 'user_event_1.*' | sed 's/.*par2=//' | tr '\n' ' ')" = \
    "$(seq -s ' ' 0 239) " ] || fail "the other board as host"

# The two firmwares have different texts at the same addresses; each board's texts must come from its own ELF file.
printed() { trace-cmd report -t "$1" 2>err | sed -n 's/.* bprint: *[a-z_+0-9]*:* *\(.*\)$/\1/p' | tr '\n' ' '; }
"$decoder" -q say-a.bin --elf=say-a/firmware.elf --guest=x:say-b.bin --elf=say-b/firmware.elf -o say.dat
[ "$(printed say.dat)" = "left 0 left 2 left 4 left 6 left 8 " ] || fail "texts of the host: $(printed say.dat)"
[ "$(printed say-x.dat)" = "right 1 right 3 right 5 right 7 right 9 " ] ||
    fail "texts of the guest: $(printed say-x.dat)"

# ---- times by hand -------------------------------------------------------------------------------------------------

# b's clock starts 5 s after a's and is 1000 ppm slow: 1 s and 2 s of b's clock are 6.001 and 7.002 s of a's.
printf '#script\ncpus 1\nclock 1000000000\nevent 0 1000000000 1 1\nevent 0 6001000000 1 2\nevent 0 7002000000 1 3\n' \
    >one
printf '#script\ncpus 1\nclock 1000000000\nevent 0 1000000000 2 2\nevent 0 1500000000 2 9\nevent 0 2000000000 2 3\n' \
    >two
# shown ARGUMENT...: decode, and print time and par2 of b's events
shown() {
    "$script" -q "$@" -o t.dat || fail "$*"
    files="-i t.dat"
    [ ! -e t-b.dat ] || files="$files -i t-b.dat"
    # shellcheck disable=SC2086
    trace-cmd report -t $files | sed -n 's/.* \([0-9.]*\): user_event_0: *par1=2 par2=\([0-9]*\)/\1=\2/p' | tr '\n' ' '
    rm -f t.dat t-b.dat
}
by_hand="6.001000000=2 6.501500000=9 7.002000000=3 "
for options in --sync=user_event_0 --sync=user_event_0:par2 --sync=+5,1000; do
    [ "$(shown --merge one two $options)" = "$by_hand" ] || fail "merged $options: $(shown --merge one two $options)"
    [ "$(shown one --guest=b:two $options)" = "$by_hand" ] || fail "guest $options: $(shown one --guest=b:two $options)"
done
[ "$(shown --merge one two --sync=-0.25)" = "0.750000000=2 1.250000000=9 1.750000000=3 " ] || fail "an offset, merged"
[ "$(shown one --guest=b:two --sync=-0.25)" = "0.750000000=2 1.250000000=9 1.750000000=3 " ] || fail "an offset, guest"
[ "$(shown one --guest=b:two)" = "1.000000000=2 1.500000000=9 2.000000000=3 " ] || fail "one clock"
# 1 s of b's clock is 9 s before time 0 of a's, so the decoder adds 10 s to all times.
[ "$(shown one --guest=b:two --sync=-10)" = "1.000000000=2 1.500000000=9 2.000000000=3 " ] ||
    fail "before time 0, guest"
[ "$(shown --merge one two --sync=-10)" = "1.000000000=2 1.500000000=9 2.000000000=3 " ] || fail "before time 0, merged"

# Three hours in which b's clock loses 1 %: the file gives readers more than two points of the offset.
printf '#script\ncpus 1\nclock 1000000000\nevent 0 10000000000 1 1\nevent 0 10110000000000 1 3\n' >long-one
printf '#script\ncpus 1\nclock 1000000000\n' >long-two
printf 'event 0 10000000000 2 1\nevent 0 5010000000000 2 2\nevent 0 10010000000000 2 3\n' >>long-two
long_day="10.000000000=1 5060.000000000=2 10110.000000000=3 "
[ "$(shown --merge long-one long-two --sync=user_event_0)" = "$long_day" ] || fail "a long day, merged"
[ "$(shown long-one --guest=b:long-two --sync=user_event_0)" = "$long_day" ] || fail "a long day, guest"
"$script" -q long-one --guest=b:long-two --sync=user_event_0 -o t.dat
[ "$(trace-cmd dump --options t-b.dat | grep -c 'offset \* scaling')" -gt 1000 ] || fail "points of a long day"

# ---- what is refused -----------------------------------------------------------------------------------------------

mkdir out
# refused MESSAGE ARGUMENTS...: the decoder ends with code 1 and that message, and leaves no file
refused() {
    message="tlog-decode: $1"
    shift
    code=0
    "$script" "$@" -o out/t.dat >/dev/null 2>err || code=$?
    [ "$code" = 1 ] || fail "exit code $code: $*"
    [ "$(head -n 1 err)" = "$message" ] || fail "$*: $(cat err)"
    [ -z "$(ls -A out)" ] || fail "left behind by $*: $(ls -A out)"
}
: >empty
printf '#script\ncpus 1\nclock 1000000000\nevent 0 5 1 7\n' >lonely
printf '#script\ncpus 1\nclock 1000000000\n' >silent
printf '#script\ncpus 1\nclock 0\nevent 0 5 1 1\n' >clockless
{ cat one; printf 'event 0 7500000000 1 4\n'; } >one4
printf '#script\ncpus 1\nclock 1000000000\nevent 0 1000000000 2 2\nevent 0 2000000000 2 3\nevent 0 4000000000 2 4\n' \
    >fast
printf '#script\ncpus 1\nclock 1000000000\nevent 0 0 1 1\nevent 0 1000000000 1 2\nevent 0 2000000000 1 3\n' >line
printf '#script\ncpus 1\nclock 1000000000\nevent 0 0 1 1\nevent 0 1900000000 1 2\nevent 0 2000000000 1 3\n' >bent
printf '#script\ncpus 1\nclock 1000000000\nevent 0 0 1 1\nfail 0 the flash is worn\n' >worn
ln -s one same
refused "two: one input at a time, and that is one; --merge or --guest is for dumps of several boards" one two
refused "two: one input at a time, and that is one" one two --guest=b:fast
refused "--merge is for several inputs, and there is only one" --merge one
refused "--merge and --guest contradict each other" --merge one two --guest=b:fast
refused "--sync is for several inputs" one --sync=user_event_0
refused "--sync=a:b:c:d: neither EVENT[:FIELD] nor +SECONDS[,PPM] or -SECONDS[,PPM]" --merge one two --sync=a:b:c:d
refused "--sync=+1,60000: neither EVENT[:FIELD] nor +SECONDS[,PPM] or -SECONDS[,PPM]" --merge one two --sync=+1,60000
refused "--sync=+: neither EVENT[:FIELD] nor +SECONDS[,PPM] or -SECONDS[,PPM]" --merge one two --sync=+
refused "--sync=: neither EVENT[:FIELD] nor +SECONDS[,PPM] or -SECONDS[,PPM]" --merge one two --sync=
refused "--sync: one offset cannot be right for 2 inputs; name an event" --merge one two fast --sync=+1
refused '--guest=b: not NAME:DUMP with a name of letters, digits, "_" and "-", at most 31' one --guest=b
refused '--guest=a/b:two: not NAME:DUMP with a name of letters, digits, "_" and "-", at most 31' one --guest=a/b:two
refused '--guest=:two: not NAME:DUMP with a name of letters, digits, "_" and "-", at most 31' one --guest=:two
refused "--guest=b: two guests of that name" one --guest=b:two --guest=b:fast
refused "--guest is not for trace.dat-v6" one --guest=b:two --format=trace.dat-v6
refused "--start-time is not for --guest" one --guest=b:two --start-time=@1
refused "--raw-tsc is for one clock, not for several inputs" --merge one two --raw-tsc
refused "--instances is not for trace.dat-v6" one --instances --format=trace.dat-v6
refused "--elf=y: a merged file holds the names of one firmware" --merge one two --elf=x --elf=y
refused "--elf=z: there is no input for it" one --guest=b:two --elf=x --elf=y --elf=z
refused "one: is given twice" --merge one one
refused "same: is given twice" one --guest=b:same
refused "udp:1: receives, and that is for one input alone" --merge one udp:1
refused "missing: No such file or directory" one --guest=b:missing
refused "missing: No such file or directory" --merge one missing
refused "no script, trace.dat, shark, kev, lttng dump found in empty (0 bytes)" one --guest=b:empty
refused "one and lonely have no event user_event_0 of the same number (3 and 1 are there)" one --guest=b:lonely \
    --sync=user_event_0
refused "one and silent have no event user_event_0 of the same number (3 and 0 are there)" one --guest=b:silent \
    --sync=user_event_0
refused "one and two have no event nothing of the same number (0 and 0 are there)" --merge one two --sync=nothing
refused "clockless: the clock's frequency is not known; --clock-hz=N tells it" one --guest=b:clockless
# Times t = 1, 2, 4 and differences d = 5.001, 5.002, 3.5: the sum of (t - 7/3) * (d - 4.501) is -2.502, the sum of
# (t - 7/3)^2 is 14/3, and their quotient is the drift.
refused "fast: by 3 pairs of user_event_0 the clock would be wrong by -53.6 %: not one firmware's" one4 --guest=b:fast \
    --sync=user_event_0
refused "worn: the flash is worn" one --guest=b:worn
refused "worn: the flash is worn" --merge one worn
refused "a.dat: events of trace.dat bear tasks of their own and cannot be merged" --merge one a.dat
# Times t = 0, 1, 2 and differences d = 0, 0.9, 0: the fitted line is d = 0.3.
far="number 2 is off by 600000000 ns, and they are 1000000000 ns apart"
refused "line: 3 pairs of user_event_0 contradict each other: $far" bent --guest=b:line --sync=user_event_0
for output in - ""; do
    code=0
    "$script" one --guest=b:two --format=trace.dat ${output:+-o "$output"} >/dev/null 2>err || code=$?
    [ "$code" = 1 ] && grep -q 'writes a second file beside the first: -o FILE says where' err ||
        fail "--guest to standard output"
done
cp one out/t-b.dat
code=0
"$script" one --guest=b:out/t-b.dat -o out/t.dat 2>err || code=$?
[ "$code" = 1 ] && grep -q 'out/t-b.dat: is the input, and stays as it is' err && cmp -s one out/t-b.dat ||
    fail "the guest is the output"
rm out/t-b.dat

# A guest without events gives a file without events.
"$script" -q one --guest=b:silent -o out/t.dat || fail "a silent guest"
[ "$(trace-cmd report -t -i out/t.dat -i out/t-b.dat | grep -c user_event_0)" = 3 ] || fail "with a silent guest"

# Sync numbers that occur twice are left out, and damage in either input sets the exit code to 2.
{ cat two; printf 'event 0 2500000000 2 2\n'; } >twice
"$script" one --guest=b:twice --sync=user_event_0 -o out/t.dat 2>err || fail "a number that comes twice: $(cat err)"
grep -q '^tlog-decode: twice: 1 number of user_event_0 came more than once, there or in one, and were left out$' err \
    || fail "$(cat err)"
tied='1 pair of user_event_0 with one: times +5002000000 ns, drift +0.000 ppm, off by 0 ns at most'
grep -q "^tlog-decode: twice: $tied$" err || fail "$(cat err)"
{ cat two; printf 'damage 0 3000000000 8 16 1 a hole\n'; } >damaged
for how in --merge "one --guest=b:damaged"; do
    code=0
    # shellcheck disable=SC2086
    "$script" $how $([ "$how" = --merge ] && echo one damaged) --sync=user_event_0 -o out/t.dat 2>err || code=$?
    [ "$code" = 2 ] && [ "$(grep -c 'a hole' err)" = 1 ] || fail "damage, $how: $code $(cat err)"
done
echo "all as expected"
