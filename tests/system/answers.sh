#!/bin/sh
# answers.sh - --stat, --info and --check of the demo's dump: the same figures from every format; JSON that Python's
# parser takes, and that tells the same as the text; damage with its offset; several inputs; hostile ones in bounded
# memory. That the figures are right is checked by tests/system/demo/stat.py and tests/decoder/answer/.
# usage: answers.sh BUILD
set -eu
. tests/lib/needs.sh
needs python3
build=$(cd "$1" && pwd)
top=$PWD
dir=$build/test/answers
decode=$build/tlog-decode
bounded=$PWD/tests/lib/bounded.py
select=$PWD/tests/system/chosen.py
packed=$PWD/tests/system/packed.py
script=$build/test/tlog-decode-script
dump=$build/demo/dump.bin
elf=$build/demo/firmware.elf
rm -rf "$dir"
mkdir -p "$dir"
cd "$dir"
export LC_ALL=C

fail() {
    echo "answers.sh: $*"
    exit 1
}

# exits CODE COMMAND...: the command must end with that code
exits() {
    wanted=$1
    shift
    code=0
    "$@" >out 2>err || code=$?
    [ "$code" -eq "$wanted" ] || fail "$*: $code, not $wanted: $(head -n 3 err)"
}

# ---- the same from every format ----

"$decode" -q "--elf=$elf" "$dump" -o demo.dat
"$decode" -q "--elf=$elf" "$dump" -o demo.shark
"$decode" -q "--elf=$elf" "$dump" --format=lttng -o demo.lttng
"$decode" -q "--elf=$elf" "$dump" -o demo.kev
for each in dat shark lttng kev; do
    "$decode" -q --stat --json "demo.$each" >"$each.json"
    "$decode" -q --stat "demo.$each" >"$each.txt"
done
"$decode" -q --stat --json "--elf=$elf" "$dump" >dump.json
"$decode" -q --stat "--elf=$elf" "$dump" >dump.txt
"$decode" -q --info --json "--elf=$elf" "$dump" demo.dat >info.json
"$decode" -q --info "--elf=$elf" "$dump" demo.dat >info.txt
"$decode" -q --map=native --format=text-full "--elf=$elf" "$dump" >native.txt
"$decode" --stat "$dump" 2>err >out
if grep -q "standard output" err; then fail "a summary beside the answer"; fi
python3 - <<'END_PYTHON'
import collections, json, re

def load(name):
    return json.load(open(name))

(dump,) = load("dump.json")
whole = {key: value for key, value in dump.items() if key not in ("input", "events")}

def without(what, *keys):
    """Without members of those names, at any depth."""
    if isinstance(what, dict):
        return {key: without(value, *keys) for key, value in what.items() if key not in keys}
    return [without(each, *keys) for each in what] if isinstance(what, list) else what

for name, keys in (("dat", ()), ("lttng", ("object", "mutex")),
                   ("shark", ("task", "object", "mutex", "interrupt", "holder", "preempted_by", "held_longest_by",
                              "waited_longest"))):
    told = without(load(name + ".json")[0], "input", "events", *keys)
    assert told == without(whole, "events", *keys), name
    print(name + ": every figure as of the dump")

# QNX has no event for what S.Ha.R.K. calls task_sleep: when tasks ran is the same, and what they waited for not told.
for task, other in zip(dump["tasks"], load("kev.json")[0]["tasks"]):
    assert task["pid"] >= 65536 or (task["running"], task["runs"]) == (other["running"], other["runs"]), task
assert [irq["time"] for irq in dump["interrupts"]] == [irq["time"] for irq in load("kev.json")[0]["interrupts"]]

# ---- text and JSON ----

def close(text, unit, value):
    """A time as the text has it: rounded to four digits."""
    size = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}[unit]
    decimals = len(text.split(".")[1]) if "." in text else 0
    assert unit == "ns" or len(text.replace(".", "")) == 4, (text, unit)
    return abs(float(text) * size - value) <= size * 0.5001 / 10**decimals

