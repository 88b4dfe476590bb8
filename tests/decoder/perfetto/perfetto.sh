#!/bin/sh
# perfetto.sh - Perfetto traces of every kind of input, compared event by event with the lines of text-full.
# usage: perfetto.sh BUILD
# Judges: tests/judges/perfetto.py, an independent decoder; tests/gen/own.py, which tells the values of own events.
set -eu
. tests/lib/needs.sh
needs python3
build=$1
dir=$build/test/perfetto
decoder=$build/tlog-decode
rm -rf "$dir"
mkdir -p "$dir"

# both NAME INPUT OPTION...: decode to $dir/NAME.pftrace and to lines, and compare these. The decoder's exit code is in
# $code: 2 tells damage.
both() {
    name=$1
    input=$2
    shift 2
    code=0
    "$decoder" "$@" "$input" -o "$dir/$name.pftrace" 2>"$dir/$name.err" || code=$?
    [ $code -ne 1 ] || { cat "$dir/$name.err"; exit 1; }
    "$decoder" -q "$@" --format=text-full "$input" -o "$dir/$name.txt" || [ $code -eq 2 ]
    printf '%s: ' "$name"
    "$decoder" -q "$@" --format=jsonl "$input" -o "$dir/$name.jsonl" || [ $code -eq 2 ]
    # shellcheck disable=SC2086
    python3 tests/judges/perfetto.py "$dir/$name.pftrace" "$dir/$name.txt" "--known=$dir/$name.jsonl" $kind || {
        echo "$name differs"
        exit 1
    }
}

# full COMMAND...: run the command in the full tier only
full() {
    [ "${TIER:-}" = quick ] || "$@"
}

kind= # of input, for the judge

# ---- tlog's own dumps ------------------------------------------------------------------------------------------------

demo=$build/demo/dump.bin
both demo "$demo" "--elf=$build/demo/firmware.elf"
[ "$(wc -c <"$dir/demo.pftrace")" -le $((22 * $(grep -vc '^cpus' "$dir/demo.txt"))) ]
if grep -q derived "$dir/demo.err"; then exit 1; fi
"$decoder" -q "$demo" "--elf=$build/demo/firmware.elf" --map=exact -o "$dir/exact.pftrace"
cmp "$dir/demo.pftrace" "$dir/exact.pftrace"
full both native "$demo" --map=native
"$build/gen_dump" --events=2000 --drops=20 --names=5 --tasks=7 -o "$dir/drops.bin"
"$build/gen_dump" --events=700 --drops=20 --cpus=3 --names=5 --tasks=9 --traceevents=50 --longest=4 -o "$dir/cpus.bin"
"$build/gen_dump" --events=500 --texts --traceevents=60 --longest=4 -o "$dir/texts.bin"
"$build/gen_dump" --events=600 --jumps --cpus=2 --chunks=2 --slots=64 --garbage=300 -o "$dir/jumps.bin"
"$build/gen_dump" --events=0 -o "$dir/empty.bin"
# Files of these, damaged and merged, are compared below.
for each in drops cpus; do
    full both $each "$dir/$each.bin"
done
for each in texts empty; do
    both $each "$dir/$each.bin"
done
full both jumps "$dir/jumps.bin"
# More CPUs than there are bundles: each event takes one away from another CPU, and a CPU's losses stay its own.
"$build/gen_dump" --events=60 --drops=100 --cpus=40 --tasks=9 -o "$dir/many.bin"
both many "$dir/many.bin"
full both flat "$dir/cpus.bin" --map=native
# Bytes are overwritten: chunks of which parts are damage.
for name in drops cpus; do
    python3 tests/gen/overwrite.py "$dir/$name.bin" "$dir/$name-damaged.bin"
done
both damaged "$dir/drops-damaged.bin"
[ "$code" -eq 2 ]
both damages "$dir/cpus-damaged.bin"
[ "$code" -eq 2 ]

