#!/bin/sh
# early.sh - times near 0: no output moves a time but trace.dat, which can hold none before 1000 ns: all its times are
# 1 us later then, or a second if there are several inputs, and the summary says so.
# usage: early.sh BUILD
set -eu
export LC_ALL=C
. tests/lib/needs.sh
needs trace-cmd babeltrace2
build=$1
dir=$build/test/early
decode=$PWD/$build/test/tlog-decode-script
rm -rf "$dir"
mkdir -p "$dir/none"
cd "$dir"

fail() {
    echo "early.sh: $*"
    exit 1
}

# script FILE CLOCK TIME...: an input with these events, in turn of CPU 1 and CPU 0; par2 is the time
script() {
    to=$1
    printf '#script\ncpus 2\nclock %s\n' "$2" >"$to"
    shift 2
    cpu=1
    for time; do
        echo "event $cpu $time 1 $time" >>"$to"
        cpu=$((1 - cpu))
    done
}

# found LATER: what is read on standard input are lines "time par2" of events; each is that much later than par2
found() {
    awk -v later="$1" '{ n++; if ($1 - $2 != later) print "moved: " $0 } END { print n " events" }'
}

# lines: "time par2" of lines of text, whose times are seconds or ticks
lines() {
    sed -n 's/^.*\] *\([0-9]*\)\.\{0,1\}\([0-9]*\): .*par1=1 par2=\([0-9]*\).*$/\1\2 \3/p'
}

# is SEEN EXPECTED WHAT
is() {
    [ "$1" = "$2" ] || fail "$3: $1, not $2"
}

# stays FILE: the times of a script's 6 events are the script's in every format that shows a time
stays() {
    for format in text trace.dat-text text-full; do
        "$decode" -q --format=$format "$1" -o out
        is "$(grep -a par2 out | lines | found 0)" "6 events" "$1 $format"
    done
    "$decode" -q --format=csv --map=native "$1" -o out
    is "$(sed -n 's/^\([0-9]*\),.*"\{0,1\}par2"*: *\([0-9]*\).*/\1 \2/p' out | found 0)" "6 events" "$1 csv"
    "$decode" -q --format=jsonl --map=native "$1" -o out
    is "$(sed -n 's/^{"time[_a-z]*":\([0-9]*\),.*"par2": *\([0-9]*\).*/\1 \2/p' out | found 0)" "6 events" "$1 jsonl"
    "$decode" -q --format=ctf "$1" -o out.ctf
    is "$(babeltrace2 --clock-cycles out.ctf |
        sed -n 's/^\[0*\([0-9][0-9]*\)\].*par1 = 1, par2 = \([0-9]*\).*/\1 \2/p' | found 0)" "6 events" "$1 ctf"
    for format in kev lttng; do
        rm -rf out
        "$decode" -q --format=$format "$1" -o out
        "$decode" -q --format=text out 2>err | lines >seen
        is "$(found 0 <seen)" "6 events" "$1 $format"
        rm -rf out
    done
    "$decode" -q --format=vcd "$1" -o out
    is "$(sed -n 's/^#\([0-9]*\)$/\1/p' out | head -n 1)" "$2" "$1 vcd"
    "$decode" --stat --json "$1" >out
    grep -q "\"first\": *$2," out || fail "$1: --stat begins elsewhere"
}

# moves FILE LATER SAID OPTION...: in trace.dat the times are that much later, and the summary says so
moves() {
    what="$*" later=$2 said=$3 input=$1
    shift 3
    "$decode" "$@" "$input" -o out.dat 2>err
    is "$(trace-cmd report -t out.dat 2>/dev/null | lines | found "$later")" "6 events" "$what"
    is "$(sed -n 's/.*; all times in it are //p' err)" "$said" "$what"
}