text = open("dump.txt").read()
assert "\x1b" not in text and text.isascii()
assert len(re.search(r"^CPU 0 .*$", text, re.M).group(0)) == 80
sections = {part.split("\n")[0].split()[0]: part.split("\n")[1:] for part in text.split("\n\n")}
time = r"([\d.]+) (ns|us|ms|s)"
seen = 0
for title, key in (("Responses", "response"), ("Latencies", "latency")):
    told = {line.split()[0]: line for line in sections[title]}
    for task in dump["tasks"]:
        if task[key]["count"] == 0 or task["pid"] == 0:
            continue
        line = told.pop(task["task"])
        times = re.findall(time, line)
        assert int(line.split()[1]) == task[key]["count"]
        for (number, unit), part in zip(times, ("min", "avg", "p50", "p99", "max")):
            assert close(number, unit, task[key][part]), (line, part, task[key])
            seen += 1
        assert abs(float(line.split()[-1]) * 10**9 - task[key]["max_at"]) < 1000
    assert not told, told
for task in dump["tasks"]:
    (line,) = [each for each in sections["Tasks"] if each.split()[0] == task["task"]]
    assert abs(float(line.split()[1]) - task["share"] * 100) <= 0.00501, line
    assert int(line.split()[5]) == task["runs"], line
    seen += 1
reasons = [each for task in dump["tasks"] for each in task["blocked"]]
assert len([line for line in sections["Blocked"] if line]) == len(reasons)
sections["Priority"] = "\n".join(sections["Priority"]).replace("\n    ", " ").split("\n")
sentence = re.compile(r"  (\w+) waited (.*) for mutex (\w+) held by (\w+), which (\w+) preempted for (.*), at ([\d.]+)")
told = [sentence.match(line).groups() for line in sections["Priority"] if line]
assert len(told) == len(dump["inversions"]) >= 4
for line, each in zip(told, dump["inversions"]):
    assert (line[0], line[2], line[3], line[4]) == (each["task"], each["mutex"], each["holder"], each["preempted_by"])
    assert close(*line[1].split(), each["waited"]) and close(*line[5].split(), each["preempted"]), line
assert (told[0][0], told[0][2:5]) == ("control", ("bus", "logger", "comms")), told[0]
print("%d figures of the text are those of the JSON" % seen)

# ---- info ----

first, second = load("info.json")
assert first["format"] == "native" and second["format"] == "trace.dat"
assert first["clock_hz"] == 25000000 and first["runs"] == 1 and first["chunks"] == 2
assert first["names"] == {"task": 10, "interrupt": 3, "mutex": 2} or first["names"]["mutex"] == 2
counted = collections.Counter(re.search(r"\[\d+\] *\S+: *(\S+?:\S+?):? ", line + " ").group(1).rstrip(":")
                              for line in open("native.txt") if "[000]" in line)
types = {each["system"] + ":" + each["event"]: each["count"] for each in first["types"]}
assert sum(types.values()) == first["events"] == dump["events"], (sum(types.values()), first["events"])
assert types == dict(counted), (types, counted)
assert first["per_cpu"] == [{"cpu": 0, "events": first["events"], "dropped": 0, "overwritten": 0}]
text = open("info.txt").read()
assert text.count("CPU, 1.095 s") == 2
for name, count in types.items():
    assert re.search(r"^ +%d  %s$" % (count, name), text, re.M), name
print("%d types of event, as many events of each as text has lines" % len(types))
END_PYTHON

# ---- damage ----

# The dump with a bit flipped in the middle of it, where events are; two such places; cut; and no dump at all.
python3 - "$dump" <<'END_PYTHON'
import sys
dump = bytearray(open(sys.argv[1], "rb").read())
at = len(dump) // 4 & ~15
dump[at + 9] ^= 0x40
open("one.bin", "wb").write(dump)
for i in range(40):
    dump[at + 16 * 64 * i + 9] ^= 0x20
