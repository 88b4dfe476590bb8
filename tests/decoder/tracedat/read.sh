#!/bin/sh
# read.sh - reading trace.dat. Usage: decoder/tracedat/read.sh BUILD, from the top of the repository.
#
# Three judges: gen/tracedat.py, which says what must come out of the files that it makes; trace-cmd report, for every
# file that it can read; and trace-cmd convert and split, which write such files, too.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd zstd
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
files=0

fail() {
    echo "read.sh: $*"
    exit 1
}

# Leave what trace-cmd report and the text of tlog-decode have in common: task, CPU, time, name of the event; and the
# lines of losses. If there are several buffers, the first column of trace-cmd is the buffer.
report_columns() {
    sed -E 's/^ *inst_[0-9]+: *//; s/^( *.{16}-[0-9]+ *\[[0-9]+\] +[0-9.]+: [a-z0-9_]+):.*/\1/; s/ +/ /g; s/^ //'
}

text_columns() {
    sed -E 's/^( *.{16}-[0-9]+ *\[[0-9]+\] +[0-9.]+: )[a-z0-9_]+:([a-z0-9_]+):.*/\1\2/; s/ +/ /g; s/^ //'
}

# What the decoder must return for the next files; 2: a part of them makes no sense.
status=0

# decode ARGUMENTS...: without messages
decode() {
    code=0
    "$build/tlog-decode" -q "$@" || code=$?
    [ "$code" -eq "$status" ]
}

# try COMMAND...: run it; in the quick tier each seventh only
number=0
try() {
    number=$((number + 1))
    [ "${TIER:-}" = quick ] && [ $((number % 7)) -ne 1 ] || "$@"
}

# generate OPTIONS...: a file, whose text must be what the generator says
generate() {
    python3 tests/gen/tracedat.py "$dir/in.dat" "$dir/expected" "$@" || fail "cannot generate $*"
    decode --format=text-full "$dir/in.dat" -o "$dir/out.txt" || fail "$*: exit status"
    diff "$dir/expected" "$dir/out.txt" >"$dir/diff" || fail "$*: $(head -n 6 "$dir/diff")"
    files=$((files + 1))
}

# Put the lines of losses behind all others: trace-cmd shows them before the next event of the CPU, a full text where
# what is unknown begins.
losses_last() {
    cat >"$dir/lines"
    grep -v '^CPU:' "$dir/lines"
    grep '^CPU:' "$dir/lines" | sort || true
}

# reported OPTIONS...: the same, and trace-cmd must report the same events
reported() {
    generate "$@"
    trace-cmd report -t "$dir/in.dat" 2>/dev/null | grep . | report_columns | losses_last >"$dir/report"
    text_columns <"$dir/out.txt" | losses_last >"$dir/columns"
    diff "$dir/report" "$dir/columns" >"$dir/diff" || fail "trace-cmd, $*: $(head -n 6 "$dir/diff")"
}

# rewritten FILE: tlog-decode writes it anew in every version, and trace-cmd must report the same for all of them
rewritten() {
    trace-cmd report -t "$1" >"$dir/report" 2>/dev/null
    [ "$(wc -l <"$dir/report")" -gt 300 ] || fail "$1: trace-cmd reports too little for a test"
    for how in --format=trace.dat --format=trace.dat-v6 --compress=zstd; do
        decode "$how" "$1" -o "$dir/again.dat" || fail "$1, $how: exit status"
        trace-cmd report -t "$dir/again.dat" >"$dir/again" 2>"$dir/errors" || fail "$1, $how: trace-cmd"
        diff "$dir/report" "$dir/again" >"$dir/diff" || fail "written anew, $how, $1: $(head -n 6 "$dir/diff")"
    done
}

# ---- every layout -------------------------------------------------------------------------------------------------
for version in 6 7; do
    for big in 0 1; do
        try reported version=$version big=$big
        try reported version=$version big=$big loss=1
        try generate version=$version big=$big long=4 commit=4 loss=2
        try generate version=$version big=$big long=4 commit=8 page=8192
        try generate version=$version big=$big instances=2
    done
    try reported version=$version long=4 commit=4
    try reported version=$version clock=counter
    try generate version=$version holes=1
done
for version in 6 7; do
    try reported old=1 version=$version
    try reported old=1 version=$version long=4 commit=4
    try generate old=1 version=$version big=1
done
for page in 4096 8192 16384 65536; do
    try reported page=$page events=2000
done
try generate page=512 fields=few
try generate page=1024 fields=few big=1 loss=2
try reported order=1
try reported chain=1
try generate order=1 chain=1 big=1 instances=1
for options in shift1 shift2 shift3 shifti offset date,offset tsc tsc,offset; do
    try reported options=$options
    try generate options=$options version=6 big=1
done
for big in 0 1; do
    for chunk in 1 10; do
        try generate compression=zlib big=$big chunk=$chunk loss=2 instances=1
        try generate compression=zstd big=$big chunk=$chunk loss=2
    done
done
try reported compression=zstd loss=1
try reported compression=zstd page=65536 events=2000
try reported compression=zstd order=1 chain=1
for compressor in "" 1.2.13 "$(printf %0100d 0)"; do # releases up to 0.2.0 wrote "", trace-cmd the library's
    try generate compression=zlib compressor="$compressor"
    try reported compression=zstd compressor="$compressor"