script early 1000000000 446 2000 857 3000 1212 4000
script zero 1000000000 0 2000 1 3000 2 4000
script ticks 0 446 2000 857 3000 1212 4000
script late 1000000000 1000 2000 1001 3000 1212 4000
stays early 446
stays zero 0
stays ticks 446
stays late 1000
# Names of tasks, which stand in front of the first event in a kev file, do not move it.
printf 'name 1 one\nname 2 two\nname 3 three\n' | sed '/^clock/r /dev/stdin' early >named
sed 's/ 446$/ 0/;s/ 446 / 0 /' named >named-zero
stays named 446
stays named-zero 0

# Records of S.Ha.R.K., with par2 as the time: user_event_0 at 5, 100 and 1000 ticks.
for time in '\5\0' '\144\0' '\350\3'; do
    printf "\11\0\1\0\0\0\0\0$time\0\0$time\0\0"
done >records.shark
for format in shark kev lttng text; do
    rm -rf out
    "$decode" -q --format=$format records.shark -o out
    [ $format = text ] || "$decode" -q --format=text --clock-hz=1000000000 out -o out.txt
    [ $format = text ] && mv out out.txt
    is "$(lines <out.txt | found 0)" "3 events" "records as $format"
done

is "$("$decode" -q --time=0.000000500..0.000001000 early | lines)" "0000000857 857" "--time"
for options in "" --map=native --format=trace.dat-v6 --compress=zstd --endian=big --long-size=4 --instances; do
    # shellcheck disable=SC2086
    moves early 1000 "1 us later" $options
    # shellcheck disable=SC2086
    moves zero 1000 "1 us later" $options
    # shellcheck disable=SC2086
    moves ticks 1000 "1000 ticks later" $options
    # shellcheck disable=SC2086
    moves late 0 "" $options
done
moves early 1000 "1 us later" --raw-tsc
# A slow clock: a tick is 30 us, so only tick 0 is too early, and a tick is 1 us or more.
printf '#script\ncpus 1\nclock 32768\nevent 0 0 1 0\nevent 0 30517 1 1\nevent 0 61035 1 2\n' >slow
"$decode" -q --raw-tsc slow -o out.dat
is "$(trace-cmd report --raw-ts -t out.dat 2>/dev/null | lines | found 1)" "3 events" "ticks of a slow clock"
"$decode" -q --start-time=@1.0 zero -o out.dat
is "$(trace-cmd report -t out.dat 2>/dev/null | lines | found 1000000000)" "6 events" "--start-time"
# What is left out plays no part: an event has one time in all files.
"$decode" -q --time=0.000002.. early -o out.dat
is "$(trace-cmd report -t out.dat 2>/dev/null | lines | found 1000)" "3 events" "--time of trace.dat"

# Several inputs: whole seconds in trace.dat, nothing elsewhere.
script other 1000000000 5000 2000 5001 3000 6000 7000
"$decode" -q --merge other early -o out.txt
is "$(lines <out.txt | found 0)" "12 events" "text of --merge"
for inputs in "other early" "early other" "zero late"; do
    # shellcheck disable=SC2086
    "$decode" --merge $inputs -o out.dat 2>err
    is "$(trace-cmd report -t out.dat 2>/dev/null | lines | found 1000000000)" "12 events" "--merge $inputs"
    grep -q '; all times in it are 1 s later$' err || fail "--merge $inputs says $(cat err)"
done
"$decode" -q --merge other late -o out.dat
is "$(trace-cmd report -t out.dat 2>/dev/null | lines | found 0)" "12 events" "--merge without early ones"
for inputs in "other --guest=g:early" "early --guest=g:other"; do
    # shellcheck disable=SC2086
    "$decode" -q $inputs -o out.dat
    is "$(trace-cmd report -t -i out.dat -i out-g.dat 2>/dev/null | lines | found 1000000000)" "12 events" "$inputs"
done
"$decode" -q other --guest=g:early --sync=+0.000010,1000 -o out.dat
"$decode" -q other --guest=g:early --sync=+1.000010,1000 -o late.dat
[ "$(trace-cmd report -t -i out.dat -i out-g.dat 2>/dev/null | sed -n 's/out-g.dat://p' | lines | head -n 1)" = \
    "1000010446 446" ] || fail "a guest with an offset"
echo "times near 0: as they are in every output, and later only in trace.dat"