open("many.bin", "wb").write(dump)
open("none.bin", "wb").write(b"nothing of that kind" * 100)
open("empty.bin", "wb").write(b"")
open("at", "w").write("0x%x" % at)
END_PYTHON
exits 0 "$decode" --check "$dump"
[ "$(wc -l <out)" -eq 1 ] && grep -q ": whole: [0-9]* events, lost 0, damaged 0$" out || fail "$(cat out)"
exits 2 "$decode" --check one.bin
grep -q "^one.bin: offset 0x" out || fail "no offset: $(cat out)"
tail -n 1 out | grep -q "^one.bin: damaged: [0-9]* events, lost [0-9]*, damaged [1-9]" || fail "$(cat out)"
if grep -q offset err; then fail "damage is told twice"; fi
cp out one.out
exits 2 "$decode" -q --check one.bin
[ "$(wc -l <out)" -eq 1 ] || fail "--quiet tells more than the verdict"
tail -n 1 one.out | cmp - out
exits 1 "$decode" --check none.bin
grep -q "^none.bin: nothing decodable" out || fail "$(cat out)"
grep -q "^tlog-decode: no .* dump found in none.bin" err
exits 1 "$decode" --stat empty.bin
exits 2 "$decode" --check --json "$dump" many.bin none.bin
python3 - "$(cat at)" <<'END_PYTHON'
import json, sys
whole, many, none = json.load(open("out"))
assert (whole["verdict"], whole["damage"]) == ("whole", [])
assert none["verdict"] == "nothing decodable"
offsets = [each["offset"] for each in many["damage"]]
assert many["verdict"] == "damaged" and many["damaged_parts"] == len(offsets) > 20, many["damaged_parts"]
assert any(abs(offset - int(sys.argv[1], 0)) <= 512 for offset in offsets), (sys.argv[1], offsets[:3])
assert many["damaged"] == 40, many["damaged"]
print("check: %d damaged parts, each with its offset" % len(offsets))
END_PYTHON
# What a decoding tells of the first twenty parts, --check tells in the same words.
exits 2 "$decode" many.bin -o many.txt
grep -o "offset 0x[0-9a-f]*: [a-z ]*" err | head -n 20 >told
"$decode" --check many.bin 2>err | grep -o "offset 0x[0-9a-f]*: [a-z ]*" | head -n 20 | cmp - told
exits 2 "$decode" --stat --json one.bin none.bin
python3 -c 'import json; one, none = json.load(open("out")); assert one["tasks"] and "found" in none["error"], none'

# A pipe is read once; every run of the firmware is validated; the file of another firmware is told.
cat "$dump" | "$decode" --check - >out || fail "a pipe: $(cat out)"
grep -q "^standard input: whole\|^-: whole" out || fail "$(cat out)"
# A clock that stood still is told, whatever a dump has.
for shape in "" --sealed --stream "--sealed --stream --slots=64" "--traceevents=100 --user" \
    "--traceevents=100 --longest=4" --cpus=2 "--cpus=3 --sealed --start=0" --drops=20 \
    "--traceevents=50 --start=9999999999" "--start=4294967295 --sealed" --hz=0; do
    # shellcheck disable=SC2086
    "$build/gen_dump" --events=300 --still $shape -o still.bin
    exits 0 "$decode" --info still.bin
    grep -q "still.bin: all [0-9]* events bear the same time: .*TLOG_CLOCK_ADDRESS" err ||
        fail "still $shape: $(cat err)"
