#!/bin/sh
# gdb_dump.sh - checks that a debugger can take the dump, without code in the firmware: gdb's "dump binary memory" of
# the chunks on the stopped target equals, byte for byte, the file that the firmware wrote. A dump taken in the middle
# of a run decodes to as many events as the chunk's cursor says.
# usage: gdb_dump.sh BUILD BOARD
# Judges: cmp, and gdb's view of the cursor.
set -eu
. tests/lib/needs.sh
needs gdb-multiarch
build=$1
board=$2
dir=$build/test/gdb
rm -rf "$dir"
mkdir -p "$dir"
cp "$build/demo/firmware.elf" "$dir/"

# debug OUT COMMANDS...: run the firmware under gdb with these commands of gdb, then dump the chunks to $dir/OUT
debug() {
    out=$1
    shift
    rm -f "$dir/gdb.socket" "$dir/$out"
    (cd "$dir" && exec timeout 600 qemu-system-arm -M "$board" -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=6 -kernel firmware.elf -S \
        -chardev socket,path=gdb.socket,server=on,wait=off,id=gdb -gdb chardev:gdb) 2>"$dir/qemu.log" &
    qemu=$!
    tries=0
    until [ -S "$dir/gdb.socket" ]; do
        tries=$((tries + 1))
        [ $tries -lt 600 ]
        sleep 0.2
    done
    # QEMU may end before it has answered gdb's kill command. gdb then fails, but it has written the dump before.
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
"$build/tlog-decode" --format=text-full "$dir/middle.bin" -o "$dir/middle.txt" 2>"$dir/summary"
cat "$dir/summary"
# At most 8 bytes of fields: each event takes one slot, and tlog's own two tell the number of the lap and its time.
events=$((events - 2))
# The interrupt at which gdb stopped may have interrupted the logging of an event, which is then unfinished.
unfinished=$(sed -n 's/.*unfinished \([0-9]*\),.*/\1/p' "$dir/summary")
[ "$events" -gt 300 ]
[ "${unfinished:-0}" -le 1 ]
[ "$(wc -l <"$dir/middle.txt")" -eq $((events + 1 - ${unfinished:-0})) ]
echo "stopped in the middle: $events events, all decoded but ${unfinished:-0} that the interrupt came amid"
