#!/bin/sh
# A dump needs no code at all: gdb's "dump binary memory" of the chunks, on the stopped target, is byte for byte the
# file that the firmware wrote. Taken in the middle of a run it decodes to as many events as the cursor says.
set -eu
build=$1
board=$2
dir=$build/test/gdb
rm -rf "$dir"
mkdir -p "$dir"
cp "$build/demo/firmware.elf" "$dir/"

# debug OUT COMMANDS...: run the firmware under gdb with these commands, then dump the chunks to $dir/OUT
debug() {
    out=$1
    shift
    rm -f "$dir/gdb.socket" "$dir/$out"
    (cd "$dir" && exec timeout 120 qemu-system-arm -M "$board" -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=6 -kernel firmware.elf -S \
        -chardev socket,path=gdb.socket,server=on,wait=off,id=gdb -gdb chardev:gdb) 2>"$dir/qemu.log" &
    qemu=$!
    tries=0
    until [ -S "$dir/gdb.socket" ]; do
        tries=$((tries + 1))
        [ $tries -lt 50 ]
        sleep 0.2
    done
    # When QEMU has gone before gdb has heard that it was killed, gdb fails; the dump has been written then.
    gdb-multiarch -nx -batch "$dir/firmware.elf" -ex "target remote $dir/gdb.socket" "$@" \
        -ex "dump binary memory $dir/$out &__start_tlog_chunks &__stop_tlog_chunks" -ex kill >"$dir/gdb.log" 2>&1 \
        || [ -s "$dir/$out" ] || { cat "$dir/gdb.log"; exit 1; }
    wait $qemu || true
}

debug gdb.bin -ex 'break semihost_exit' -ex continue
cmp "$dir/dump.bin" "$dir/gdb.bin"
echo "$(wc -c <"$dir/gdb.bin") bytes: the same"

debug middle.bin -ex 'break irq_9_handler' -ex 'ignore 1 100' -ex continue \
    -ex 'printf "events %d\n", (*tlog_cpus[0].cursor >> 16) - 1'
events=$(sed -n 's/^events //p' "$dir/gdb.log")
"$build/tlog-decode" "$dir/middle.bin" -o "$dir/middle.txt" 2>"$dir/summary"
cat "$dir/summary"
# The interrupt may have come amid an event.
unfinished=$(sed -n 's/.*unfinished \([0-9]*\),.*/\1/p' "$dir/summary")
[ "$events" -gt 300 ]
[ "${unfinished:-0}" -le 1 ]
[ "$(wc -l <"$dir/middle.txt")" -eq $((events + 1 - ${unfinished:-0})) ]
echo "stopped in the middle: $events events, all decoded but ${unfinished:-0} that the interrupt came amid"