done
"$build/gen_dump" --events=1 --cpus=20 --still -o still.bin
exits 0 "$decode" --info still.bin
if grep "same time" err; then fail "one event of each CPU: $(cat err)"; fi
"$build/gen_dump" --events=200 --slots=64 --sealed --boot=1 -o first.bin
"$build/gen_dump" --events=300 --slots=64 --sealed --boot=2 -o second.bin
cat first.bin second.bin >runs.bin
events=0
for each in first second runs; do
    exits 0 "$decode" --check --json $each.bin
    found=$(sed -n 's/^    "events": \([0-9]*\),$/\1/p' out)
    [ $each = runs ] || events=$((events + found))
done
[ "$found" -eq "$events" ] || fail "$found events of all runs, not $events"
exits 0 "$decode" --check --json --run=1 runs.bin
grep -q '^    "events": '"$((events - $("$decode" -q --check second.bin | sed 's/.*whole: \([0-9]*\) .*/\1/')))," out
cp "$elf" other.elf
python3 - <<'END_PYTHON'
elf = bytearray(open("other.elf", "rb").read())
at = next(i for i in range(len(elf) - 20) if elf[i:i + 4] == b"GNU\0")
elf[at + 4] ^= 1
open("other.elf", "wb").write(elf)
END_PYTHON
exits 2 "$decode" --check --elf=other.elf "$dump"
grep -q ": of another firmware: " out || fail "$(cat out err)"

# ---- nothing read is not whole ----

# However a file is cut, it is never whole without events; one that has none, and tells that, is.
"$decode" -q "$dump" --format=trace.dat-v6 -o demo.v6
"$decode" -q "$dump" --format=trace.dat --compress=zstd -o demo.zstd
python3 - "$decode" "$dump" <<'END_PYTHON'
import struct, subprocess, sys
decode, dump = sys.argv[1:]

def check(name, *options):
    told = subprocess.run([decode, "--check", "-q", *options, name], capture_output=True, text=True)
    return told.returncode, ": 0 events" in told.stdout, told.stderr

