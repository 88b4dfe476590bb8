#!/bin/sh
# lttng.sh - LTTng trace directories, by whole programs. Every variant that is written is checked by judges/lttng.py,
# which knows the format but shares no code with tlog, and read back. Traces of all versions, which gen/lttng.py makes,
# are read. Archives are read, also malicious ones. After signals and errors no files are left behind.
#
#   lttng.sh BUILD
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd xz
build=$(cd "$1" && pwd)
judges=$PWD/tests/judges gen=$PWD/tests/gen
decode=$build/tlog-decode
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
    echo "lttng: $*"
    exit 1
}

# events: the decoder's text as "cpu ns system:name: fields", the form that gen/lttng.py prints
events() {
    sed -n 's/^.* \[0*\([0-9][0-9]*\)\] *\([0-9]*\)\.\([0-9]*\): \([^ :]*:[^ :]*:\)/\1 \2\3 \4/p' |
        sed 's/ *$//; s/^\([0-9]* \)0*\([0-9]\)/\1\2/'
}

# visible: leave out fields that are 0, some of which the text does not show; names become those of markers
visible() {
    sed 's/ [a-z0-9_]*=0\(x0\)*\( \|$\)/\2/g; s/ [a-z0-9_]*=0\(x0\)*\( \|$\)/\2/g
        s/^\([0-9]* [0-9]* [a-z]*\):\([^:]*\):/\1_\2/'
}

# same_events A B: the same lines in any order
same_events() {
    [ "$(sort "$1" | cksum)" = "$(sort "$2" | cksum)" ]
}

# first_difference A B
first_difference() {
    diff "$1" "$2" | head -4
}

# chosen: whether to run the next case: always, or in the quick tier each eleventh
case_number=0
chosen() {
    case_number=$((case_number + 1))
    [ "${TIER:-}" != quick ] || [ $((case_number % 11)) -eq 1 ]
}

# ---- written traces -----------------------------------------------------------------------------------------------
# With this seed no number is given again: the text would tell such a task by another one than the files.
"$build/gen_dump" --cpus=3 --events=1500 --seed=15 -o "$dir/dump"
"$decode" --format=text-full -q --map=native "$dir/dump" -o "$dir/native.txt"
"$decode" --format=text-full -q "$dir/dump" -o "$dir/full.txt"
events <"$dir/native.txt" | visible | sort -s -n -k1,1 >"$dir/expect"
[ "$(wc -l <"$dir/expect")" -ge 4000 ] || fail "too few events to compare"
variants=0
# varied OPTION...: this variant is what the checker expects, and comes back whole
varied() {
    "$decode" -q "$dir/dump" --format=lttng --lttng="$(echo "$*" | tr ' ' ',')" -o "$dir/out"
    python3 "$judges/lttng.py" "$dir/out" "$@" | visible >"$dir/checked" || fail "$*: the checker says no"
    cmp -s "$dir/expect" "$dir/checked" || fail "$*: $(first_difference "$dir/expect" "$dir/checked")"
    "$decode" --format=text-full -q "$dir/out" -o "$dir/back.txt"
    cmp -s "$dir/full.txt" "$dir/back.txt" || fail "$*: $(first_difference "$dir/full.txt" "$dir/back.txt")"
    variants=$((variants + 1))
}
for word in 4 8; do for order in little big; do for packed in "" packed; do for heartbeat in "" heartbeat; do
    for flight in "" flight; do
        # shellcheck disable=SC2086
        ! chosen || varied word=$word order=$order $packed $heartbeat $flight block=8192
    done
done; done; done; done
for options in "" "word=4 order=big packed heartbeat flight" "word=4 heartbeat block=4096" "order=big"; do
    # shellcheck disable=SC2086
    varied seed $options
done

