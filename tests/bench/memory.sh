#!/bin/sh
# memory.sh - measures how fast tlog-decode finds one dump in 512 MiB of other memory, compared with `wc -l`, which
# reads each byte once and compares it with one value.
# usage: memory.sh BUILD_DIR
#
# Both read the file from the cache of the system. They run in turns, five pairs, after a warm-up. The limit is 1.0.
set -eu
LC_ALL=C
export LC_ALL
[ $# -eq 1 ] || { echo "usage: $0 BUILD_DIR" >&2; exit 1; }
bench=$(dirname "$0")
build=$1
mkdir -p "$build/bench"
# shellcheck disable=SC2086 # CC may be several words
${CC:-cc} -std=c11 -O2 -Wall -Wextra -o "$build/bench/run" "$bench/run.c"
work=$(mktemp -d "${TMPDIR:-/tmp}/tlog-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
"$build/gen_dump" --slots=1024 --events=1000 -o "$work/dump"

# row TEXT KIND: print the row of an image of memory of that kind
row() {
    python3 - "$2" "$work/dump" "$build/demo/firmware.elf" >"$work/image" <<'EOF'
import random
import sys

sys.path.insert(0, "tests/gen")
import memory_fill
import ring

MIB = 1 << 20
kind, dump, elf = sys.argv[1:]
r = random.Random(1)
code = memory_fill.load_code(elf)
near = memory_fill.Near(code, [ring.Layout()], 1000000)
copies = (code * (MIB // len(code) + 1))[:MIB]
# Code of other firmware has none of tlog's words.
other = copies
for word in (b"TLOG", b"TLPK", b"SEAL", b"\xED\xB7\xD6\0", b"\2\0\x80\4"):
    other = other.replace(word, bytes(255 - byte for byte in word))
make = {"zeros": lambda: bytes(MIB), "noise": lambda: r.randbytes(MIB), "code": lambda: other, "copies": lambda: copies,
        "any": lambda: memory_fill.fill(r, MIB // 16, near) * 16}[kind]
block = make()
for i in range(512):
    with_dump = open(dump, "rb").read() + copies
    sys.stdout.buffer.write(block if i != 256 else with_dump[:MIB])
EOF
    rm -f "$work"/decode* "$work"/wc*
    for run in warm 1 2 3 4 5; do
        "$build/bench/run" "$work/decode.$run" "$build/tlog-decode" --check "$work/image" >"$work/said" 2>&1 ||
            { cat "$work/said" >&2; exit 1; }
        "$build/bench/run" "$work/wc.$run" wc -l "$work/image" >/dev/null
        [ "$run" = warm ] || { cat "$work/decode.$run" >>"$work/decode"; cat "$work/wc.$run" >>"$work/wc"; }
    done
    grep -q " 1000 events" "$work/said" || { echo "memory.sh: other events are found" >&2; exit 1; }
    paste "$work/decode" "$work/wc" | awk '{ print $1 / $5, $1, $5, $4 / 1024 }' | sort -n | awk -v text="$1" '
        NR == 3 { printf "| %-24s | %11.3f | %11.3f | %7.2f | %9.1f |\n", text, $2, $3, $1, $4 }'
}

echo "One dump in 512 MiB of other memory: medians of five pairs"
printf '| %-24s | %11s | %11s | %7s | %9s |\n' "memory" "decode, s" "wc -l, s" "ratio" "peak, MB"
echo "|--------------------------|-------------|-------------|---------|-----------|"
row "zeros" zeros
row "random" noise
row "code and literal pools" code
row "all kinds, repeated" any
row "35,000 tlog firmwares" copies