def contents(name):  # where the first event may be
    data = open(name, "rb").read()
    if name == "demo.kev":
        return data, data.index(b"TRACE_HEADER_END::") + 18
    return data, {"demo.v6": data.rfind(b"flyrecord") + 26, dump: 128}.get(name, len(data) // 4)

cuts = 0
for name in ["demo.dat", "demo.v6", "demo.zstd", "demo.kev", dump]:
    data, at = contents(name)
    for n in sorted({0, *range(at // 12, at, at // 12 + 1), *range(at - 2, at + 4), at + 16}):
        open("cut", "wb").write(data[:n])
        code, nothing, _ = check("cut")
        assert code == 1 or not nothing, (name, n, code)
        cuts += 1
data = bytearray(open("demo.dat", "rb").read())  # version 7: no option tells of any buffer
at = struct.unpack_from("<Q", data, data.index(b"none\0\0") + 6)[0] + 16
while struct.unpack_from("<H", data, at)[0] != 0:
    if struct.unpack_from("<H", data, at)[0] == 3:
        struct.pack_into("<H", data, at, 999)
    at += 6 + struct.unpack_from("<I", data, at + 2)[0]
open("cut", "wb").write(data)
assert check("cut")[0] == 1, "trace.dat without a buffer"
open("cut", "wb").write(bytes(160))
assert check("cut", "--from=shark")[0] == 1, "no record"
for format in ["trace.dat", "trace.dat-v6", "kev", "lttng"]:
    subprocess.run([decode, "-q", "--event=none", dump, "--format=" + format, "-o", "no." + format], check=True)
    assert check("no." + format)[:2] == (0, True), format
print("contents: %d cuts, and files that say that they have no events" % cuts)
END_PYTHON

# The files of a run of S.Ha.R.K., one for each chunk, are one trace on one clock, in any order and number; with another
# run's, and with files of other formats that are called alike, they are two.
"$decode" -q --format=text-full demo.shark -o run.txt
cases=0
for n in 2 11; do
    rm -rf run
    mkdir run
    python3 - $n <<'END_PYTHON'
import sys
data, n = open("demo.shark", "rb").read(), int(sys.argv[1])
step = len(data) // 16 // n * 16
for i in range(n):
    open("run/%dtrace" % i, "wb").write(data[i * step:(i + 1) * step if i < n - 1 else None])
open("run/%dtrace" % n, "wb")
END_PYTHON
    for order in "" -nr; do
        # shellcheck disable=SC2046,SC2086
        set -- $(ls run | sort $order | sed 's/^/run\//')
        exits 0 "$decode" -q --format=text-full "$@"
        cmp out run.txt || fail "$n files in the order $order"
        exits 0 "$decode" -q --format=text-full --merge "$@"
        cmp out run.txt || fail "--merge of $n files"
        exits 0 "$decode" --stat --json -q "$@"
        sed 3d shark.json >wanted.json
        sed 3d out | cmp - wanted.json || fail "--stat of $n files"
        cases=$((cases + 1))
    done
    for i in 1 $((n - 1)); do
        exits 0 "$decode" run/${i}trace --format=text
        grep -q "no trace_start and no cycles_per_msec tells the clock: .* such as 0trace.dat and 1trace.dat" err ||
            fail "file $i alone: $(cat err)"
    done
    printf '\001' >>run/1trace
    exits 2 "$decode" --format=text-full "$@"
    grep -q "offset 0x[0-9a-f]*: run/1trace: the file ends in the middle of a record: skipped 1 byte" err ||
        [ "$1" = run/1trace ] || fail "no name: $(cat err)"
    for each in "$@"; do
        cp "$each" before
        exits 1 "$decode" -q "$@" --format=shark -o "$each"
        cmp before "$each" || fail "$each is overwritten"
    done
done
rm -rf run
mkdir -p run/other
cp demo.shark run/other/0trace
cp demo.shark run/0trace
: >run/1trace
: >run/other/1trace
exits 0 "$decode" --merge run/0trace run/1trace run/other/0trace run/other/1trace -o two.kev
grep -q ", 2 CPUs, " err || fail "not two boards: $(cat err)"
python3 -c '
data = bytearray(open("demo.shark", "rb").read())
at = next(i for i in range(0, len(data), 16) if data[i] in (0x10, 0x20))
data[at + 12] ^= 1
open("run/1trace", "wb").write(data)'
for other in demo.kev demo.dat "$dump" run/1trace; do
    [ "$other" = run/1trace ] || cp "$other" run/1trace
    exits 1 "$decode" run/0trace run/1trace
    grep -q "one input at a time" err || fail "$other is of the run: $(cat err)"
done
exits 1 "$decode" run/0trace run/0trace
echo "runs: $cases sets of files"

# A pipe is judged by its first bytes, and what may stand ahead of a chunk is less than these; more with --from.
for ahead in 0 15 17; do
    { head -c ${ahead}M /dev/zero && cat "$dump" && head -c 18M /dev/zero; } >memory.bin
    "$decode" -q --check memory.bin >whole.out
    code=0
    cat memory.bin | "$decode" -q --check - >out 2>err || code=$?
    if [ $ahead -lt 16 ]; then
        [ "$(sed 's/^-: //' out)" = "$(sed 's/^memory.bin: //' whole.out)" ] || fail "a pipe: $(cat out err)"
        gzip -1 <memory.bin | "$decode" -q --check - | cmp - out || fail "a compressed pipe"
    else
        [ $code -eq 1 ] && grep -q "in the first 16 MiB of standard input" err || fail "a pipe: $(cat out err)"
    fi
    cat memory.bin | "$decode" -q --check --from=native - >out
    [ "$(sed 's/^-: //' out)" = "$(sed 's/^memory.bin: //' whole.out)" ] || fail "--from=native: $(cat out)"
    code=0
    cat memory.bin | "$decode" -q --check --from=native --spool=17 - >out 2>err || code=$?
    [ $code -eq 1 ] && grep -q "more than 17 MiB, which --spool=MIB raises" err || fail "--spool: $(cat out err)"
done

# ---- tables ----

(cd "$top" && python3 tests/system/tables.py "$decode" "$script" "$dir" "$dump" "$dir/demo.dat" "$dir/demo.kev")
[ "${TIER:-}" = quick ] || (cd "$top" && python3 tests/system/left_out.py "$decode" "$script" "$dir" "$dump")

# ---- inversions ----

# In the order of priorities that the input tells, whatever it is.
seeds=8
[ "${TIER:-}" != quick ] || seeds=1
(cd "$top" && python3 tests/system/priorities.py "$decode" "$dir/priorities" $seeds)

# ---- outputs, filters, refusals ----

python3 "$select" "$decode" "$elf" "$dump" .
python3 "$packed" "$decode" "$elf" "$dump" .

exits 0 "$decode" --stat "--elf=$elf" "$dump" -o stat.txt
sed 1d stat.txt >rest
sed 1d dump.txt | cmp - rest
cp one.bin keep.bin
exits 1 "$decode" --stat keep.bin -o keep.bin
cmp one.bin keep.bin
exits 0 "$decode" --stat --json "--filter=pid == 2 || next_pid == 2 || prev_pid == 2" "$dump"
python3 -c '
import json
(told,) = json.load(open("out"))
assert told["left_out"] > 0 and told["events"] > 100 and told["interrupts"] == [], told["events"]'
for options in "--stat --info" "--stat --format=text" "--json" "--info --compress=zstd" "--stat --merge" \
    "--check --sync=a"; do
    # shellcheck disable=SC2086
    exits 1 "$decode" $options "$dump"
    [ ! -s out ] || fail "$options: something is written"
done
LC_ALL=C.UTF-8 "$decode" -q --stat "$dump" | python3 -c '
import sys
line = [line for line in sys.stdin if line.startswith("CPU 0")][0].rstrip()
assert len(line) <= 80 and set(line.split("|")[1]) <= set(" \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"), line'

[ "${TIER:-}" != quick ] || exit 0

# ---- hostile inputs ----

# 17000 tasks that wake each other, on a clock that jumps; and names with controls and quotes.
python3 - >tasks.txt <<'END_PYTHON'
print("#script\ncpus 2\nclock 1000000000\nname 1 a\"b\\c")
for i in range(1, 17001):
    print("wake %d %d %d\nblock %d %d 0\nswitch %d %d %d" % (i % 2, i << i % 30, i, i % 2, i << i % 30, i % 2,
                                                           i << i % 30, i))
END_PYTHON
"$script" -q --map=exact tasks.txt -o tasks.dat
printf '#script\ncpus 1\n' >none.txt
exits 0 python3 "$bounded" memory=64 cpu=20 "$decode" -q --stat tasks.dat
grep -q "^Only the first 16384 tasks are counted.$" out || fail "$(tail -n 2 out)"
exits 0 "$decode" -q --stat --json tasks.dat
python3 -c 'import json; told = json.load(open("out"))[0]; assert not told["complete"] and len(told["tasks"]) == 16384'
exits 0 "$script" -q --stat --json none.txt
python3 -c 'import json; told = json.load(open("out"))[0]; assert told["tasks"] == [] and told["events"] == 0'
exits 0 "$script" -q --stat none.txt
name=$(printf 'esc\033[2Jq"uo\\te\303\251\377.bin')
cp "$dump" "$name"
exits 0 "$decode" -q --stat "$name"
if grep -q "$(printf '\033')" out; then fail "a control of a name reaches the terminal"; fi
for each in stat info check; do
    exits 0 "$decode" -q "--$each" --json "$name"
    python3 -c '
import json
assert json.load(open("out"))[0]["input"].startswith("esc\x1b[2Jq\"uo\\te\u00e9\ufffd")'
done
echo "answers: formats, damage, several inputs, hostile ones: as they should be"