# started NS OPTIONS...: with --start-time=@1769860800.123456789 all blocks of all files tell the real time of stamp 0,
# and the text of what is read back begins at that time. NS: when the dump's first event was.
started() {
    start=$((1769860800123456789 - $1))
    shift
    "$decode" -q "$dir/dump" --format=lttng --start-time=@1769860800.123456789 --lttng="$(echo "$*" | tr ' ' ',')" \
        -o "$dir/out"
    python3 "$judges/lttng.py" "$dir/out" "$@" start=$start >"$dir/checked" ||
        fail "--start-time $*: the checker says no"
    "$decode" -q "$dir/out" --map=native --format=text-full | events | awk '{ print $1, $2 }' >"$dir/back.txt"
    awk -v start=$start '{ s = substr($2, 1, length($2) - 9) + 0; n = substr($2, length($2) - 8) + substr(start, 11) + 0
        s += substr(start, 1, 10) + int(n / 1e9); printf "%d %d%09d\n", $1, s, n % 1e9 }' "$dir/times" |
        sort >"$dir/shifted"
    sort "$dir/back.txt" | cmp -s - "$dir/shifted" || fail "--start-time $*: $(sort "$dir/back.txt" |
        diff - "$dir/shifted" | head -4)"
}
events <"$dir/native.txt" | awk '{ print $1, $2 }' >"$dir/times"
first=$(awk '{ print $2 }' "$dir/times" | sort -n | head -1)
started "$first" block=4096
started "$first" seed heartbeat
started "$first" compact word=4

"$decode" -q "$dir/dump" --format=lttng --lttng=compact,word=4 -o "$dir/out"
python3 "$judges/lttng.py" "$dir/out" compact word=4 | visible | sort >"$dir/checked" || fail "compact"
sort "$dir/expect" | cmp -s - "$dir/checked" || fail "compact: other events"
echo "$variants variants, and the compact channel: the checker and the way back agree"

# Creations and ends of tasks: the checker compares control/processes_N. Few tasks whose numbers are given again and
# again; and tasks that are known by their end first, idle, one that has no name, one of which only the name is known.
"$build/gen_dump" --cpus=3 --events=1500 --tasks=40 --names=12 -o "$dir/tasks"
cat >"$dir/script" <<'SCRIPT'
#script
cpus 2
clock 1000000000
name 5 worker
name 6 logger
name 7 late
event 0 10 1 1
event 1 10 1 1
end 0 100 5
create 1 200 5
end 1 300 5
create 0 300 5
create 0 500 7
create 1 600 0
create 1 700 9
end 1 700 9
end 0 800 9
create 0 800 9
SCRIPT
for options in "" "seed flight block=4096" "compact word=4 order=big"; do
    lttng="--format=lttng --lttng=$(echo "$options" | tr ' ' ',')"
    # shellcheck disable=SC2086
    "$decode" -q "$dir/tasks" $lttng -o "$dir/again" &&
        python3 "$judges/lttng.py" "$dir/again" $options >"$dir/checked" &&
        "$build/test/tlog-decode-script" -q "$dir/script" $lttng -o "$dir/again" &&
        python3 "$judges/lttng.py" "$dir/again" $options >"$dir/few" || fail "processes, $options"
    [ "$(grep -c 'shark_task_create' "$dir/checked")" -ge 100 ] || fail "too few creations"
done

# A trace.dat tells the task of each event, and so does the LTTng trace that is made of it. Where an event that tells it
# is damaged, the task is unknown until it is told again, and no event gets another one's.
"$decode" -q "$dir/tasks" -o "$dir/tasks.dat"
"$decode" -q "$dir/tasks.dat" --format=lttng --lttng=block=4096 -o "$dir/again"
"$decode" -q "$dir/tasks.dat" --format=text-full -o "$dir/all.txt"
python3 - "$dir/again" <<'PYTHON'
import struct, sys
facilities = open(sys.argv[1] + "/control/facilities_0", "rb").read()
ident = facilities[facilities.index(b"tlog_event\0") + 12:][:2]
data = bytearray(open(sys.argv[1] + "/cpu_0", "rb").read())
told = [i for i in range(0, len(data) - 12, 4) if data[i + 8:i + 12] == ident + struct.pack("<H", 16)]
for at in told[5::40]:
    data[at + 10:at + 12] = b"\xf0\xff"
