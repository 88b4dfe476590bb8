#!/bin/sh
# text.sh - --format=text is, line for line, what trace-cmd report -t prints of the trace.dat file of the same dump.
# usage: text.sh BUILD
set -eu
. tests/lib/needs.sh
needs trace-cmd
build=$1
dir=$build/test/text
rm -rf "$dir"
mkdir -p "$dir"

# same ARGUMENT...: decode in every mapping, to text and to trace.dat
same() {
    for map in full exact native; do
        "$build/tlog-decode" -q --map=$map "$@" -o "$dir/trace.txt" || [ $? -eq 2 ]
        "$build/tlog-decode" -q --map=$map "$@" -o "$dir/trace.dat" || [ $? -eq 2 ]
        trace-cmd report -t "$dir/trace.dat" 2>"$dir/err" | diff - "$dir/trace.txt" >"$dir/diff" ||
            { echo "other lines: --map=$map $*"; head "$dir/diff"; exit 1; }
    done
    echo "$(wc -l <"$dir/trace.txt") lines: $*"
}

same "$build/demo/dump.bin"
same --elf="$build/demo/firmware.elf" "$build/demo/dump.bin"
for options in "--drops=20" "--drops=20 --cpus=3 --names=5 --events=400" "--traceevents=50 --texts --longest=4" \
    "--traceevents=40 --tasks=9 --names=4" "--unknown --jumps --tasks=6"; do
    # shellcheck disable=SC2086
    "$build/gen_dump" $options -o "$dir/dump.bin"
    same "$dir/dump.bin"
done
# What a trace.dat file of the decoder's own tells is read back, print formats included.
"$build/tlog-decode" -q "$build/demo/dump.bin" -o "$dir/demo.dat"
same "$dir/demo.dat"
# The middle of a dump is damaged, and its end is missing.
"$build/gen_dump" --sealed --tasks=6 -o "$dir/dump.bin"
printf 'XXXXXXXXXXXXXXXX' | dd of="$dir/dump.bin" bs=1 seek=8000 conv=notrunc 2>/dev/null
same "$dir/dump.bin"
