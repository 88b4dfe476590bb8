#!/bin/sh
# toy_reader.sh - checks that host/README.md says all that is needed to add a reader: adds one file and two lines to a
# copy of the decoder, which must then read a trace of the new format and write its events.
# usage: toy_reader.sh BUILD
# Judges: expected text; trace-cmd.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
dir=$build/test/toy
rm -rf "$dir"
mkdir -p "$dir/build"
cp -a Makefile host target port linker tests "$dir/"
cp -a "$build/host" "$dir/build/"

mkdir "$dir/host/formats/toy"
cp tests/gen/toy_reader.c "$dir/host/formats/toy/reader.c"
python3 tests/strength/replace.py "$dir/host/library/readers.h" "declaration" \
    'extern const struct trace_reader reader_native;' 'extern const struct trace_reader reader_native;
extern const struct trace_reader reader_toy;'
python3 tests/strength/replace.py "$dir/host/library/readers.c" "table" "{&reader_native, " \
    "{&reader_toy, &reader_native, "
make -s -C "$dir" BUILD=build build/tlog-decode >/dev/null

# A file of three events and a part of a fourth.
printf 'TOYTRACE\1\0\0\0\7\0\0\0\2\0\0\0\10\0\0\0\3\0\0\0\11\0\0\0\4\0' >"$dir/in.toy"
code=0
"$dir/build/tlog-decode" --format=text-full --map=native "$dir/in.toy" -o "$dir/out.txt" 2>"$dir/err" || code=$?
[ "$code" -eq 2 ]
[ "$(sed -n 's/.* \([0-9.]*\): toy:value: value=/\1 /p' "$dir/out.txt" | tr '\n' ,)" = \
    "0.000000001 7,0.000000002 8,0.000000003 9," ]
grep -q 'in.toy: offset 0x20: a cut event: skipped 2 bytes' "$dir/err"
"$dir/build/tlog-decode" -q "$dir/in.toy" -o "$dir/out.dat" || [ $? -eq 2 ]
[ "$(trace-cmd report "$dir/out.dat" 2>/dev/null | grep -c 'value=[789]$')" -eq 3 ]
"$dir/build/tlog-decode" --list-formats | grep -q '^  toy  *eight bytes an event$'
echo "a reader in one file and two lines; its events in text and trace.dat, its damage told"