open(sys.argv[1] + "/cpu_0", "wb").write(data)
PYTHON
code=0
"$decode" -q "$dir/again" --format=text-full -o "$dir/hurt.txt" || code=$?
grep -vxFf "$dir/all.txt" "$dir/hurt.txt" | grep -v '^ *<\.\.\.>-69999 \|^CPU:' >"$dir/other" &&
    fail "$(head -n 3 "$dir/other")"
[ $code -eq 2 ] && [ "$(grep -cxFf "$dir/all.txt" "$dir/hurt.txt")" -ge 4000 ] &&
    grep -vxFf "$dir/all.txt" "$dir/hurt.txt" | grep -q '^ *<\.\.\.>-69999 ' || fail "damaged tasks: $code"

# meant: what the events of gen/lttng.py mean: cpu, ns, and the switch with whether the old task is ready, or the
# interrupt
meant() {
    sed -n 's/kernel:sched_schedule: next_pid=\([0-9]*\) prev_pid=\([0-9]*\) prev_state=\([0-9]*\)/switch \2 \1 \3/p
        s/kernel:irq_entry: irq_id=\([0-9]*\) .*/entry \1/p; s/kernel:irq_exit: .*/exit/p' |
        awk '/entry/ { irq[$1] = $4 } /exit/ { $4 = irq[$1] } /switch/ { $6 = $6 != 0 }
            { print $1, $2, $3, $4, $5, $6 }'
}

# mapped: the same of the decoder's text, which has Linux's events
mapped() {
    n='\([-0-9]*\)'
    events | sed -n "s/sched:sched_switch: .*prev_pid=$n .*state=$n .*next_pid=$n .*/switch \\1 \\3 \\2/p
        s/irq:irq_handler_entry: irq=$n .*/entry \\1/p; s/irq:irq_handler_exit: irq=$n .*/exit \\1/p" |
        awk '/switch/ { $6 = $6 != 0 } { print $1, $2, $3, $4, $5, $6 }'
}

# ---- traces of all versions ---------------------------------------------------------------------------------------
traces=0
for version in 0.3 0.4 0.5 0.6 0.7 0.8 seed 1.0 2.0 2.1 2.2 2.3 2.4 2.5 2.6; do
    for options in "" "packed order=big" "word=4 heartbeat" "word=4 order=big packed heartbeat"; do
        chosen || continue
        rm -rf "$dir/made"
        # shellcheck disable=SC2086
        python3 "$gen/lttng.py" "$dir/made" $version $options | sed 's/ *$//' >"$dir/expect"
        "$decode" --format=text-full --map=native "$dir/made" -o "$dir/made.txt" 2>"$dir/err" ||
            fail "$version $options: $(cat "$dir/err")"
        events <"$dir/made.txt" >"$dir/got"
        cmp -s "$dir/expect" "$dir/got" || fail "$version $options: $(first_difference "$dir/expect" "$dir/got")"
        case $version in
        1.0 | seed | 2.*)
            "$decode" -q --map=exact --format=text-full "$dir/made" | mapped >"$dir/got"
            meant <"$dir/expect" | cmp -s - "$dir/got" || fail "$version $options: mapped: $(
                meant <"$dir/expect" | first_difference - "$dir/got")"
            [ "$(wc -l <"$dir/got")" -gt 300 ] || fail "$version: too few events are mapped" ;;
        esac
        case $version in
        2.[2-6]) [ "$(grep -c '3 EVENTS DROPPED' "$dir/made.txt")" -eq 2 ] || fail "$version: losses" ;;
        esac
        traces=$((traces + 1))
    done
done
echo "$traces traces of 15 formats: every event"
"$decode" -q "$dir/made" -o "$dir/made.dat"
trace-cmd report "$dir/made.dat" 2>/dev/null | grep -q 'sched_switch:.*==>' || fail "no switches for viewers"
trace-cmd report "$dir/made.dat" 2>/dev/null | grep -q 'all:.*text=text 3 ' || fail "fields have no names in trace.dat"

