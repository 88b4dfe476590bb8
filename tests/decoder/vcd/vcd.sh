#!/bin/sh
# vcd.sh - value change dumps of every kind of input: what their variables show follows from the JSON lines of the same
# input; GTKWave's converters take them there and back; libsigrok reads the same wires.
# usage: vcd.sh BUILD quick|full
# Judges: tests/judges/vcd.py, an independent reader, also of the save file for GTKWave, which itself needs a display;
# vcd2fst and fst2vcd (Debian: gtkwave); sigrok-cli.
set -eu
. tests/lib/needs.sh
needs python3 vcd2fst sigrok-cli
build=$1
tier=$2
dir=$build/test/vcd
decoder=$build/tlog-decode
judge=tests/judges/vcd.py
rm -rf "$dir"
mkdir -p "$dir"

fail() {
    echo "vcd: $*"
    exit 1
}

# decode ARGUMENT...: exit code 2 tells damage, and is as good as 0
decode() {
    "$decoder" -q "$@" || [ $? -eq 2 ] || fail "$*"
}

# all NAME INPUT OPTION...: $dir/NAME.vcd against rows, through GTKWave, and wires alone through libsigrok. $of_rows:
# options of the judge for rows. $scale: an option of VCD.
of_rows=
scale=
all() {
    name=$1
    shift
    printf '%s: ' "$name"
    decode "$@" ${scale:+"$scale"} -o "$dir/$name.vcd" --session="$dir/$name.gtkw"
    decode "$@" -o "$dir/$name.jsonl"
    # shellcheck disable=SC2086
    python3 "$judge" rows "$dir/$name.vcd" "$dir/$name.jsonl" $of_rows || fail "$name"
    python3 "$judge" session "$dir/$name.vcd" "$dir/$name.gtkw" || fail "$name: session"
    if ! grep -q '^\$var' "$dir/$name.vcd"; then
        echo "$name: no variables, and no .fst of them"
        return
    fi
    vcd2fst -v "$dir/$name.vcd" -f "$dir/$name.fst" >"$dir/$name.err" || fail "$name: vcd2fst: $(cat "$dir/$name.err")"
    fst2vcd -f "$dir/$name.fst" -o "$dir/$name.back" || fail "$name: fst2vcd"
    python3 "$judge" same "$dir/$name.vcd" "$dir/$name.back" || fail "$name: vcd2fst and fst2vcd"
}

# wires NAME INPUT OPTION...: the same of vcd-wires. libsigrok makes a sample for each step of time, and writes up to 94
# wires.
wires() {
    name=$1
    shift
    printf '%s: ' "$name"
    decode "$@" --format=vcd-wires --timescale=1us -o "$dir/$name.wires"
    sigrok-cli -i "$dir/$name.wires" -I vcd -O vcd >"$dir/$name.sigrok" 2>"$dir/$name.err" ||
        fail "$name: sigrok-cli: $(cat "$dir/$name.err")"
    [ ! -s "$dir/$name.err" ] || fail "$name: libsigrok says $(cat "$dir/$name.err")"
    python3 "$judge" wires "$dir/$name.wires" "$dir/$name.sigrok" || fail "$name: wires"
}

# full COMMAND...: run the command in the full tier only
full() {
    [ "$tier" = quick ] || "$@"
}

# ---- tlog's own dumps ------------------------------------------------------------------------------------------------

demo=$build/demo/dump.bin
elf=--elf=$build/demo/firmware.elf
all demo "$demo" "$elf"
full wires demo "$demo" "$elf"
scale=--timescale=1us
full all us "$demo" "$elf"
scale=
full all native "$demo" --map=native
"$build/gen_dump" --events=2000 --drops=20 --names=5 --tasks=7 -o "$dir/drops.bin"
"$build/gen_dump" --events=700 --drops=20 --cpus=3 --names=5 --tasks=9 --traceevents=50 --longest=4 -o "$dir/cpus.bin"
"$build/gen_dump" --events=500 --texts --traceevents=60 --longest=4 -o "$dir/texts.bin"
"$build/gen_dump" --events=600 --jumps --cpus=2 --chunks=2 --slots=64 --garbage=300 -o "$dir/jumps.bin"
"$build/gen_dump" --events=0 -o "$dir/empty.bin"
full all drops "$dir/drops.bin"
for each in cpus empty; do
    all $each "$dir/$each.bin"