# A task on no CPU is suspended: first a ready one, which is woken; then one that waits for something else; then one
# that is deleted meanwhile; then one whose end is lost. Of a task that may have run behind a loss nothing is said.
cat >"$dir/out.script" <<'END'
#script
cpus 1
name 1 one
name 3 three
wake 0 1000 3
switch 0 2000 3
switch 0 3000 1
block 0 4000 3
wake 0 5000 3
lock 0 5500 3
switch 0 6000 3
lock 0 7000 3
switch 0 8000 1
block 0 9000 3
switch 0 9500 3
switch 0 9600 1
lock 0 9700 3
end 0 9800 3
switch 0 9850 4
switch 0 9900 1
block 0 9950 4
loss 0 10000 3
block 0 10500 4
switch 0 11000 4
switch 0 11500 1
block 0 11600 1
block 0 11700 4
END
tool=$decoder decoder=$build/test/tlog-decode-script
both out "$dir/out.script"
decoder=$tool
python3 tests/judges/perfetto.py "$dir/out.pftrace" --slices >"$dir/waits"
diff - "$dir/waits" <<'END'
three task_sleep 4000 5000
three set_mutex_wait 5500 6000
three task_sleep 9000 9500
three set_mutex_wait 9700 9800
task-4 task_sleep 9950 9950
task-4 task_sleep 11700 -
END

# ---- other formats ---------------------------------------------------------------------------------------------------

"$decoder" -q "$demo" -o "$dir/demo.dat"
"$decoder" -q --map=exact "$dir/cpus.bin" -o "$dir/cpus.dat"
"$decoder" -q "$dir/drops.bin" --format=kev -o "$dir/drops.kev"
"$decoder" -q "$dir/drops.bin" --format=lttng -o "$dir/lttng"
"$decoder" -q "$dir/drops.bin" --format=shark -o "$dir/drops.shark"
kind=--mapped
full both tracedat "$dir/demo.dat"
both tracedats "$dir/cpus.dat"
kind=
full both kev "$dir/drops.kev"
both lttng "$dir/lttng"
full both shark "$dir/drops.shark" --from=shark --clock-hz=1000000
# The frequency of the clock is not known if no record tells it: those records are left out.
python3 - "$dir" <<'END'
import sys
data = open(sys.argv[1] + "/drops.shark", "rb").read()
records = [data[i:i + 16] for i in range(0, len(data), 16)]
records = [r for r in records if r[0] not in (0x10, 0x20)]
open(sys.argv[1] + "/ticks.shark", "wb").write(b"".join(records))
END
both ticks "$dir/ticks.shark" --from=shark
grep -q 'times are ticks' "$dir/ticks.pftrace"

# ---- own events ------------------------------------------------------------------------------------------------------

# link DIRECTORY: the firmware that own.py has described there
link() {
    own=$1
    arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -Wl,-Ttext=0x8000 "$own/firmware.s" \
        -Wl,--section-start=.note.gnu.build-id=0x1000 -Wl,--build-id=0x4142434445464748494a4b4c4d4e4f5051525354 \
        -o "$own/fw.elf"
}
forms="--records --portable"
[ "${TIER:-}" != quick ] || forms=
for form in "" --texts $forms; do
    mkdir -p "$dir/own$form"
    # shellcheck disable=SC2086
    python3 tests/gen/own.py "$dir/own$form" $form
    link "$dir/own$form"
    "$decoder" -q --typed-text "--elf=$own/fw.elf" "$own/dump.bin" -o "$own/own.pftrace"
    if [ "$form" != --texts ]; then
        python3 tests/judges/perfetto.py "$own/own.pftrace" --own "$own/expected.txt"
    fi
    both "own$form" "$own/dump.bin" "--elf=$own/fw.elf"
