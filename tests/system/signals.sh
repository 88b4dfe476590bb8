#!/bin/sh
# signals.sh - checks what a signal leaves behind. The decoder runs many times; each time it gets a signal just before
# another one of its calls that read or change files (signal_at.c). Afterwards the output must be complete, or be what
# was there before, and no other file may be left.
# usage: signals.sh BUILD
# Judge: checksums of the output of a run without a signal.
set -eu
build=$(cd "$1" && pwd)
decode=$build/tlog-decode
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/o"

fail() {
    echo "signals: $*"
    exit 1
}

# sum PATH: print the checksum of a file, or of each file in a directory
sum() {
    (cd "$1" 2>/dev/null && find . -type f | sort | xargs cksum) || cksum <"$1"
}

# decoded AT SIGNAL FORMAT...: run the decoder, with SIGNAL raised before call number AT (0: never); its exit code
decoded() {
    (
        export SIGNAL_AT="$1" SIGNAL="$2" LD_PRELOAD="$build/signal_at.so"
        shift 2
        exec "$decode" -q "$dir/dump" "$@" -o "$dir/o/out"
    ) 2>"$dir/err"
}

# each SIGNAL BEFORE FORMAT...: check SIGNAL at every call. BEFORE is what is in the place of the output before the run:
# a file, a directory, or the word "nothing"
each() {
    signal=$1 before=$2
    shift 2
    rm -rf "$dir/o/out" "$dir/whole"
    decoded 0 0 "$@" || fail "$*: $(cat "$dir/err")"
    mv "$dir/o/out" "$dir/whole"
    at=1
    code=1
    while [ $code -ne 0 ]; do
        [ "$before" = nothing ] || cp -r "$before" "$dir/o/out"
        code=0
        decoded $at "$signal" "$@" 2>/dev/null || code=$?
        case $code in 0 | $((128 + signal))) ;; *) fail "$* at call $at: exit code $code" ;; esac
        case $(ls -A "$dir/o") in
        '') [ $code -ne 0 ] && [ "$before" = nothing ] || fail "$* at call $at: code $code and no output" ;;
        out) [ "$(sum "$dir/o/out")" = "$(sum "$dir/whole")" ] ||
            { [ $code -ne 0 ] && [ "$before" != nothing ] && [ "$(sum "$dir/o/out")" = "$(sum "$before")" ]; } ||
            fail "$* at call $at left a part" ;;
        *) fail "$* at call $at left $(ls -A "$dir/o")" ;;
        esac
        rm -rf "$dir/o/out"
        at=$((at + 1))
    done
    at=$((at - 2))
    [ $at -gt 10 ] || fail "$*: only $at runs were interrupted"
    echo "$1, signal $signal, onto ${before##*/}: at each of $at calls, whole or as it was"
}

"$build/gen_dump" --cpus=2 --events=600 -o "$dir/dump"
echo other >"$dir/file"
"$decode" -q "$dir/dump" --format=lttng --lttng=flight -o "$dir/directory"
for signal in 1 2 15; do
    each $signal nothing --format=lttng
done
each 15 "$dir/directory" --format=lttng
each 2 "$dir/file" --format=trace.dat
each 15 nothing --format=trace.dat --compress=zstd
for format in trace.dat-v6 kev shark text; do
    each 15 nothing --format=$format
done