# The kernel has no main(): the first task of a CPU is unknown, or what the first switch tells; also on the way through
# a trace that tlog-decode wrote.
for version in 0.8 1.0 2.6; do
    rm -rf "$dir/made"
    python3 "$gen/lttng.py" "$dir/made" $version >/dev/null
    "$decode" -q --format=text-full "$dir/made" -o "$dir/made.txt"
    "$decode" -q "$dir/made" --format=lttng -o "$dir/way"
    "$decode" -q --format=text-full "$dir/way" -o "$dir/back.txt"
    grep ' main-' "$dir/made.txt" "$dir/back.txt" && fail "$version: main()"
    for text in made back; do
        sed 's/^ *\(.*\) \[.*/\1/' "$dir/$text.txt" | sort | uniq -c >"$dir/$text.tasks"
    done
    cmp -s "$dir/made.tasks" "$dir/back.tasks" ||
        fail "$version: other tasks: $(diff "$dir/made.tasks" "$dir/back.tasks")"
done

# Fields: up to 32 are shown; that an event has more is reported once. 35 words: CPU, time, name and 32 fields.
for version in 1.0 2.0 2.6; do
    for fields in 1 16 17 20 24 31 32 33 64; do
        chosen || continue
        rm -rf "$dir/made"
        python3 "$gen/lttng.py" "$dir/made" $version fields=$fields | sed 's/ *$//' | cut -d ' ' -f 1-35 >"$dir/expect"
        case="$version, $fields fields"
        "$decode" --format=text-full --map=native "$dir/made" -o "$dir/made.txt" \
            2>"$dir/err" || fail "$case: $(cat "$dir/err")"
        events <"$dir/made.txt" >"$dir/got"
        cmp -s "$dir/expect" "$dir/got" || fail "$case: $(first_difference "$dir/expect" "$dir/got")"
        note="tlog-decode: $dir/made: user:many has $fields fields, of which the first 32 are shown"
        [ $fields -gt 32 ] || note=
        [ "$(grep -v ' 2 events, ' "$dir/err")" = "$note" ] || fail "$case: $(cat "$dir/err")"
        "$decode" -q --map=native "$dir/made" -o "$dir/made.dat"
        "$decode" --format=text-full -q --map=native "$dir/made.dat" -o "$dir/back.txt"
        cmp -s "$dir/made.txt" "$dir/back.txt" || fail "$case by trace.dat: $(diff "$dir/made.txt" "$dir/back.txt")"
    done
done
echo "events of 1 to 64 fields: every field, or which events have more"

# ---- archives -----------------------------------------------------------------------------------------------------
(cd "$dir" && mkdir -p deep/er && cp -r out deep/er/foo && tar czf trace.tar.gz deep && tar cJf trace.tar.xz -C out .)
for archive in trace.tar.gz trace.tar.xz; do
    "$decode" --format=text-full -q "$dir/$archive" -o "$dir/back.txt"
    same_events "$dir/back.txt" "$dir/full.txt" || fail "$archive"
    "$decode" --format=text-full -q - -o "$dir/piped.txt" <"$dir/$archive"
    cmp -s "$dir/back.txt" "$dir/piped.txt" || fail "$archive by a pipe"
done
# Names that begin with ./, absolute names, and a second trace, which is reported and left out.
(cd "$dir/deep/er" && tar czf "$dir/dots.tar.gz" ./foo && tar czPf "$dir/absolute.tar.gz" "$dir/deep/er/foo")
for archive in dots absolute; do
    "$decode" --format=text-full -q "$dir/$archive.tar.gz" -o "$dir/again.txt" || fail "$archive.tar.gz"
    same_events "$dir/again.txt" "$dir/back.txt" || fail "$archive.tar.gz: other events"
done
(cd "$dir/deep/er" && cp -r foo second && tar czf "$dir/two.tar.gz" foo second && rm -r second)
code=0
"$decode" --format=text-full "$dir/two.tar.gz" -o "$dir/again.txt" 2>"$dir/err" || code=$?
[ $code -eq 2 ] && grep -q 'second/.*: left out, the trace is in foo/' "$dir/err" ||
    fail "two traces: $code $(cat "$dir/err")"