done
# Spans that do not nest: an end also ends what began inside of it, and what has ended so has no end any more.
mkdir -p "$dir/spans"
python3 - "$dir/spans" <<'END'
import sys
source = open("tests/gen/own.py", encoding="utf-8").read()
code = source[:source.rindex("main()")]
exec(code)  # its definitions
EVENTS += [Event("inner", kind="span"), Event("innermost", kind="span")]
LOGGED[:] = [(name, (), "", tag) for name, tag in (
    ("control", 1), ("inner", 1), ("innermost", 1), ("control", 2), ("inner", 2), ("inner", 1), ("innermost", 1),
    ("inner", 2), ("innermost", 2), ("control", 1), ("control", 1), ("inner", 1), ("control", 2), ("control", 2))]
main()
END
link "$dir/spans"
both spans "$dir/spans/dump.bin" "--elf=$dir/spans/fw.elf"
# From a trace.dat file, where only types and print formats tell what they are.
"$decoder" -q "--elf=$dir/own/fw.elf" "$dir/own/dump.bin" -o "$dir/own.dat"
"$decoder" -q "$dir/own.dat" -o "$dir/again.pftrace"
python3 tests/judges/perfetto.py "$dir/again.pftrace" --own "$dir/own/expected.txt" --no-sizes

# ---- counters that other events tell of ------------------------------------------------------------------------------

decoder=$build/test/tlog-decode-script
both heap tests/gen/heap.txt
kind=--mapped
"$decoder" -q tests/gen/heap.txt -o "$dir/heap.dat"
decoder=$build/tlog-decode
both heaps "$dir/heap.dat"

# ---- several boards --------------------------------------------------------------------------------------------------

kind=--merged=1
both merged "$dir/own/dump.bin" --merge "$dir/own--texts/dump.bin" "--elf=$dir/own/fw.elf"
# Both lock mutexes of the same numbers; tasks with names, and without.
kind=--merged=3
both boards "$dir/drops.bin" --merge "$dir/cpus.bin"
for board in 1 2; do
    grep -q " $board:.*:set_mutex_lock:" "$dir/boards.txt"
done
decoder=$build/test/tlog-decode-script
kind=--merged=1
cp tests/gen/heap.txt "$dir/heap2.txt"
both two_heaps tests/gen/heap.txt --merge "$dir/heap2.txt"
decoder=$build/tlog-decode

# ---- names, compression, times ---------------------------------------------------------------------------------------

"$decoder" -q "$demo" --format=perfetto >"$dir/piped.pftrace"
"$decoder" -q "$demo" -o "$dir/plain.pftrace"
cmp "$dir/piped.pftrace" "$dir/plain.pftrace"
"$decoder" -q "$demo" -o "$dir/z.pftrace.gz"
gzip -dc "$dir/z.pftrace.gz" | cmp - "$dir/plain.pftrace"
"$decoder" -q "$demo" --compress=zlib -o "$dir/z.pftrace"
cmp "$dir/z.pftrace" "$dir/z.pftrace.gz"
"$decoder" -q "$demo" --compress=none -o "$dir/none.pftrace.gz"
cmp "$dir/none.pftrace.gz" "$dir/plain.pftrace"
if "$decoder" -q "$demo" --compress=zstd -o "$dir/zstd.pftrace" 2>"$dir/err"; then exit 1; fi
grep -q 'viewers open no zstd; --compress=zlib' "$dir/err"
[ ! -e "$dir/zstd.pftrace" ]
if "$decoder" -q "$dir/ticks.shark" --from=shark --start-time=@5 -o "$dir/no.pftrace" 2>"$dir/err"; then exit 1; fi
grep -q 'start-time has no meaning' "$dir/err"
"$decoder" -q "$demo" --start-time=@1700000000 -o "$dir/start.pftrace"
"$decoder" -q "$demo" --format=text-full -o "$dir/start.txt"
python3 tests/judges/perfetto.py "$dir/start.pftrace" "$dir/start.txt" --start
echo "names, compression, times"