done

# ---- written anew -------------------------------------------------------------------------------------------------
all="version=7 version=6 big=1 loss=1 page=65536 long=4"
[ "${TIER:-}" != quick ] || all="big=1"
for options in $all; do
    generate fields=few $options
    rewritten "$dir/in.dat"
done
all="version=7 version=6 long=4"
[ "${TIER:-}" != quick ] || all="version=6"
for options in $all; do
    generate old=1 fields=plain $options
    rewritten "$dir/in.dat"
done

# Several symbols at an address: which of them trace-cmd takes depends on their order, and on how many there are in all.
all="1 2 3 4 5 6 7 8 9 10"
[ "${TIER:-}" != quick ] || all="4 7 10"
for symbols in $all; do
    generate old=1 fields=plain symbols="$symbols"
    rewritten "$dir/in.dat"
done
for how in --format=trace.dat --format=trace.dat-v6 --compress=zstd; do
    decode "$how" "$dir/in.dat" -o "$dir/again.dat"
    for file in in again; do
        trace-cmd dump --kallsyms "$dir/$file.dat" 2>/dev/null | grep '^[0-9a-f]' >"$dir/$file.symbols"
    done
    [ -s "$dir/in.symbols" ] && cmp "$dir/in.symbols" "$dir/again.symbols" || fail "$how: other symbols"
done

# Where trace-cmd would stop at the file itself, it must not at the one written anew.
status=2
for options in version=7 version=6 instances=1; do
    generate broken=1 $options
    decode "$dir/in.dat" -o "$dir/again.dat" || fail "broken=1: exit status"
    trace-cmd report -t "$dir/again.dat" >"$dir/again" 2>"$dir/errors" || fail "broken=1: trace-cmd"
    [ "$(grep -c ' bprint: .*id=6 data=' "$dir/again")" -gt 10 ] || fail "broken=1: $(head "$dir/again")"
done
status=0

# ---- files that trace-cmd wrote -----------------------------------------------------------------------------------
demo=$build/demo/trace.dat
"$build/tlog-decode" --format=text-full -q "$demo" -o "$dir/demo.txt"
trace-cmd report -t "$demo" 2>/dev/null | report_columns >"$dir/report"
text_columns <"$dir/demo.txt" | diff "$dir/report" - >"$dir/diff" || fail "demo: $(head -n 6 "$dir/diff")"
rewritten "$demo"
trace-cmd convert -i "$demo" -o "$dir/6.dat" --file-version 6 >/dev/null 2>&1
trace-cmd convert -i "$demo" -o "$dir/7.dat" --file-version 7 --compression none >/dev/null 2>&1
trace-cmd convert -i "$demo" -o "$dir/z.dat" --file-version 7 --compression zstd >/dev/null 2>&1
trace-cmd convert -i "$dir/6.dat" -o "$dir/67.dat" --file-version 7 --compression zstd >/dev/null 2>&1
trace-cmd split -i "$demo" -o "$dir/split.dat" >/dev/null 2>&1
mv "$dir/split.dat.1" "$dir/split.dat" # split makes pages of its own
for name in 6 7 z 67 split; do
    "$build/tlog-decode" --format=text-full -q "$dir/$name.dat" \
        -o "$dir/$name.txt" || fail "demo, $name: exit status $?"
    cmp "$dir/demo.txt" "$dir/$name.txt" || fail "demo, $name: other events"
    [ "${TIER:-}" = quick ] || rewritten "$dir/$name.dat"
    files=$((files + 1))
done
"$build/tlog-decode" --format=text-full -q - <"$dir/z.dat" >"$dir/pipe.txt" 2>&1 || fail "from standard input"
cmp "$dir/demo.txt" "$dir/pipe.txt" || fail "from standard input: other events"

# ---- what cannot be read ------------------------------------------------------------------------------------------
# refused WORD: the file in.dat is refused with a message that has the word
refused() {
    if "$build/tlog-decode" --format=text-full "$dir/in.dat" -o "$dir/out.txt" \
        2>"$dir/errors"; then fail "not refused: $1"; fi
    grep -q "$1" "$dir/errors" || fail "refused, but not for $1: $(cat "$dir/errors")"
}

python3 tests/gen/tracedat.py "$dir/good.dat" "$dir/expected" events=20
LC_ALL=C sed 's/none/lzma/' "$dir/good.dat" >"$dir/in.dat"
refused 'compressed with "lzma"'
LC_ALL=C sed 's/tracing7/tracing9/' "$dir/good.dat" >"$dir/in.dat"
refused 'version 6 or 7'
python3 tests/gen/tracedat.py "$dir/good.dat" "$dir/expected" events=20 version=6
LC_ALL=C sed 's/flyrecord/latency  /' "$dir/good.dat" >"$dir/in.dat"
refused 'latency tracer'
printf '\027\010\104tracing' >"$dir/in.dat"
refused 'version 6 or 7'

echo "read.sh: $files files: the generator, trace-cmd report and trace-cmd convert agree"
