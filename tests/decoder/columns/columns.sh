#!/bin/sh
# columns.sh - columns of every kind of input: every event is that of JSON lines and text, sums over the rows are the
# figures of --stat; also of inputs that are cut and damaged anywhere.
# usage: columns.sh BUILD quick|full
# Judge: tests/judges/columns.py, an independent reader of the format.
set -eu
. tests/lib/needs.sh
needs python3
build=$1
tier=$2
dir=$build/test/columns
decoder=$build/tlog-decode
scripts=$build/test/tlog-decode-script
rm -rf "$dir"
mkdir -p "$dir"

# judge NAME DECODER OPTION-OR-INPUT...
judge() {
    printf '%s: ' "$1"
    shift
    # shellcheck disable=SC2086
    python3 tests/judges/columns.py $how "$@" || exit 1
}
how=

# full COMMAND...: run the command in the full tier only
full() {
    [ "$tier" = quick ] || "$@"
}

# ---- tlog's own dumps ------------------------------------------------------------------------------------------------

demo=$build/demo/dump.bin
elf=--elf=$build/demo/firmware.elf
judge demo "$decoder" "$demo" "$elf"
full judge exact "$decoder" "$demo" "$elf" --map=exact
"$build/gen_dump" --events=2000 --drops=20 --names=5 --tasks=7 -o "$dir/drops.bin"
"$build/gen_dump" --events=700 --drops=20 --cpus=3 --names=5 --tasks=9 --traceevents=50 --longest=4 -o "$dir/cpus.bin"
"$build/gen_dump" --events=500 --texts --traceevents=60 --longest=4 -o "$dir/texts.bin"
"$build/gen_dump" --events=600 --jumps --cpus=2 --chunks=2 --slots=64 --garbage=300 -o "$dir/jumps.bin"
"$build/gen_dump" --events=0 -o "$dir/empty.bin"
"$build/gen_dump" --events=60 --drops=100 --cpus=40 --tasks=9 -o "$dir/many.bin"
"$build/gen_dump" --events=20000 --slots=8192 --tasks=3000 --names=20 -o "$dir/tasks.bin"
for each in drops cpus empty many; do
    judge $each "$decoder" "$dir/$each.bin"
done
for each in texts jumps tasks; do
    full judge $each "$decoder" "$dir/$each.bin"
done
for seed in 1 2 3; do
    for shape in --cpus=1 --cpus=3 "--cpus=2 --traceevents=40" "--cpus=12 --tasks=5"; do
        # shellcheck disable=SC2086
        "$build/gen_dump" --seed=$seed --events=900 --drops=15 --names=5 --tasks=6 $shape -o "$dir/seed.bin"
        full judge "seed $seed $shape" "$decoder" "$dir/seed.bin"
    done
done

# ---- damage ----------------------------------------------------------------------------------------------------------

for name in drops cpus; do
    python3 tests/gen/overwrite.py "$dir/$name.bin" "$dir/$name-damaged.bin"
    judge "$name, damaged" "$decoder" "$dir/$name-damaged.bin"
done

# hurt INPUT STEP OPTION...: cut the input at every STEP-th byte, and change a bit of such bytes
hurt() {
    python3 - "$decoder" "$dir" "$@" <<'END'
import subprocess
import sys
decoder, here, source, step = sys.argv[1:5]
data, n, step = open(source, "rb").read(), 0, int(step)
for at in range(0, len(data), step):
    bit = 1 << at // step % 8
    for hurt in data[:at], data[:at] + bytes([data[at] ^ bit]) + data[at + 1:]:
        with open(here + "/hurt", "wb") as file:
            file.write(hurt)
        run = subprocess.run([decoder, "-q", here + "/hurt", "--format=text", *sys.argv[5:]], capture_output=True)
        if run.returncode == 1:  # nothing to decode: columns say so, too
            run = subprocess.run([decoder, "-q", here + "/hurt", "--format=columns", *sys.argv[5:]],
                                 capture_output=True)
            assert run.returncode == 1 and run.stdout == b"", (at, run)
            continue
        judged = subprocess.run([sys.executable, "tests/judges/columns.py", decoder, here + "/hurt", *sys.argv[5:]],
                                capture_output=True)
        assert judged.returncode == 0, (at, judged.stderr.decode())
        n += 1
print("%d cut and changed forms of %s" % (n, source.split("/")[-1]))
END
}
"$build/gen_dump" --events=200 --drops=40 --cpus=2 --names=5 --tasks=4 --slots=64 -o "$dir/small.bin"
if [ "$tier" = quick ]; then hurt "$dir/small.bin" 1999; else hurt "$dir/small.bin" 599; fi

# ---- other formats ---------------------------------------------------------------------------------------------------

"$decoder" -q "$demo" "$elf" -o "$dir/demo.dat"
"$decoder" -q --map=exact "$dir/cpus.bin" -o "$dir/cpus.dat"
"$decoder" -q "$dir/drops.bin" --format=kev -o "$dir/drops.kev"
"$decoder" -q "$dir/drops.bin" --format=lttng -o "$dir/lttng"
"$decoder" -q "$dir/drops.bin" --format=shark -o "$dir/drops.shark"
for each in demo.dat cpus.dat lttng drops.kev; do
    judge $each "$decoder" "$dir/$each"