done
full all texts "$dir/texts.bin"
"$build/gen_dump" --events=700 --drops=20 --names=3 --tasks=7 -o "$dir/few.bin"
"$build/gen_dump" --events=120 --drops=30 --names=3 --tasks=4 --cpus=3 -o "$dir/fewer.bin"
full wires few "$dir/few.bin"
wires fewer "$dir/fewer.bin"
full all jumps "$dir/jumps.bin"
# Bytes are overwritten: chunks of which parts are damage.
for name in drops cpus; do
    python3 tests/gen/overwrite.py "$dir/$name.bin" "$dir/$name-damaged.bin"
done
all damaged "$dir/drops-damaged.bin"
full all damages "$dir/cpus-damaged.bin"

# ---- other formats ---------------------------------------------------------------------------------------------------

decode "$demo" "$elf" -o "$dir/demo.dat"
decode --map=exact "$dir/cpus.bin" -o "$dir/cpus.dat"
of_rows=--no-reasons
all tracedat "$dir/demo.dat"
all tracedats "$dir/cpus.dat"
of_rows=
for format in kev lttng; do
    decode "$dir/drops.bin" --format=$format -o "$dir/drops.$format"
    full all $format "$dir/drops.$format"
done
# The frequency of the clock is not known if no record tells it: those records are left out.
decode "$dir/drops.bin" --format=shark -o "$dir/drops.shark"
python3 - "$dir" <<'END'
import sys
data = open(sys.argv[1] + "/drops.shark", "rb").read()
records = [data[i:i + 16] for i in range(0, len(data), 16)]
records = [r for r in records if r[0] not in (0x10, 0x20)]
open(sys.argv[1] + "/ticks.shark", "wb").write(b"".join(records))
END
all ticks "$dir/ticks.shark" --from=shark
grep -q '^\$comment .* times are ticks' "$dir/ticks.vcd"

# ---- own events ------------------------------------------------------------------------------------------------------

forms=--texts
[ "$tier" = full ] || forms=
for form in "" $forms; do
    own=$dir/own$form
    mkdir -p "$own"
    # shellcheck disable=SC2086
    python3 tests/gen/own.py "$own" $form
    arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -Wl,-Ttext=0x8000 "$own/firmware.s" \
        -Wl,--section-start=.note.gnu.build-id=0x1000 -Wl,--build-id=0x4142434445464748494a4b4c4d4e4f5051525354 \
        -o "$own/fw.elf"
    all "own$form" --typed-text "--elf=$own/fw.elf" "$own/dump.bin"
done

# ---- counters that other events tell of ------------------------------------------------------------------------------

decoder=$build/test/tlog-decode-script
all heap tests/gen/heap.txt
decode tests/gen/heap.txt -o "$dir/heap.dat"
decoder=$build/tlog-decode
of_rows=--no-reasons
all heaps "$dir/heap.dat"
of_rows=

# ---- several boards --------------------------------------------------------------------------------------------------

of_rows="0:0 1,2,3:100000"
all merged --merge "$dir/drops.bin" "$dir/cpus.bin"
decoder=$build/test/tlog-decode-script
of_rows="0:0 1:100000"
cp tests/gen/heap.txt "$dir/heap2.txt"
all two_heaps --merge tests/gen/heap.txt "$dir/heap2.txt"
decoder=$build/tlog-decode

# ---- memory ----------------------------------------------------------------------------------------------------------

# flat INPUT: 64 MiB and four times the input are enough, for thousands of CPUs and for tens of thousands of tasks
flat() {
    python3 - "$decoder" "$1" "$dir/flat.vcd" <<'END'
import os
import resource
import subprocess
import sys
decoder, source, out = sys.argv[1:]
run = subprocess.run([decoder, "-q", source, "-o", out], check=False)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
names = [line.split()[4] for line in open(out, encoding="ascii") if line.startswith("$var")]
print("%s: %d bytes, %d variables, peak %.1f MiB" % (os.path.basename(source), os.path.getsize(source), len(names),
                                                     peak / 2**20))
sys.exit(run.returncode not in (0, 2) or len(set(names)) != len(names)
         or peak > (64 << 20) + 4 * os.path.getsize(source))
END
}

memory() {
    python3 tests/gen/hostile.py many_cpus 4096 "$dir/many_cpus"
    python3 tests/gen/hostile_dumps.py kev_cpus 65536 "$dir/kev_cpus"
    python3 tests/gen/hostile_dumps.py kev_threads 262144 "$dir/kev_threads"
    "$build/gen_dump" --sealed --stream --slots=8192 --events=2000000 --tasks=60000 --names=20 -o "$dir/tasks.bin"
    for each in many_cpus kev_cpus kev_threads tasks.bin; do
        flat "$dir/$each" || fail "memory: $each"
    done
}
full memory
