#!/bin/sh
# udp.sh - firmware in QEMU sends its events through the board's Ethernet controller; checks that the bytes received on
# this machine's loopback are those of the events, and that the firmware reports a receiver that does not answer.
# usage: udp.sh BUILD BOARD
# Judges: expect.py, which follows FORMAT.md; receive.c, the decoder's own receiver.
set -eu
. tests/lib/needs.sh
needs python3
build=$1
board=$2
dir=$build/test/udp
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"
receiver=
trap 'kill ${receiver:-} 2>/dev/null || true' EXIT

${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -O2 -Ihost -Itarget tests/system/udp/receive.c host/io/*.c \
    host/io/live/*.c host/io/firmware/memory.c host/model/*.c host/tool/message.c host/tool/progress.c \
    host/os/posix/*.c host/base/*.c -ldw -lz -lzstd -pthread -o "$dir/receive"

# build PORT TARGET FLAGS...: build app.c, which sends to UDP port PORT of address TARGET
build() {
    port=$1
    target=$2
    shift 2
    firmware "$board" "$dir/firmware.elf" tests/system/udp/app.c port/out_udp.c port/net_udp.c port/net_lan9118.c \
        -DTLOG_SLOTS=1000 "-DTLOG_UDP_PORT=$port" "-DTARGET=\"$target\"" "$@"
}

# run NIC: run the firmware in QEMU with that network backend; its console goes to $dir/text
run() {
    emulate "$board" "$dir/firmware.elf" -nic "$1" 2>"$dir/text" ||
        { ended=$? && cat "$dir/text" && return "$ended"; }
}

# start COMMAND...: start a receiver on any free port, and wait until it has printed the number: sets port
start() {
    : >"$dir/err"
    "$@" >"$dir/out" 2>"$dir/err" &
    receiver=$!
    for _ in $(seq 600); do
        port=$(sed -n 's/.*waiting for datagrams on 127.0.0.1 port \([0-9]*\)$/\1/p' "$dir/err")
        [ -n "$port" ] && return 0
        sleep 0.1
    done
    cat "$dir/err"
    return 1
}

# finish: wait for the receiver; sets code, its exit code
finish() {
    code=0
    wait "$receiver" || code=$?
    receiver=
    cat "$dir/err"
}

# number N: the N-th 32-bit word of figures.bin
number() {
    od -A n -v -t d4 -w4 "$dir/figures.bin" | sed -n "$(($1 + 1))p" | tr -d ' '
}

start "$dir/receive" udp:0 "$dir/got.bin" 2 60
build "$port" 10.0.2.2
run user
finish
[ "$code" -eq 0 ]
python3 tests/system/udp/expect.py "$dir/sent.bin" "$dir/expect.bin" 1000
cmp "$dir/got.bin" "$dir/expect.bin"
# Packet 1 was sent before the network was open and so was lost; the receiver must report that gap.
[ "$(cat "$dir/out")" = "gap 0 1" ]
[ "$(number 0),$(number 1),$(number 2),$(number 3)" = "-6,-4,0,0" ]
[ "$(number 4),$(number 5),$(number 6),$(number 7)" = "19,1,1002,1" ]
ticks=$(number 9)
[ "$ticks" -ge $((18 * 5 * 25000)) ]
[ "$ticks" -le $((18 * 6 * 25000)) ]
echo "18 datagrams in $((ticks / 25)) us"

# The decoder receives the same records; its exit code is 2 because of the gap.
start "$build/tlog-decode" --format=text-full --map=native --wait=600 --idle=2 udp:0 -o "$dir/udp.txt"
build "$port" 10.0.2.2
run user
finish
[ "$code" -eq 2 ]
[ "$(grep -c user_event_0 "$dir/udp.txt")" -ge 999 ]
"$build/tlog-decode" --format=text-full -q --from=shark --map=native "$dir/expect.bin" \
    -o "$dir/file.txt" || [ $? -eq 2 ]
# Behind the missing packet it is not known which task runs.
events_of() { grep -v DAMAGED "$1" | sed 's/^[^[]*\[/[/'; }
events_of "$dir/file.txt" >"$dir/file.whole"
events_of "$dir/udp.txt" | cmp - "$dir/file.whole"

# Again without the pause between datagrams.
start "$dir/receive" udp:0 "$dir/got.bin" 2 60
build "$port" 10.0.2.2 -DTLOG_UDP_PAUSE_MS=0
run user
finish
python3 tests/system/udp/expect.py "$dir/sent.bin" "$dir/expect.bin" 1000
cmp "$dir/got.bin" "$dir/expect.bin"
echo "without a pause: 18 datagrams in $(($(number 9) / 25)) us"

build 20000 10.0.2.99 -DNET_ARP_TRIES=2
code=0
run user || code=$?
[ "$code" -eq 3 ]
[ "$(number 2)" -eq -5 ]
[ "$(number 8)" -ge $((2 * 500 * 25000)) ]
grep 'no answer to ARP' "$dir/text"
code=0
run none || code=$?
[ "$code" -eq 3 ]
grep 'no answer to ARP' "$dir/text"
