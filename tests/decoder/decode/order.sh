#!/bin/sh
# order.sh - tasks that move between CPUs: their states, wake-ups and priorities are those that hold in the order of
# time of all CPUs, in trace.dat and in text.
# usage: order.sh BUILD
# Judges: trace-cmd's report, against lines that were written by hand, and against order.py, which knows nothing of the
# decoder.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
dir=$build/test/order
here=$(dirname "$0")
decode=$build/test/tlog-decode-script
rm -rf "$dir"
mkdir -p "$dir/spool"

fail() {
    echo "order.sh: $*"
    exit 1
}

# events: trace-cmd's report -R as order.py writes it
events() {
    task='pid=([0-9]+) prev_prio=([0-9]+)'
    sed -n -E 's/^ *.*-([0-9]+) +\[0*([0-9]+)\] +([0-9]+)\.([0-9]+): +/\3\4 \2 \1 /p' |
        sed -E -e 's/^0*//' -e '/ (sched|irq)_/!s/:.*//' -e 's/: +/: /' -e 's/next_prio/prev_prio/' \
            -e "s/: .*prev_$task prev_state=(\\w+) .*next_$task/ \\1\\/\\2 \\3 \\4\\/\\5/" \
            -e 's/: comm=.* pid=([0-9]+) prio=([0-9]+) target_cpu=(0x)?0*([0-9]+)/ \1\/\2 \4/' \
            -e 's/: irq=([0-9]+).*/ \1/'
}

# check SCRIPT EXPECTED OPTION...: trace.dat has the expected lines, and text the lines of trace-cmd's report
check() {
    script=$1
    expected=$2
    shift 2
    "$decode" -q "$@" "$script" -o "$dir/trace.dat"
    trace-cmd report -t -R "$dir/trace.dat" 2>/dev/null | events >"$dir/seen"
    cmp -s "$expected" "$dir/seen" || fail "$script $*: $(diff "$expected" "$dir/seen" | head -6)"
    "$decode" -q --format=text "$script" -o "$dir/trace.txt"
    trace-cmd report -t "$dir/trace.dat" 2>/dev/null | cmp -s - "$dir/trace.txt" ||
        fail "$script $*: other lines in text"
}

# A task is woken on CPU 0 and runs on CPU 1, where its priority is raised from CPU 0 and it waits for a mutex; it is
# woken and ends on CPU 0, and is woken once more on CPU 1.
cat >"$dir/hand" <<'END'
#script
cpus 2
switch 0 1000 1
switch 1 1100 0
wake 0 2000 2
switch 1 3000 2
priority 0 3500 2 5
lock 1 4000 2
switch 1 5000 0
wake 0 6000 2
switch 0 7000 2
block 0 8000 2
switch 0 9000 1
wake 1 9500 2
END
cat >"$dir/hand.expected" <<'END'
1000 0 65536 sched_switch 65536/0 32 1/0
1100 1 65536 sched_switch 65536/0 32 0/0
2000 0 1 sched_waking 2/0 0
2000 0 1 sched_wakeup 2/0 0
3000 1 0 sched_switch 0/0 0 2/0
3500 0 1 set_priority
4000 1 2 set_mutex_wait
5000 1 2 sched_switch 2/5 2 0/0
6000 0 1 sched_waking 2/5 0
6000 0 1 sched_wakeup 2/5 0
7000 0 1 sched_switch 1/0 0 2/5
8000 0 2 task_sleep
9000 0 2 sched_switch 2/5 1 1/0
9500 1 0 sched_waking 2/5 1
9500 1 0 sched_wakeup 2/5 1
END
check "$dir/hand" "$dir/hand.expected"

# Made-up traces, some longer than a batch, the last one with updates for a temporary file.
lines=0
for trace in "1 2 50" "2 2 300" "3 3 3000" "4 8 4000" "5 1 500" "6 2 9000"; do
    # shellcheck disable=SC2086
    python3 "$here/order.py" $trace "$dir/script" "$dir/expected"
    check "$dir/script" "$dir/expected"
    check "$dir/script" "$dir/expected" --format=trace.dat-v6
    lines=$((lines + $(wc -l <"$dir/expected")))
done
check "$dir/script" "$dir/expected" --compress=zstd
"$decode" -q --session="$dir/rows.json" "$dir/script" -o "$dir/trace.dat"
echo "$lines events of moving tasks: as the scheduler knew them, in trace.dat and in text"

# Boards that are merged have tasks of their own.
"$decode" -q --merge "$dir/script" "$dir/hand" -o "$dir/merged.dat"
"$decode" -q --merge --format=text "$dir/script" "$dir/hand" -o "$dir/merged.txt"
trace-cmd report -t "$dir/merged.dat" 2>/dev/null | cmp -s - "$dir/merged.txt" || fail "--merge: other lines in text"

# A temporary file that cannot be made is an error.
code=0
TMPDIR=$dir/none "$decode" -q "$dir/script" -o "$dir/none.dat" 2>"$dir/err" || code=$?
[ $code -eq 1 ] && [ ! -e "$dir/none.dat" ] && grep -q 'cannot make a temporary file' "$dir/err" ||
    fail "no temporary file: $code $(cat "$dir/err")"