done
full judge shark "$decoder" --from=shark --clock-hz=1000000 "$dir/drops.shark"
# The frequency of the clock is not known if no record tells it: those records are left out.
python3 - "$dir" <<'END'
import sys
data = open(sys.argv[1] + "/drops.shark", "rb").read()
records = [data[i:i + 16] for i in range(0, len(data), 16)]
open(sys.argv[1] + "/ticks.shark", "wb").write(b"".join(r for r in records if r[0] not in (0x10, 0x20)))
END
judge ticks "$decoder" --from=shark "$dir/ticks.shark"

# ---- counters, interrupts inside each other, several boards, parts ---------------------------------------------------

judge heap "$scripts" tests/gen/heap.txt
cat >"$dir/nested.script" <<'END'
#script
cpus 1
name 1 one
name 3 three
switch 0 1000 1
entry 0 1100 4
entry 0 1200 5
exit 0 1300 5
entry 0 1400 6
exit 0 1500 4
lock 0 1600 1
switch 0 1700 3
entry 0 1800 4
loss 0 1900 7
entry 0 2000 5
exit 0 2100 5
switch 0 2200 1
wake 0 2250 3
switch 0 2300 3
entry 0 2400 9
END
judge nested "$scripts" "$dir/nested.script"
# More losses than are kept for a CPU at a time; and one that goes on while others fill blocks of them.
{
    echo "#script"
    echo "cpus 2"
    echo "switch 0 900 1"
    echo "switch 1 900 2"
    for each in 1 2 3 4 5 6 7 8 9 10 11; do echo "loss 1 1000 $each"; done
    echo "switch 1 1100 2"
    echo "loss 1 1200 3"
    seq 2000 2 14000 | sed 's/.*/loss 0 & 1\nswitch 0 & 1/'
    echo "switch 1 20000 2"
} >"$dir/losses.script"
judge losses "$scripts" "$dir/losses.script"
judge "inside an interrupt" "$decoder" --time=0.00901..0.00905 "$demo" "$elf"
how=--no-stat
judge merged "$decoder" --merge "$dir/drops.bin" "$dir/cpus.bin"
cp "$demo" "$dir/twin.bin"
how="--no-stat --alike"
judge twins "$decoder" --merge "$demo" "$dir/twin.bin" "$elf"
how=
judge "parts of it" "$decoder" --time=0.1..0.3 "$demo" "$elf"
full judge "parts of losses" "$decoder" --time=0.0003..0.0018 "$dir/cpus.bin"
judge "one task" "$decoder" --task=control "$demo" "$elf"
judge "what stands around" "$decoder" --around=task_deadline_miss:5ms "$demo" "$elf"

# Times and counters that doubles do not have are told.
cat >"$dir/far.script" <<'END'
#script
cpus 1
switch 0 1000 1
switch 0 9007199254741993 2
END
"$scripts" "$dir/far.script" -o "$dir/far.columns" 2>"$dir/err"
grep -q 'some numbers above 2^53 are rounded' "$dir/err"
grep -q '"exact": false' "$dir/far.columns"
sed -i 's/9007199254741993/9007199254741992/' "$dir/far.script"
"$scripts" "$dir/far.script" -o "$dir/far.columns" 2>"$dir/err"
if grep -q 'rounded' "$dir/err"; then exit 1; fi
grep -q '"exact": true' "$dir/far.columns"

# To a pipe, the same.
"$decoder" -q "$demo" -o "$dir/demo.columns"
"$decoder" -q "$demo" --format=columns | cmp - "$dir/demo.columns"

# ---- memory ----------------------------------------------------------------------------------------------------------

# flat INPUT: 64 MiB and four times the input are enough
flat() {
    python3 - "$decoder" "$1" "$dir/flat.columns" <<'END'
import os
import resource
import subprocess
import sys
decoder, source, out = sys.argv[1:]
run = subprocess.run([decoder, "-q", source, "-o", out], check=False)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
print("%s: %d bytes, %d of columns, peak %.1f MiB" % (os.path.basename(source), os.path.getsize(source),
                                                      os.path.getsize(out), peak / 2**20))
sys.exit(run.returncode not in (0, 2) or peak > (64 << 20) + 4 * os.path.getsize(source))
END
}

memory() {
    python3 tests/gen/hostile.py many_cpus 4096 "$dir/many_cpus"
    python3 tests/gen/hostile_dumps.py kev_cpus 65536 "$dir/kev_cpus"
    python3 tests/gen/hostile_dumps.py kev_threads 262144 "$dir/kev_threads"
    "$build/gen_dump" --sealed --stream --slots=8192 --events=2000000 --tasks=60000 --names=20 -o "$dir/tasks.bin"
    for each in many_cpus kev_cpus kev_threads tasks.bin; do
        flat "$dir/$each" || { echo "memory: $each"; exit 1; }
    done
}
full memory
