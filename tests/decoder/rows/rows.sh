#!/bin/sh
# rows.sh - CSV and JSON lines of dumps of every kind, read by Python's csv and json.
# usage: rows.sh BUILD
set -eu
. tests/lib/needs.sh
needs python3
build=$1
dir=$build/test/rows
decoder=$build/tlog-decode
rm -rf "$dir"
mkdir -p "$dir"

fail() {
    echo "rows: $*"
    exit 1
}

# agree ARGUMENT...: rows and lines of text have the same events
agree() {
    python3 tests/judges/rows.py "$decoder" "$@" || fail "$*"
}

agree --elf="$build/demo/firmware.elf" "$build/demo/dump.bin"
"$build/gen_dump" --drops=20 --cpus=3 --names=5 --events=400 -o "$dir/cpus.bin"
"$build/gen_dump" --traceevents=60 --longest=6 --user --texts --unknown --events=500 --drops=10 -o "$dir/events.bin"
for dump in cpus events; do
    agree "$dir/$dump.bin"
    agree --map=native "$dir/$dump.bin"
    head -c 3000 "$dir/$dump.bin" >"$dir/damaged.bin"
    tail -c +3050 "$dir/$dump.bin" >>"$dir/damaged.bin"
    agree "$dir/damaged.bin"
    "$decoder" -q --format=csv "$dir/damaged.bin" | grep -q ',damage,tlog,damage,' || fail "$dump: no damage"
done
