#!/bin/sh
# wasm.sh - the decoder as WebAssembly, run by node, gives byte for byte what the native one gives: every output and
# answer, of a dump, of every format that the native one writes, of damage, of files that are not there. Of what it is
# built without it says so. It is not too large. whole: the tests of the command line pass with it, too.
# usage: wasm.sh BUILD full|whole      (builds BUILD/wasm/tlog-decode.wasm)
# Judge: the native decoder.
set -eu
. tests/lib/needs.sh
needs node clang-14 wasm-ld-14
[ -e /usr/lib/wasm32-wasi/libc.a ] || skipped wasi-libc "there is no C library for WebAssembly"
build=$(cd "$1" && pwd)
top=$PWD
dir=$build/test/wasm
native=$build/tlog-decode
dump=$build/demo/dump.bin
elf=$build/demo/firmware.elf
SIZE_MOST=450000 # bytes of the file as gzip -9 makes it
rm -rf "$dir"
mkdir -p "$dir/inputs"
make -s "BUILD=$1" wasm >"$dir/making" 2>&1 || { cat "$dir/making"; exit 1; }
wasm=$dir/tlog-decode
printf '#!/bin/sh\nexec node --no-warnings --liftoff-only "%s" "%s" "$@"\n' \
    "$top/tests/lib/wasi.mjs" "$build/wasm/tlog-decode.wasm" >"$wasm"
chmod +x "$wasm"
cd "$dir"
export LC_ALL=C
failed=0 failures=0

# differs WHAT: count a difference, and tell it
differs() {
    echo "differs: $*"
    failed=$((failed + 1))
}

# run_in DIRECTORY DECODER ARGUMENT...: keep what comes of it
run_in() {
    mkdir -p "$1"
    (
        cd "$1"
        decoder=$2
        shift 2
        code=0
        "$decoder" "$@" >said 2>told </dev/null || code=$?
        echo "$code" >code
        # A session has the whole name of its trace, and when that was written.
        for session in rows.*; do
            [ ! -e "$session" ] || sed -i "s|$PWD/||; s|\"time\": [0-9]*|\"time\": 0|" "$session"
        done
    )
}

# same ARGUMENT...: both decoders make the same of them: output, standard output, messages and exit code
runs=0
same() {
    rm -rf by-native by-wasm
    run_in by-native "$native" "$@"
    run_in by-wasm "$wasm" "$@"
    runs=$((runs + 1))
    diff -r by-native by-wasm >difference || differs "$*: $(head -n 5 difference)"
    grep -qx 0 by-wasm/code || failures=$((failures + 1))
}

size=$(gzip -9 <"$build/wasm/tlog-decode.wasm" | wc -c)
[ "$size" -le "$SIZE_MOST" ] || differs "$size bytes by gzip -9, $SIZE_MOST are allowed"
"$wasm" --version | grep -qx 'without: threads sockets zlib zstd libarchive libdw' || differs "$("$wasm" --version)"

# ---- every output, of every input ----

OUTPUTS="text text-full csv jsonl trace.dat trace.dat-v6 trace.dat-text perfetto vcd vcd-wires kev shark lttng ctf"
for each in $("$native" --list-formats | sed -n '/^Output/,$s/^  \([a-z0-9.-]*\) .*/\1/p'); do
    case " $OUTPUTS " in *" $each "*) ;; *) differs "the format $each is not tested" ;; esac
done
for format in trace.dat trace.dat-v6 kev shark lttng; do
    "$native" -q "$dump" "--elf=$elf" "--format=$format" -o "inputs/demo.$format"
done
head -c 150000 "$dump" >inputs/cut.bin
python3 -c '
data = bytearray(open("'"$dump"'", "rb").read())
for at in range(5000, len(data), 7001):
    data[at] ^= 0x10
open("inputs/damaged.bin", "wb").write(data)'
"$build/gen_dump" --tasks=4 --names=4 --events=3000 --drops=40 --traceevents=50 -o inputs/made.bin
for input in "$dump" "$dir"/inputs/*; do
    formats=$OUTPUTS
    case $2:$input in full:*/demo.* | full:*/cut.bin) formats="text-full jsonl trace.dat" ;; esac
    for format in $formats; do
        same "--elf=$elf" "$input" "--format=$format" -o out
    done
    for answer in --stat "--stat --json" --info --check "--check --json"; do
        # shellcheck disable=SC2086
        same $answer "$input"
    done
done
# ---- the command line ----

same "$dump"
same --stat "$elf"
same "$dump" "--elf=$elf" --filter='adc_sample.value > 2700 && channel == 0'
same "$dump" "--elf=$elf" --around=task_deadline_miss:5ms --task=control
same "--elf=$elf" "$dump" --session=rows.json -o trace.dat
same "--elf=$elf" "$dump" --session=rows.gtkw -o trace.vcd
same "--save-events=$elf" -o firmware.events
same "$dump" "--guest=b:$dir/inputs/cut.bin" --sync=user_event_0 -o trace.dat
same --merge "$dump" "$dir/inputs/made.bin" -o trace.dat
same "$dump" -o nowhere/trace.dat
ln -sf ../inputs linked
same "$dir/linked/demo.kev" -o /dev/stdout --format=csv
[ "$failures" -lt $((runs / 2)) ] || differs "most runs fail"

# A link stays, and the file that it leads to is replaced. Where the program was started, names are looked for.
for how in native wasm; do
    decoder=$native
    [ "$how" = native ] || decoder=$wasm
    mkdir -p "in-$how/real"
    (cd "in-$how" && echo old >real/file.csv && ln -s real/file.csv link.csv && "$decoder" -q "$dump" -o link.csv &&
        "$decoder" -q "$dump" --format=ctf -o tree && "$decoder" -q "$dump" --format=ctf -o tree &&
        "$decoder" -q - -o piped.csv <"$dump" && [ -L link.csv ] && ls -A . real >names)
done
diff -r in-native in-wasm >difference || differs "files where it was started: $(head -n 5 difference)"

# refuses ARGUMENT... -- TEXT: the WebAssembly refuses, with the text
refuses() {
    arguments=
    while [ "$1" != -- ]; do
        arguments="$arguments $1"
        shift
    done
    # shellcheck disable=SC2086
    if "$wasm" $arguments >said 2>&1; then differs "$arguments succeeded"; fi
    grep -qF -e "$2" said || differs "$arguments: $(cat said)"
}
gzip -c "$dump" >dump.gz
tar -cf lttng.tar -C inputs demo.lttng
refuses udp:0 -- "this program was built without sockets"
refuses dump.gz -- "gzip: this program was built without zlib"
refuses "$dump" --compress=zlib -o x.dat -- "this program was built without zlib"
refuses "$dump" --compress=zstd -o x.dat -- "this program was built without zstd"
refuses lttng.tar -- "this program was built without libarchive"

if [ "$2" = whole ]; then
    (cd "$top" && sh tests/system/cli.sh "$wasm") >cli 2>&1 || differs "the command line: $(grep -B 12 FAILED cli)"
    tail -n 1 cli
fi
[ "$failed" -eq 0 ] || { echo "$failed differences in $runs runs"; exit 1; }
echo "$runs runs as the native decoder's; $size bytes by gzip -9"
