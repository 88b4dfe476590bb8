#!/bin/sh
# hostile.sh - LTTng traces and archives that are made to cost their reader far more than their size: bounds on time,
# memory, temporary files and output are kept, and no name of theirs tells the terminal what to do.
#
#   hostile.sh BUILD
set -eu
. tests/lib/needs.sh
needs python3
build=$(cd "$1" && pwd)
gen=$PWD/tests/gen bounded=$PWD/tests/lib/bounded.py
decode=$build/tlog-decode
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/out"
cases=0

fail() {
    echo "hostile: $*"
    [ ! -e "$dir/err" ] || head -n 5 "$dir/err" | cat -v
    exit 1
}

# nothing_left WHAT: no unfinished file
nothing_left() {
    [ -z "$(find "$dir/out" -name '.*')" ] || fail "$1: left $(ls -A "$dir/out")"
}

# make KIND N: the input, as $dir/in
make() {
    rm -rf "$dir/in"
    python3 "$gen/hostile_lttng.py" "$1" "$dir/in" "$2"
}

# bound CODE CPU SPOOL ARGUMENTS...: decode within these seconds of CPU, more if the machine is slower than that of
# lib/pace.py, and MiB of temporary files, and in 64 MiB of memory and four times the input; what a hole takes is no
# input. The exit code must be CODE, and no file may be left behind.
bound() {
    wanted=$1 cpu=$2 spool=$3
    shift 3
    memory=$((64 + 4 * $(du -sm "$dir/in" | cut -f 1)))
    code=0
    python3 "$bounded" cpu="$cpu" memory=$memory spool="$spool" "$decode" "$@" 2>"$dir/err" || code=$?
    [ $code -eq "$wanted" ] || fail "$*: $code, not $wanted: $(grep -a bounded "$dir/err" | tr '\n' ' ')"
    nothing_left "$*"
    cases=$((cases + 1))
}

# run KIND N CODE CPU SPOOL [OPTIONS]: the same with an input of that kind
run() {
    kind=$1
    make "$1" "$2"
    shift 2
    wanted=$1 cpu=$2 spool=$3
    shift 3
    bound "$wanted" "$cpu" "$spool" "$@" "$dir/in" -o "$dir/out/text.txt"
}

# events N: the last output has so many
events() {
    [ "$(grep -c '[ :]one: ' "$dir/out/text.txt")" -eq "$1" ] || fail "$kind: $(wc -l <"$dir/out/text.txt") lines"
}

# says TEXT: the last run did
says() {
    grep -aq "$1" "$dir/err" || fail "$kind: no message \"$1\""
}

# ---- the clock ----------------------------------------------------------------------------------------------------
run clockless 0 1 1 1
for version in 0.3 0.8 1.0 2.0 2.6; do
    rm -rf "$dir/made"
    python3 "$gen/lttng.py" "$dir/made" $version >/dev/null
    for offset in 16 20 40 56 57 58 61; do
        rm -rf "$dir/in"
        mkdir -p "$dir/in/control"
        python3 - "$dir" $offset <<'PYTHON'
import os, sys
where, offset = sys.argv[1], int(sys.argv[2])
name = "control/facilities_0" if os.path.exists(where + "/made/control/facilities_0") else "metadata_0"
data = bytearray(open(where + "/made/" + name, "rb").read() * 2)
data[offset] ^= 0xFF
open(where + "/in/" + name, "wb").write(data)
PYTHON
        code=0
        "$decode" -q "$dir/in" -o "$dir/out/text.txt" 2>"$dir/err" || code=$?
        [ $code -le 2 ] || fail "version $version, offset $offset: $code"
        nothing_left "version $version, offset $offset"
        cases=$((cases + 1))
    done
done

# ---- holes --------------------------------------------------------------------------------------------------------
run holes 4194304 2 1 1
events 2
run block 4000 2 1 1
[ "$(wc -l <"$dir/out/text.txt")" -lt 1000 ] || fail "events in a hole"
run hole 4194304 2 1 1
events 2

# ---- archives -----------------------------------------------------------------------------------------------------
run pages 20 1 5 257
says 'in: the archive unpacks to more than 256 MiB, which --unpack=MIB raises'
run pages 3 2 5 193
events 1
run pages 3 1 5 101 --unpack=100
run pages 5 2 5 321 --unpack=321
run map 256 2 2 1
says 'the headers of a file are longer than 1 MiB'
run zeros 3072 1 2 257
says 'in: the archive unpacks to more than 256 MiB, which --unpack=MIB raises'
run other 3072 1 2 257
says 'in: the archive unpacks to more than 256 MiB, which --unpack=MIB raises'
run other 300 0 4 1 --unpack=310
events 1
run names 0 2 1 1
says 'offset 0x[0-9a-f]*: e\\x1b\[31mvil/kernel_1: left out'
says ': new\\nline/kernel_1: left out'
says ': c1\\xc2\\x9b31m/kernel_1: left out'
says ': raw\\x9b1m/kernel_1: left out'
if LC_ALL=C tr -d '\n\040-\176' <"$dir/err" | grep -q .; then fail "control characters in messages"; fi

# ---- tables, searches, merging ------------------------------------------------------------------------------------
run channels 100000 2 5 1
run ids 890 0 1 1
run alike 890 0 0.4 1
run named 1000000 0 8 1
run broken 100000 2 4 1
run files 400 2 2 1
run blocks 30000 0 2 1
events 30001
make named 200000
cp -r "$dir/in" "$dir/second"
bound 0 5 1 -q --merge "$dir/in" "$dir/second" -o "$dir/out/text.txt"

# ---- output -------------------------------------------------------------------------------------------------------
make last_cpu 255
bound 0 2 1 -q "$dir/in" --format=lttng -o "$dir/out/trace"
[ "$(du -sb "$dir/out/trace" | cut -f 1)" -le 100000 ] || fail "an event of CPU 255: $(du -sb "$dir/out/trace")"
"$decode" -q "$dir/in" -o "$dir/out/text.txt"
bound 0 2 1 -q "$dir/out/trace" -o "$dir/out/back.txt"
cmp "$dir/out/text.txt" "$dir/out/back.txt" || fail "an event of CPU 255 does not come back"
bound 0 2 1 -q "$dir/in" --format=lttng -o "$dir/out/trace" # and it is replaced
echo "$cases inputs: time, memory, temporary files and output are bounded"
