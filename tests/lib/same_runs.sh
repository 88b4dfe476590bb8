# same_runs.sh - runs another build of the decoder and the native one in the same way, and compares what comes of it
# byte for byte: output, standard output, messages and exit code. For checks of the decoder as WebAssembly, for other
# systems and other C libraries.
# usage: . tests/lib/same_runs.sh     (from the root of the checkout)
#
# Before that the script sets top, the checkout, build, the absolute path of build/, dir, a directory of its own, and
# other, the path of the program to compare. Then it calls same_begin, the functions for what it wants to compare, and
# same_end. If the other decoder may differ in something that is told, the script defines settle() anew. LC_ALL is C.
#
# Judge: the native decoder.
native=$build/tlog-decode
dump=$build/demo/dump.bin
elf=$build/demo/firmware.elf
failed=0 failures=0 runs=0
SAME_OUTPUTS="text text-full csv jsonl trace.dat trace.dat-v6 trace.dat-text perfetto columns"
SAME_OUTPUTS="$SAME_OUTPUTS vcd vcd-wires kev shark lttng ctf"
export LC_ALL=C

# settle WHO: in a directory with what came of a run of WHO, native or other (said: standard output, told: standard
# error, code, and the outputs): take out what may differ. A session has the whole name of its trace, and when that was
# written.
settle() {
    for session in rows.*; do
        [ ! -e "$session" ] || sed -i "s|$PWD/||; s|\"time\": [0-9]*|\"time\": 0|" "$session"
    done
}

# differs WHAT: count a difference, and tell it
differs() {
    echo "differs: $*"
    failed=$((failed + 1))
}

# run_by WHO DECODER ARGUMENT...: in the directory by-WHO, keep what comes of it
run_by() {
    mkdir -p "by-$1"
    (
        cd "by-$1"
        who=$1 decoder=$2 code=0
        shift 2
        "$decoder" "$@" >said 2>told </dev/null || code=$?
        echo "$code" >code
        settle "$who"
    )
}

# same ARGUMENT...: both decoders make the same of them
same() {
    rm -rf by-native by-other
    run_by native "$native" "$@"
    run_by other "$other" "$@"
    runs=$((runs + 1))
    diff -r by-native by-other >difference || differs "$*: $(head -n 5 difference)"
    grep -qx 0 by-other/code || failures=$((failures + 1))
}

# same_begin: go to the directory, and make the inputs there: the demo's dump in other formats, cut, and damaged; and a
# made dump
same_begin() {
    mkdir -p "$dir/inputs"
    cd "$dir"
    for each in $("$native" --list-formats | sed -n '/^Output/,$s/^  \([a-z0-9.-]*\) .*/\1/p'); do
        [ "$each" != html ] || continue # it needs the page, which tests/system/page has
        case " $SAME_OUTPUTS " in *" $each "*) ;; *) differs "the format $each is not tested" ;; esac
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
}

# same_outputs full|whole: compare every answer and output of every input; full: of some inputs only some outputs
same_outputs() {
    for input in "$dump" "$dir"/inputs/*; do
        formats=$SAME_OUTPUTS
        case $1:$input in full:*/demo.* | full:*/cut.bin) formats="text-full jsonl trace.dat" ;; esac
        for format in $formats; do
            same "--elf=$elf" "$input" "--format=$format" -o out
        done
        for answer in --stat "--stat --json" --info --check "--check --json"; do
            # shellcheck disable=SC2086
            same $answer "$input"
        done
    done
}

# same_command_line: compare what other options do, and files that are not there
same_command_line() {
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
    same "$dir/linked/demo.kev" -o - --format=csv
}

# in_places WHAT COMMAND...: compare what a command leaves behind where it is run, with each decoder as $decoder
in_places() {
    what=$1
    shift
    for how in native other; do
        decoder=$native
        [ "$how" = native ] || decoder=$other
        mkdir -p "in-$how"
        (cd "in-$how" && "$@" && ls -A . >names) || differs "$what: failed"
    done
    diff -r in-native in-other >difference || differs "$what: $(head -n 5 difference)"
    rm -r in-native in-other
}

# same_places: compare what the two leave behind in the directory where they were started
same_places() {
    in_places "files where it was started" make_places
}
make_places() {
    echo old >file.csv && "$decoder" -q "$dump" -o file.csv && "$decoder" -q - -o piped.csv <"$dump" &&
        "$decoder" -q "$dump" --format=ctf -o tree && "$decoder" -q "$dump" --format=ctf -o tree
}

# same_links: a link stays, and the file that it leads to is replaced
same_links() {
    in_places "links" make_links
}
make_links() {
    mkdir real && echo old >real/file.csv && ln -s real/file.csv link.csv && "$decoder" -q "$dump" -o link.csv &&
        [ -L link.csv ] && ls -A real >real-names
}

# refuses ARGUMENT... -- TEXT: the other decoder refuses, with the text
refuses() {
    arguments=
    while [ "$1" != -- ]; do
        arguments="$arguments $1"
        shift
    done
    # shellcheck disable=SC2086
    if "$other" $arguments >said 2>&1; then differs "$arguments succeeded"; fi
    grep -qF -e "$2" said || differs "$arguments: $(cat said)"
}

# refuses_libraries: the other decoder, which is built without them, says so
refuses_libraries() {
    gzip -c "$dump" >dump.gz
    tar -cf lttng.tar -C inputs demo.lttng
    refuses dump.gz -- "gzip: this program was built without zlib"
    refuses "$dump" --compress=zlib -o x.dat -- "this program was built without zlib"
    refuses "$dump" --compress=zstd -o x.dat -- "this program was built without zstd"
    refuses lttng.tar -- "this program was built without libarchive"
}

# passes_command_line: the tests of the command line pass with the other decoder
passes_command_line() {
    (cd "$top" && sh tests/system/cli.sh "$other") >cli 2>&1 || differs "the command line: $(grep -B 12 FAILED cli)"
    tail -n 1 cli
}

# same_end WHAT...: fail if anything differed; tell how many runs were the same, and WHAT
same_end() {
    [ "$failures" -lt $((runs / 2)) ] || differs "most runs fail"
    [ "$failed" -eq 0 ] || { echo "$failed differences in $runs runs"; exit 1; }
    echo "$runs runs as the native decoder's$*"
}
