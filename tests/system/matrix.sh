#!/bin/sh
# matrix.sh - writes dumps with names, losses, traceevents and emergency slots in each format that keeps events and
# reads them back, also through several formats one after the other; checks that each event and each loss is still
# there, at its place. Then what viewers show, from the formats that keep all of it: every line, with names, units and
# names of values. Needs the dumps that event.sh, shark.sh and own.sh leave in BUILD/test.
# usage: matrix.sh BUILD
# Judge: cmp with the text decoded from the dump itself.
set -eu
. tests/lib/needs.sh
needs python3
build=$1
dir=$build/test/matrix
rm -rf "$dir"
mkdir -p "$dir"
"$build/gen_dump" --drops=20 -o "$dir/drops.bin"
"$build/gen_dump" --drops=20 --cpus=3 --names=5 --events=400 -o "$dir/cpus.bin"
cp "$build/demo/dump.bin" "$dir/demo.bin"
cp "$build/test/event/dump.bin" "$dir/event.bin"
cp "$build/test/shark/dump.bin" "$dir/chunks.bin"

# decode ARGUMENT...: run the decoder; its messages go to $dir/messages
decode() {
    "$build/tlog-decode" --map=native "$@" 2>"$dir/messages" || { cat "$dir/messages"; echo "failed: $*"; exit 1; }
}

# text INPUT OUTPUT: decode to text, without the mark of emergency slots, which no other format has
text() {
    decode --format=text-full "$1" -o "$dir/raw"
    sed 's/ (emergency slot)$//' "$dir/raw" >"$2"
}

# plain FILE: print time and event only. The task is left out: formats without a task in each event derive it from
# switches, which only the first step has. Events that .kev does not have are texts in user events there; their text is
# taken out.
plain() {
    sed -n -e '/PROCTHREAD_NAME/d' -e 's/^ .* \([0-9]*\.[0-9]*: \)qnx:user_string: event=[0-9]* text=/\1/' \
        -e 's/^ .* \([0-9]*\.[0-9]*: \)/\1/' -e 's/^\([0-9.]*: [^ ]*\):$/\1/' -e 's/^\([0-9.]*: [^ ]*\): /\1 /' \
        -e '/^cpus/!p' "$1"
}

# kev_words WANT HAVE: print HAVE, but WANT's line for an event that has become one of QNX's own, with the same time;
# and for the same event with a later time, if it was pushed by one of the few events before it, which is at most 100 ns
# earlier: two events of a CPU never have the same stamp in .kev
kev_words() {
    paste -d '\n' "$1" "$2" | awk '
        NR % 2 { want = $0; time = $1; next }
        {
            same = substr($0, length($1) + 1) == substr(want, length(time) + 1)
            pushed = 0
            for (i = 0; i < 16; i++)
                pushed = pushed || (i in last && $1 - last[i] > 0 && $1 - last[i] < 1e-7)
            last[NR / 2 % 16] = $1 + 0
            own = $1 == time && $2 ~ /^qnx:[A-Z]/
            print own || (same && pushed && $1 - time > 0 && $1 - time < 1e-6) ? want : $0
        }'
}

# lost SUMMARY: print the number of lost events in the decoder's summary
lost() {
    sed -n 's/.*, lost \([0-9]*\).*/\1/p' "$1"
}

for dump in demo drops cpus event chunks; do
    text "$dir/$dump.bin" "$dir/$dump.txt"
    told=$(lost "$dir/messages")
    [ "$(sed -n 's/.*\[\([0-9]*\) EVENTS DROPPED\]$/\1/p' "$dir/$dump.txt" | awk '{n += $1} END {print n + 0}')" \
        = "$told" ]
    for way in trace.dat trace.dat-v6 lttng "trace.dat lttng trace.dat-v6 lttng trace.dat" kev \
        "trace.dat kev lttng trace.dat" "lttng kev trace.dat-v6"; do
        from=$dir/$dump.bin
        n=0
        for format in $way; do
            n=$((n + 1))
            rm -rf "$dir/$n"
            decode --format="$format" "$from" -o "$dir/$n"
            [ "$(lost "$dir/messages")" = "$told" ]
            from=$dir/$n
        done
        text "$from" "$dir/back.txt"
        [ "$(lost "$dir/messages")" = "$told" ] || { cat "$dir/messages"; echo "$dump by $way: not $told lost";
            exit 1; }
        case $way in
        *" "* | kev)
            plain "$dir/$dump.txt" >"$dir/want"
            # The texts in .kev show mutexes by name: those of the demo become numbers again.
            awk -f tests/lib/stops.awk "$dir/back.txt" >"$dir/stops"
            plain "$dir/stops" | sed 's/\( mutex=\)store\b/\11/; s/\( mutex=\)bus\b/\12/' >"$dir/plain"
            kev_words "$dir/want" "$dir/plain" >"$dir/have"
            ;;
        *) cp "$dir/$dump.txt" "$dir/want" && cp "$dir/back.txt" "$dir/have" ;;
        esac
        [ -s "$dir/have" ]
        cmp "$dir/want" "$dir/have" || { diff "$dir/want" "$dir/have" |
            head -n 6; echo "$dump by $way: not the same"; exit 1; }
    done
    echo "$dump: $(grep -vc '^cpus' "$dir/$dump.txt") lines, the same by every way"
