#!/bin/sh
# trace_processor.sh - Perfetto traces in Perfetto's own trace_processor: no error in its `stats`, as many rows in its
# tables as events were logged, and the six queries of host/formats/perfetto/QUERIES.md, of which host/README.md shows
# one.
# usage: trace_processor.sh BUILD
# The engine is in the directory TRACE_PROCESSOR, else in BUILD/tools/trace-processor, where make judges-deps puts it.
# Judges: trace_processor; tests/judges/perfetto_figures.py, which computes the answers from lines of text. They are the
# figures of --stat, too (tests/judges/perfetto_stat.py).
set -eu
. tests/lib/needs.sh
needs node python3
build=$1
dir=$build/test/trace_processor
engine=${TRACE_PROCESSOR:-$build/tools/trace-processor}
decoder=$build/tlog-decode
[ -f "$engine/trace_processor.wasm" ] ||
    skipped npm "no trace_processor in $engine; make judges-deps gets it from the network"
(cd "$engine" && sha256sum --quiet -c -) <<'END' || { echo "$engine has other files than are known"; exit 1; }
c1c25c299b74cc9b9651592c94b669c91916434a2990f214f03c8135c848d3fa  trace_processor.wasm
390f39007f0a617c44d88df051cbec33f52b1cffad145748a51f5b4961a4ffd9  engine_bundle.node.js
321e956788280009b2f7a89be8f6c8c745107642e3288c71c6c180100ffbaac4  engine.mjs
END
rm -rf "$dir"
mkdir -p "$dir"

# ask TRACE QUERY...: the rows
ask() {
    node tests/judges/perfetto.mjs "$engine" "$@"
}

# rows FILE PATTERN: how many lines have it
rows() {
    grep -c "$2" "$1" || true
}

stats="select name, idx, value from stats where severity in ('error', 'data_loss') and value != 0"
skipped="select name, value from stats where name glob '*skipped*' and value != 0"

# tables TRACE: queries for the counts of events of each kind
tables="select (select count(*) from sched),
    (select count(*) from thread_state where state = 'R' and waker_utid is not null),
    (select count(*) from slice s join track t on s.track_id = t.id where t.type = 'cpu_irq'),
    (select count(*) from slice s join track t on s.track_id = t.id where t.type != 'cpu_irq'),
    (select count(*) from counter c join track t on c.track_id = t.id where t.type != 'cpu_irq'),
    (select count(*) from ftrace_event where name is null), (select count(*) from android_logs)"

# expected LINES: the same from the lines: a switch more for each CPU's seed; ends are no slices of their own
expected() {
    switches=$(rows "$1" ' sched:sched_switch:')
    irqs=$(rows "$1" ' irq:irq_handler_entry:')
    counters=$(rows "$1" ':\(set_priority: \|queue_depth: value\)')
    ends=$(rows "$1" ':\(control_step_end\|set_mutex_unlock\):')
    all=$(grep -c '^ ' "$1")
    printf '%s\t%s\t%s\t%s\t%s\t0\t0\n' $((switches + 1)) "$(rows "$1" ' sched:sched_waking:')" "$irqs" \
        $((all - switches - 2 * irqs - counters - ends - $(rows "$1" ' sched:sched_waking:'))) "$counters"
}

# ---- the demo --------------------------------------------------------------------------------------------------------

elf=--elf=$build/demo/firmware.elf
"$decoder" -q "$elf" "$build/demo/dump.bin" -o "$dir/demo.pftrace.gz"
"$decoder" -q "$elf" "$build/demo/dump.bin" --format=text-full -o "$dir/demo.txt"
for n in 1 2 3 4 5 6; do
    python3 tests/judges/perfetto_figures.py host/formats/perfetto/QUERIES.md $n >"$dir/$n.sql"
done
sed -n '/^-- count, sum, longest/,/^```/p' host/README.md | sed '/^--/d; /^```/d; s/;$//' | diff - "$dir/3.sql"
ask "$dir/demo.pftrace.gz" "$stats" "$skipped" "$tables" "$(cat "$dir/1.sql")" "$(cat "$dir/2.sql")" \
    "$(cat "$dir/3.sql")" "$(cat "$dir/4.sql")" "$(cat "$dir/5.sql")" "$(cat "$dir/6.sql")" >"$dir/answers"
# In the query of mutexes the list of names is in any order.
awk -F '\t' -v OFS='\t' 'NF == 7 && /^mutex/ { n = split($7, who, ",")
    for (i = 1; i < n; i++) for (k = i + 1; k <= n; k++) if (who[k] < who[i]) {
        t = who[i]; who[i] = who[k]; who[k] = t }
    $7 = who[1]; for (i = 2; i <= n; i++) $7 = $7 "," who[i] } { print }' "$dir/answers" >"$dir/have"
{
    printf -- '--\ncompact_sched_switch_skipped\t1\n--\n'
    expected "$dir/demo.txt"
    echo --
    python3 tests/judges/perfetto_figures.py "$dir/demo.txt"
} >"$dir/want.raw"
# sorted_groups FILE: each query's rows in order
sorted_groups() {
    awk '/^--$/ { n++ } { print n + 0 "\t" ($0 == "--") "\t" $0 }' "$1" | sort -t "$(printf '\t')" -k 1,1n -k 2
}
sorted_groups "$dir/want.raw" >"$dir/want"
sorted_groups "$dir/have" | diff "$dir/want" - || { echo "the demo's answers are not those of its lines"; exit 1; }
echo "demo: counts and six queries as computed from its lines"
"$decoder" -q "$elf" --stat --json "$build/demo/dump.bin" >"$dir/stat.json"
python3 tests/judges/perfetto_stat.py "$dir/have" "$dir/stat.json"
[ "${TIER:-}" != quick ] || exit 0

