#!/bin/sh
# kev.sh BUILD - .kev files with whole programs. Files that an independent script wrote are read; what was read is
# written and read again; trace.dat files made of them are judged by programs of other projects.
set -eu
build=$1
. tests/lib/needs.sh
needs python3 trace-cmd "$build/check_tracedat" "$build/check_kshark"
decoder=$build/tlog-decode
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
    echo "kev: $*"
    exit 1
}

python3 tests/judges/kev.py "$decoder" "$dir"
python3 tests/decoder/qnx/again.py "$decoder" "$dir"
rm "$dir/again.kev"

# again FILE: what is written of it as .kev is read as the same events, and written again as the same bytes
again() {
    "$decoder" -q --map=native "$1" --format=text-full -o "$dir/1.txt"
    "$decoder" -q "$1" -o "$dir/1.kev"
    "$decoder" -q --map=native "$dir/1.kev" --format=text-full -o "$dir/2.txt"
    "$decoder" -q "$dir/1.kev" -o "$dir/2.kev"
    cmp "$dir/1.txt" "$dir/2.txt" || fail "$1: other events the second time"
    cmp "$dir/1.kev" "$dir/2.kev" || fail "$1: other bytes the second time"
}

for file in "$dir"/*-[01].kev; do
    again "$file"
done

# What QNX wrote is written again, slot by slot. (One of six-0 is not: a buffer cuts it.)
for file in simple-0 eight-0 many-0; do
    "$decoder" -q "$dir/$file.kev" -o "$dir/1.kev"
    python3 tests/judges/kev.py compare "$dir/$file.kev" "$dir/1.kev" || fail "$file"
done

[ "${TIER:-}" != quick ] || rm "$dir/many-0.kev"
for file in "$dir"/many-[01].kev; do
    "$decoder" "$file" -o "$dir/many.dat" 2>"$dir/summary"
    events=$(($(sed -n 's/.* \([0-9]*\) events\{0,1\} (+\([0-9]*\) derived).*/\1 + \2/p' "$dir/summary")))
    losses=$(trace-cmd report "$dir/many.dat" 2>/dev/null | grep -c 'EVENTS DROPPED')
    [ "$losses" -eq 2 ] || fail "$losses losses, expected one on each CPU"
    sh tests/judges/conform.sh "$build" "$dir/many.dat" "$events" "$losses"
done

# Events of S.Ha.R.K. become events of QNX or texts: as many as there were, at the same times, on the same CPUs. Behind
# a trace_stop QNX has a loss.
"$build/gen_dump" --sealed --cpus=2 --slots=64 --chunks=4 --drops=20 --events=3000 -o "$dir/dump.bin"
stamps() {
    "$decoder" -q --map=native "$1" | awk -f tests/lib/stops.awk | grep -v '^cpus' |
        sed 's/^.* \(\[[0-9]*\] *[0-9.]*\): .*/\1/'
}
"$decoder" -q "$dir/dump.bin" -o "$dir/dump.kev"
stamps "$dir/dump.bin" >"$dir/times"
stamps "$dir/dump.kev" |
    diff "$dir/times" - || fail "a dump's events have other times or CPUs"

# Events and names at the same time get stamps of their own, and the first event keeps its.
"$build/gen_dump" --sealed --names=9 --hz=1000 --events=300 -o "$dir/dense.bin"
"$decoder" -q "$dir/dense.bin" -o "$dir/dense.kev"
python3 tests/judges/kev.py unique "$dir/dense.kev" || fail "stamps that are not unique"

# Where the beginning of a CPU is lost, it is not known which task ran, unless an event of S.Ha.R.K. tells it, which kev
# does not have. It must not become known by the names of tasks, which are written as events: they must not come before
# the losses.
"$build/gen_dump" --sealed --cpus=2 --slots=32 --chunks=2 --names=5 --events=300 -o "$dir/lapped.bin"
"$decoder" -q "$dir/lapped.bin" -o "$dir/lapped.kev"
"$decoder" -q --format=lttng "$dir/lapped.bin" -o "$dir/lapped.lttng"
for file in "$dir"/lapped.*; do
    "$decoder" -q --map=native --format=text-full "$file" -o "$dir/lapped"
    for cpu in 0 1; do
        sed -n "/^CPU:$cpu .*DROPPED/,\$ { /\[00$cpu\]/ { s/ *\[.*//; p; q; } }" "$dir/lapped" >"$dir/first"
        [ "$file" != "$dir/lapped.bin" ] || cp "$dir/first" "$dir/first-$cpu"
        grep -q '^ *<...>-69999$' "$dir/first" ||
            { [ "$file" != "$dir/lapped.kev" ] && cmp -s "$dir/first" "$dir/first-$cpu"; } ||
            fail "$file: the first task of CPU $cpu"
    done
    if grep 'boot-65536' "$dir/lapped"; then fail "$file: boot"; fi
done
echo "kev: read, written, read again, conforming"