same_events "$dir/again.txt" "$dir/back.txt" || fail "two traces: other events"
# libarchive gives nothing of the last 64 KiB that a cut file unpacks to.
head -c $(($(stat -c %s "$dir/trace.tar.gz") * 9 / 10)) "$dir/trace.tar.gz" >"$dir/cut.tar.gz"
code=0
"$decode" --format=text-full "$dir/cut.tar.gz" -o "$dir/cut.txt" 2>"$dir/err" || code=$?
[ $code -ne 0 ] && grep -q 'archive is damaged' "$dir/err" || fail "a cut archive: $code $(cat "$dir/err")"
gzip -c "$dir/dump" >"$dir/dump.gz"
"$decode" -v --format=text-full "$dir/dump.gz" -o "$dir/x.txt" 2>"$dir/err" && grep -q ': native, ' "$dir/err" ||
    fail "a compressed dump is no archive: $(cat "$dir/err")"
# Links, a fifo, and names that lead out of the trace: no file may be written.
mkdir "$dir/jail"
python3 - "$dir" <<'PYTHON'
import io, os, sys, tarfile
where = sys.argv[1]
with tarfile.open(where + "/evil.tar.gz", "w:gz") as tar:
    def add(name, data=b"", kind=tarfile.REGTYPE, link=""):
        info = tarfile.TarInfo(name)
        info.type, info.linkname, info.size = kind, link, len(data)
        tar.addfile(info, io.BytesIO(data))
    add("t/link_1", kind=tarfile.SYMTYPE, link="/etc/passwd")
    add("t/hard_1", kind=tarfile.LNKTYPE, link="/etc/passwd")
    add("t/fifo_1", kind=tarfile.FIFOTYPE)
    for root, _, names in os.walk(where + "/out"):
        for name in names:
            path = os.path.join(root, name)
            add("t/" + os.path.relpath(path, where + "/out"), open(path, "rb").read())
    add("t/../../escaped_0", b"x" * 5000)
    add("/" + where.lstrip("/") + "/escaped_0", b"x" * 5000)
    add("../escaped_0", b"x" * 5000)
    add("t/cpu_0/../../../escaped_0", b"x" * 5000)
PYTHON
(cd "$dir/jail" && TMPDIR=$dir/jail "$decode" --format=text-full "$dir/evil.tar.gz" -o "$dir/evil.txt" \
    2>"$dir/err") || true
[ -z "$(ls -A "$dir/jail")" ] && [ ! -e "$dir/escaped_0" ] || fail "an archive wrote files"
same_events "$dir/evil.txt" "$dir/back.txt" || fail "the trace in the archive was not read: $(cat "$dir/err")"
echo "archives: read, and confined"

# ---- what is left behind ------------------------------------------------------------------------------------------
mkdir "$dir/o"

# wait_for_temporary: wait until the decoder has made its temporary directory in $dir/o
wait_for_temporary() {
    tries=0
    until ls -A "$dir/o" | grep -q tlog-decode; do
        sleep 0.05
        tries=$((tries + 1))
        [ $tries -lt 2000 ] || fail "no temporary directory"
    done
}

for signal in TERM INT HUP QUIT XCPU FPE SEGV; do
    # The decoder waits for a pipe, after it has created its temporary directory.
    mkfifo "$dir/fifo"
    # A shell's background commands ignore SIGINT, those of nohup SIGHUP.
    python3 -c 'import os, resource, signal, sys
for ignored in signal.SIGINT, signal.SIGHUP:
    signal.signal(ignored, signal.SIG_DFL)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
os.execv(sys.argv[1], sys.argv[1:])' "$decode" -q "$dir/fifo" --format=lttng -o "$dir/o/trace" 2>/dev/null &
    pid=$!
    exec 3>"$dir/fifo"
    wait_for_temporary
    kill -"$signal" "$pid"
    wait "$pid" 2>/dev/null && fail "$signal did not end it"
    exec 3>&-
    rm "$dir/fifo"
    [ -z "$(ls -A "$dir/o")" ] || fail "SIG$signal left $(ls -A "$dir/o")"