# ---- losses, several CPUs and boards, own events, texts --------------------------------------------------------------

"$build/gen_dump" --events=2000 --drops=20 --cpus=3 --names=5 --tasks=7 -o "$dir/cpus.bin"
"$decoder" -q "$dir/cpus.bin" -o "$dir/cpus.pftrace"
ask "$dir/cpus.pftrace" "select name from stats where severity = 'error' and value != 0" \
    "select idx from stats where name = 'ftrace_cpu_has_data_loss' and value != 0" \
    "select count(distinct cpu) from sched" >"$dir/answers"
printf -- '--\n0\n1\n2\n--\n3\n--\n' | diff - "$dir/answers"
# 4096 CPUs, which take turns: of the first 1024 there are 12 switches each, and a seed; of others these are moments.
python3 tests/gen/hostile_writers.py cpus 4096 "$dir/many.dat"
"$decoder" -q "$dir/many.dat" -o "$dir/many.pftrace"
ask "$dir/many.pftrace" "$stats" "select count(*), count(distinct cpu) from sched" \
    "select replace(name, ' ', '_'), count(*) from slice group by name order by name" >"$dir/answers"
tr ' ' '\t' <<'END' | diff - "$dir/answers"
--
13312 1024
--
IRQ_(timer) 6144
irq_handler_entry 18432
irq_handler_exit 18432
sched_switch 36864
sched_waking 18432
work 24576
--
END
mkdir -p "$dir/texts"
python3 tests/gen/own.py "$dir/texts" --texts
arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -Wl,-Ttext=0x8000 "$dir/texts/firmware.s" \
    -Wl,--section-start=.note.gnu.build-id=0x1000 -Wl,--build-id=0x4142434445464748494a4b4c4d4e4f5051525354 \
    -o "$dir/texts/fw.elf"
"$decoder" -q "$dir/texts/dump.bin" "--elf=$dir/texts/fw.elf" -o "$dir/texts.pftrace"
ask "$dir/texts.pftrace" "$stats" "select count(*), max(msg = 'plain text 3') from android_logs" \
    "select count(*) from slice where name = 'plain text 3'" >"$dir/answers"
printf -- '--\n7\t1\n--\n1\n--\n' | diff - "$dir/answers"
python3 tests/gen/own.py "$dir/texts"
arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -Wl,-Ttext=0x8000 "$dir/texts/firmware.s" \
    -Wl,--section-start=.note.gnu.build-id=0x1000 -Wl,--build-id=0x4142434445464748494a4b4c4d4e4f5051525354 \
    -o "$dir/texts/fw.elf"
"$decoder" -q "$dir/texts/dump.bin" --merge "$dir/cpus.bin" "--elf=$dir/texts/fw.elf" -o "$dir/merged.pftrace"
ask "$dir/merged.pftrace" "select name from stats where severity = 'error' and value != 0" \
    "select name, extract_arg(arg_set_id, 'debug.state'), extract_arg(arg_set_id, 'debug.rpm') from slice
     where name = 'motor_state' order by ts" \
    "select dur, depth from slice where name = 'control' order by ts" \
    "select value from counter c join track t on c.track_id = t.id where t.name = '1:queue_depth'" >"$dir/answers"
printf -- '--\nmotor_state\tSTALL\t624.5\nmotor_state\t3\t-0.1\n--\n3000\t0\n1000\t1\n--\n-4\n--\n' |
    diff - "$dir/answers"
echo "losses, three CPUs, 4096 CPUs, two boards, own events, texts"

# The heap in use is a counter with a unit, one of each board, besides the events that tell it.
cp tests/gen/heap.txt "$dir/heap2.txt"
"$build/test/tlog-decode-script" -q tests/gen/heap.txt --merge "$dir/heap2.txt" -o "$dir/heap.pftrace"
ask "$dir/heap.pftrace" "select name from stats where severity = 'error' and value != 0" \
    "select t.name, t.unit, count(*), min(value), max(value), sum(value) from counter c
     join counter_track t on c.track_id = t.id group by t.name order by t.name" \
    "select name, count(*), sum(extract_arg(arg_set_id, 'debug.bytes')) from slice where name glob 'heap*'
     group by name order by name" >"$dir/answers"
sed 's/ *| */\t/g' <<'END' | diff - "$dir/answers"
--
1:heap in use | bytes | 8 | 1000 | 3000001296 | 9000009312
2:heap in use | bytes | 8 | 1000 | 3000001296 | 9000009312
--
heap_allocate | 8 | 6000000608
heap_free | 8 | 6000000608
--
END
echo "the heap in use"
