#!/bin/sh
# shark.sh - checks S.Ha.R.K.'s interface from firmware to trace-cmd's report: each row of its manual's tables; the
# manual's example program, whose chunks hold the same events when sent by UDP and when written as files; programs with
# several chunks and with more chunks than the writer's queue takes.
# usage: shark.sh BUILD BOARD
# Judges: walk.py, chunks.py, queue.py; trace-cmd.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
board=$2
dir=$build/test/shark
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"
receiver=
trap 'kill ${receiver:-} 2>/dev/null || true' EXIT

# build NAME SOURCE FLAGS...: build SOURCE with the senders as $dir/NAME.elf
build() {
    name=$1 source=$2
    shift 2
    firmware "$board" "$dir/$name.elf" "$source" port/out_udp.c port/out_shark_udp.c port/net_udp.c \
        port/net_lan9118.c -Itests/system/shark "$@"
}

# run NAME QEMU_OPTION...: run $dir/NAME.elf in QEMU
run() {
    name=$1
    shift
    emulate "$board" "$dir/$name.elf" "$@"
}

build walk tests/system/shark/walk.c
run walk
"$build/tlog-decode" -q --map=native "$dir/dump.bin" -o "$dir/walk.dat"
trace-cmd report -i "$dir/walk.dat" 2>/dev/null >"$dir/walk.txt"
python3 tests/system/shark/walk.py tests/system/shark/table.h "$dir/walk.txt"
"$build/tlog-decode" -q --format=shark "$dir/dump.bin" -o "$dir/walk.shark"
[ "$(wc -c <"$dir/walk.shark")" = $(($(grep -c '^ROW\|^FILTER' tests/system/shark/table.h) * 16 + 12 * 16 + 16)) ]

# The decoder also knows the manual's misprint 0x43 for set_mutex_unlock, and says so.
printf '\103\000\001\000\000\000\000\000\020\000\000\000\002\000\000\000' >"$dir/misprint"
"$build/tlog-decode" --from=shark --format=text-full "$dir/misprint" 2>&1 | tee "$dir/misprint.txt"
grep -q '0x43.*0x36\|mutex_unlock' "$dir/misprint.txt"

arena=-Wl,--defsym=TLOG_ARENA_SIZE=7M
build disk tests/system/shark/example.c -T tests/system/shark/psram.ld -DTLOG_ARENA=1 -DDISK "$arena"
run disk
cat "$dir/0trace.dat" "$dir/1trace.dat" >"$dir/disk"

"$build/tlog-decode" udp:0 --wait=600 --idle=2 --format=shark -o "$dir/udp" 2>"$dir/udp.err" &
receiver=$!
for _ in $(seq 600); do
    port=$(sed -n 's/.*waiting for datagrams on 127.0.0.1 port \([0-9]*\)$/\1/p' "$dir/udp.err")
    [ -n "$port" ] && break
    sleep 0.1
done
build udp tests/system/shark/example.c -T tests/system/shark/psram.ld -DTLOG_ARENA=1 '-DTARGET="10.0.2.2"' \
    "-DTLOG_UDP_PORT=$port" "$arena"
run udp -nic user
wait "$receiver"
receiver=

# The times of the two runs differ, because the two senders' code places other code elsewhere. All else must be equal
# and be what the program logged: chunk a has 1 + 1 + 6 + 300 + 1 events, chunk b 1 + 400 + 1, and the mark of
# FTrace_disable().
for way in disk udp; do
    "$build/tlog-decode" -q --from=shark --map=native --format=text-full "$dir/$way" | sed 's/ [0-9.]*: / /' \
        >"$dir/$way.txt"
    [ "$(wc -c <"$dir/$way")" = $((712 * 16)) ]
done
cmp "$dir/disk.txt" "$dir/udp.txt"
"$build/tlog-decode" -q --map=native --format=text-full "$dir/dump.bin" | sed 's/ [0-9.]*: / /' >"$dir/dump.txt"
cmp "$dir/dump.txt" "$dir/udp.txt"
for files in "$dir/0trace.dat $dir/1trace.dat" "$dir/1trace.dat $dir/0trace.dat"; do
    # shellcheck disable=SC2086
    "$build/tlog-decode" --format=text-full --map=native $files -o "$dir/both.txt" 2>"$dir/both.err"
    sed 's/ [0-9.]*: / /' "$dir/both.txt" | cmp - "$dir/disk.txt"
    grep -q '712 events, 1 CPU, 0\.' "$dir/both.err"
done
"$build/tlog-decode" "$dir/1trace.dat" -o "$dir/second.txt" 2>"$dir/second.err"
grep -q 'give all of them together' "$dir/second.err"
[ "$(wc -c <"$dir/0trace.dat")" = $((309 * 16)) ]
[ "$(wc -c <"$dir/1trace.dat")" = $((403 * 16)) ]

[ "${TIER:-}" != quick ] || exit 0
build chunks tests/system/shark/chunks.c -DTLOG_ARENA=1 -Wl,--defsym=TLOG_ARENA_SIZE=64K
run chunks
"$build/tlog-decode" --map=native --format=text-full "$dir/dump.bin" >"$dir/chunks.txt"
python3 tests/system/shark/chunks.py "$dir/chunks.txt"
"$build/tlog-decode" -q "$dir/dump.bin" -o "$dir/chunks.dat"
trace-cmd report -i "$dir/chunks.dat" >"$dir/chunks.report" 2>"$dir/chunks.err"
[ ! -s "$dir/chunks.err" ]

# More chunks than the queue has places: events that are in no file are reported as lost; the dump has them.
build queue tests/system/shark/queue.c -DTLOG_ARENA=1 -Wl,--defsym=TLOG_ARENA_SIZE=64K
run queue 2>"$dir/queue.said"
grep -q 'the queue was full' "$dir/queue.said"
for n in $(seq 0 63); do
    cat "$dir/${n}queue"
done >"$dir/queue"
[ ! -e "$dir/64queue" ]
[ "$(wc -c <"$dir/queue")" = $(((64 * 4 + 16 * 2) * 16)) ]
"$build/tlog-decode" --format=text-full --from=shark --clock-hz=25000000 --map=native "$dir/queue" \
    -o "$dir/queue.txt" 2>"$dir/queue.err"
grep -q 'lost 72 (72 dropped, 0 overwritten), damaged 0' "$dir/queue.err"
"$build/tlog-decode" --format=text-full --map=native "$dir/dump.bin" -o "$dir/all.txt" 2>"$dir/all.err"
grep -q 'lost 0, damaged 0' "$dir/all.err"
python3 tests/system/shark/queue.py "$dir/queue.txt" "$dir/all.txt"