done
if "$decode" -q "$dir/none" --format=lttng -o "$dir/o/trace" 2>/dev/null; then fail "no input"; fi
[ -z "$(ls -A "$dir/o")" ] || fail "an error left $(ls -A "$dir/o")"
if "$decode" -q "$dir/dump" --format=lttng -o "$dir/no/such/trace" 2>"$dir/err"; then fail "no directory"; fi
grep -q 'cannot create a directory there' "$dir/err" || fail "$(cat "$dir/err")"
: >"$dir/o/file"
if "$decode" -q "$dir/dump" --format=lttng -o "$dir/o/file" 2>"$dir/err"; then fail "a file is no directory"; fi
grep -q 'Not a directory' "$dir/err" || fail "$(cat "$dir/err")"
rm "$dir/o/file"
if "$decode" -q "$dir/out" --format=lttng -o "$dir/out" 2>"$dir/err"; then fail "the input was replaced"; fi
grep -q 'is the input' "$dir/err" || fail "$(cat "$dir/err")"
"$decode" -q "$dir/dump" --format=lttng -o "$dir/o/trace/"
ln -s trace "$dir/o/link"
"$decode" -q "$dir/dump" --format=lttng --lttng=flight -o "$dir/o/link"
[ -L "$dir/o/link" ] && [ -e "$dir/o/trace/flight-cpu_0" ] && [ ! -e "$dir/o/trace/cpu_0" ] || fail "by a symbolic link"
[ "$(ls -A "$dir/o" | wc -l)" -eq 2 ] || fail "replacing left $(ls -A "$dir/o")"
[ "$(stat -c %a "$dir/o/trace")" = "$(printf %o $((0777 & ~$(umask))))" ] || fail "mode of the directory"
echo "nothing is left behind"

# ---- what is in the way -------------------------------------------------------------------------------------------
# change WHAT: do something to the directory that is to be replaced, while the trace is made
change() {
    case $1 in
    nothing) ;;
    alien | new | empty) mkdir -p "$dir/o/trace" && echo mine >"$dir/o/trace/mine" ;;
    deep) mkdir "$dir/o/trace/control/deep" && echo mine >"$dir/o/trace/control/deep/mine" ;;
    like) cp "$dir/o/trace/cpu_0" "$dir/o/trace/cpu_7" ;;
    longer) echo mine >>"$dir/o/trace/cpu_0" ;;
    other) mv "$dir/o/trace/cpu_0" "$dir/o/cpu" && cp "$dir/o/cpu" "$dir/o/trace/cpu_0" && rm "$dir/o/cpu" ;;
    esac
}
for what in nothing alien new empty deep like longer other; do
    rm -rf "$dir/o"
    mkdir "$dir/o"
    [ $what = new ] || [ $what = empty ] || "$decode" -q "$dir/dump" --format=lttng -o "$dir/o/trace"
    [ $what != empty ] || mkdir "$dir/o/trace"
    mkfifo "$dir/fifo"
    "$decode" -q "$dir/fifo" --format=lttng -o "$dir/o/trace" 2>"$dir/err" &
    pid=$!
    exec 3>"$dir/fifo"
    wait_for_temporary
    change $what
    find "$dir/o/trace" -printf '%P %i %s\n' 2>/dev/null | sort >"$dir/before"
    cat "$dir/dump" >&3
    exec 3>&-
    code=0
    wait "$pid" || code=$?
    rm "$dir/fifo"
    [ "$(ls -A "$dir/o")" = trace ] || fail "$what: left $(ls -A "$dir/o")"
    find "$dir/o/trace" -printf '%P %i %s\n' | sort >"$dir/after"
    if [ $what = nothing ]; then
        [ $code -eq 0 ] && ! cmp -s "$dir/before" "$dir/after" || fail "an unchanged trace is not replaced: $code"
    else
        [ $code -eq 1 ] && grep -q 'it stays as it is' "$dir/err" || fail "$what: $code $(cat "$dir/err")"
        cmp "$dir/before" "$dir/after" || fail "$what: the directory that was changed is another one"
    fi
done
echo "a directory that changes while the trace is made stays"
