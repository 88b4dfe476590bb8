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

# A name is the same in every column, as it is; and so is idle's.
cat >"$dir/names.txt" <<'END'
#script
cpus 1
clock 1000000000
name 1 a"b\c,d
switch 0 5 1
acquire 0 6 1 9
switch 0 8 0
event 0 9 1 1
END
for format in csv jsonl; do
    "$build/test/tlog-decode-script" -q --format=$format "$dir/names.txt" -o "$dir/names.$format"
done
python3 - "$dir/names.csv" "$dir/names.jsonl" <<'END' || fail "names"
import csv
import json
import sys
with open(sys.argv[1], encoding="ascii", newline="") as file:
    rows = [{**row, "fields": json.loads(row["fields"])} for row in csv.DictReader(file)]
with open(sys.argv[2], encoding="ascii") as file:
    objects = [json.loads(line) for line in file]
for told in rows, objects:
    switched, acquired, left, idle = told
    names = {switched["fields"]["next_comm"], acquired["task"], acquired["fields"]["context_name"],
             left["fields"]["prev_comm"]}
    assert names == {'a"b\\c,d'}, names
    assert {left["fields"]["next_comm"], idle["task"]} == {"idle"}, (left, idle)
END