done

# as_told INPUT OPTION...: print what of the input
as_told() {
    from=$1
    shift
    rm -f "$dir/told"
    case $what in
    --stat) "$build/tlog-decode" -q "$what" "$@" "$from" >"$dir/told" ;;
    *) "$build/tlog-decode" -q "$what" "$@" "$from" -o "$dir/told" ;;
    esac
    sed "s|^$from|input|" "$dir/told"
}

# same_lines NAME INPUT OPTION...: text of the input is the same from LTTng and trace.dat; from LTTng, all fields, JSON
# lines and --stat, too. (In trace.dat, interrupts are tasks, and nothing tells which events the mapping added.)
same_lines() {
    name=$1
    input=$2
    shift 2
    for what in --format=text --format=text-full --format=jsonl --stat; do
        as_told "$input" "$@" >"$dir/want.$what"
        [ -s "$dir/want.$what" ]
    done
    for way in lttng "lttng --lttng=word=4,order=big,packed,heartbeat,block=4096" "lttng --lttng=compact" \
        "lttng --lttng=seed,flight" trace.dat trace.dat-v6; do
        case $way:$name in *compact:*"trace.dat") continue ;; esac # events at one time change places
        rm -rf "$dir/back"
        # shellcheck disable=SC2086
        "$build/tlog-decode" -q "$@" "$input" --format=$way -o "$dir/back"
        for what in --format=text --format=text-full --format=jsonl --stat; do
            case $way:$what in lttng*:* | *:--format=text) ;; *) continue ;; esac
            as_told "$dir/back" "$@" >"$dir/have"
            diff "$dir/want.$what" "$dir/have" >"$dir/diff" || { head -n 6 "$dir/diff"
                echo "$name, $what, by $way: $(grep -c '^<' "$dir/diff") lines differ"; exit 1; }
        done
    done
    echo "$name: every line, from LTTng and trace.dat"
}
same_lines "demo with symbols" "$dir/demo.bin" "--elf=$build/demo/firmware.elf"
for dump in demo drops cpus event chunks; do
    same_lines $dump "$dir/$dump.bin"
    "$build/tlog-decode" -q "$dir/$dump.bin" -o "$dir/$dump.dat"
    same_lines "$dump as trace.dat" "$dir/$dump.dat"
done
for own in events records portable; do
    same_lines "own $own" "$build/test/own/$own/dump.bin" "--elf=$build/test/own/$own/fw.elf"
done
same_lines "own texts" "$build/test/own/texts/dump.bin" "--elf=$build/test/own/texts/fw.elf" --typed-text

# Perfetto traces are not read back: an independent decoder compares them with the lines.
for dump in demo drops cpus event chunks; do
    "$build/tlog-decode" "$dir/$dump.bin" -o "$dir/$dump.pftrace" 2>"$dir/messages"
    told=$(lost "$dir/messages")
    "$build/tlog-decode" -q --format=text-full "$dir/$dump.bin" -o "$dir/full.txt"
    "$build/tlog-decode" -q "$dir/$dump.bin" -o "$dir/known.jsonl"
    python3 tests/judges/perfetto.py "$dir/$dump.pftrace" "$dir/full.txt" "--known=$dir/known.jsonl" >"$dir/said" || {
        cat "$dir/said"
        exit 1
    }
    [ "$(sed -n 's/.* \([0-9]*\) events lost.*/\1/p' "$dir/said")" = "$told" ]
    echo "$dump in perfetto: $(cat "$dir/said")"
done

# The same of value change dumps, with JSON lines.
for dump in demo drops cpus event chunks; do
    "$build/tlog-decode" "$dir/$dump.bin" -o "$dir/$dump.vcd" 2>"$dir/messages"
    told=$(lost "$dir/messages")
    "$build/tlog-decode" -q "$dir/$dump.bin" -o "$dir/$dump.jsonl"
    python3 tests/judges/vcd.py rows "$dir/$dump.vcd" "$dir/$dump.jsonl" >"$dir/said" || { cat "$dir/said"; exit 1; }
    [ "$(sed -n 's/.* \([0-9]*\) events lost.*/\1/p' "$dir/said")" = "$told" ]
    echo "$dump as waveforms: $(cat "$dir/said")"
done

# S.Ha.R.K. files hold records only: the decoder says how many events it left out, and writes no file if all are.
"$build/tlog-decode" --format=shark "$dir/event.bin" -o "$dir/event.shark" 2>"$dir/messages"
grep -q 'shark: [0-9]* events left out' "$dir/messages"
if "$build/tlog-decode" --format=shark "$dir/1" -o "$dir/none.shark" 2>"$dir/messages"; then
    exit 1
fi
grep -q 'shark: the format holds S.Ha.R.K. records only' "$dir/messages"
[ ! -e "$dir/none.shark" ]
